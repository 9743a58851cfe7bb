"""Inline assembly of several instructions: numbers of several registers, and what kernels of other
packages write."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from inline_assembly import assembled
from narrow_forms import halves
from ptx_registers import REGISTERS
from values import assert_same

# ---------------------------------------------------------------------------------------------
# The carry
# ---------------------------------------------------------------------------------------------


def columns() -> list[np.ndarray]:
    return [np.array(row, dtype=np.uint64) for row in REGISTERS[:3]]


WIDE = {
    "add": lambda a, b, c: (a + (c << 64)) + (b + (a << 64)),
    "sub": lambda a, b, c: (a + (c << 64)) - (b + (a << 64)),
}


@pytest.mark.parametrize("base", WIDE)
@pytest.mark.parametrize("part", range(3))
def test_sums_of_three_registers(base: str, part: int):
    """Two registers each, and what goes on into a third one."""
    text = f"""{{ .reg .b64 t<3>;
        {base}.cc.u64 t0, $1, $2; {base}c.cc.s64 t1, $3, $1; {base}c.u64 t2, 0, 0;
        mov.b64 $0, t{part}; }}"""
    a, b, c = columns()
    found = assembled(text, a, b, c, result="uint64")
    for x, y, z, made in zip(a, b, c, found, strict=True):
        assert int(made) == WIDE[base](int(x), int(y), int(z)) >> 64 * part & (1 << 64) - 1


@pytest.mark.parametrize("part", range(3))
def test_products_of_three_registers(part: int):
    """Numbers of 64 and 32 bits, multiplied word by word."""
    text = f"""{{ .reg .b32 low, high, by, _, t<3>; .reg .b64 wide;
        mov.b64 {{low, high}}, $1; cvt.u32.u64 by, $2;
        mul.lo.u32 t0, low, by;
        mul.hi.u32 t1, low, by;
        mad.lo.cc.u32 t1, high, by, t1;
        madc.hi.u32 t2, high, by, 0;
        cvt.u64.u32 $0, t{part}; }}"""
    a, b, _ = columns()
    found = assembled(text, a, b, result="uint64")
    for x, y, made in zip(a, b, found, strict=True):
        assert int(made) == int(x) * (int(y) & 0xFFFFFFFF) >> 32 * part & 0xFFFFFFFF


def test_a_guard_keeps_the_carry():
    text = """{ .reg .pred p; .reg .b32 t;
        setp.lt.s32 p, $2, 0;
        add.cc.u32 t, $1, $1;
        @p add.cc.u32 t, 0, 0;
        addc.u32 $0, 0, 0; }"""
    x, y = (np.array(row, dtype=np.uint64).astype(np.uint32) for row in REGISTERS[:2])
    expected = np.where(y.view(np.int32) < 0, 0, x >> 31).astype(np.uint32)
    assert_same(assembled(text, x, y, result="uint32"), expected, x, y)


# ---------------------------------------------------------------------------------------------
# Hints and fences
# ---------------------------------------------------------------------------------------------


@triton.jit
def between_fences(x, out, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.inline_asm_elementwise(
        "prefetch.global.L2 [$1];", "=r,l", [x + at], dtype=tl.int32, is_pure=False, pack=1
    )
    tl.store(out + at, tl.load(x + at) + 1)
    tl.inline_asm_elementwise(
        "mov.u32 $0, 0; fence.sc.sys;", "=r", [], dtype=tl.int32, is_pure=False, pack=1
    )
    tl.store(out + at, tl.load(out + at) * 2)
    tl.inline_asm_elementwise(
        "membar.gl; fence.proxy.alias; griddepcontrol.launch_dependents;", "=r", [],
        dtype=tl.int32, is_pure=False, pack=1,
    )  # fmt: skip


def test_what_is_for_memory_alone():
    x = torch.arange(64, dtype=torch.int32)
    out = torch.zeros_like(x)
    between_fences[(1,)](x, out, N=64)
    assert torch.equal(out, (x + 1) * 2)


def test_what_a_fence_is_behind_is_a_result():
    x = np.arange(64, dtype=np.int32)
    text = "add.s32 $0, $1, 1; fence.acq_rel.gpu;"
    assert_same(assembled(text, x, result="int32"), x + np.int32(1), x)


# ---------------------------------------------------------------------------------------------
# What packages write
# ---------------------------------------------------------------------------------------------


def test_the_next_power_of_two():
    """The exponent of a factor (gemlite)."""
    text = """{ .reg .f32 power, whole; .reg .s32 e;
        lg2.approx.f32 power, $1; cvt.rpi.f32.f32 whole, power; cvt.rzi.s32.f32 e, whole;
        max.s32 e, e, -100; min.s32 e, e, 127; add.s32 $0, e, 127; }"""
    x = np.array([1.0, 1.5, 2.0, 0.3, 1e-20, 3e38, 0.0, 1000.0], np.float32)
    expected = [127, 128, 128, 126, 127 - 66, 254, 27, 137]
    actual = assembled(text, x, result="int32", constraints="=r,r")
    assert actual.tolist() == expected


def test_integers_of_four_bits_as_halves():
    """Bits put below the exponent of 1024 (lmdeploy, AWQ), of which 1032 is subtracted."""
    x = np.random.default_rng(3).integers(-(2**31), 2**31, 64, dtype=np.int64).astype(np.int32)
    low = assembled(
        """{ .reg .f16x2 t; lop3.b32 t, $1, 0x000f000f, 0x64006400, 0xEA;
        sub.f16x2 $0, t, 0x64086408; }""",
        x, result="int32",
    )  # fmt: skip
    high = assembled(
        """{ .reg .b32 t, by, of; lop3.b32 t, $1, 0x00f000f0, 0x64006400, 0xEA;
        mov.b32 by, 0x2c002c00; mov.b32 of, 0xd480d480; fma.rn.f16x2 $0, t, by, of; }""",
        x, result="int32",
    )  # fmt: skip
    for found, place in ((low, 0), (high, 4)):
        numbers = [((x >> place + half & 15) - 8).astype(np.float16) for half in (0, 16)]
        assert_same(found, halves(*numbers), x)


DECODED = {
    "by conversion": """{ .reg .b16 s, h; .reg .b8 q; .reg .b32 w;
        prmt.b32 w, $2, 0, 0x0000; cvt.u16.u32 s, w; cvt.u16.u32 h, $1; cvt.u8.u16 q, h;
        cvt.rn.bf16x2.e2m1x2.scaled::n2::ue8m0 $0, q, s; }""",
    "by products": """{ .reg .b32 t, u, s, f, g, z;
        and.b32 s, $2, 0xFF; min.u32 f, s, 128; add.u32 f, f, 126; shl.b32 f, f, 7;
        prmt.b32 f, f, 0, 0x1010; max.u32 g, s, 128; sub.u32 g, g, 1; shl.b32 g, g, 7;
        prmt.b32 g, g, 0, 0x1010; mov.b32 z, 0x80008000;
        and.b32 t, $1, 15; shl.b32 u, $1, 12; and.b32 u, u, 0xF0000; or.b32 t, t, u;
        and.b32 u, t, 0x00070007; shl.b32 u, u, 6;
        and.b32 $0, t, 0x00080008; shl.b32 $0, $0, 12; or.b32 $0, $0, u;
        fma.rn.bf16x2 $0, $0, f, z; fma.rn.bf16x2 $0, $0, g, z; }""",
}


@pytest.mark.parametrize("way", DECODED)
def test_floats_of_four_bits_times_a_power(way: str):
    """Two in a byte (unsloth), for each exponent but NaN's."""
    codes = np.tile(np.arange(256, dtype=np.int32), 8)
    scales = np.resize(np.concatenate([[0, 1, 2, 126, 127, 128, 129, 254], np.arange(255)]), 2048)
    found = assembled(DECODED[way], codes, scales.astype(np.int32), result="int32")
    numbers = []
    for place in (0, 4):
        narrow = (codes >> place & 15).astype(np.uint8).view(ml_dtypes.float4_e2m1fn)
        with np.errstate(over="ignore"):
            product = narrow.astype(np.float64) * 2.0 ** (scales.astype(np.float64) - 127)
            numbers.append(product.astype(np.float32).astype(ml_dtypes.bfloat16))
    assert_same(found, halves(*numbers), codes, scales)


