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


@triton.jit
def as_often_as_read(x_ptr, counts_ptr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = x_ptr + row * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(at)
    for _turn in range(tl.load(counts_ptr + row)):
        x = x * 0.5
    tl.store(at, x)


@triton.jit
def where_it_says(x_ptr, wanted_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    wanted = tl.load(wanted_ptr + i) != 0
    at = x_ptr + i
    tl.store(at, tl.load(at, mask=wanted, other=0.0) * 0.5, mask=wanted)


@triton.jit
def running_sums(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.cumsum(tl.load(x_ptr + i), 0))


@triton.jit
def through(table_ptr, out_ptr, BLOCK: tl.constexpr):
    x_ptr = tl.load(table_ptr).to(tl.pointer_type(tl.float32))
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i))


@triton.jit
def halves(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    while n > 0:
        x = x * 0.5
        if n % 2 == 0:
            x = x + 1.0
        n = n // 2
    tl.store(x_ptr + i, x)


@triton.jit
def if_it_says(x_ptr, says_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    if tl.load(says_ptr) > 0:
        x = x * 0.5
    tl.store(x_ptr + i, x)


@triton.jit
def while_it_says(x_ptr, says_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    n = tl.load(says_ptr)
    while n > 0:
        x = x * 0.5
        n -= 1
    tl.store(x_ptr + i, x)
