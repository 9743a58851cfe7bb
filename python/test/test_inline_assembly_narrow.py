"""Inline assembly on floats of few bits: every `cvt` to and from them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from inline_assembly import assembled
from narrow_forms import COUNT, FORMS, sizes


@triton.jit
def of_registers(x, out, TEXT: tl.constexpr, N: tl.constexpr):
    """The text on up to five rows of registers."""
    at = tl.arange(0, N)
    a, b, c = tl.load(x + at), tl.load(x + N + at), tl.load(x + 2 * N + at)
    d, e = tl.load(x + 3 * N + at), tl.load(x + 4 * N + at)
    made = tl.inline_asm_elementwise(
        TEXT, "=r,r,r,r,r,r", [a, b, c, d, e], dtype=tl.int32, is_pure=True, pack=1
    )
    tl.store(out + at, made)


def rows(inputs: tuple[np.ndarray, ...]) -> torch.Tensor:
    made = torch.zeros((5, COUNT), dtype=torch.int32)
    for row, values in zip(made, inputs, strict=False):
        row[:] = torch.from_numpy(values)
    return made


@pytest.mark.every(2)
@pytest.mark.parametrize("name", FORMS)
def test_forms(name: str):
    form = FORMS[name]
    out = torch.zeros(COUNT, dtype=torch.int32)
    of_registers[(1,)](rows(form.inputs), out, TEXT=form.text, N=COUNT)
    form.check(out.numpy())


@pytest.mark.parametrize("place", range(4))
def test_random_bits_are_fair(place: int):
    """Of all bytes, as many round away from zero as the number is on its way to the next."""
    steps = sizes("e2m1")
    bytes_of_random = (np.arange(256) << (0, 16, 8, 24)[place]).astype(np.uint32).view(np.int32)
    operands = ["0.0"] * 4
    operands[3 - place] = "$1"
    for part in (0, 0.25, 0.5, 0.75):
        for lower, upper in itertools.pairwise(steps):
            number = lower + part * (upper - lower)
            made = assembled(
                f"{{ .reg .b16 t; cvt.rs.satfinite.e2m1x4.f32 t, {{{', '.join(operands)}}}, $2;"
                " cvt.u32.u16 $0, t; }",
                np.full(256, number, np.float32), bytes_of_random, result="int32",
            )  # fmt: skip
            codes = made >> 4 * place & 15
            assert steps[codes].mean() == number
            assert not (made & ~(15 << 4 * place)).any()


TF32 = {"rna": (0x1000, 0), "rn": (0x0FFF, 1), "rz": (0, 0)}
"""What is added to a pattern before it is cut off, and whether its last bit is, too."""


@pytest.mark.parametrize("suffix", ["", ".satfinite"])
@pytest.mark.parametrize("mode", TF32)
def test_f32_with_ten_bits_of_mantissa(mode: str, suffix: str):
    x = np.random.default_rng(3).integers(0, 1 << 32, 512, dtype=np.uint32)
    x[:6] = [0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0x3F801000, 0x3F803000, 0x7FC00000]
    half, odd = TF32[mode]
    limited = np.minimum(x & 0x7FFFFFFF, 0x7F7FE000 if suffix else 0x7F800000)
    made = (limited + half + (limited >> 13 & odd)) & 0xFFFFE000 | x & 0x80000000
    expected = np.where((x & 0x7FFFFFFF) > 0x7F800000, x, made)
    actual = assembled(
        f"cvt.{mode}{suffix}.tf32.f32 $0, $1;", x.view(np.int32), result="int32"
    ).view(np.uint32)
    number = ~np.isnan(x.view(np.float32))
    np.testing.assert_array_equal(actual[number], expected[number])
    assert np.isnan(actual[~number].view(np.float32)).all()
