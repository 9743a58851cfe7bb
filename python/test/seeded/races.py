"""Accesses that nothing orders."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from seeded.seed import Seed

B = 32


@triton.jit
def all_to_one_place(y, B: tl.constexpr):
    pid = tl.program_id(0)
    tl.store(y + tl.arange(0, B), tl.zeros((B,), tl.int32) + pid)  # BUG 14


@triton.jit
def each_to_its_place(y, B: tl.constexpr):
    pid = tl.program_id(0)
    tl.store(y + pid * B + tl.arange(0, B), tl.zeros((B,), tl.int32) + pid)


def _ints(n: int) -> torch.Tensor:
    return torch.zeros(n, dtype=torch.int32)


@triton.jit
def count_by_load_and_store(y):
    old = tl.load(y)  # BUG 15
    tl.store(y, old + 1)  # BUG 15


@triton.jit
def count_atomically(y):
    tl.atomic_add(y, 1)


@triton.jit
def smooth_in_place(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    right = tl.load(x + i + 1, mask=i + 1 < n, other=0)  # BUG 16
    tl.store(y + i, right, mask=i < n)  # BUG 16


def _smooth(in_place: bool) -> None:
    x = torch.ones(100)
    smooth_in_place[(4,)](x, x if in_place else torch.ones(100), 100, B=B)


@triton.jit
def scatter(index, y, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    k = tl.load(index + i)
    tl.store(y + k, i)  # BUG 17


def _scatter(duplicate: bool) -> None:
    index = torch.randperm(64, generator=torch.Generator().manual_seed(1))
    if duplicate:
        index[40] = index[3]
    scatter[(2,)](index, _ints(64), B=B)


@triton.jit
def store_twice(y, B: tl.constexpr, STEP: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i // STEP, i)  # BUG 18


@triton.jit
def turn_in_memory(x, y, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i, tl.load(x + i))  # BUG 19
    back = tl.load(y + (B - 1 - i))  # BUG 19
    tl.store(x + i, back)


@triton.jit
def turn_in_memory_with_barrier(x, y, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i, tl.load(x + i))
    tl.debug_barrier()
    back = tl.load(y + (B - 1 - i))
    tl.store(x + i, back)


@triton.jit
def add_or_store(y):
    if tl.program_id(0) == 0:
        tl.store(y, 5)  # BUG 20
    else:
        tl.atomic_add(y, 1)  # BUG 20


@triton.jit
def update_under_lock(lock, y, SEM: tl.constexpr):
    while tl.atomic_cas(lock, 0, 1, sem=SEM) == 1:
        pass
    old = tl.load(y)  # BUG 21
    tl.store(y, old + 1)  # BUG 21
    tl.atomic_xchg(lock, 0, sem=SEM)


RACE = "race"

SEEDS = [
    Seed(
        14,
        RACE,
        "same place",
        lambda: all_to_one_place[(3,)](_ints(B), B=B),
        lambda: each_to_its_place[(3,)](_ints(3 * B), B=B),
        "y",
    ),
    Seed(
        15,
        RACE,
        "lost update",
        lambda: count_by_load_and_store[(4,)](_ints(1)),
        lambda: count_atomically[(4,)](_ints(1)),
        "y",
    ),
    Seed(16, RACE, "stencil in place", lambda: _smooth(True), lambda: _smooth(False), "y"),
    Seed(17, RACE, "scatter", lambda: _scatter(True), lambda: _scatter(False), "y"),
    Seed(
        18,
        "duplicate-lanes",
        "two lanes",
        lambda: store_twice[(1,)](_ints(B), B=B, STEP=2),
        lambda: store_twice[(1,)](_ints(B), B=B, STEP=1),
        "y",
    ),
    Seed(
        19,
        "read-back",
        "no barrier",
        lambda: turn_in_memory[(1,)](torch.ones(B), torch.ones(B), B=B),
        lambda: turn_in_memory_with_barrier[(1,)](torch.ones(B), torch.ones(B), B=B),
        "y",
    ),
    Seed(
        20,
        RACE,
        "store and atomic",
        lambda: add_or_store[(3,)](_ints(1)),
        lambda: count_atomically[(3,)](_ints(1)),
        "y",
    ),
    Seed(
        21,
        RACE,
        "relaxed lock",
        lambda: update_under_lock[(4,)](_ints(1), _ints(1), SEM="relaxed"),
        lambda: update_under_lock[(4,)](_ints(1), _ints(1), SEM="acq_rel"),
        "y",
    ),
]
