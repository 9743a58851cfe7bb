"""What a kernel says: device_print, assertions that end the launch, both at compile time."""

from __future__ import annotations

import inspect
from collections import Counter

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from triton_shared.errors import DeviceAssertError
from values import buffer, given, numpy_dtype


def printed(capfd: pytest.CaptureFixture[str]) -> Counter[str]:
    """The lines written since the last call; programs write in any order."""
    return Counter(capfd.readouterr().out.splitlines())


# ---------------------------------------------------------------------------------------------
# device_print
# ---------------------------------------------------------------------------------------------


@triton.jit
def print_block(x_ptr, HEX: tl.constexpr, N: tl.constexpr):
    tl.device_print("x", tl.load(x_ptr + tl.arange(0, N)), hex=HEX)


TYPES = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
TYPES += ["float16", "bfloat16", "float32", "float64", "float8e5", "float8e4nv", "float8e4b8"]


@pytest.mark.parametrize("name", TYPES)
def test_every_type(name: str, capfd: pytest.CaptureFixture[str]):
    values = [0, 1, 5, 100] + ([-1, -100] if not name.startswith("u") else [200, 255])
    x = np.array([*values, 2, 3], dtype=np.float64).astype(numpy_dtype(name))
    print_block[(1,)](given(x, name), HEX=False, N=8)
    shown = [f"{float(v):f}" if name.startswith(("f", "b")) else str(int(v)) for v in x]
    assert printed(capfd) == Counter(f"pid (0, 0, 0) idx ({i}) x: {s}" for i, s in enumerate(shown))


@pytest.mark.parametrize("name", TYPES)
def test_bits(name: str, capfd: pytest.CaptureFixture[str]):
    x = np.array([0, 1, 2, 3, 64, 96, 127 if name == "int8" else 112, 1.0]).astype(
        numpy_dtype(name)
    )
    print_block[(1,)](given(x, name), HEX=True, N=8)
    digits = 2 * x.dtype.itemsize
    patterns = x.view(f"u{x.dtype.itemsize}")
    expected = [f"pid (0, 0, 0) idx ({i}) x: 0x{int(p):0{digits}x}" for i, p in enumerate(patterns)]
    assert printed(capfd) == Counter(expected)


def test_the_ends_of_unsigned_numbers(capfd: pytest.CaptureFixture[str]):
    x = np.array([2**64 - 1, 2**63, 2**31, 2**32 - 1], dtype=np.uint64)
    print_block[(1,)](buffer(x), HEX=False, N=4)
    assert printed(capfd) == Counter(f"pid (0, 0, 0) idx ({i}) x: {v}" for i, v in enumerate(x))


def test_infinities_and_nan(capfd: pytest.CaptureFixture[str]):
    x = torch.tensor([float("inf"), -float("inf"), float("nan"), -0.0])
    print_block[(1,)](x, HEX=False, N=4)
    shown = ["inf", "-inf", "nan", "-0.000000"]
    assert printed(capfd) == Counter(f"pid (0, 0, 0) idx ({i}) x: {s}" for i, s in enumerate(shown))


@triton.jit
def print_cast(N: tl.constexpr):
    tl.device_print("x: ", (tl.arange(0, N) + 128).to(tl.uint8))
    tl.device_print("y: ", (tl.arange(0, N) + 128).to(tl.int8))


def test_the_sign_is_that_of_the_kernels_type(capfd: pytest.CaptureFixture[str]):
    print_cast[(1,)](N=2)
    expected = ["x: 128", "x: 129", "y: -128", "y: -127"]
    expected = [f"pid (0, 0, 0) idx ({i % 2}) {text}" for i, text in enumerate(expected)]
    assert printed(capfd) == Counter(expected)


@triton.jit
def print_tile(M: tl.constexpr, N: tl.constexpr):
    x = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.device_print("tile ", x)


