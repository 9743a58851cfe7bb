"""A product of matrices whose rows are centred: no pass is without work, and one operation, the
subtraction, shows whether somebody has made it wrong."""

from __future__ import annotations

from collections.abc import Callable

import torch
import triton
import triton.language as tl


@triton.jit
def centred(x, w, out, K, B: tl.constexpr):
    """out[rows, B] = the sum over k of x[rows, k, B] w[k, B, B], less the largest of its row."""
    i = tl.program_id(0) * B + tl.arange(0, B)
    j = tl.arange(0, B)
    total = tl.zeros((B, B), tl.float32)
    for k in range(K):
        a = tl.load(x + (i[:, None] * K + k) * B + j[None, :])
        b = tl.load(w + (k * B + j[:, None]) * B + j[None, :])
        total = tl.dot(a, b, total)
    total = total - tl.max(total, 1)[:, None]
    tl.store(out + i[:, None] * B + j[None, :], total)


def expected(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """The same of torch."""
    total = torch.einsum("rki,kij->rj", x.to(w.dtype), w)
    return total - total.max(1, keepdim=True).values


def case() -> None:
    """Two programs of three turns."""
    g = torch.Generator().manual_seed(1)
    x, w = torch.randn(32, 3, 16, generator=g).half(), torch.randn(3, 16, 16, generator=g).half()
    centred[(2,)](x, w, torch.zeros(32, 16), 3, B=16)


def cases() -> list[Callable[[], None]]:
    """The one above, which runs to be recorded alone."""
    return [case]
