"""Small kernels whose accesses can be counted by hand."""

import triton
import triton.language as tl


@triton.jit
def strided(x_ptr, out_ptr, step, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i * step))


@triton.jit
def unmasked(x_ptr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, 1.0)


@triton.jit
def everybody(x_ptr):
    tl.store(x_ptr + tl.program_id(0) // 2, 1.0)
