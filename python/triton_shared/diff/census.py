"""What a kernel does with floats, counted from its TTIR."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

_OPERATION = re.compile(r'(?:^|=\s|\s)"?((?:arith|math|tt)\.[a-z_0-9]+)"?(?=[\s(<])', re.MULTILINE)

ROUNDED = frozenset(
    f"arith.{name}" for name in ("addf", "subf", "mulf", "truncf", "sitofp", "uitofp")
) | {"math.fma", "tt.fp_to_fp"}
"""Rounded once, and right."""

APPROXIMATE = {
    "arith.divf": 2,
    "arith.remf": 2,
    "math.sqrt": 2,
    "math.rsqrt": 2,
    **{
        f"math.{name}": 4
        for name in ("exp", "exp2", "log", "log2", "sin", "cos", "tan", "tanh", "erf", "powf")
    },
    "tt.extern_elementwise": 4,
    "tt.elementwise_inline_asm": 2,
    "tt.precise_sqrt": 1,
    "tt.precise_divf": 1,
    "tt.approx_divf": 2,
}
"""How many units in the last place a GPU may be off; a CPU's libm is better."""

LIBRARY_UNITS = {
    **dict.fromkeys(("j0", "j1", "jn", "y0", "y1"), 9),
    # For orders up to 6: 2 + 2.5 times the order.
    "yn": 17,
    "lgamma": 6,
    "tgamma": 10,
    # Triton's own code of the same function is 19 off on an H200, for results of 2^-120 to 2^120.
    **dict.fromkeys(("powf", "fast_powf"), 20),
}
"""The same for functions of libdevice that are further off, as the CUDA Programming Guide says."""

BESSEL = {"f32": 2.2e-6, "f64": 5e-12}
"""How far off the functions j0 to yn may be where they oscillate, whatever their size."""

FLUSHED = 2.0**-126
"""Results of exponentials of less than 64 bits that are smaller may be zero."""
LIBRARY_POWERS = frozenset({"exp2", "fast_exp"})
"""Functions of libdevice that are such exponentials."""

SUMMING = frozenset({"tt.dot", "tt.dot_scaled", "tt.atomic_rmw"})

EXACT = frozenset({"arith.maxnumf", "arith.minnumf", "arith.maximumf", "arith.minimumf"}) | {
    f"arith.{name}" for name in ("cmpf", "extf", "select", "negf", "bitcast", "constant")
}

_NEGATIVE = re.compile(r"arith\.constant (?:dense<)?-.*\bf(?:16|32|64)\b|arith\.constant .*-.*bf16")
_SYMBOL = re.compile(r'symbol = "__nv_(\w+)"')
_INEXACT = re.compile(r"\.approx\b|\.full\b")
"""Instructions in assembly that are not rounded once."""
_SCALED = "tt.dot_scaled"
_SHAPE = re.compile(r"tensor<(?:\d+x)*?(\d+)x([a-z]\w*)>")
_SMALL_PRODUCT = re.compile(r"\btt\.dot\b.*xf8E\w+> \*")
_FLOAT = re.compile(r"(?:(?<=x)|(?<!\w))(?:f16|bf16|f32|f64|f8E\w+)\b")


@dataclass(frozen=True)
class Census:
    """The float operations of a kernel."""

    counts: dict[str, int]
    """Those that round, by name."""
    types: frozenset[str]
    """What is rounded to."""
    exponentials: int
    """Those that a GPU makes of one product and one instruction, however large their argument."""
    has_tf32: bool
    """Whether a dot takes its f32 operands as tf32."""
    has_negative: bool
    """Whether a float constant is negative."""
    knows_grid: bool
    """Whether the kernel asks for the size of the grid."""
    library_units: int = 0
    """Units in the last place by which functions of libdevice may be further off than others."""
    has_small_products: bool = False
    """Whether a dot multiplies floats of 8 bits."""
    absolute: float = 0.0
    """By how much functions may be off whatever the size of their result."""

    @property
    def is_exact(self) -> bool:
        """Whether no float is rounded on the way: results have one right value."""
        return not self.counts

    @property
    def is_sum_of_products(self) -> bool:
        """Whether each result is a sum of products of inputs, all with a plus."""
        plain = {"arith.addf", "arith.mulf", "math.fma", "tt.dot", "arith.truncf"}
        return set(self.counts) <= plain and not self.has_negative

    @property
    def approximation(self) -> int:
        """Units in the last place that approximate functions may add up to."""
        units = sum(APPROXIMATE.get(name, 0) * count for name, count in self.counts.items())
        return units + self.library_units


def take(ttir: str) -> Census:
    """Counts the operations of a kernel that round floats."""
    counts: Counter[str] = Counter()
    exponentials = 0
    types: set[str] = set()
    units, absolute = 0, 0.0
    for line in ttir.splitlines():
        for name in _OPERATION.findall(line):
            if name not in ROUNDED and name not in APPROXIMATE and name not in SUMMING:
                continue
            if name == "tt.elementwise_inline_asm" and not _INEXACT.search(line):
                continue
            floats = _FLOAT.findall(line)
            if floats:
                counts[name] += 1
                types.add(floats[-1])
                exponentials += name == "math.exp" or "__nv_fast_exp" in line
                if name in ("math.exp", "math.exp2") and floats[-1] != "f64":
                    absolute += FLUSHED
                further = (
                    _of_scaled_product(line) if name == _SCALED else _of_library(line, floats[-1])
                )
                units, absolute = units + further[0], absolute + further[1]
    return Census(
        dict(counts),
        frozenset(types),
        exponentials=exponentials,
        has_negative=bool(_NEGATIVE.search(ttir)),
        has_tf32="inputPrecision = tf32" in ttir,
        knows_grid="tt.get_num_programs" in ttir,
        library_units=units,
        has_small_products=bool(_SMALL_PRODUCT.search(ttir)),
        absolute=absolute,
    )


def _of_scaled_product(line: str) -> tuple[int, float]:
    """What a sum of K products may be off in another order: (K + 4) u, of which two are an ulp."""
    factor = _SHAPE.search(line.rpartition(" : ")[2])
    assert factor
    # Two numbers of four bits lie in a byte.
    return int(factor[1]) * (2 if factor[2] == "i8" else 1) // 2 + 2, 0.0


def _of_library(line: str, element: str) -> tuple[int, float]:
    """What a call of libdevice may be off: units beyond those of any function, and absolutely."""
    symbol = _SYMBOL.search(line)
    if not symbol:
        return 0, 0.0
    name = symbol[1] if symbol[1] in LIBRARY_UNITS else symbol[1].removesuffix("f")
    units = max(0, LIBRARY_UNITS.get(name, 0) - APPROXIMATE["tt.extern_elementwise"])
    if name in LIBRARY_POWERS and element != "f64":
        return units, FLUSHED
    return units, BESSEL.get(element, 0.0) if name[:1] in ("j", "y") and units else 0.0
