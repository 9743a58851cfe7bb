"""Indices divided by numbers of either sign: right, or refused at run time, but never wrong."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import triton
import triton.language as tl
import triton_shared

HALF = 1 << 14
NUMBERS = torch.arange(-HALF, HALF, dtype=torch.int32)
"""Element `HALF + i` is `i`: what is loaded says from where."""


@triton.jit
def row_and_column(x_ptr, out_ptr, n, s, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at // n * s + at % n))


@triton.jit
def masked_by_a_quotient(x_ptr, out_ptr, n, s, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at // n >= s, other=-1))


@triton.jit
def wrapped_behind_a_quotient(x_ptr, out_ptr, n, s, BLOCK: tl.constexpr):
    i = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + i * BLOCK + at, tl.load(x_ptr + (i // n * BLOCK + at) % s))


@triton.jit
def split_behind_a_quotient(x_ptr, out_ptr, n, s, BLOCK: tl.constexpr):
    i = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    place = i // n * BLOCK + at
    tl.store(out_ptr + i * BLOCK + at, tl.load(x_ptr + place // 4 * s + place % 4))


@triton.jit
def quotient_of_a_product(x_ptr, out_ptr, n, s, BLOCK: tl.constexpr):
    i = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + i * BLOCK + at, tl.load(x_ptr + (i * n + at) // n))


@triton.jit
def quotients_in_a_loop(x_ptr, out_ptr, n, s, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    for k in range(4):
        i = k * BLOCK + at
        x = tl.load(x_ptr + i // n * s + i % n, mask=i // n <= 0, other=-5)
        tl.store(out_ptr + i, x)


def quotient(a: Any, b: int) -> Any:
    return torch.div(a, b, rounding_mode="trunc")


def expected(kernel: Any, n: int, s: int) -> torch.Tensor:
    at = torch.arange(64)
    i, d = at // 16, at % 16
    place = quotient(i, n) * 16 + d
    row, column = quotient(at, n), at.fmod(n)
    return {
        row_and_column: row * s + column,
        masked_by_a_quotient: torch.where(row >= s, at, -1),
        wrapped_behind_a_quotient: place.fmod(s),
        split_behind_a_quotient: quotient(place, 4) * s + place.fmod(4),
        quotient_of_a_product: quotient(i * n + d, n),
        quotients_in_a_loop: torch.where(row <= 0, row * s + column, -5),
    }[kernel]


KERNELS = [
    row_and_column,
    masked_by_a_quotient,
    wrapped_behind_a_quotient,
    split_behind_a_quotient,
    quotient_of_a_product,
    quotients_in_a_loop,
]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
@pytest.mark.parametrize("n", [1, 3, 8, 100])
def test_sizes(kernel: Any, n: int):
    for s in (-1, 3, 10, 16):
        if s > 0 or kernel is not wrapped_behind_a_quotient:
            out = torch.zeros(64, dtype=torch.int32)
            kernel[(1 if kernel is quotients_in_a_loop else 4,)](
                NUMBERS[HALF:], out, n, s, BLOCK=16
            )
            assert torch.equal(out, expected(kernel, n, s).int())


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
@pytest.mark.parametrize("n", [-1, -3, -8, -16, -100])
def test_negative_numbers_are_right_or_refused(kernel: Any, n: int):
    for s in (-1, 3, 10, 16):
        out = torch.zeros(64, dtype=torch.int32)
        try:
            kernel[(1 if kernel is quotients_in_a_loop else 4,)](
                NUMBERS[HALF:], out, n, s, BLOCK=16
            )
        except triton_shared.DeviceAssertError as error:
            assert "an index is divided by a negative number" in str(error)  # noqa: PT017
            assert "test_cases_divisors.py:" in str(error)  # noqa: PT017
        else:
            assert torch.equal(out, expected(kernel, n, s).int())


@triton.jit
def divide_data(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + at, x // n)
    tl.store(out_ptr + BLOCK + at, at // n)
    tl.store(out_ptr + 2 * BLOCK + at, at % n)


@pytest.mark.parametrize("n", [-7, -2, 3])
def test_data_is_divided_by_any_number(n: int):
    x = torch.arange(-8, 8, dtype=torch.int32)
    out = torch.zeros(3, 16, dtype=torch.int32)
    divide_data[(1,)](x, out, n, BLOCK=16)
    at = torch.arange(16, dtype=torch.int32)
    assert torch.equal(out, torch.stack((quotient(x, n), quotient(at, n), at.fmod(n))))
