"""The kernels that are timed: as one would write them for a GPU, with GPU-sized blocks."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """Adds vectors."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = at < n
    x = tl.load(x_ptr + at, mask=live)
    y = tl.load(y_ptr + at, mask=live)
    tl.store(out_ptr + at, x + y, mask=live)


@triton.jit
def softmax(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    """The softmax of a row."""
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    live = at < columns
    x = tl.load(x_ptr + row * columns + at, mask=live, other=-float("inf"))
    power = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * columns + at, power / tl.sum(power, axis=0), mask=live)


@triton.jit
def layer_norm(x_ptr, w_ptr, b_ptr, out_ptr, columns, eps, BLOCK: tl.constexpr):
    """A row with mean 0 and variance 1, scaled and shifted."""
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    live = at < columns
    x = tl.load(x_ptr + row * columns + at, mask=live, other=0.0)
    mean = tl.sum(x, axis=0) / columns
    centred = tl.where(live, x - mean, 0.0)
    variance = tl.sum(centred * centred, axis=0) / columns
    w = tl.load(w_ptr + at, mask=live)
    b = tl.load(b_ptr + at, mask=live)
    y = centred * tl.rsqrt(variance + eps) * w + b
    tl.store(out_ptr + row * columns + at, y, mask=live)


@triton.jit
def rms_norm(x_ptr, w_ptr, out_ptr, columns, eps, BLOCK: tl.constexpr):
    """A row with mean square 1, scaled."""
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    live = at < columns
    x = tl.load(x_ptr + row * columns + at, mask=live, other=0.0)
    scale = tl.rsqrt(tl.sum(x * x, axis=0) / columns + eps)
    w = tl.load(w_ptr + at, mask=live)
    tl.store(out_ptr + row * columns + at, x * scale * w, mask=live)


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """A product of matrices that lie row by row."""
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        a = tl.load(a_ptr + i[:, None] * K + k[None, :])
        b = tl.load(b_ptr + k[:, None] * N + j[None, :])
        total = tl.dot(a, b, total)
    tl.store(c_ptr + i[:, None] * N + j[None, :], total.to(c_ptr.dtype.element_ty))


@triton.jit
def attention(
    q_ptr, k_ptr, v_ptr, out_ptr, tokens, scale,
    BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    """Attention of a block of queries of one head."""
    head = tl.program_id(1) * tokens * D
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + head + i[:, None] * D + d[None, :])
    largest = tl.full((BM,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((BM,), dtype=tl.float32)
    out = tl.zeros((BM, D), dtype=tl.float32)
    end = (tl.program_id(0) + 1) * BM if CAUSAL else tokens
    for start in range(0, end, BN):
        j = start + tl.arange(0, BN)
        k = tl.load(k_ptr + head + j[:, None] * D + d[None, :])
        score = tl.dot(q, tl.trans(k)) * scale
        if CAUSAL:
            score = tl.where(i[:, None] >= j[None, :], score, -float("inf"))
        new = tl.maximum(largest, tl.max(score, axis=1))
        power = tl.exp(score - new[:, None])
        old = tl.exp(largest - new)
        total = total * old + tl.sum(power, axis=1)
        v = tl.load(v_ptr + head + j[:, None] * D + d[None, :])
        out = tl.dot(power.to(v.dtype), v, out * old[:, None])
        largest = new
    out = out / total[:, None]
    tl.store(out_ptr + head + i[:, None] * D + d[None, :], out.to(out_ptr.dtype.element_ty))


@triton.jit
def gather_rows(table_ptr, index_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    """Rows of a table."""
    row = tl.load(index_ptr + tl.program_id(0))
    at = tl.arange(0, BLOCK)
    live = at < columns
    x = tl.load(table_ptr + row * columns + at, mask=live)
    tl.store(out_ptr + tl.program_id(0) * columns + at, x, mask=live)


@triton.jit
def cumsum(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    """The running sum of a row."""
    at = tl.arange(0, BLOCK)
    live = at < columns
    x = tl.load(x_ptr + tl.program_id(0) * columns + at, mask=live, other=0.0)
    tl.store(out_ptr + tl.program_id(0) * columns + at, tl.cumsum(x, axis=0), mask=live)


@triton.jit
def cross_entropy(x_ptr, target_ptr, loss_ptr, columns, BLOCK: tl.constexpr):
    """The negative logarithm of the probability of the right class, in one pass over a row."""
    row = tl.program_id(0).to(tl.int64)
    largest = tl.full((BLOCK,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * columns + at, mask=at < columns, other=-float("inf"))
        new = tl.maximum(largest, x)
        shift = tl.where(new == -float("inf"), 0.0, new)
        total = total * tl.exp(largest - shift) + tl.exp(x - shift)
        largest = new
    top = tl.max(largest, axis=0)
    total = tl.sum(total * tl.exp(largest - top), axis=0)
    right = tl.load(x_ptr + row * columns + tl.load(target_ptr + row))
    tl.store(loss_ptr + row, tl.log(total) + top - right)
