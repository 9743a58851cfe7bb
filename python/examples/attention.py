"""Fused attention: softmax(q k^T) v without the matrix of scores, causal or not."""

from __future__ import annotations

from collections.abc import Iterator

import torch
import triton
import triton.language as tl

from .case import DTYPES, Case, Expected, random, rounded, roundoff


@triton.jit
def attend(total, weight, top, q, k_ptr, v_ptr, stride, rows, begin, end, length, scale,
           CAUSAL: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):  # fmt: skip
    """Adds the keys from `begin` to `end` to the running sums of a block of queries."""
    dims = tl.arange(0, D)
    for start in range(begin, end, BN):
        columns = start + tl.arange(0, BN)
        inside = columns < length
        k = tl.load(
            k_ptr + columns[None, :] * stride + dims[:, None], mask=inside[None, :], other=0.0
        )
        scores = tl.dot(q, k) * scale
        visible = inside[None, :]
        if CAUSAL:
            visible = visible & (rows[:, None] >= columns[None, :])
        scores = tl.where(visible, scores, -float("inf"))
        new_top = tl.maximum(top, tl.max(scores, axis=1))
        powers = tl.exp2(scores - new_top[:, None])
        shrink = tl.exp2(top - new_top)
        v = tl.load(
            v_ptr + columns[:, None] * stride + dims[None, :], mask=inside[:, None], other=0.0
        )
        total = total * shrink[:, None]
        total = tl.dot(powers.to(v.dtype), v, total)
        weight = weight * shrink + tl.sum(powers, axis=1)
        top = new_top
    return total, weight, top


@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, out_ptr, stride_head, stride, length, scale,
                     CAUSAL: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
                     D: tl.constexpr):  # fmt: skip
    """One block of queries of one head; `scale` has log2(e) in it, for exp2."""
    block = tl.program_id(0)
    head = tl.program_id(1) * stride_head
    rows = block * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    tile = rows[:, None] * stride + dims[None, :]
    q = tl.load(q_ptr + head + tile, mask=rows[:, None] < length, other=0.0)
    top = tl.full([BM], -float("inf"), dtype=tl.float32)
    weight = tl.zeros([BM], dtype=tl.float32)
    total = tl.zeros([BM, D], dtype=tl.float32)
    k_head, v_head = k_ptr + head, v_ptr + head
    if CAUSAL:
        # All keys before this block are visible; only those beside it need the comparison.
        total, weight, top = attend(total, weight, top, q, k_head, v_head, stride, rows,
                                    0, block * BM, length, scale, False, BN, D)  # fmt: skip
        end = min(block * BM + BM, length)
        total, weight, top = attend(total, weight, top, q, k_head, v_head, stride, rows,
                                    block * BM, end, length, scale, True, BN, D)  # fmt: skip
    else:
        total, weight, top = attend(total, weight, top, q, k_head, v_head, stride, rows,
                                    0, length, length, scale, False, BN, D)  # fmt: skip
    out = (total / weight[:, None]).to(out_ptr.dtype.element_ty)
    tl.store(out_ptr + head + tile, out, mask=rows[:, None] < length)


def attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False
) -> torch.Tensor:
    """Attention over tensors of shape (heads, length, dims)."""
    heads, length, dims = q.shape
    out = torch.empty_like(q)
    bm, bn = 32, 16
    scale = dims**-0.5 * 1.4426950408889634
    attention_kernel[(triton.cdiv(length, bm), heads)](
        q, k, v, out, q.stride(0), q.stride(1), length, scale,
        CAUSAL=causal, BM=bm, BN=bn, D=dims,
    )  # fmt: skip
    return out


def cases() -> Iterator[Case]:
    """Shorter than a block, whole blocks, a ragged tail."""
    for causal in (False, True):
        for name in ("f32", "f16", "bf16"):
            for heads, length, dims in ((1, 5, 16), (2, 64, 32), (3, 77, 64)):
                yield _case(causal, name, heads, length, dims)


def _case(causal: bool, name: str, heads: int, length: int, dims: int) -> Case:
    dtype = DTYPES[name]
    q, k, v = (random(heads, length, dims, dtype=dtype, seed=s) for s in range(3))

    def expected() -> tuple[Expected]:
        dq, dk, dv = q.double(), k.double(), v.double()
        scores = dq @ dk.transpose(1, 2) * dims**-0.5
        sizes = dq.abs() @ dk.abs().transpose(1, 2) * dims**-0.5
        if causal:
            hidden = torch.ones(length, length, dtype=torch.bool).triu(1)
            scores = scores.masked_fill(hidden, -torch.inf)
        powers = torch.softmax(scores, dim=2)
        value = powers @ dv
        # A score that is off shifts its power by as much, and the sum of all powers by the
        # largest shift; powers are rounded to the type of v before they meet it.
        u = roundoff(torch.float32)
        shift = (dims + 8) * u * sizes.amax(dim=2, keepdim=True)
        relative = 2 * shift + (2 * length + 32) * u + roundoff(dtype)
        bound = relative * (powers @ dv.abs())
        return ((value, bound + rounded(value, dtype)),)

    kernel = "attention causal" if causal else "attention"
    shape = f"{heads}x{length}x{dims}"
    return Case(kernel, name, shape, lambda: (attention(q, k, v, causal),), expected)
