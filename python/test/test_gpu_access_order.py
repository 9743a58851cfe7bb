"""What threads of a program see of each other's stores: in the emulator, in several orders."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from test_gpu_parts import compile_plain
from triton_shared import emulate

ORDERS = range(4)


def check(
    kernel: Any,
    types: dict[str, str],
    constants: dict[str, Any],
    make: Callable[[], list[Any]],
    want: Callable[..., list[torch.Tensor]],
    folder: Path,
    warps: int = 4,
) -> None:
    """`want` is given what `make` makes, and computes what tensors hold behind the launch."""
    compiled = compile_plain(kernel, types, constants, folder, warps)
    for seed in ORDERS:
        arguments = make()
        expected = want(*(x.clone() if isinstance(x, torch.Tensor) else x for x in arguments))
        emulate.launch(compiled, arguments, (1,), seed)
        tensors = [x for x in arguments if isinstance(x, torch.Tensor)]
        for have, right in zip(tensors, expected, strict=True):
            torch.testing.assert_close(have, right)


@triton.jit
def _double_in_place(x_ptr, out_ptr, N: tl.constexpr, M: tl.constexpr):
    """Of few elements, each of which several threads hold."""
    places = tl.arange(0, N)
    before = tl.load(x_ptr + places)
    tl.store(x_ptr + places, before * 2)
    after = tl.load(x_ptr + places)
    total = tl.sum(before + 100 * after)
    tl.store(out_ptr + tl.arange(0, M), tl.full((M,), 0, tl.int32) + total)


@pytest.mark.parametrize("size", [1, 8, 32, 256])
def test_threads_that_hold_the_same_elements(size: int, tmp_path: Path):
    def want(x: torch.Tensor, out: torch.Tensor) -> list[torch.Tensor]:
        return [x * 2, torch.full_like(out, int(x.sum()) * 201)]

    def make() -> list[torch.Tensor]:
        return [torch.arange(size, dtype=torch.int32) + 1, torch.zeros(512, dtype=torch.int32)]

    types = {"x_ptr": "*i32", "out_ptr": "*i32"}
    check(_double_in_place, types, {"N": size, "M": 512}, make, want, tmp_path)


@triton.jit
def _share(x_ptr, label, n, BLOCK: tl.constexpr):
    """A row becomes parts of its sum, in place, and one of them is changed."""
    chosen = tl.load(x_ptr + label)
    total = 0.0
    for start in range(0, n, BLOCK):
        places = start + tl.arange(0, BLOCK)
        total += tl.sum(tl.load(x_ptr + places, mask=places < n, other=0.0))
    for start in range(0, n, BLOCK):
        places = start + tl.arange(0, BLOCK)
        part = tl.load(x_ptr + places, mask=places < n, other=0.0) / total
        tl.store(x_ptr + places, part, mask=places < n)
    tl.debug_barrier()
    part = tl.load(x_ptr + label)
    tl.store(x_ptr + label, part - chosen)


@pytest.mark.parametrize("block", [64, 256])
def test_a_row_in_place(block: int, tmp_path: Path):
    size = 3 * block - 5

    def want(x: torch.Tensor, label: int, _: int) -> list[torch.Tensor]:
        parts = x / x.sum()
        parts[label] -= x[label]
        return [parts]

    def make() -> list[Any]:
        return [torch.arange(size, dtype=torch.float32) % 7 + 1, size // 2, size]

    types = {"x_ptr": "*fp32", "label": "i32", "n": "i32"}
    check(_share, types, {"BLOCK": block}, make, want, tmp_path)


@triton.jit
def _push(x_ptr, n, BY: tl.constexpr, BLOCK: tl.constexpr):
    """Each block is added to the one that begins BY elements behind it."""
    for start in range(0, n, BLOCK):
        places = start + tl.arange(0, BLOCK)
        tl.store(x_ptr + places + BY, tl.load(x_ptr + places) + tl.load(x_ptr + places + BY))


@pytest.mark.parametrize("by", [1, 127, 128, 129, 256, 300])
def test_turns_see_what_earlier_ones_wrote(by: int, tmp_path: Path):
    block, turns = 128, 4

    def want(x: torch.Tensor, n: int) -> list[torch.Tensor]:
        for start in range(0, n, block):
            x[start + by : start + by + block] += x[start : start + block].clone()
        return [x]

    def make() -> list[Any]:
        return [torch.arange(block * turns + by, dtype=torch.int32) % 11, block * turns]

    types = {"x_ptr": "*i32", "n": "i32"}
    check(_push, types, {"BY": by, "BLOCK": block}, make, want, tmp_path)


@triton.jit
def _fibonacci(x_ptr, n):
    for i in range(2, n):
        tl.store(x_ptr + i, tl.load(x_ptr + i - 1) + tl.load(x_ptr + i - 2))


def test_numbers_of_earlier_turns(tmp_path: Path):
    def want(x: torch.Tensor, n: int) -> list[torch.Tensor]:
        for i in range(2, n):
            x[i] = x[i - 1] + x[i - 2]
        return [x]

    types = {"x_ptr": "*i32", "n": "i32"}
    check(_fibonacci, types, {}, lambda: [torch.ones(20, dtype=torch.int32), 20], want, tmp_path)


@triton.jit
def _columns(x_ptr, sums_ptr, turns, ROWS: tl.constexpr, WIDTH: tl.constexpr, MOST: tl.constexpr):
    """A column in each turn; behind the last of them, all rows are added up."""
    down = tl.arange(0, ROWS)
    for i in range(0, tl.minimum(turns, MOST)):
        tl.store(x_ptr + down * WIDTH + i, down * 3 + i)
    places = down[:, None] * WIDTH + tl.arange(0, WIDTH)[None, :]
    tl.store(sums_ptr + down, tl.sum(tl.load(x_ptr + places), axis=1))


@pytest.mark.parametrize("turns", [5, 30])
def test_columns_that_turns_write(turns: int, tmp_path: Path):
    """Also more of them than a row has, which go on in the next one."""

    def want(x: torch.Tensor, sums: torch.Tensor, _: int) -> list[torch.Tensor]:
        for i in range(min(turns, 24)):
            x[torch.arange(8) * 16 + i] = torch.arange(8, dtype=torch.int32) * 3 + i
        return [x, x[:128].view(8, 16).sum(1, dtype=torch.int32)]

    def make() -> list[Any]:
        return [torch.zeros(160, dtype=torch.int32), torch.zeros(8, dtype=torch.int32), turns]

    types = {"x_ptr": "*i32", "sums_ptr": "*i32", "turns": "i32"}
    constants = {"ROWS": 8, "WIDTH": 16, "MOST": 24}
    check(_columns, types, constants, make, want, tmp_path)


@triton.jit
def _halves(x_ptr, BY: tl.constexpr, ROWS: tl.constexpr, HALF: tl.constexpr):
    """Both halves of each row change places, but for what BY says."""
    left = tl.arange(0, ROWS)[:, None] * 2 * HALF + tl.arange(0, HALF)[None, :]
    one, other = tl.load(x_ptr + left), tl.load(x_ptr + left + HALF)
    tl.store(x_ptr + left, other)
    tl.store(x_ptr + left + BY, one)


@pytest.mark.parametrize("by", [32, 31, 64, 1])
def test_stores_beside_each_other(by: int, tmp_path: Path):
    def want(x: torch.Tensor) -> list[torch.Tensor]:
        left = torch.arange(16)[:, None] * 64 + torch.arange(32)[None, :]
        one, other = x[left], x[left + 32]
        x[left] = other
        x[left + by] = one
        return [x]

    constants = {"BY": by, "ROWS": 16, "HALF": 32}
    make: Callable[[], list[Any]] = lambda: [torch.arange(16 * 64 + 64, dtype=torch.int32)]  # noqa: E731
    check(_halves, {"x_ptr": "*i32"}, constants, make, want, tmp_path)


@triton.jit
def _exchange(x_ptr, SIZE: tl.constexpr):
    places = tl.arange(0, SIZE)
    tl.atomic_xchg(x_ptr + places, places, sem="relaxed")
    tl.atomic_xchg(x_ptr + SIZE - 1 - places, places + 1000, sem="relaxed")


def test_of_exchanges_the_last_one_stays(tmp_path: Path):
    """Relaxed sums come in any order; what is exchanged does not."""

    def want(x: torch.Tensor) -> list[torch.Tensor]:
        return [torch.arange(256, dtype=torch.int32).flip(0) + 1000]

    types = {"x_ptr": "*i32"}
    make: Callable[[], list[Any]] = lambda: [torch.zeros(256, dtype=torch.int32)]  # noqa: E731
    check(_exchange, types, {"SIZE": 256}, make, want, tmp_path)


@triton.jit
def _sums_in_place(x_ptr, out_ptr, limit, N: tl.constexpr):
    """One element after the other; what decides is what all threads have to see right."""
    total = 0
    for i in range(N):
        total += tl.load(x_ptr + i)
        tl.store(x_ptr + i, total)
    if tl.load(x_ptr + N - 1) > limit:
        tl.store(out_ptr + tl.arange(0, 64), tl.full((64,), 1, tl.int32))
    first = tl.load(x_ptr + 1)
    tl.store(x_ptr + 1, first * 2)
    tl.store(x_ptr, tl.load(x_ptr + first))


@pytest.mark.parametrize("limit", [0, 1000])
def test_sums_of_single_elements_in_place(limit: int, tmp_path: Path):
    """A barrier in each turn waited for threads that need nothing of what they had loaded, and
    kept the loads of several turns from being in flight at once."""

    def want(x: torch.Tensor, out: torch.Tensor, limit: int) -> list[torch.Tensor]:
        sums = x.cumsum(0).int()
        out[:] = int(sums[-1] > limit)
        first = int(sums[1])
        sums[1] *= 2
        sums[0] = sums[first]
        return [sums, out]

    def make() -> list[Any]:
        return [torch.arange(20, dtype=torch.int32), torch.zeros(64, dtype=torch.int32), limit]

    types = {"x_ptr": "*i32", "out_ptr": "*i32", "limit": "i32"}
    check(_sums_in_place, types, {"N": 20}, make, want, tmp_path)
