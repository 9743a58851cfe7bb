"""Products that show how a tensor core adds up: blocks, bits, rounding, special numbers.

An experiment is a row, a column and the number they are added to, written on the diagonal of a
tile. What it shows is read off the result, of a GPU and of our CPU leg alike.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from .dot_forms import STEP, Form

Run = Callable[[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]
"""The products of tiles on one side."""
Product = tuple[int, float, float]
"""Where along K, and the factors."""
Experiment = tuple[list[Product], float]
"""The products that are not zero, and what they are added to."""

_EXPONENTS = {
    torch.float16: (-23, 15),
    torch.bfloat16: (-60, 60),
    torch.float32: (-60, 60),
    torch.float8_e4m3fn: (-8, 8),
    torch.float8_e5m2: (-15, 15),
}
"""Of 1.5 times a power of 2, exact in a type."""

_DEEP = 34


@dataclass(frozen=True)
class Powers:
    """Powers of 2 as products of a form's operands."""

    left: tuple[int, int]
    right: tuple[int, int]
    top: int
    """Large, but so that some of them add up."""

    @staticmethod
    def of(form: Form) -> Powers:
        """Those of a form of floats."""
        left, right = _EXPONENTS[form.left], _EXPONENTS[form.right]
        return Powers(left, right, min(left[1] + right[1], 14 if form.sum.itemsize == 2 else 16))

    @property
    def depth(self) -> int:
        """How far below `top` there are any."""
        return min(_DEEP, self.top - self.left[0] - self.right[0])

    def below(self, depth: int, times: float = 1.0) -> tuple[float, float]:
        """Factors of `times` * 2^(top - depth)."""
        exponent = self.top - depth
        low = max(self.left[0], exponent - self.right[1])
        high = min(self.left[1], exponent - self.right[0])
        first = min(max(exponent // 2, low), high)
        return times * 2.0**first, 2.0 ** (exponent - first)


def run_all(form: Form, experiments: list[Experiment], run: Run) -> torch.Tensor:
    """The results of experiments, in order."""
    side = min(form.rows, form.columns)
    tiles = -(-len(experiments) // side)
    a = torch.zeros(tiles, form.rows, STEP)
    b = torch.zeros(tiles, form.columns, STEP)
    c = torch.zeros(tiles, form.rows, form.columns)
    for number, (products, start) in enumerate(experiments):
        tile, place = divmod(number, side)
        c[tile, place, place] = start
        for k, left, right in products:
            a[tile, place, k], b[tile, place, k] = left, right
    out = run(a.to(form.left), b.to(form.right), c.to(form.sum))
    diagonals = torch.diagonal(out[:, :side, :side], dim1=1, dim2=2)
    return diagonals.reshape(-1)[: len(experiments)]


def measure(form: Form, run: Run) -> dict[str, Any]:
    """What the products of a form of floats show, by name."""
    found: dict[str, Any] = {"block": _block(form, run)}
    for name, (experiments, whole) in _series(Powers.of(form)).items():
        results = run_all(form, experiments, run).double() - whole
        seen = [*results.ne(0).tolist(), False]
        found[name] = seen.index(False) - 1
    found["cuts"] = _rounding(form, run, found["fraction"], is_before=True)
    if found["result"] < found["fraction"]:
        found["rounds"] = _rounding(form, run, found["result"], is_before=False)
    if form.left in (torch.bfloat16, torch.float32):
        found["least bit"] = _least_bit(form, run)
    return found | _special(form, run)


def _least_bit(form: Form, run: Run) -> int:
    """The power of 2 below which nothing is seen, however small all numbers are.

    The smallest number of f32 loses a smaller one, and is cut off to zero if that is seen.
    """
    least = -149
    experiments: list[Experiment] = []
    for exponent in range(least - 1, least - _DEEP, -1):
        first = exponent // 2
        products = [(0, 2.0**-75, 2.0**-74), (1, -(2.0**first), 2.0 ** (exponent - first))]
        experiments.append((products, 0.0))
    lost = [*run_all(form, experiments, run).ne(0).tolist(), True]
    return least - lost.index(True)


def _block(form: Form, run: Run) -> int | str:
    """How many products are added at once.

    Of K products, two large ones beside each other cancel. Small ones in their block are cut off,
    as is what came before: what is left counts those of later blocks.
    """
    powers = Powers.of(form)
    big, small = powers.below(0), powers.below(powers.depth)
    experiments: list[Experiment] = []
    for place in range(STEP):
        products = [(k, *small) for k in range(STEP)]
        products[place] = (place, *big)
        products[place ^ 1] = (place ^ 1, -big[0], big[1])
        experiments.append((products, 0.0))
    results = run_all(form, experiments, run).double() / math.prod(small)
    ends = [STEP - left for left in results.tolist()]
    block = int(ends[0])
    if block > 0 and ends == [float((k // block + 1) * block) for k in range(STEP)]:
        return block
    return " ".join(f"{end:g}" for end in ends)


def _series(powers: Powers) -> dict[str, tuple[list[Experiment], float]]:
    """Ever smaller numbers beside a large one, and what to subtract: how far down are they seen?"""
    top = powers.below(0)
    minus = (-top[0], top[1])
    whole = 2.0**powers.top
    depths = range(powers.depth)
    beside = [powers.below(depth) for depth in depths]
    return {
        # Large products cancel, a small one is left.
        "fraction": ([([(0, *top), (1, *minus), (2, *small)], 0.0) for small in beside], 0.0),
        # A large product cancels the number that is added to.
        "beside the sum": ([([(0, *minus), (1, *small)], whole) for small in beside], 0.0),
        # Large products cancel, the number that is added to is left.
        "of the sum": (
            [([(0, *top), (1, *minus)], 2.0 ** (powers.top - depth)) for depth in depths],
            0.0,
        ),
        "result": ([([(0, *top), (1, *small)], 0.0) for small in beside], whole),
    }


def _rounding(form: Form, run: Run, last: int, is_before: bool) -> str:
    """What becomes of half a bit behind the `last` one that is seen below the largest number.

    `is_before` is about numbers before they are added, else it is about the result.
    """
    powers = Powers.of(form)
    found = []
    for sign in (1.0, -1.0):
        top = powers.below(0, sign)
        half = powers.below(last, 1.5 * sign)
        products: list[Product] = [(0, *top), (1, *half)]
        if is_before:
            products.append((2, -top[0], top[1]))
        whole = 0.0 if is_before else sign * 2.0**powers.top
        result = run_all(form, [(products, 0.0)], run).double().item()
        found.append((result - whole) / 2.0 ** (powers.top - last))
    words = {(1.0, -1.0): "to zero", (2.0, -2.0): "to nearest", (1.0, -2.0): "down"}
    return words.get((found[0], found[1]), f"1.5 to {found[0]:g}, -1.5 to {found[1]:g}")


def _special(form: Form, run: Run) -> dict[str, str]:
    """Denormals, zeros, infinities and NaNs: the bits of results."""
    one = 1.0
    infinite, nan = float("inf"), float("nan")
    least = 2.0**-149 if form.sum == torch.float32 else 2.0**-24
    most = torch.finfo(form.sum).max
    power = Powers.of(form).below(0)
    huge = 2.0 ** _EXPONENTS[form.left][1]
    cases: dict[str, Experiment] = {
        "smallest operand": ([(0, _smallest(form.left), one)], 0.0),
        "smallest squared": ([(0, _smallest(form.left), _smallest(form.right))], 0.0),
        "three smallest sums": ([], 3 * least),
        "small sum beside zeros": ([(0, 0.0, one), (1, one, 0.0)], 2.0**-14 * (1 + 2.0**-10)),
        "-0 + -0": ([(k, -0.0, one) for k in range(STEP)], -0.0),
        "x - x": ([(0, one, one), (1, -one, one)], 0.0),
        "nan": ([(0, nan, one)], 0.0),
        "nan + 1": ([(0, one, one)], nan),
        "too large": ([(0, huge, huge), (1, *power)], most),
        "large cancel": ([(0, huge, huge), (1, -huge, huge)], 0.0),
        "inf - inf of sum": ([(0, *power)], infinite),
    }
    if form.left != torch.float8_e4m3fn:
        cases |= {
            "inf": ([(0, infinite, one)], 0.0),
            "inf * 0": ([(0, infinite, 0.0)], 0.0),
            "inf - inf": ([(0, infinite, one), (1, -infinite, one)], 0.0),
            "inf, then nan": ([(0, infinite, one), (STEP - 1, nan, one)], 0.0),
        }
    results = run_all(form, list(cases.values()), run)
    view = torch.int32 if form.sum == torch.float32 else torch.int16
    mask = (1 << (8 * view.itemsize)) - 1
    bits = results.contiguous().view(view).tolist()
    return {
        name: f"{word & mask:0{2 * view.itemsize}x}" for name, word in zip(cases, bits, strict=True)
    }


def _smallest(dtype: torch.dtype) -> float:
    """The smallest positive number, a denormal one; of f32, as tf32."""
    facts = torch.finfo(dtype)
    return float(facts.smallest_normal) * (2.0**-10 if dtype == torch.float32 else facts.eps)