def test_sizes_with_the_sign_of_a_product():
    """What Triton's own kernels take the largest absolute value with."""
    x, y = np.array([1.0, -3.0, -2.0, np.nan], np.float32), np.array([-2, -1, 5, 1], np.float32)
    for base, size in (("max", [2, 3, 5, np.nan]), ("min", [1, 1, 2, np.nan])):
        text = f"{{ {base}.NaN.xorsign.abs.f32 $0, $1, $2; }}"
        actual = assembled(text, x, y, result="float32", constraints="=r,r,r")
        expected = np.array(size, np.float32) * np.array([-1, 1, -1, 1], np.float32)
        assert_same(actual, expected, x, y, what=base)


def test_a_reciprocal_made_better():
    """One step of Newton (sglang), which begins with an approximation."""
    text = """{ .reg .f32 r, e, n;
        rcp.approx.f32 r, $1; fma.rn.f32 e, $1, r, 0fBF800000; sub.ftz.f32 n, 0f80000000, e;
        fma.rn.f32 $0, r, n, r; }"""
    x = np.random.default_rng(5).uniform(0.1, 100, 64).astype(np.float32)
    actual = assembled(text, x, result="float32")
    np.testing.assert_allclose(actual, 1 / x.astype(np.float64), rtol=1e-7)
