"""Kernels of attention whose speed is compared: one source for both compilers.

Scores are kept in powers of two. Tensors are dense: heads x length x D, if nothing else is said.
"""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def attention(q, k, v, out, length, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """softmax(q k^T) v, a block of queries of one head per program; whole blocks only."""
    head = tl.program_id(1) * length * D
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    tile = rows[:, None] * D + dims[None, :]
    queries = tl.load(q + head + tile)
    top = tl.full((BM,), -float("inf"), dtype=tl.float32)
    weight = tl.zeros((BM,), dtype=tl.float32)
    total = tl.zeros((BM, D), dtype=tl.float32)
    factor = scale * 1.4426950408889634
    for start in range(0, length, BN):
        columns = start + tl.arange(0, BN)
        keys = tl.load(k + head + columns[None, :] * D + dims[:, None])
        scores = tl.dot(queries, keys) * factor
        new_top = tl.maximum(top, tl.max(scores, axis=1))
        powers = tl.exp2(scores - new_top[:, None])
        shrink = tl.exp2(top - new_top)
        values = tl.load(v + head + columns[:, None] * D + dims[None, :])
        total = tl.dot(powers.to(values.dtype), values, total * shrink[:, None])
        weight = weight * shrink + tl.sum(powers, axis=1)
        top = new_top
    tl.store(out + head + tile, (total / weight[:, None]).to(out.dtype.element_ty))


@triton.jit
def described_attention(
    q, k, v, out, length, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr
):
    """The same by descriptors, of the rows of all heads."""
    head = tl.program_id(1) * length
    row = head + tl.program_id(0) * BM
    queries = q.load([row, 0])
    top = tl.full((BM,), -float("inf"), dtype=tl.float32)
    weight = tl.zeros((BM,), dtype=tl.float32)
    total = tl.zeros((BM, D), dtype=tl.float32)
    factor = scale * 1.4426950408889634
    for start in range(0, length, BN):
        scores = tl.dot(queries, k.load([head + start, 0]).T) * factor
        new_top = tl.maximum(top, tl.max(scores, axis=1))
        powers = tl.exp2(scores - new_top[:, None])
        shrink = tl.exp2(top - new_top)
        values = v.load([head + start, 0])
        total = tl.dot(powers.to(values.dtype), values, total * shrink[:, None])
        weight = weight * shrink + tl.sum(powers, axis=1)
        top = new_top
    out.store([row, 0], (total / weight[:, None]).to(out.dtype))


@triton.jit
def _turn(scores, values, top, weight, total):
    """One block of keys: (top, weight, total) with its scores and values taken in."""
    new_top = tl.maximum(top, tl.max(scores, axis=1))
    powers = tl.exp2(scores - new_top[:, None])
    shrink = tl.exp2(top - new_top)
    total = tl.dot(powers.to(values.dtype), values, total * shrink[:, None])
    return new_top, weight * shrink + tl.sum(powers, axis=1), total


@triton.jit
def turned_attention(
    q, k, v, out, length, scale,
    D: tl.constexpr, CAUSAL: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
):  # fmt: skip
    """With values that lie turned, heads x D x length: tensor cores take 8-bit floats no other
    way."""
    head = tl.program_id(1) * length * D
    first = tl.program_id(0) * BM
    rows = first + tl.arange(0, BM)
    dims = tl.arange(0, D)
    tile = rows[:, None] * D + dims[None, :]
    queries = tl.load(q + head + tile)
    top = tl.full((BM,), -float("inf"), dtype=tl.float32)
    weight = tl.zeros((BM,), dtype=tl.float32)
    total = tl.zeros((BM, D), dtype=tl.float32)
    factor = scale * 1.4426950408889634
    high = length
    if CAUSAL:
        high = first + BM
    for start in range(0, high, BN):
        columns = start + tl.arange(0, BN)
        keys = tl.load(k + head + columns[None, :] * D + dims[:, None])
        scores = tl.dot(queries, keys) * factor
        if CAUSAL:
            scores = tl.where(rows[:, None] >= columns[None, :], scores, -1.0e6)
        values = tl.load(v + head + columns[:, None] + dims[None, :] * length)
        top, weight, total = _turn(scores, values, top, weight, total)
    tl.store(out + head + tile, (total / weight[:, None]).to(out.dtype.element_ty))


@triton.jit
def _blocks(
    queries, k, v, rows, low, high, factor, top, weight, total,
    D: tl.constexpr, DIMS: tl.constexpr, BN: tl.constexpr, MASKED: tl.constexpr,
    WINDOW: tl.constexpr,
):  # fmt: skip
    """Blocks of keys from `low` to `high`; where MASKED, only those that a row may see."""
    dims = tl.arange(0, DIMS)
    for start in range(low, high, BN):
        columns = start + tl.arange(0, BN)
        keys_at = k + columns[None, :] * D + dims[:, None]
        values_at = v + columns[:, None] * D + dims[None, :]
        if D == DIMS:
            keys = tl.load(keys_at)
            values = tl.load(values_at)
        else:
            keys = tl.load(keys_at, mask=dims[:, None] < D, other=0.0)
            values = tl.load(values_at, mask=dims[None, :] < D, other=0.0)
        scores = tl.dot(queries, keys) * factor
        if MASKED:
            seen = rows[:, None] >= columns[None, :]
            if WINDOW:
                seen = seen & (rows[:, None] < columns[None, :] + WINDOW)
            scores = tl.where(seen, scores, -1.0e6)
        top, weight, total = _turn(scores, values, top, weight, total)
    return top, weight, total


@triton.jit
def masked_attention(
    q, k, v, out, length, scale,
    D: tl.constexpr, DIMS: tl.constexpr, GROUP: tl.constexpr, CAUSAL: tl.constexpr,
    WINDOW: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
):  # fmt: skip
    """Attention in its variants: D numbers a row in a tile of DIMS, GROUP heads of queries to one
    of keys, causal (blocks below the diagonal first, then those on it), the last WINDOW keys alone.
    """
    block = tl.program_id(0)
    queries_at = tl.program_id(1) * length * D
    keys_at = tl.program_id(1) // GROUP * length * D
    rows = block * BM + tl.arange(0, BM)
    dims = tl.arange(0, DIMS)
    tile = rows[:, None] * D + dims[None, :]
    live = dims[None, :] < D
    queries = tl.load(q + queries_at + tile, mask=live, other=0.0)
    top = tl.full((BM,), -float("inf"), dtype=tl.float32)
    weight = tl.zeros((BM,), dtype=tl.float32)
    total = tl.zeros((BM, DIMS), dtype=tl.float32)
    factor = scale * 1.4426950408889634
    k += keys_at
    v += keys_at
    if WINDOW:
        low = tl.maximum(block * BM - WINDOW, 0) // BN * BN
        top, weight, total = _blocks(
            queries, k, v, rows, low, (block + 1) * BM, factor, top, weight, total,
            D, DIMS, BN, True, WINDOW,
        )  # fmt: skip
    elif CAUSAL:
        top, weight, total = _blocks(
            queries, k, v, rows, 0, block * BM, factor, top, weight, total,
            D, DIMS, BN, False, 0,
        )  # fmt: skip
        top, weight, total = _blocks(
            queries, k, v, rows, block * BM, (block + 1) * BM, factor, top, weight, total,
            D, DIMS, BN, True, 0,
        )  # fmt: skip
    else:
        top, weight, total = _blocks(
            queries, k, v, rows, 0, length, factor, top, weight, total, D, DIMS, BN, False, 0
        )
    result = (total / weight[:, None]).to(out.dtype.element_ty)
    tl.store(out + queries_at + tile, result, mask=live)


@triton.jit
def causal_attention_in_one_loop(
    q, k, v, out, length, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr
):
    """Causal attention with a mask in every turn, as it is written first."""
    head = tl.program_id(1) * length * D
    first = tl.program_id(0) * BM
    rows = first + tl.arange(0, BM)
    tile = rows[:, None] * D + tl.arange(0, D)[None, :]
    queries = tl.load(q + head + tile)
    top = tl.full((BM,), -float("inf"), dtype=tl.float32)
    weight = tl.zeros((BM,), dtype=tl.float32)
    total = tl.zeros((BM, D), dtype=tl.float32)
    top, weight, total = _blocks(
        queries, k + head, v + head, rows, 0, first + BM, scale * 1.4426950408889634,
        top, weight, total, D, D, BN, True, 0,
    )  # fmt: skip
    tl.store(out + head + tile, (total / weight[:, None]).to(out.dtype.element_ty))


@triton.jit
def described_causal_attention(
    q, k, v, out, length, scale,
    D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, IN_ONE_LOOP: tl.constexpr,
):  # fmt: skip
    """Causal attention by descriptors, blocks below the diagonal first, then those on it; or all
    of them with a mask."""
    head = tl.program_id(1) * length
    first = tl.program_id(0) * BM
    rows = first + tl.arange(0, BM)
    queries = q.load([head + first, 0])
    top = tl.full((BM,), -float("inf"), dtype=tl.float32)
    weight = tl.zeros((BM,), dtype=tl.float32)
    total = tl.zeros((BM, D), dtype=tl.float32)
    factor = scale * 1.4426950408889634
    if IN_ONE_LOOP:
        masked = 0
    else:
        masked = first
        for start in range(0, first, BN):
            scores = tl.dot(queries, k.load([head + start, 0]).T) * factor
            top, weight, total = _turn(scores, v.load([head + start, 0]), top, weight, total)
    for start in range(masked, first + BM, BN):
        scores = tl.dot(queries, k.load([head + start, 0]).T) * factor
        columns = start + tl.arange(0, BN)
        scores = tl.where(rows[:, None] >= columns[None, :], scores, -1.0e6)
        top, weight, total = _turn(scores, v.load([head + start, 0]), top, weight, total)
    out.store([head + first, 0], (total / weight[:, None]).to(out.dtype))


@triton.jit
def varied_attention(
    q, k, v, starts, out, heads, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr
):
    """Causal attention of sequences that lie one behind the other: tokens x heads x D."""
    sequence, head = tl.program_id(1) // heads, tl.program_id(1) % heads
    begin = tl.load(starts + sequence)
    length = tl.load(starts + sequence + 1) - begin
    first = tl.program_id(0) * BM
    if first >= length:
        return
    rows = first + tl.arange(0, BM)
    dims = tl.arange(0, D)
    origin = (begin * heads + head) * D
    tile = rows[:, None] * (heads * D) + dims[None, :]
    queries = tl.load(q + origin + tile, mask=rows[:, None] < length, other=0.0)
    top = tl.full((BM,), -float("inf"), dtype=tl.float32)
    weight = tl.zeros((BM,), dtype=tl.float32)
    total = tl.zeros((BM, D), dtype=tl.float32)
    factor = scale * 1.4426950408889634
    for start in range(0, tl.minimum(first + BM, length), BN):
        columns = start + tl.arange(0, BN)
        live = columns < length
        keys_at = columns[None, :] * (heads * D) + dims[:, None]
        keys = tl.load(k + origin + keys_at, mask=live[None, :], other=0.0)
        scores = tl.dot(queries, keys) * factor
        scores = tl.where(rows[:, None] >= columns[None, :], scores, -1.0e6)
        values_at = columns[:, None] * (heads * D) + dims[None, :]
        values = tl.load(v + origin + values_at, mask=live[:, None], other=0.0)
        top, weight, total = _turn(scores, values, top, weight, total)
    result = (total / weight[:, None]).to(out.dtype.element_ty)
    tl.store(out + origin + tile, result, mask=rows[:, None] < length)


@triton.jit
def paged_decode(
    q, k, v, pages, parts, sums, length, scale,
    D: tl.constexpr, GROUP: tl.constexpr, PAGE: tl.constexpr, SPLITS: tl.constexpr,
    BN: tl.constexpr,
):  # fmt: skip
    """One token of GROUP heads against one of SPLITS parts of its keys, which lie in pages:
    pages x PAGE x D. `parts` gets softmax(q k^T) v, `sums` log2 of its weight."""
    request, split = tl.program_id(0), tl.program_id(1)
    heads = tl.arange(0, GROUP)
    dims = tl.arange(0, D)
    queries = tl.load(q + (request * GROUP + heads[:, None]) * D + dims[None, :])
    top = tl.full((GROUP,), -float("inf"), dtype=tl.float32)
    weight = tl.zeros((GROUP,), dtype=tl.float32)
    total = tl.zeros((GROUP, D), dtype=tl.float32)
    factor = scale * 1.4426950408889634
    share = length // SPLITS
    for start in range(split * share, (split + 1) * share, BN):
        columns = start + tl.arange(0, BN)
        page = tl.load(pages + request * (length // PAGE) + columns // PAGE)
        at = (page * PAGE + columns % PAGE) * D
        keys = tl.load(k + at[None, :] + dims[:, None])
        values = tl.load(v + at[:, None] + dims[None, :])
        top, weight, total = _turn(tl.dot(queries, keys) * factor, values, top, weight, total)
    row = (request * SPLITS + split) * GROUP + heads
    tl.store(parts + row[:, None] * D + dims[None, :], total / weight[:, None])
    tl.store(sums + row, top + tl.log2(weight))


@triton.jit
def joined_decode(parts, sums, out, D: tl.constexpr, GROUP: tl.constexpr, SPLITS: tl.constexpr):
    """Joins the parts of one head of one request."""
    request, head = tl.program_id(0) // GROUP, tl.program_id(0) % GROUP
    row = (request * SPLITS + tl.arange(0, SPLITS)) * GROUP + head
    dims = tl.arange(0, D)
    logs = tl.load(sums + row)
    share = tl.exp2(logs - tl.max(logs, axis=0))
    numbers = tl.load(parts + row[:, None] * D + dims[None, :])
    result = tl.sum(numbers * share[:, None], axis=0) / tl.sum(share, axis=0)
    tl.store(out + tl.program_id(0) * D + dims, result.to(out.dtype.element_ty))
