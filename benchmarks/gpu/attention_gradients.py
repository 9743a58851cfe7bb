"""The gradients of attention in two kernels, for comparison: one source for both compilers.

Scores are in powers of two: q holds its numbers times scale * log2(e). `tops` is log2 of the sum of
a row's powers, `deltas` the sum of its results times their gradients. Tensors are heads x length x
D.
"""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def _key_turn(
    keys, values, q, results, tops, deltas, columns, start, key_grad, value_grad,
    D: tl.constexpr, BM: tl.constexpr, MASKED: tl.constexpr,
):  # fmt: skip
    """One block of queries for a block of keys."""
    dims = tl.arange(0, D)
    rows = start + tl.arange(0, BM)
    queries = tl.load(q + rows[None, :] * D + dims[:, None])
    powers = tl.exp2(tl.dot(keys, queries) - tl.load(tops + rows)[None, :])
    if MASKED:
        powers = tl.where(rows[None, :] >= columns[:, None], powers, 0.0)
    grads = tl.load(results + rows[:, None] * D + dims[None, :])
    value_grad = tl.dot(powers.to(grads.dtype), grads, value_grad)
    change = tl.dot(values, tl.trans(grads)) - tl.load(deltas + rows)[None, :]
    change = (powers * change).to(queries.dtype)
    return tl.dot(change, tl.trans(queries), key_grad), value_grad


@triton.jit
def key_gradients(
    q, k, v, results, tops, deltas, dk, dv, length,
    D: tl.constexpr, CAUSAL: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
):  # fmt: skip
    """A block of BN keys per program: gradients of keys (in powers of two) and values."""
    head = tl.program_id(1) * length
    first = tl.program_id(0) * BN
    columns = first + tl.arange(0, BN)
    tile = head * D + columns[:, None] * D + tl.arange(0, D)[None, :]
    keys, values = tl.load(k + tile), tl.load(v + tile)
    key_grad = tl.zeros((BN, D), dtype=tl.float32)
    value_grad = tl.zeros((BN, D), dtype=tl.float32)
    q += head * D
    results += head * D
    tops += head
    deltas += head
    low = 0
    if CAUSAL:
        for start in range(first, first + BN, BM):
            key_grad, value_grad = _key_turn(
                keys, values, q, results, tops, deltas, columns, start, key_grad, value_grad,
                D, BM, True,
            )  # fmt: skip
        low = first + BN
    for start in range(low, length, BM):
        key_grad, value_grad = _key_turn(
            keys, values, q, results, tops, deltas, columns, start, key_grad, value_grad,
            D, BM, False,
        )  # fmt: skip
    tl.store(dk + tile, (key_grad * 0.6931471805599453).to(dk.dtype.element_ty))
    tl.store(dv + tile, value_grad.to(dv.dtype.element_ty))


@triton.jit
def _query_turn(
    queries, grads, k, v, top, delta, rows, start, query_grad,
    D: tl.constexpr, BN: tl.constexpr, MASKED: tl.constexpr,
):  # fmt: skip
    """One block of keys for a block of queries."""
    dims = tl.arange(0, D)
    columns = start + tl.arange(0, BN)
    at = columns[None, :] * D + dims[:, None]
    keys, values = tl.load(k + at), tl.load(v + at)
    powers = tl.exp2(tl.dot(queries, keys) - top[:, None])
    if MASKED:
        powers = tl.where(rows[:, None] >= columns[None, :], powers, 0.0)
    change = powers * (tl.dot(grads, values) - delta[:, None])
    return tl.dot(change.to(keys.dtype), tl.trans(keys), query_grad)


@triton.jit
def query_gradients(
    q, k, v, results, tops, deltas, dq, length, scale,
    D: tl.constexpr, CAUSAL: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
):  # fmt: skip
    """A block of BM queries per program: gradients of queries before they were scaled."""
    head = tl.program_id(1) * length
    first = tl.program_id(0) * BM
    rows = first + tl.arange(0, BM)
    tile = head * D + rows[:, None] * D + tl.arange(0, D)[None, :]
    queries, grads = tl.load(q + tile), tl.load(results + tile)
    top, delta = tl.load(tops + head + rows), tl.load(deltas + head + rows)
    query_grad = tl.zeros((BM, D), dtype=tl.float32)
    k += head * D
    v += head * D
    high = length
    if CAUSAL:
        for start in range(first, first + BM, BN):
            query_grad = _query_turn(
                queries, grads, k, v, top, delta, rows, start, query_grad, D, BN, True
            )
        high = first
    for start in range(0, high, BN):
        query_grad = _query_turn(
            queries, grads, k, v, top, delta, rows, start, query_grad, D, BN, False
        )
    tl.store(dq + tile, (query_grad * scale).to(dq.dtype.element_ty))
