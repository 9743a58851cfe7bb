"""Which tensor an access is meant for: of one, it is checked; of several, it is left as it is."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import triton
import triton.language as tl
import triton_shared

N = 32


@triton.jit
def _chosen_after_a_branch(a, b, out):
    i = tl.arange(0, 32)
    if tl.program_id(0) == 0:
        p = a + i
    else:
        p = b + i
    q = tl.where(i < 8, a + i, p)
    tl.store(out + tl.program_id(0) * 32 + i, tl.load(q))


@triton.jit
def _chosen_per_element(a, b, out):
    i = tl.arange(0, 32)
    q = tl.where(i < 8, a + i, b + i)
    tl.store(out + tl.program_id(0) * 32 + i, tl.load(q))


@triton.jit
def _chosen_in_a_loop(a, b, out):
    i = tl.arange(0, 32)
    p = a + i
    for turn in range(3):
        p = tl.where((i + turn) % 3 == 1, b + i, p)
    tl.store(out + tl.program_id(0) * 32 + i, tl.load(p))


@triton.jit
def _interleaved(a, b, out):
    i = tl.arange(0, 16)
    p = tl.interleave(a + i, b + i)
    tl.store(out + tl.program_id(0) * 32 + tl.arange(0, 32), tl.load(p))


@triton.jit
def _joined(a, b, out):
    i = tl.arange(0, 16)
    x = tl.reshape(tl.load(tl.join(a + i, b + i)), (32,))
    tl.store(out + tl.program_id(0) * 32 + tl.arange(0, 32), x)


@pytest.mark.parametrize(
    "kernel",
    [_chosen_after_a_branch, _chosen_per_element, _chosen_in_a_loop, _interleaved, _joined],
    ids=lambda kernel: kernel.__name__.strip("_"),
)
def test_places_in_two_tensors_are_not_taken_for_places_in_one(kernel: triton.JITFunction):
    a, b = torch.randn(N), torch.randn(N)
    out, expected = torch.zeros(2, N), torch.zeros(2, N)
    kernel[(2,)](a, b, expected)
    with triton_shared.check() as report:
        kernel[(2,)](a, b, out)
    assert report.is_clean, report.as_text()
    assert torch.equal(out, expected)


@triton.jit
def _until(x, out, n):
    i = tl.arange(0, 32)
    at = 0
    total = tl.zeros((32,), tl.float32)
    while at < n:
        total += tl.load(x + at + i)
        at += 32
    tl.store(out + i, total)


@triton.jit
def _pointer_moves(x, out, n):
    i = tl.arange(0, 32)
    p = x + i
    total = tl.zeros((32,), tl.float32)
    for _ in range(0, n, 32):
        total += tl.load(p)
        p += 32
    tl.store(out + i, total)


@triton.jit
def _bytes_move(x, out, n):
    i = tl.arange(0, 32)
    p = x.to(tl.pointer_type(tl.int8))
    total = tl.zeros((32,), tl.float32)
    for _ in range(0, n, 32):
        total += tl.load(p.to(tl.pointer_type(tl.float32)) + i)
        p += 128
    tl.store(out + i, total)


@triton.jit
def _chosen_in_one(x, out, n):
    i = tl.arange(0, 32)
    tl.store(out + i, tl.load(tl.where(i < 8, x + i, x + n - 1 + i)))


@pytest.mark.parametrize(
    "kernel",
    [_until, _pointer_moves, _bytes_move, _chosen_in_one],
    ids=lambda kernel: kernel.__name__.strip("_"),
)
@pytest.mark.parametrize(("length", "is_clean"), [(4 * N, True), (3 * N, False)])
def test_places_in_one_tensor_are_checked_however_they_are_computed(
    kernel: Callable[..., None], length: int, is_clean: bool
):
    with triton_shared.check() as report:
        kernel[(1,)](torch.randn(length), torch.zeros(N), 3 * N + 1)  # type: ignore[index]
    assert {finding.kind for finding in report.findings} == (
        set() if is_clean else {"out-of-bounds"}
    )
