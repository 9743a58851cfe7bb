"""Constants: blocks of one value in every type, literals, specialized arguments, tl.constexpr."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from values import NUMBERS, assert_same, numpy_dtype, room

EVERY_TYPE = ("bool", *NUMBERS)


@triton.jit
def fill(outs, VALUE: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    kind: tl.constexpr = outs[0].dtype.element_ty
    tl.store(outs[0] + at, tl.full((N,), VALUE, kind))
    tl.store(outs[1] + at, tl.zeros((N,), kind))
    tl.store(outs[2] + at, tl.zeros_like(tl.load(outs[0] + at)))
    tl.store(outs[3], tl.full((), VALUE, kind))


@pytest.mark.parametrize("name", EVERY_TYPE)
@pytest.mark.parametrize("value", [1, 42, -3, 2.5])
def test_blocks_of_one_value(value: float, name: str):
    if (value == -3 and (name == "bool" or name.startswith("u"))) or (
        value == 2.5 and "float" not in name
    ):
        pytest.skip("the front end refuses it, or means something else")
    made = [room(16, name) for _ in range(3)] + [room(1, name)]
    fill[(1,)](tuple(m[0] for m in made), VALUE=value, N=16)
    dtype = numpy_dtype(name)
    expected = np.array([value]).astype(dtype)
    assert_same(made[0][1](), np.repeat(expected, 16), what=f"full {value}")
    assert_same(made[1][1](), np.zeros(16, dtype=dtype), what="zeros")
    assert_same(made[2][1](), np.zeros(16, dtype=dtype), what="zeros_like")
    assert_same(made[3][1](), expected, what="scalar full")


@triton.jit
def store_literal(out_ptr, VALUE: tl.constexpr):
    tl.store(out_ptr, VALUE)


LITERALS = [0, 1, -1, 127, -128, 2**31 - 1, -(2**31), 2**31, 2**32 - 1, 2**62, -(2**63), 2**63]


@pytest.mark.parametrize("value", LITERALS)
def test_literals_keep_their_value(value: int):
    name = "uint64" if value >= 2**63 else "int64"
    out, read = room(1, name)
    store_literal[(1,)](out, VALUE=value)
    assert int(read()[0]) == value


@pytest.mark.parametrize("value", [0.0, 1.5, 1e-45, 3.4e38, 1e300, float("inf"), float("nan")])
@pytest.mark.parametrize("name", ["float32", "float64"])
def test_float_literals(value: float, name: str):
    out, read = room(1, name)
    store_literal[(1,)](out, VALUE=value)
    with np.errstate(over="ignore"):
        expected = np.array([value]).astype(name)
    if name == "float64" and abs(value) < 1e39 and value not in (0.0, 1.5, float("inf")):
        # Triton makes f32 of what fits there.
        assert np.isclose(read()[0], value, rtol=1e-6, atol=1e-44, equal_nan=True)
    else:
        assert_same(read(), expected, what=str(value))


@triton.jit
def store_argument(value, out_ptr):
    tl.store(out_ptr, value)


@pytest.mark.parametrize(
    "value",
    [0, 1, -1, 16, 17, 2**31 - 1, -(2**31), 2**31, 2**32, 2**63 - 1, -(2**63), 2**63, 2**64 - 1],
)
def test_integer_arguments_of_every_size(value: int):
    """1 and multiples of 16 are compiled in; others pick i32, i64 or u64."""
    out, read = room(1, "uint64" if value >= 2**63 else "int64")
    store_argument[(1,)](value, out)
    assert int(read()[0]) == value


@pytest.mark.parametrize("value", [True, False, 0.5, float("inf"), -1e30])
def test_other_arguments(value: float):
    out = torch.zeros(1, dtype=torch.float32)
    store_argument[(1,)](value, out)
    assert out.item() == np.float32(value)


@triton.jit
def compute_statically(out_ptr, A: tl.constexpr, B: tl.constexpr):
    tl.store(out_ptr + 0, A + B)
    tl.store(out_ptr + 1, A - B)
    tl.store(out_ptr + 2, A * B)
    tl.store(out_ptr + 3, A // B)
    tl.store(out_ptr + 4, A % B)
    tl.store(out_ptr + 5, A << B)
    tl.store(out_ptr + 6, A >> B)
    tl.store(out_ptr + 7, A & B)
    tl.store(out_ptr + 8, A | B)
    tl.store(out_ptr + 9, A ^ B)
    tl.store(out_ptr + 10, -A)
    tl.store(out_ptr + 11, ~A)
    tl.store(out_ptr + 12, A**B)
    tl.store(out_ptr + 13, (A < B) + 2 * (A == B) + 4 * (A != B))
    tl.store(out_ptr + 14, A if A > B else B)
    tl.store(out_ptr + 15, min(A, B) + 100 * max(A, B))


@pytest.mark.parametrize(("a", "b"), [(7, 3), (100, 2), (5, 5), (1, 4)])
def test_arithmetic_of_constexprs_is_pythons(a: int, b: int):
    out = torch.zeros(16, dtype=torch.int64)
    compute_statically[(1,)](out, A=a, B=b)
    expected = [a + b, a - b, a * b, a // b, a % b, a << b, a >> b, a & b, a | b, a ^ b, -a, ~a]
    expected += [
        a**b,
        (a < b) + 2 * (a == b) + 4 * (a != b),
        max(a, b),
        min(a, b) + 100 * max(a, b),
    ]
    assert out.tolist() == expected


@triton.jit
def mix_with_scalars(x_ptr, out_ptr, FACTOR: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + at, (x * FACTOR + FACTOR) - FACTOR / 2)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_constexprs_in_arithmetic_of_blocks(dtype: torch.dtype):
    x = torch.arange(8).to(dtype)
    out = torch.empty_like(x)
    mix_with_scalars[(1,)](x, out, FACTOR=4, N=8)
    assert torch.equal(out, x * 4 + 4 - 2)


@triton.jit
def divide_by_seven(out_ptr, n):
    tl.store(out_ptr, (n * -1) // 7)
    tl.store(out_ptr + 1, (n * -1) % 7)


divide_at_run_time = triton.jit(do_not_specialize=["n"])(divide_by_seven.fn)


def quotients_of_one(kernel: Any) -> list[int]:
    out = torch.zeros(2, dtype=torch.int32)
    kernel[(1,)](out, 1)
    return out.tolist()


def test_an_argument_of_one_is_divided_as_python_does():
    assert quotients_of_one(divide_by_seven) == [-1, 6]
    assert quotients_of_one(divide_at_run_time) == [0, -1]


def test_the_interpreter_knows_no_arguments_of_one():
    # The reason why it gives other numbers than every backend (docs/semantics.md, "Integers").
    script = "import test_cases_constants as c; print(c.quotients_of_one(c.divide_by_seven))"
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=Path(__file__).parent,
        env={**os.environ, "TRITON_INTERPRET": "1"},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert done.stdout.strip() == "[0, -1]"
