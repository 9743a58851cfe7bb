"""Sums of rows, which one of three configurations makes wrong: it leaves out what is left over."""

from __future__ import annotations

from collections.abc import Callable

import torch
import triton
import triton.language as tl

WRONG = "BLOCK=128"


@triton.autotune([triton.Config({"BLOCK": block}) for block in (32, 64, 128)], key=["n"])
@triton.jit
def row_sums(x, out, n, BLOCK: tl.constexpr):
    """out[rows] = the sums of x[rows, n], if BLOCK divides n."""
    row = tl.program_id(0)
    total = tl.zeros((BLOCK,), tl.float32)
    for k in range(0, n // BLOCK):
        total += tl.load(x + row * n + k * BLOCK + tl.arange(0, BLOCK))
    tl.store(out + row, tl.sum(total, axis=0))


def case() -> None:
    """Four rows of 192."""
    x = torch.rand(4, 192, generator=torch.Generator().manual_seed(1))
    row_sums[(4,)](x, torch.zeros(4), 192)


def cases() -> list[Callable[[], None]]:
    """The one above, which runs to be recorded alone."""
    return [case]
