"""The small kernels of the plugin's tests."""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def scale(x_ptr, out_ptr, n, factor, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(out_ptr + at, x * factor, mask=at < n)


@triton.jit
def store_scalar(out_ptr, value):
    tl.store(out_ptr, value)


@triton.jit
def store_half(out_ptr, value: tl.float16):
    tl.store(out_ptr, value)


@triton.jit
def store_bfloat(out_ptr, value: tl.bfloat16):
    tl.store(out_ptr, value)


@triton.jit
def store_double(out_ptr, value: tl.float64):
    tl.store(out_ptr, value)


@triton.jit
def store_byte(out_ptr, value: tl.int8):
    tl.store(out_ptr, value)


@triton.jit
def store_u64(out_ptr, value: tl.uint64):
    tl.store(out_ptr, value)


@triton.jit
def sum_tuple(out_ptr, values, nested):
    tl.store(out_ptr, values[0] + values[1] + nested[0] + nested[1][0] * nested[1][1])


@triton.jit
def copy_tile(source, target, row, M: tl.constexpr, N: tl.constexpr):
    target.store([row, 0], source.load([row, 0]))


@triton.jit
def read_outside(source, out_ptr, M: tl.constexpr, N: tl.constexpr):
    tile = source.load([2, 0])
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out_ptr + at, tile)


@triton.jit
def print_values(x_ptr, n):
    tl.device_print("value", tl.load(x_ptr + tl.arange(0, 4)), n)


@triton.jit
def insist(x_ptr, out_ptr):
    x = tl.load(x_ptr + tl.program_id(0))
    tl.device_assert(x > 0, "x must be positive")
    tl.store(out_ptr + tl.program_id(0), x)


@triton.jit
def program_order(order_ptr, counter_ptr):
    turn = tl.atomic_add(counter_ptr, 1)
    tl.store(order_ptr + turn, tl.program_id(0))


@triton.jit
def assembly(x_ptr):
    x = tl.load(x_ptr)
    y = tl.inline_asm_elementwise("mov.b32 $0, %envreg0;", "=r,r", [x], tl.int32, True, 1)
    tl.store(x_ptr, y)


@triton.jit
def fp8e4b15_round_trip(x_ptr, y_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(y_ptr + at, tl.load(x_ptr + at).to(tl.float8e4b15).to(tl.float16))


@triton.jit
def nothing():
    pass


@triton.jit
def count_programs(counter_ptr):
    tl.atomic_add(counter_ptr, 1)


@triton.jit
def dot(a_ptr, b_ptr, c_ptr, N: tl.constexpr, PRECISION: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    a, b = tl.load(a_ptr + at), tl.load(b_ptr + at)
    c = tl.dot(a, b) if PRECISION == "" else tl.dot(a, b, input_precision=PRECISION)
    tl.store(c_ptr + at, c)


@triton.jit
def apply(x_ptr, out_ptr, NAME: tl.constexpr, N: tl.constexpr):
    """The function of each element that `NAME` says."""
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    if NAME == "exp":
        y = tl.exp(x)
    elif NAME == "exp2":
        y = tl.exp2(x)
    elif NAME == "log":
        y = tl.log(x)
    elif NAME == "log2":
        y = tl.log2(x)
    elif NAME == "sin":
        y = tl.sin(x)
    elif NAME == "cos":
        y = tl.cos(x)
    elif NAME == "sqrt":
        y = tl.sqrt(x)
    elif NAME == "sqrt_rn":
        y = tl.sqrt_rn(x)
    elif NAME == "rsqrt":
        y = tl.rsqrt(x)
    elif NAME == "erf":
        y = tl.erf(x)
    elif NAME == "floor":
        y = tl.floor(x)
    elif NAME == "ceil":
        y = tl.ceil(x)
    elif NAME == "sigmoid":
        y = tl.sigmoid(x)
    elif NAME == "tanh":
        y = libdevice.tanh(x)
    tl.store(out_ptr + at, y)
