"""Arithmetic and conversions of PTX in the emulator round to nearest, to zero, down and up as exact
numbers do, bit by bit."""

from __future__ import annotations

import itertools
import math
import random
import shutil
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from ptx_float_forms import FORMATS, MODES, flushed, rounded, total
from ptx_registers import decode, encode, width
from triton_shared import emulate
from triton_shared.emulate import ptx

COUNT = 128
"""Numbers that each form is tried on: one for each thread."""
ROWS = 3
INTEGERS = ("s32", "u32", "s64", "u64")

Form = tuple[str, str, tuple[str, ...], Callable[..., float]]
"""An instruction, what it writes, what it reads, and what that makes of exact numbers."""


def quotient(a: float, b: float, name: str, mode: str) -> float:
    sign = math.copysign(1, a) * math.copysign(1, b)
    if math.isnan(a) or math.isnan(b) or (a == 0 and b == 0) or (math.isinf(a) and math.isinf(b)):
        return math.nan
    if b == 0 or math.isinf(a):
        return math.copysign(math.inf, sign)
    if a == 0 or math.isinf(b):
        return math.copysign(0.0, sign)
    return rounded(Fraction(a) / Fraction(b), name, mode)


def fused(a: float, b: float, c: float, name: str, mode: str) -> float:
    # A product that is too large for a float is still less than infinity.
    if math.isinf(c) and math.isfinite(a) and math.isfinite(b):
        return c
    return total([[a, b], [c]], name, mode)


def root(a: float, name: str, mode: str) -> float:
    if not 0 < a < math.inf:
        return a if a == 0 or a == math.inf else math.nan
    scaled = Fraction(a) * 4**1200
    whole = math.isqrt(int(scaled))
    # What is beyond counts as half of a unit that is far below those of the result.
    twice = 2 * whole + (Fraction(whole) ** 2 != scaled)
    return rounded(Fraction(twice, 2**1201), name, mode)


def whole(a: int, name: str, mode: str) -> float:
    return rounded(Fraction(a), name, mode) if a else 0.0


def narrowed(a: float, name: str, mode: str) -> float:
    return rounded(Fraction(a), name, mode) if math.isfinite(a) and a else a


def arithmetic() -> Iterator[Form]:
    for kind, m in itertools.product(("f32", "f64"), MODES):
        one: list[tuple[str, int, Callable[..., float]]] = [
            ("add", 2, lambda a, b, k=kind, m=m: total([[a], [b]], k, m)),
            ("sub", 2, lambda a, b, k=kind, m=m: total([[a], [-b]], k, m)),
            ("mul", 2, lambda a, b, k=kind, m=m: total([[a, b]], k, m)),
            ("fma", 3, lambda a, b, c, k=kind, m=m: fused(a, b, c, k, m)),
            ("div", 2, lambda a, b, k=kind, m=m: quotient(a, b, k, m)),
            ("rcp", 1, lambda a, k=kind, m=m: quotient(1.0, a, k, m)),
            ("sqrt", 1, lambda a, k=kind, m=m: root(a, k, m)),
        ]
        for name, count, rule in one:
            yield f"{name}.{m}.{kind}", kind, (kind,) * count, rule
            if kind == "f32":
                flush = lambda *v, r=rule: flushed(r(*[flushed(x, "f32") for x in v]), "f32")  # noqa: E731
                yield f"{name}.{m}.ftz.f32", kind, (kind,) * count, flush


def conversions() -> Iterator[Form]:
    for m, kind in itertools.product(MODES, FORMATS):
        for source in ("f32", "f64"):
            if FORMATS[kind][0] < FORMATS[source][0]:
                rule = lambda a, k=kind, m=m: narrowed(a, k, m)  # noqa: E731
                yield f"cvt.{m}.{kind}.{source}", kind, (source,), rule
        for source in INTEGERS:
            of_whole = lambda a, k=kind, m=m: whole(a, k, m)  # noqa: E731
            yield f"cvt.{m}.{kind}.{source}", kind, (source,), of_whole


def numbers() -> np.ndarray:
    """Bits: rows of f64, of f32, of integers; those that cancel or are at an end come often."""
    chance = random.Random(3)
    table: dict[str, list[list[int]]] = {}
    for kind in ("f64", "f32"):
        digits, most = FORMATS[kind]
        unit = 2.0 ** (1 - digits)
        least, large = 2.0 ** (2 - most - digits), (2 - unit) * 2.0**most
        normal = 2.0 ** (1 - most)
        known = [0.0, 1.0, 1 + unit, 1 - unit / 2, 3.0, unit, unit / 4, math.inf, math.nan]
        known += [least, 3 * least, normal, normal - least, large, large / 2]

        def one(known: list[float] = known, most: int = most, kind: str = kind) -> float:
            power = chance.choice([0, chance.randint(-3, 3), chance.randint(-most, most)])
            free = decode(encode(chance.uniform(1, 2) * 2.0**power, kind), kind)
            return chance.choice([1, -1]) * chance.choice([chance.choice(known), free, free])

        made = []
        for _ in range(COUNT):
            a, b = one(), one()
            b = chance.choice([b, b, -a, a])
            made.append([a, b, chance.choice([one(), -(a * b)])])
        table[kind] = [[encode(v[row], kind) for v in made] for row in range(ROWS)]
    ends = [0, 1, 2**24 + 1, 2**31, 2**32 - 1, 2**53 + 1, 2**63, 2**64 - 1, 257, 65519, 65520]
    ends += [(2**17 + 2**9) << 40 | 1, 2**63 + 2**55 + 1, 2**62 + 2**54 + 1]
    integers = [
        chance.choice(
            [chance.choice(ends), -chance.choice(ends) % 2**64,
             chance.getrandbits(64) >> chance.randint(0, 60)]
        )
        for _ in range(COUNT)
    ]  # fmt: skip
    return np.array([*table["f64"], *table["f32"], integers], dtype=np.uint64)


