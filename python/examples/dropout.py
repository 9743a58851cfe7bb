"""Dropout from a seed: the mask is made again, never stored."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
import triton
import triton.language as tl

from .case import DTYPES, Case, Expected, random, rounded, roundoff


@triton.jit
def dropout_kernel(x_ptr, out_ptr, n, p, seed, BLOCK: tl.constexpr):
    """out = x / (1 - p) where a random number of the element's own is above p, else 0."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    kept = tl.rand(seed, offsets) > p
    out = tl.where(kept, x / (1 - p), 0.0)
    tl.store(out_ptr + offsets, out.to(out_ptr.dtype.element_ty), mask=inside)


def dropout(x: torch.Tensor, p: float, seed: int) -> torch.Tensor:
    """x with a part `p` of its elements set to zero, the others scaled up."""
    out = torch.empty_like(x)
    n = x.numel()
    dropout_kernel[(triton.cdiv(n, 256),)](x, out, n, p, seed, BLOCK=256)
    return out


def uniform(seed: int, count: int) -> np.ndarray:
    """What `tl.rand(seed, i)` is for i below `count`: Philox 4x32-10, first word, in f32."""
    low = np.uint64(0xFFFFFFFF)
    c0 = np.arange(count, dtype=np.uint64)
    c1 = c2 = c3 = np.zeros(count, dtype=np.uint64)
    k0, k1 = np.uint64(seed) & low, np.uint64(seed) >> np.uint64(32)
    for _ in range(10):
        left, right = np.uint64(0xD2511F53) * c0, np.uint64(0xCD9E8D57) * c2
        c0, c2 = (right >> np.uint64(32)) ^ c1 ^ k0, (left >> np.uint64(32)) ^ c3 ^ k1
        c1, c3 = right & low, left & low
        k0, k1 = (k0 + np.uint64(0x9E3779B9)) & low, (k1 + np.uint64(0xBB67AE85)) & low
    signed = c0.astype(np.uint32).view(np.int32)
    folded = np.where(signed < 0, -signed - 1, signed)
    return folded.astype(np.float32) * np.float32(4.6566127342e-10)


def cases() -> Iterator[Case]:
    """Lengths round a block, probabilities at and between the ends."""
    for name in ("f32", "f16", "bf16"):
        for n, p, seed in ((1, 0.5, 1), (256, 0.0, 2**40 + 3), (1000, 0.3, 123)):
            yield _case(name, n, p, seed)


def _case(name: str, n: int, p: float, seed: int) -> Case:
    x = random(n, dtype=DTYPES[name])

    def expected() -> tuple[Expected]:
        kept = torch.from_numpy(uniform(seed, n) > np.float32(p))
        value = torch.where(kept, x.double() / (1 - p), 0.0)
        bound = 4 * roundoff(torch.float32) * value.abs() + rounded(value, x.dtype)
        # Arithmetic of a small type with a scalar rounds in that type.
        bound += 3 * roundoff(x.dtype) * value.abs()
        return ((value, bound),)

    return Case("dropout", name, f"{n}:p={p}", lambda: (dropout(x, p, seed),), expected)
