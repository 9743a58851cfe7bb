"""Attention as Triton's tutorial has it: by descriptors, the diagonal apart from what is before."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def _attend(
    total, weight, top, queries, k, v, head, tile, factor, begin, end,
    IS_DIAGONAL: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
):  # fmt: skip
    """Adds the keys from `begin` to `end` to the running sums of a block of queries."""
    rows = tile * BM + tl.arange(0, BM)
    for start in tl.range(begin, end, BN):
        start = tl.multiple_of(start, BN)
        scores = tl.dot(queries, k.load([head + start, 0]).T)
        if IS_DIAGONAL:
            visible = rows[:, None] >= start + tl.arange(0, BN)[None, :]
            scores = scores * factor + tl.where(visible, 0.0, -1.0e6)
            new_top = tl.maximum(top, tl.max(scores, axis=1))
            powers = tl.exp2(scores - new_top[:, None])
        else:
            new_top = tl.maximum(top, tl.max(scores, axis=1) * factor)
            powers = tl.exp2(scores * factor - new_top[:, None])
        shrink = tl.exp2(top - new_top)
        values = v.load([head + start, 0])
        total = tl.dot(powers.to(values.dtype), values, total * shrink[:, None])
        weight = weight * shrink + tl.sum(powers, axis=1)
        top = new_top
    return total, weight, top


@triton.jit
def attention(
    q, k, v, out, tops, length, scale,
    D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, IS_CAUSAL: tl.constexpr,
):  # fmt: skip
    """softmax(q k^T) v of the rows of all heads, and logarithms of the sums, for training."""
    tile = tl.program_id(0)
    head = tl.program_id(1) * length
    first = head + tile * BM
    queries = q.load([first, 0])
    top = tl.full((BM,), -float("inf"), dtype=tl.float32)
    weight = tl.zeros((BM,), dtype=tl.float32) + 1.0
    total = tl.zeros((BM, D), dtype=tl.float32)
    factor = scale * 1.4426950408889634
    before = tile * BM if IS_CAUSAL else length
    total, weight, top = _attend(
        total, weight, top, queries, k, v, head, tile, factor, 0, before, False, BM, BN
    )
    if IS_CAUSAL:
        total, weight, top = _attend(
            total, weight, top, queries, k, v, head, tile, factor, before, before + BM, True, BM, BN
        )
    tl.store(tops + first + tl.arange(0, BM), top + tl.log2(weight))
    out.store([first, 0], (total / weight[:, None]).to(out.dtype))