def test_indices_are_as_wide_as_the_last_one(capfd: pytest.CaptureFixture[str]):
    print_tile[(1, 2)](M=4, N=128)
    expected = [
        f"pid (0, {y}, 0) idx ({i}, {j:3}) tile: {i * 128 + j}"
        for y in range(2)
        for i in range(4)
        for j in range(128)
    ]
    assert printed(capfd) == Counter(expected)


@triton.jit
def print_addresses(x_ptr, N: tl.constexpr):
    tl.device_print("block", x_ptr + tl.arange(0, N))
    tl.device_print("scalar", x_ptr)


def test_pointers_are_addresses(capfd: pytest.CaptureFixture[str]):
    x = torch.zeros(4, dtype=torch.float64)
    print_addresses[(1,)](x, N=4)
    expected = [f"pid (0, 0, 0) idx ({i}) block: {x.data_ptr() + 8 * i:#x}" for i in range(4)]
    assert printed(capfd) == Counter([*expected, f"pid (0, 0, 0) idx () scalar: {x.data_ptr():#x}"])


@triton.jit
def print_several(x_ptr, n, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.device_print("", x, n, x > 1)
    print("named", x, 2.5)


def test_several_operands_are_numbered(capfd: pytest.CaptureFixture[str]):
    print_several[(1,)](torch.tensor([1, 2], dtype=torch.int32), 7, N=2)
    expected = ["idx (0): (operand 0) 1", "idx (1): (operand 0) 2", "idx (): (operand 1) 7"]
    expected += ["idx (0): (operand 2) 0", "idx (1): (operand 2) 1"]
    expected += ["idx (0) named: (operand 0) 1", "idx (1) named: (operand 0) 2"]
    expected += ["idx () named: (operand 1) 2.500000"]
    assert printed(capfd) == Counter("pid (0, 0, 0) " + line for line in expected)


@triton.jit
def print_without_values():
    print("here")
    tl.device_print("100% of %s\\n")
    print("", tl.program_id(2))


def test_text_and_scalars(capfd: pytest.CaptureFixture[str]):
    print_without_values[(1, 1, 2)]()
    expected = [f"pid (0, 0, {z}) {text}" for z in (0, 1) for text in ("here", f"idx (): {z}")]
    expected += [f"pid (0, 0, {z}) 100% of %s\\n" for z in (0, 1)]
    assert printed(capfd) == Counter(expected)


@triton.jit
def print_in_a_branch(x_ptr, n):
    pid = tl.program_id(0)
    for i in range(n):
        if i % 2 == 1:
            tl.device_print("odd", tl.load(x_ptr + i), pid)


def test_only_the_branch_that_is_taken_prints(capfd: pytest.CaptureFixture[str]):
    print_in_a_branch[(3,)](torch.arange(4, dtype=torch.int32) * 10, 4)
    expected = [f"pid ({p}, 0, 0) idx () odd: (operand 0) {v}" for p in range(3) for v in (10, 30)]
    expected += [f"pid ({p}, 0, 0) idx () odd: (operand 1) {p}" for p in range(3) for _ in "ab"]
    assert printed(capfd) == Counter(expected)


# ---------------------------------------------------------------------------------------------
# device_assert
# ---------------------------------------------------------------------------------------------


@triton.jit
def insist(x_ptr, out_ptr, MASKED: tl.constexpr, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    x = tl.load(x_ptr + at)
    if MASKED:
        tl.device_assert(x > 0, "x must be positive", mask=at % 2 == 0)
    else:
        tl.device_assert(x > 0, "x must be positive")
    tl.store(out_ptr + at, x)


def line_of(function, text: str) -> int:
    lines, first = inspect.getsourcelines(function.fn)
    return first + next(i for i, line in enumerate(lines) if text in line)


@pytest.mark.parametrize("masked", [False, True])
def test_a_failing_assertion_names_its_place(masked: bool):
    x = torch.ones(8, dtype=torch.int32)
    x[6] = 0
    with pytest.raises(DeviceAssertError) as caught:
        insist[(2,)](x, torch.zeros_like(x), MASKED=masked, N=4, debug=True)
    text = str(caught.value)
    line = line_of(insist, "mask=at % 2" if masked else 'positive")')
    assert f"test_cases_print.py:{line}" in text
    assert "pid (1, 0, 0)" in text
    assert "x must be positive" in text


def test_what_the_mask_leaves_out_may_fail():
    x = torch.tensor([1, 0, 1, 0], dtype=torch.int32)
    out = torch.full_like(x, 9)
    insist[(1,)](x, out, MASKED=True, N=4, debug=True)
    assert torch.equal(out, x)


def test_without_debug_there_is_no_assertion():
    x, out = torch.zeros(4, dtype=torch.int32), torch.full((4,), 9, dtype=torch.int32)
    insist[(1,)](x, out, MASKED=False, N=4)
    assert torch.equal(out, x)


def test_tritons_switch_turns_assertions_on(monkeypatch: pytest.MonkeyPatch):
    """TRITON_DEBUG=1 sets it when Triton is imported."""
    monkeypatch.setattr(triton.knobs.runtime, "debug", True)
    x = torch.zeros(4, dtype=torch.int32)
    with pytest.raises(DeviceAssertError, match="x must be positive"):
        insist[(1,)](x, torch.zeros_like(x), MASKED=False, N=4)


def test_a_launch_after_a_failed_one_runs():
    bad, good = torch.zeros(4, dtype=torch.int32), torch.ones(4, dtype=torch.int32)
    out = torch.zeros_like(good)
    for _ in range(3):
        with pytest.raises(DeviceAssertError):
            insist[(1,)](bad, out, MASKED=False, N=4, debug=True)
        insist[(1,)](good, out, MASKED=False, N=4, debug=True)
        assert torch.equal(out, good)


@triton.jit
def insist_on_a_scalar(n):
    assert n > 3, "n is too small"


@triton.jit
def insist_on_a_number(x_ptr, N: tl.constexpr):
    tl.device_assert(tl.load(x_ptr + tl.arange(0, N)) != 0, "")


def test_the_statement_on_a_scalar():
    insist_on_a_scalar[(1,)](4, debug=True)
    with pytest.raises(DeviceAssertError, match="n is too small"):
        insist_on_a_scalar[(1,)](3, debug=True)


def test_an_assertion_without_a_message():
    insist_on_a_number[(1,)](torch.ones(4), N=4, debug=True)
    with pytest.raises(DeviceAssertError, match="assertion failed"):
        insist_on_a_number[(1,)](torch.zeros(4), N=4, debug=True)


@triton.jit
def overflow(x_ptr, y_ptr, out_ptr):
    tl.store(out_ptr, tl.load(x_ptr) + tl.load(y_ptr))


def test_debug_checks_overflow_of_integers():
    big, one = torch.tensor([2**31 - 1], dtype=torch.int32), torch.ones(1, dtype=torch.int32)
    out = torch.zeros(1, dtype=torch.int32)
    overflow[(1,)](one, one, out, debug=True)
    assert out.item() == 2
    with pytest.raises(DeviceAssertError, match="overflow"):
        overflow[(1,)](big, one, out, debug=True)
    overflow[(1,)](big, one, out, debug=True, sanitize_overflow=False)
    assert out.item() == -(2**31)


# ---------------------------------------------------------------------------------------------
# While compiling
# ---------------------------------------------------------------------------------------------


@triton.jit
def say_statically(x_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.static_print("block", x, N)
    tl.static_assert(N > 4, "N must exceed four")
    tl.store(x_ptr + tl.arange(0, N), x + 1)


def test_static_print_and_assert(capfd: pytest.CaptureFixture[str], fresh_cache):
    x = torch.zeros(8, dtype=torch.int32)
    say_statically[(1,)](x, N=8)
    assert "block int32[constexpr[8]]" in capfd.readouterr().out
    assert torch.equal(x, torch.ones_like(x))
    with pytest.raises(triton.CompilationError) as caught:
        say_statically[(1,)](x, N=4)
    assert "N must exceed four" in str(caught.value)
