"""Kernels whose reports are looked at; the lines matter, the golden files name them."""

import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    block_start = pid * BLOCK_SIZE
    offsets = block_start + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    output = x + y
    tl.store(output_ptr + offsets, output, mask=mask)


@triton.jit
def exponentials(x):
    return tl.exp(x - tl.max(x, axis=0))


@triton.jit
def softmax_kernel(out_ptr, in_ptr, stride, n_columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    mask = columns < n_columns
    x = tl.load(in_ptr + row * stride + columns, mask=mask, other=-float("inf"))
    numerator = exponentials(x)
    tl.store(out_ptr + row * stride + columns, numerator / tl.sum(numerator, axis=0), mask=mask)


@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_bk, stride_cm,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + rows[:, None] * stride_am + k[None, :]
    b_ptrs = b_ptr + k[:, None] * stride_bk + columns[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        a = tl.load(a_ptrs, mask=(rows[:, None] < M) & (k[None, :] < K - start), other=0.0)
        b = tl.load(b_ptrs, mask=(k[:, None] < K - start) & (columns[None, :] < N), other=0.0)
        total = tl.dot(a, b, total)
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K * stride_bk
    c_ptrs = c_ptr + rows[:, None] * stride_cm + columns[None, :]
    tl.store(c_ptrs, total, mask=(rows[:, None] < M) & (columns[None, :] < N))


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, n_ctx, scale,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, HEAD: tl.constexpr,
):  # fmt: skip
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    base = tl.program_id(1) * n_ctx * HEAD
    d = tl.arange(0, HEAD)
    live = rows[:, None] < n_ctx
    q = tl.load(q_ptr + base + rows[:, None] * HEAD + d[None, :], mask=live, other=0.0)
    top = tl.full((BLOCK_M,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    acc = tl.zeros((BLOCK_M, HEAD), dtype=tl.float32)
    for start in range(0, n_ctx, BLOCK_N):
        keys = start + tl.arange(0, BLOCK_N)
        there = keys[:, None] < n_ctx
        k = tl.load(k_ptr + base + keys[:, None] * HEAD + d[None, :], mask=there, other=0.0)
        v = tl.load(v_ptr + base + keys[:, None] * HEAD + d[None, :], mask=there, other=0.0)
        scores = tl.dot(q, tl.trans(k)) * scale
        scores = tl.where(keys[None, :] < n_ctx, scores, -float("inf"))
        higher = tl.maximum(top, tl.max(scores, axis=1))
        p = tl.exp(scores - higher[:, None])
        shrink = tl.exp(top - higher)
        total = total * shrink + tl.sum(p, axis=1)
        acc = acc * shrink[:, None] + tl.dot(p.to(v.dtype), v)
        top = higher
    tl.store(out_ptr + base + rows[:, None] * HEAD + d[None, :], acc / total[:, None], mask=live)


@triton.jit
def gather_kernel(x_ptr, table_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = i < n
    index = tl.load(table_ptr + i, mask=live, other=0)
    squares = tl.load(x_ptr + i * i, mask=live, other=0.0)
    tl.store(out_ptr + i, tl.load(x_ptr + index, mask=live, other=0.0) + squares, mask=live)


SIGNATURES = {
    "add_kernel": "*fp32:16, *fp32:16, *fp32:16, i32, 1024",
    "softmax_kernel": "*fp32:16, *fp32:16, i32:16, i32, 1024",
    "matmul_kernel": (
        "*fp16:16, *fp16:16, *fp32:16, i32, i32, i32, i32:16, i32:16, i32:16, 64, 64, 32"
    ),
    "attention_kernel": "*fp16:16, *fp16:16, *fp16:16, *fp32:16, i32, fp32, 64, 32, 64",
    "gather_kernel": "*fp32, *i32, *fp32, i32, 128",
}
