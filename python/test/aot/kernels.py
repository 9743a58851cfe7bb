"""Kernels that C programs call."""

import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    block = tl.program_id(axis=0) * BLOCK_SIZE
    i = block + tl.arange(0, BLOCK_SIZE)
    mask = i < n_elements
    x = tl.load(x_ptr + i, mask=mask)
    y = tl.load(y_ptr + i, mask=mask)
    tl.store(output_ptr + i, x + y, mask=mask)


@triton.jit
def add_row(p_ptr, x_ptr, at, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.atomic_add(p_ptr + at + i, tl.load(x_ptr + i))


@triton.jit
def scalars(out, a, b, c, d, e, f, g, h):
    tl.store(out + 0, a.to(tl.float64))
    tl.store(out + 1, b.to(tl.float64))
    tl.store(out + 2, c.to(tl.float64))
    tl.store(out + 3, d.to(tl.float64))
    tl.store(out + 4, e.to(tl.float64))
    tl.store(out + 5, f.to(tl.float64))
    tl.store(out + 6, g.to(tl.float64))
    tl.store(out + 7, h.to(tl.float64))


@triton.jit
def matmul(c, a, b, M, N, K, stride_cm, stride_cn, stride_am, stride_ak, stride_bk, stride_bn,
           BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):  # fmt: skip
    columns = tl.cdiv(N, BLOCK_N)
    m = tl.program_id(0) // columns * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(0) % columns * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    a_block = a + m[:, None] * stride_am + k[None, :] * stride_ak
    b_block = b + k[:, None] * stride_bk + n[None, :] * stride_bn
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for left in range(K, 0, -BLOCK_K):
        x = tl.load(a_block, mask=(m[:, None] < M) & (k[None, :] < left), other=0.0)
        y = tl.load(b_block, mask=(k[:, None] < left) & (n[None, :] < N), other=0.0)
        sums = tl.dot(x, y, sums)
        a_block += BLOCK_K * stride_ak
        b_block += BLOCK_K * stride_bk
    inside = (m[:, None] < M) & (n[None, :] < N)
    tl.store(c + m[:, None] * stride_cm + n[None, :] * stride_cn, sums, mask=inside)


@triton.jit
def speaks(x, n):
    value = tl.load(x)
    tl.device_print("value", value)
    tl.device_assert(value < n, "too large")
    tl.store(x, value + 1)