HEADER = f"""
.version 8.7
.target sm_90a
.address_size 64
.visible .entry forms(.param .u64 given, .param .u64 found)
.reqntid {COUNT}
{{
  .reg .b16 %h<1>; .reg .b32 %r<5>; .reg .b64 %d<5>, %given, %found, %at;
  ld.param.b64 %given, [given];
  ld.param.b64 %found, [found];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %at, %r0, 8;
  add.s64 %given, %given, %at;
  add.s64 %found, %found, %at;
"""
REGISTERS = {"f64": "%d", "f32": "%r", "f16": "%h", "bf16": "%h"}
WIDENED = {"%d": "", "%r": "cvt.u64.u32 %d0, %r0;", "%h": "cvt.u64.u16 %d0, %h0;"}


def written(forms: list[Form]) -> str:
    step = 8 * COUNT
    lines = [HEADER]
    for row in range(ROWS):
        lines.append(f"ld.global.b64 %d{row + 1}, [%given+{row * step}];")
        lines.append(f"ld.global.b32 %r{row + 1}, [%given+{(ROWS + row) * step}];")
    lines.append(f"ld.global.b64 %d4, [%given+{2 * ROWS * step}]; cvt.u32.u64 %r4, %d4;")
    for i, (instruction, result, sources, _) in enumerate(forms):
        listed = [
            ("%d4" if width(kind) == 64 else "%r4") if kind in INTEGERS
            else f"{REGISTERS[kind]}{place + 1}"
            for place, kind in enumerate(sources)
        ]  # fmt: skip
        target = REGISTERS[result]
        lines.append(f"{instruction} {target}0, {', '.join(listed)}; {WIDENED[target]}")
        lines.append(f"st.global.b64 [%found+{i * step}], %d0;")
    return "\n".join([*lines, "ret;", "}"])


def given_to(form: Form, table: np.ndarray, at: int) -> list[Any]:
    first = {"f64": 0, "f32": ROWS}
    return [
        decode(int(table[first.get(kind, 2 * ROWS) + (place if kind in first else 0)][at]), kind)
        for place, kind in enumerate(form[2])
    ]


@pytest.mark.parametrize("compiler", ["clang", "gcc"])
def test_every_rounding_is_that_of_the_exact_number(
    compiler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    if compiler == "gcc":
        monkeypatch.setattr(ptx, "c_compiler", lambda: shutil.which("gcc"))
    forms, table = [*arithmetic(), *conversions()], numbers()
    found = torch.zeros(len(forms), COUNT, dtype=torch.int64)
    kernel = ptx.compile_ptx(written(forms), 0, tmp_path)
    emulate.launch(kernel, (torch.from_numpy(table.view(np.int64)), found), (1,))
    wrong = []
    for form, bits in zip(forms, found.numpy().view(np.uint64), strict=True):
        for at in range(COUNT):
            given = given_to(form, table, at)
            want, actual = form[3](*given), decode(int(bits[at]), form[1])
            if encode(actual, form[1]) != encode(want, form[1]):
                wrong.append(f"{form[0]} of {given} is {actual!r}, not {want!r}")
    assert not wrong, f"{len(wrong)}: {wrong[:8]}"


def test_tf32_rounds_to_nearest_and_even(tmp_path: Path):
    text = HEADER + (
        "ld.global.b32 %r1, [%given]; cvt.rn.tf32.f32 %r2, %r1; cvt.u64.u32 %d0, %r2;"
        "st.global.b64 [%found], %d0; ret; }"
    )
    unit = 2.0**-10
    cases = {1 + unit / 2: 1.0, 1 + 3 * unit / 2: 1 + 2 * unit, 1 + unit * 0.51: 1 + unit}
    given = torch.zeros(COUNT, dtype=torch.int64)
    for at, value in enumerate(cases):
        given[at] = encode(value, "f32")
    found = torch.zeros(COUNT, dtype=torch.int64)
    emulate.launch(ptx.compile_ptx(text, 0, tmp_path), (given, found), (1,))
    assert [decode(int(bits), "f32") for bits in found[: len(cases)]] == list(cases.values())


@pytest.mark.parametrize("instruction", ["rsqrt.rz.f32 %r0, %r1", "add.rz.bf16 %h0, %h0, %h0"])
def test_a_rounding_that_does_not_exist_is_refused(instruction: str, tmp_path: Path):
    with pytest.raises(ptx.PtxError, match="its rounding"):
        ptx.compile_ptx(f"{HEADER}{instruction}; ret; }}", 0, tmp_path)
