"""Registers of PTX for tests: what a pattern of bits is as a number of a type, numbers that go
wrong first, and a kernel that runs many instructions on them.

A register is 64 bits wide outside of the assembly; an operand takes the low ones.
"""

from __future__ import annotations

import math
import random
import re
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np
import torch
import triton
import triton.language as tl

COUNT = 256
"""Registers of each row."""
ROWS = 4

# ---------------------------------------------------------------------------------------------
# Numbers
# ---------------------------------------------------------------------------------------------

FLOATS: dict[str, Any] = {
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64,
}  # fmt: skip


def lanes(name: str) -> tuple[str, int]:
    """`f16x2` is two `f16`."""
    match = re.fullmatch(r"(\w+?)(?:x([24]))?", name)
    assert match
    return match[1], int(match[2] or 1)


def width(name: str) -> int:
    if name == "pred":
        return 1
    one, count = lanes(name)
    return int(re.sub(r"\D", "", one)) * count


def decode(bits: int, name: str) -> Any:
    """The number that the low bits of a register are; of several, a tuple, the lowest first."""
    one, count = lanes(name)
    if count > 1:
        return tuple(decode(bits >> i * width(one), one) for i in range(count))
    bits &= (1 << width(name)) - 1
    if name in FLOATS:
        raw = np.array(bits, dtype=f"u{width(name) // 8}").view(FLOATS[name])
        with np.errstate(invalid="ignore"):
            return float(raw)
    signed = name[0] == "s" and bits >> (width(name) - 1)
    return bits - (1 << width(name)) if signed else bits


def encode(value: Any, name: str) -> int:
    """All NaNs are one."""
    one, count = lanes(name)
    if count > 1:
        return sum(encode(v, one) << i * width(one) for i, v in enumerate(value))
    if name not in FLOATS:
        return int(value) & (1 << width(name)) - 1
    if math.isnan(value):
        return (1 << width(name) - 1) - 1
    with np.errstate(over="ignore"):
        return int(np.array(value, dtype=FLOATS[name]).view(f"u{width(name) // 8}"))


def registers() -> list[list[int]]:
    """Four rows: integers at the ends of their types, floats of each type, others."""
    chance = random.Random(7)
    floats = [
        0.0, 1.0, 0.5, 1.5, 2.5, 255.5, 448.0, 65504.0, 65519.9, 65520.0, 2.0**31, 2.0**63, 3e38,
        1e-40, 2.0**-126, 2.0**-24, 2.0**-25, 2.0**-133, 1 + 2**-10, 1 + 2**-11, 1 + 2**-8,
        1 + 3 * 2**-9, 1 + 2**-8 + 2**-30, 1 + 2**-11 + 2**-40, math.inf, math.nan,
    ]  # fmt: skip
    halves = [0, 0x8000, 0x3C00, 0x3E00, 0x7BFF, 0x7C00, 0xFC00, 0x7E00, 1, 0x400, 0x3F80, 0xBF80]
    halves += [0x7F80, 0xFF80, 0x7FC0, 0x7F7F, 0x80, 0x3FC0, 0x4248]
    words = [0, 1, 2, 3, 5, 31, 32, 33, 63, 64, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFF]
    words += [0x7FFFFF, 0x800000, 0xFFFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF]
    # Ties of bf16, and what is beside them.
    ties = [0x40400000, 0x40400001, 0x404000 << 40, (0x404000 << 40) + 1]

    def upper(low: int) -> int:
        return low | chance.choice([0, 0xFFFFFFFF, chance.getrandbits(32)]) << 32

    def number() -> float:
        return chance.choice(floats) * chance.choice([1, -1])

    makers: list[Callable[[], int]] = [
        lambda: struct.unpack("<Q", struct.pack("<d", number()))[0],
        lambda: upper(struct.unpack("<I", struct.pack("<f", number()))[0]),
        lambda: upper(encode(chance.uniform(-1, 1) * 2.0 ** chance.randint(-30, 33), "f32")),
        lambda: upper(chance.choice(halves) | chance.choice(halves) << 16),
        lambda: upper(chance.choice(words)),
        lambda: upper(chance.choice(words)),
        lambda: encode(chance.uniform(-1, 1) * 2.0 ** chance.randint(-60, 64), "f64"),
        lambda: chance.choice(ties),
        lambda: chance.getrandbits(64) >> chance.randint(0, 63),
        lambda: chance.getrandbits(64),
    ]
    return [[chance.choice(makers)() for _ in range(COUNT)] for _ in range(ROWS)]


