"""Accesses outside of tensors in the tests of TritonBench (TritonBench#12), each made anew.

The issue names files. What is wrong was read from them: in most, a test hands over a tensor of
another shape than the kernel walks over. Here are the reasons, in kernels of a few lines.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from seeded.seed import Seed

OUT = "out-of-bounds"
N = 16


@triton.jit
def penalize(logits, tokens, starts, stride, B: tl.constexpr):
    batch = tl.program_id(0)
    first = tl.load(starts + batch)
    last = tl.load(starts + batch + 1)  # BUG 201
    i = first + tl.arange(0, B)
    token = tl.load(tokens + i, mask=i < last, other=0)
    at = logits + batch * stride + token
    tl.store(at, tl.load(at, mask=i < last, other=0.0) - 1, mask=i < last)


def _penalize(starts: list[int]) -> None:
    """apply_penalty: where the last sequence ends is not in the table."""
    tokens = torch.arange(5, dtype=torch.int32)
    penalize[(2,)](torch.ones(2, 8), tokens, torch.tensor(starts, dtype=torch.int32), 8, B=8)


@triton.jit
def scale_chunk(q, o, T, BT: tl.constexpr, BD: tl.constexpr):
    p_q = tl.make_block_ptr(q, (T, BD), (BD, 1), (0, 0), (BT, BD), (1, 0))
    p_o = tl.make_block_ptr(o, (T, BD), (BD, 1), (0, 0), (BT, BD), (1, 0))
    b_q = tl.load(p_q)  # BUG 202
    tl.store(p_o, b_q * 2, boundary_check=(0, 1))


def _scale_chunk(length: int) -> None:
    """attention_fwd_triton1: a sequence of one, blocks of more, and no check."""
    q = torch.ones(length, N)
    scale_chunk[(1,)](q, torch.zeros_like(q), length, BT=N, BD=N)


@triton.jit
def chunk_gradient(do, h, dq, S: tl.constexpr):
    chunk = tl.program_id(0)
    i, j = tl.arange(0, S)[:, None], tl.arange(0, S)[None, :]
    rows = (chunk * S + i) * S + j
    state = tl.load(h + rows)  # BUG 203
    tl.store(dq + rows, tl.dot(tl.load(do + rows), state))


def _chunk_gradient(states: int) -> None:
    """chunk_bwd_dqkg: one state of a head, and a kernel that has one for each chunk."""
    do, h = torch.ones(2 * N, N), torch.ones(states * N, N)
    chunk_gradient[(2,)](do, h, torch.zeros_like(do), S=N)


@triton.jit
def begin_states(initial, h, K, V: tl.constexpr, B: tl.constexpr):
    head = tl.program_id(0)
    i, j = tl.arange(0, B)[:, None], tl.arange(0, V)[None, :]
    b = tl.load(initial + (head * K + i) * V + j, mask=i < K, other=0.0)  # BUG 204
    tl.store(h + (head * B + i) * V + j, b)


def _begin_states(turned: bool) -> None:
    """chunk_delta_fwd: keys come transposed, and their length is taken for their width."""
    k = torch.ones(2, N, 2 * N) if turned else torch.ones(2, 2 * N, N)
    initial, h = torch.ones(2, N, N), torch.zeros(2, 2 * N, N)
    begin_states[(2,)](initial, h, k.shape[-1], V=N, B=2 * N)


@triton.jit
def products_in_chunks(q, k, parts, S: tl.constexpr):
    chunk = tl.program_id(0)
    i, j = tl.arange(0, S)[:, None], tl.arange(0, S)[None, :]
    rows = (chunk * S + i) * S + j
    b = tl.dot(tl.load(q + rows), tl.trans(tl.load(k + rows)))
    tl.store(parts + rows, b)  # BUG 205


def _products_in_chunks(rows: int) -> None:
    """chunk_gla_fwd: room for one chunk of partial products, not for the sequence."""
    q, k = torch.ones(2 * N, N), torch.ones(2 * N, N)
    products_in_chunks[(2,)](q, k, torch.zeros(rows, N), S=N)


@triton.jit
def outputs_of_chunks(q, h, o, K: tl.constexpr, S: tl.constexpr):
    chunk = tl.program_id(0)
    i, j = tl.arange(0, S)[:, None], tl.arange(0, S)[None, :]
    total = tl.zeros((S, S), tl.float32)
    for k in range(0, K, S):
        b_q = tl.load(q + (chunk * S + i) * K + k + j)
        b_h = tl.load(h + chunk * K * S + (k + i) * S + j)  # BUG 206
        total += tl.dot(b_q, b_h)
    tl.store(o + (chunk * S + i) * S + j, total)


def _outputs_of_chunks(states: int) -> None:
    """chunk_gla_simple: the state of a chunk is read, and there is one for all."""
    q, h = torch.ones(2 * N, 2 * N), torch.ones(states, 2 * N, N)
    outputs_of_chunks[(2,)](q, h, torch.zeros(2 * N, N), K=2 * N, S=N)


@triton.jit
def add_gradients(v, do, dv, T, V: tl.constexpr):
    j = tl.arange(0, V)
    total = tl.zeros((V,), tl.float32)
    for t in range(T):
        total += tl.load(do + t * V + j) * tl.load(v + t * V + j)  # BUG 207
        tl.store(dv + t * V + j, total)


def _add_gradients(is_sum: bool) -> None:
    """fused_recurrent_retention: what a sum hands back is one number, expanded."""
    v = torch.ones(4, N)
    do = torch.ones(()).expand(4, N) if is_sum else torch.ones(4, N)
    add_gradients[(1,)](v, do, torch.zeros_like(v), 4, V=N)


@triton.jit
def cache_keys(k, lengths, cache, SIZE: tl.constexpr, D: tl.constexpr):
    token = tl.program_id(0)
    past = tl.load(lengths + token) - 1  # BUG 208
    i = tl.arange(0, D)
    tl.store(cache + (token * SIZE + past % SIZE) * D + i, tl.load(k + token * D + i))


def _cache_keys(count: int) -> None:
    """fused_rotary_embedding: a length for each sequence, and a program for each token."""
    lengths = torch.tensor([1, 2, 1, 2], dtype=torch.int32)[:count].clone()
    cache_keys[(4,)](torch.ones(4, N), lengths, torch.zeros(4, 4, N), SIZE=4, D=N)


@triton.jit
def walk(x, y, stride, B: tl.constexpr):
    at = tl.arange(0, B)[:, None] * stride + tl.arange(0, B)[None, :]
    p_x, p_y = x + at, y + at
    for _ in range(2):
        v = tl.load(p_x)
        p_x += B
        for _ in range(2):
            tl.store(p_y, v)  # BUG 209
            p_y += B


def _walk(columns: int) -> None:
    """nested_loops_processing: the inner loop moves on faster than the outer one."""
    walk[(1,)](torch.ones(2, columns), torch.zeros(2, columns), columns, B=2)


@triton.jit
def quantize_rows(k, places, out, scales, D: tl.constexpr):
    row = tl.program_id(0)
    place = tl.load(places + row)
    i = tl.arange(0, D)
    v = tl.load(k + row * D + i)
    scale = tl.max(tl.abs(v), 0) / 127.0
    tl.store(scales + place, scale)
    tl.store(out + place * D + i, (v / scale).to(tl.int8))  # BUG 210


def _quantize_rows(last: int) -> None:
    """quantize_kv_copy: places of a large cache, and the output of a small one."""
    places, out = torch.tensor([0, last], dtype=torch.int32), torch.zeros(2, N, dtype=torch.int8)
    quantize_rows[(2,)](torch.ones(2, N), places, out, torch.zeros(8), D=N)


@triton.jit
def weigh_values(weights, places, values, out, n, OTHER: tl.constexpr, S: tl.constexpr):
    i, j = tl.arange(0, S), tl.arange(0, S)
    w = tl.exp(tl.load(weights + i, mask=i < n, other=float("-inf")))
    place = tl.load(places + i, mask=i < n, other=OTHER)
    v = tl.load(values + place[:, None] * S + j[None, :])  # BUG 211
    tl.store(out + j, tl.sum(w[:, None] * v, 0))


def _weigh_values(kernel_other: int) -> None:
    """softmax_reducev: lanes without a token read what lies at their index of -1."""
    places = torch.arange(12, dtype=torch.int32)
    given = (torch.ones(12), places, torch.ones(12, N), torch.zeros(N), 12)
    weigh_values[(1,)](*given, OTHER=kernel_other, S=N)


@triton.jit
def sum_window(places, values, out, columns, n, S: tl.constexpr):
    row = tl.program_id(0)
    i, j = tl.arange(0, S), tl.arange(0, S)
    place = tl.load(places + row * columns + i, mask=i < n, other=0)  # BUG 212
    v = tl.load(values + place[:, None] * S + j[None, :], mask=i[:, None] < n, other=0.0)
    tl.store(out + row * S + j, tl.sum(v, 0))


def _sum_window(columns: int) -> None:
    """token_attn_mistral: a table of places that is shorter than the sequences."""
    places = torch.zeros(2, columns, dtype=torch.int32)
    sum_window[(2,)](places, torch.ones(4, N), torch.zeros(2, N), columns, 16, S=N)


@triton.jit
def sum_values(places, values, out, stride, n, S: tl.constexpr):
    i, j = tl.arange(0, S), tl.arange(0, S)
    place = tl.load(places + i, mask=i < n, other=0)
    at = values + place[:, None] * stride + j[None, :]
    v = tl.load(at, mask=i[:, None] < n, other=0.0)  # BUG 213
    tl.store(out + j, tl.sum(v, 0))


def _sum_values(heads_first: bool) -> None:
    """token_attn_reduceV: values by head and token, read as if they were by token and head."""
    values = torch.ones(2, 8, N) if heads_first else torch.ones(8, 2, N)
    places = torch.arange(8, dtype=torch.int32)
    sum_values[(1,)](places, values, torch.zeros(N), values.stride(0), 8, S=N)


@triton.jit
def chunk_value_gradients(k, do, dv, T, S: tl.constexpr):
    p_do = tl.make_block_ptr(do, (T, S), (S, 1), (0, 0), (S, S), (1, 0))
    i, j = tl.arange(0, S)[:, None], tl.arange(0, S)[None, :]
    b_k = tl.load(k + i * S + j, mask=i < T, other=0.0)
    b = tl.dot(b_k, tl.load(p_do, boundary_check=(0, 1)))  # BUG 214
    tl.store(dv + i * S + j, b, mask=i < T)


def _chunk_value_gradients(is_sum: bool) -> None:
    """chunk_retention_ops: a block pointer with a check, to a gradient that is one number."""
    k = torch.ones(12, N)
    do = torch.ones(()).expand(12, N) if is_sum else torch.ones(12, N)
    chunk_value_gradients[(1,)](k, do, torch.zeros_like(k), 12, S=N)


@triton.jit
def delta_gradients(k, do, dk, T, K: tl.constexpr):
    j = tl.arange(0, K)
    state = tl.zeros((K,), tl.float32)
    at = (T - 1) * K
    for _ in range(T):
        state += tl.load(k + at + j) * tl.load(do + at + j)  # BUG 215
        tl.store(dk + at + j, state)
        at -= K


def _delta_gradients(is_sum: bool) -> None:
    """fused_recurrent_delta: the same, from the last step backwards."""
    k = torch.ones(4, N)
    do = torch.ones(()).expand(4, N) if is_sum else torch.ones(4, N)
    delta_gradients[(1,)](k, do, torch.zeros_like(k), 4, K=N)


SEEDS = [
    Seed(
        201,
        OUT,
        "apply_penalty",
        lambda: _penalize([0, 3]),
        lambda: _penalize([0, 3, 5]),
        "starts",
    ),
    Seed(
        202,
        OUT,
        "attention_fwd_triton1",
        lambda: _scale_chunk(1),
        lambda: _scale_chunk(N),
        "q",
    ),
    Seed(
        203,
        OUT,
        "chunk_bwd_dqkg",
        lambda: _chunk_gradient(1),
        lambda: _chunk_gradient(2),
        "h",
    ),
    Seed(
        204,
        OUT,
        "chunk_delta_fwd",
        lambda: _begin_states(True),
        lambda: _begin_states(False),
        "initial",
    ),
    Seed(
        205,
        OUT,
        "chunk_gla_fwd",
        lambda: _products_in_chunks(N),
        lambda: _products_in_chunks(2 * N),
        "parts",
    ),
    Seed(
        206,
        OUT,
        "chunk_gla_simple",
        lambda: _outputs_of_chunks(1),
        lambda: _outputs_of_chunks(2),
        "h",
    ),
    Seed(
        207,
        OUT,
        "fused_recurrent_retention",
        lambda: _add_gradients(True),
        lambda: _add_gradients(False),
        "do",
    ),
    Seed(
        208,
        OUT,
        "fused_rotary_embedding",
        lambda: _cache_keys(2),
        lambda: _cache_keys(4),
        "lengths",
    ),
    Seed(209, OUT, "nested_loops_processing", lambda: _walk(4), lambda: _walk(8), "y"),
    Seed(
        210,
        OUT,
        "quantize_kv_copy",
        lambda: _quantize_rows(7),
        lambda: _quantize_rows(1),
        "out",
    ),
    Seed(
        211,
        OUT,
        "softmax_reducev",
        lambda: _weigh_values(-1),
        lambda: _weigh_values(0),
        "values",
    ),
    Seed(212, OUT, "token_attn_mistral", lambda: _sum_window(8), lambda: _sum_window(N), "places"),
    Seed(
        213,
        OUT,
        "token_attn_reduceV",
        lambda: _sum_values(True),
        lambda: _sum_values(False),
        "values",
    ),
    Seed(
        214,
        OUT,
        "chunk_retention_ops",
        lambda: _chunk_value_gradients(True),
        lambda: _chunk_value_gradients(False),
        "do",
    ),
    Seed(
        215,
        OUT,
        "fused_recurrent_delta",
        lambda: _delta_gradients(True),
        lambda: _delta_gradients(False),
        "do",
    ),
]