REGISTERS = registers()

# ---------------------------------------------------------------------------------------------
# Instructions
# ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Form:
    """One instruction, and what it makes of numbers."""

    instruction: str
    """With all suffixes."""
    results: str
    """The types of what it writes: one, or two as `s32|pred`."""
    operands: str
    """The types of what it reads: `s32 s32 !pred`."""
    rule: Callable[..., Any] = field(compare=False)
    """Computes a number, or two, from numbers."""
    immediate: str = ""
    """The last operand as written, if it is no register."""
    is_close: bool = False
    """The last bits may differ."""

    @property
    def text(self) -> str:
        declared, before, after, names = [], [], [], []
        for place, written in enumerate(self.operands.split()):
            name, bits = written.lstrip("!"), width(written.lstrip("!"))
            declared.append(f".reg .{'pred' if bits == 1 else f'b{bits}'} x{place};")
            source = f"${place % ROWS + 1}"
            before.append(
                f"setp.lt.s64 x{place}, {source}, 0;" if name == "pred"
                else f"mov.b64 x{place}, {source};" if bits == 64
                else f"cvt.u{bits}.u64 x{place}, {source};"
            )  # fmt: skip
            names.append(("!" if written != name else "") + f"x{place}")
        targets = self.results.split("|")
        for place, name in enumerate(targets):
            bits = width(name)
            declared.append(f".reg .{'pred' if bits == 1 else f'b{bits}'} y{place};")
            declared.append(f".reg .b64 w{place};")
            after.append(
                f"selp.b64 w{place}, 1, 0, y{place};" if bits == 1
                else f"mov.b64 w{place}, y{place};" if bits == 64
                else f"cvt.u64.u{bits} w{place}, y{place};"
            )  # fmt: skip
        after.append("mov.b64 $0, w0;")
        if len(targets) == 2:
            after.append("shl.b64 w1, w1, 32; or.b64 $0, $0, w1;")
        written = "|".join(f"y{place}" for place in range(len(targets)))
        names += [self.immediate] if self.immediate else []
        parts = [*declared, *before, f"{self.instruction} {written}, {', '.join(names)};", *after]
        return f"{{ {' '.join(parts)} }}"

    def expected(self, at: int) -> tuple[list[Any], Any]:
        """What it takes and makes of the registers at a place."""
        given = []
        for place, name in enumerate(self.operands.split()):
            bits = REGISTERS[place % ROWS][at]
            if name.endswith("pred"):
                given.append(bool(bits >> 63) != name.startswith("!"))
            else:
                given.append(decode(bits, name))
        return given, self.rule(*given)

    def check(self, at: int, bits: int) -> None:
        """`bits` is what it made of the registers at a place."""
        given, wanted = self.expected(at)
        names = self.results.split("|")
        for place, name in enumerate(names):
            want = wanted if len(names) == 1 else wanted[place]
            actual = decode(bits >> 32 * place, name)
            assert self._agree(actual, want, name), (
                f"{self.instruction} of {given} is {actual}, not {want}"
            )

    def _agree(self, actual: Any, want: Any, name: str) -> bool:
        if self.is_close and math.isfinite(want):
            return math.isclose(actual, want, rel_tol=1e-6, abs_tol=1e-45)
        return encode(actual, name) == encode(want, name)


@triton.jit
def of_registers64(x, out, TEXTS: tl.constexpr, N: tl.constexpr):
    """Each text on four rows of registers."""
    at = tl.arange(0, N)
    a, b, c, d = (tl.load(x + at), tl.load(x + N + at), tl.load(x + 2 * N + at),
                  tl.load(x + 3 * N + at))  # fmt: skip
    for i in tl.static_range(len(TEXTS)):
        made = tl.inline_asm_elementwise(
            TEXTS[i], "=l,l,l,l,l", [a, b, c, d], dtype=tl.int64, is_pure=True, pack=1
        )
        tl.store(out + i * N + at, made)


def given_registers() -> torch.Tensor:
    return torch.from_numpy(np.array(REGISTERS, dtype=np.uint64).view(np.int64))


def check_all(forms: Sequence[Form], out: torch.Tensor) -> None:
    for form, found in zip(forms, out.numpy().view(np.uint64), strict=True):
        for at, bits in enumerate(found):
            form.check(at, int(bits))
