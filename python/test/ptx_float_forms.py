"""PTX instructions on floats, conversions to them, and comparisons, and what they mean in exact
numbers."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from narrow_forms import DTYPES, PLACES, WIDTHS
from ptx_forms import SINGLE, each, saturated, signed
from ptx_registers import FLOATS, Form, lanes, width

MODES = ("rn", "rz", "rm", "rp")
HALVES = ("f16", "bf16")
FORMATS = {"f16": (11, 15), "bf16": (8, 127), "f32": (24, 127), "f64": (53, 1023)}
"""Bits of a number, with the first one, and the largest exponent."""

# ---------------------------------------------------------------------------------------------
# Rounding
# ---------------------------------------------------------------------------------------------


def rounded(value: Fraction, name: str, mode: str = "rn") -> float:
    """A number that is not 0 as one of the format."""
    digits, largest = FORMATS[name]
    size = abs(value)
    power = size.numerator.bit_length() - size.denominator.bit_length()
    power -= Fraction(2) ** power > size
    unit = Fraction(2) ** (max(power, 1 - largest) - digits + 1)
    count, rest = divmod(size, unit)
    away = {"rz": False, "rm": value < 0, "rp": value > 0}.get(mode)
    if away is None:
        count += rest > unit / 2 or (rest == unit / 2 and count % 2)
    else:
        count += away and rest > 0
    if count * unit >= Fraction(2) ** (largest + 1):
        beyond = mode == "rn" or away
        made = math.inf if beyond else float((2 - Fraction(2) ** (1 - digits)) * 2**largest)
    else:
        made = float(count * unit)
    return -made if value < 0 else made


def converted(value: float, name: str, mode: str) -> float:
    if not math.isfinite(value) or value == 0:
        return float(value)
    return rounded(Fraction(value), name, mode)


def total(terms: Sequence[Sequence[float]], name: str, mode: str = "rn") -> float:
    """The sum of products, rounded once."""
    if not all(math.isfinite(v) for term in terms for v in term):
        return sum(math.prod(term) for term in terms)
    exact = sum(math.prod(map(Fraction, term)) for term in terms)
    if exact:
        return rounded(Fraction(exact), name, mode)
    signs = {math.prod(math.copysign(1, v) for v in term) for term in terms}
    zero = any(math.prod(map(Fraction, term)) for term in terms) or len(signs) == 2
    negative = mode == "rm" if zero else signs == {-1}
    return -0.0 if negative else 0.0


def flushed(value: float, name: str) -> float:
    tiny = abs(value) < 2.0 ** (1 - FORMATS[name][1])
    return math.copysign(0.0, value) if tiny else value


def between_0_and_1(value: float) -> float:
    return 0.0 if math.isnan(value) or value <= 0 else min(value, 1.0)


def rectified(value: float) -> float:
    return value if math.isnan(value) or value > 0 else 0.0


# ---------------------------------------------------------------------------------------------
# Arithmetic
# ---------------------------------------------------------------------------------------------


def mixed() -> Iterator[Form]:
    """Narrow numbers and an f32."""
    for narrow, mode, sat in itertools.product(HALVES, ("", *MODES), ("", ".sat")):
        how, limit = mode or "rn", between_0_and_1 if sat else (lambda v: v)
        suffix = f"{'.' * bool(mode)}{mode}{sat}.f32.{narrow}"
        for base, sign in (("add", 1.0), ("sub", -1.0)):
            rule = lambda a, c, s=sign, m=how, f=limit: f(total([[a], [s, c]], "f32", m))  # noqa: E731
            yield Form(base + suffix, "f32", f"{narrow} f32", rule)
        if mode:
            rule = lambda a, b, c, m=how, f=limit: f(total([[a, b], [c]], "f32", m))  # noqa: E731
            yield Form("fma" + suffix, "f32", f"{narrow} {narrow} f32", rule)


def packed() -> Iterator[Form]:
    """Two halves in a register, or two f32, and their sums in every form."""
    for name in ("f16", "f16x2", "bf16", "bf16x2", "f32x2"):
        one = lanes(name)[0]
        for base, sign in (("add", 1.0), ("sub", -1.0)):
            rule = each(lambda a, b, s=sign, n=one: total([[a], [s, b]], n), name)
            yield Form(f"{base}.{name}", name, f"{name} {name}", rule)
        rule = each(lambda a, b, n=one: total([[a, b]], n), name)
        yield Form(f"mul.rn.{name}", name, f"{name} {name}", rule)
        if one == "f32":
            continue
        for suffix, limit in ((".relu", rectified), (".sat", between_0_and_1), ("", None)):
            if suffix == ".sat" and one == "bf16":
                continue

            def fused(a: float, b: float, c: float, n: str = one, f: Any = limit) -> float:
                made = total([[a, b], [c]], n)
                return f(made) if f else made

            yield Form(f"fma.rn{suffix}.{name}", name, f"{name} {name} {name}", each(fused, name))
        yield Form(f"neg.{name}", name, name, each(operator.neg, name))
        yield Form(f"abs.{name}", name, name, each(abs, name))


def single() -> Iterator[Form]:
    for name in ("f32", "f64"):
        yield Form(f"copysign.{name}", name, f"{name} {name}", lambda a, b: math.copysign(b, a))
    root = lambda a: math.nan if not a >= 0 else 1 / math.sqrt(a) if a else math.inf  # noqa: E731

    def of_flushed(a: float) -> float:
        a = flushed(a, "f64")
        return root(a) if a else math.copysign(math.inf, a)

    yield Form("rsqrt.approx.ftz.f64", "f64", "f64", of_flushed, is_close=True)


def extremum(is_max: bool, keeps_nan: bool, *numbers: float) -> float:
    """-0.0 is less than 0.0."""
    known = [v for v in numbers if not math.isnan(v)]
    if not known or (keeps_nan and len(known) < len(numbers)):
        return math.nan
    return (max if is_max else min)(known, key=lambda v: (v, math.copysign(1, v)))


def extrema() -> Iterator[Form]:
    for base, nan, name in itertools.product(
        ("min", "max"), ("", ".NaN"), ("f16", "f16x2", "bf16", "bf16x2", "f32")
    ):
        is_max, keeps = base == "max", bool(nan)

        def plain(*given: float, is_max: bool = is_max, keeps: bool = keeps) -> float:
            return extremum(is_max, keeps, *given)

        def of_sizes(*given: float, plain: Callable[..., float] = plain) -> float:
            return plain(*map(abs, given))

        def signed_sizes(a: float, b: float, of_sizes: Callable[..., float] = of_sizes) -> float:
            return math.copysign(of_sizes(a, b), math.copysign(1, a) * math.copysign(1, b))

        yield Form(f"{base}{nan}.{name}", name, f"{name} {name}", each(plain, name))
        signs = each(signed_sizes, name)
        yield Form(f"{base}{nan}.xorsign.abs.{name}", name, f"{name} {name}", signs)
        if name == "f32":
            yield Form(f"{base}{nan}.{name}", name, "f32 f32 f32", plain)
            yield Form(f"{base}{nan}.abs.{name}", name, "f32 f32 f32", of_sizes)
    for base in ("min", "max"):
        rule = lambda a, b, m=base == "max": extremum(m, False, a, b)  # noqa: E731
        yield Form(f"{base}.f64", "f64", "f64 f64", rule)
        flush = lambda a, b, m=base == "max": extremum(  # noqa: E731
            m, False, flushed(a, "f32"), flushed(b, "f32")
        )
        yield Form(f"{base}.ftz.f32", "f32", "f32 f32", flush)


# ---------------------------------------------------------------------------------------------
# Comparisons
# ---------------------------------------------------------------------------------------------

ORDERED = {
    "eq": operator.eq, "ne": lambda a, b: a < b or a > b, "lt": operator.lt, "le": operator.le,
    "gt": operator.gt, "ge": operator.ge,
}  # fmt: skip
UNSIGNED = {"lo": operator.lt, "ls": operator.le, "hi": operator.gt, "hs": operator.ge}
COMBINATIONS = {"and": operator.and_, "or": operator.or_, "xor": operator.xor}


def is_nan(*numbers: float) -> bool:
    return any(math.isnan(v) for v in numbers)


def comparisons_of(name: str) -> dict[str, Callable[[Any, Any], bool]]:
    if name.startswith("b") and not name.startswith("bf"):
        return {"eq": operator.eq, "ne": operator.ne}
    if name[0] in "us":
        return ORDERED | (UNSIGNED if name[0] == "u" else {})
    found: dict[str, Callable[[Any, Any], bool]] = dict(ORDERED)
    for word, rule in ORDERED.items():
        found[word + "u"] = lambda a, b, rule=rule: is_nan(a, b) or rule(a, b)
    return found | {"nan": is_nan, "num": lambda a, b: not is_nan(a, b)}


def predicates() -> Iterator[Form]:
    """Predicates of each type and question; the ways to combine them go round."""
    words = itertools.cycle(COMBINATIONS.items())
    for name in ("b16", "b32", "b64", *SINGLE, *FLOATS):
        for question, rule in comparisons_of(name).items():
            yield Form(f"setp.{question}.{name}", "pred", f"{name} {name}", rule)
            (word, combine), sign = next(words), "!" if name[-1] == "2" else ""
            operands = f"{name} {name} {sign}pred"
            one = lambda a, b, p, r=rule, c=combine: c(bool(r(a, b)), p)  # noqa: E731
            if name in HALVES:
                yield Form(f"setp.{question}.{word}.{name}", "pred", operands, one)
                continue
            both = lambda a, b, r=rule: (r(a, b), not r(a, b))  # noqa: E731
            yield Form(f"setp.{question}.{name}", "pred|pred", f"{name} {name}", both)
            two = lambda a, b, p, r=rule, c=combine: (  # noqa: E731
                c(bool(r(a, b)), p), c(not r(a, b), p),
            )  # fmt: skip
            yield Form(f"setp.{question}.{word}.{name}", "pred|pred", operands, two)


def pairs_of_predicates() -> Iterator[Form]:
    words = itertools.cycle(COMBINATIONS.items())
    for name in ("f16x2", "bf16x2"):
        for question, rule in comparisons_of(lanes(name)[0]).items():
            both = each(lambda a, b, r=rule: bool(r(a, b)), name)
            yield Form(f"setp.{question}.{name}", "pred|pred", f"{name} {name}", both)
            word, combine = next(words)

            def combined(a: Any, b: Any, p: bool, both: Any = both, c: Any = combine) -> Any:
                return tuple(c(answer, p) for answer in both(a, b))

            yield Form(f"setp.{question}.{word}.{name}", "pred|pred", f"{name} {name} !pred",
                       combined)  # fmt: skip


def numbers_of_answers() -> Iterator[Form]:
    """`set`: all bits, or 1.0; the types of results and ways to combine them go round."""
    words = itertools.cycle(COMBINATIONS.items())
    for name in ("b16", "b32", "b64", *SINGLE, *FLOATS):
        targets = ["u32", "s32"] + ([name, "u16", "s16"] if name in HALVES else ["f32"])
        to_number = itertools.cycle(targets)
        for question, rule in comparisons_of(name).items():
            to = next(to_number)
            yes = 1.0 if to in FLOATS else -1
            number = lambda a, b, r=rule, y=yes: y if r(a, b) else 0  # noqa: E731
            yield Form(f"set.{question}.{to}.{name}", to, f"{name} {name}", number)
            word, combine = next(words)
            combined = lambda a, b, p, r=rule, y=yes, c=combine: (  # noqa: E731
                y if c(bool(r(a, b)), p) else 0
            )
            yield Form(f"set.{question}.{word}.{to}.{name}", to, f"{name} {name} !pred", combined)
    for name in ("f16x2", "bf16x2"):
        for question, rule in comparisons_of(lanes(name)[0]).items():
            ones = each(lambda a, b, r=rule: 1.0 if r(a, b) else 0.0, name)
            yield Form(f"set.{question}.{name}.{name}", name, f"{name} {name}", ones)
            bits = each(lambda a, b, r=rule: -1 if r(a, b) else 0, name)
            both = lambda a, b, f=bits: (f(a, b)[0] & 0xFFFF) | f(a, b)[1] << 16  # noqa: E731
            yield Form(f"set.{question}.u32.{name}", "u32", f"{name} {name}", both)


def flushing() -> Iterator[Form]:
    """Subnormal numbers are zeros."""
    for question, rule in comparisons_of("f32").items():
        flush = lambda a, b, r=rule: bool(r(flushed(a, "f32"), flushed(b, "f32")))  # noqa: E731
        yield Form(f"setp.{question}.ftz.f32", "pred", "f32 f32", flush)


def tests() -> Iterator[Form]:
    for name in ("f32", "f64"):
        is_small = lambda a, n=name: a != 0 and flushed(a, n) == 0  # noqa: E731
        rules: dict[str, Callable[[float], bool]] = {
            "finite": math.isfinite, "infinite": math.isinf, "notanumber": math.isnan,
            "number": lambda a: not math.isnan(a), "subnormal": is_small,
            "normal": lambda a, f=is_small: math.isfinite(a) and not f(a),
        }  # fmt: skip
        for word, rule in rules.items():
            yield Form(f"testp.{word}.{name}", "pred", name, rule)


def choices() -> Iterator[Form]:
    for name in ("b16", "b32", "b64", *SINGLE, "f32", "f64"):
        choose = lambda a, b, c: a if c >= 0 else b  # noqa: E731
        yield Form(f"slct.{name}.s32", name, f"{name} {name} s32", choose)
        yield Form(f"slct.{name}.f32", name, f"{name} {name} f32", choose)
        flush = lambda a, b, c: a if flushed(c, "f32") >= 0 else b  # noqa: E731
        yield Form(f"slct.ftz.{name}.f32", name, f"{name} {name} f32", flush)
        rule = lambda a, b, p: a if p else b  # noqa: E731
        yield Form(f"selp.{name}", name, f"{name} {name} pred", rule)


# ---------------------------------------------------------------------------------------------
# Conversions
# ---------------------------------------------------------------------------------------------


def into_halves() -> Iterator[Form]:
    sources = ("u8", "s8", *SINGLE, "f32", "f64")
    for to, mode, source in itertools.product(HALVES, MODES, (*sources, *HALVES)):
        if source == to:
            continue

        def rule(a: float, to: str = to, mode: str = mode) -> float:
            return converted(a, to, mode)

        yield Form(f"cvt.{mode}.{to}.{source}", to, source, rule)


WHOLE: dict[str, Callable[[float], int]] = {
    "rni": round, "rzi": math.trunc, "rmi": math.floor, "rpi": math.ceil,
}  # fmt: skip


def whole() -> Iterator[Form]:
    for name, (mode, rule) in itertools.product(FLOATS, WHOLE.items()):

        def made(a: float, rule: Callable[[float], int] = rule) -> float:
            return math.copysign(float(rule(a)), a) if math.isfinite(a) else a

        yield Form(f"cvt.{mode}.{name}.{name}", name, name, made)
        for to in ("u8", "s8", *SINGLE):

            def limited(
                a: float, rule: Callable[[float], int] = rule, to: str = to, name: str = name
            ) -> int:
                if math.isnan(a):
                    return 1 << width(to) - 1 if "64" in to + name else 0
                return saturated(rule(a) if math.isfinite(a) else int(math.copysign(2**70, a)), to)

            yield Form(f"cvt.{mode}.{to}.{name}", to, name, limited)


def narrow_number(name: str, code: int) -> float:
    if name == "s2f6":
        return signed(code, 8) / 64
    word = np.array(code & (1 << WIDTHS[name]) - 1, dtype=np.uint8)
    with np.errstate(invalid="ignore"):
        return float(word.view(DTYPES[name]))


def widening() -> Iterator[Form]:
    formats = ("e4m3", "e5m2", "e2m3", "e3m2", "e2m1", "s2f6")
    most = float(np.float32(DTYPES["bf16"](3.3895e38)))
    for name, relu, sat, scaled in itertools.product(
        formats, ("", ".relu"), ("", ".satfinite"), ("", ".scaled::n2::ue8m0")
    ):
        place = PLACES.get(name, 8)

        def lane(
            code: int, scale: int, name: str = name, relu: str = relu, sat: str = sat
        ) -> float:
            value = math.nan if scale == 255 else narrow_number(name, code)
            if math.isfinite(value) and value:
                value = rounded(Fraction(value) * Fraction(2) ** (scale - 127), "bf16")
            value = rectified(value) if relu else value
            return max(-most, min(value, most)) if sat and not math.isnan(value) else value

        def both(a: int, scales: int = 0x7F7F, lane: Any = lane, place: int = place) -> Any:
            return lane(a, scales & 255), lane(a >> place, scales >> 8)

        yield Form(f"cvt.rn{sat}{relu}{scaled}.bf16x2.{name}x2", "bf16x2",
                   f"b{2 * place}{' b16' if scaled else ''}", both)  # fmt: skip


FAMILIES: dict[str, list[Form]] = {
    "mixed": list(mixed()), "packed": list(packed()), "single": list(single()),
    "extrema": list(extrema()), "predicates": list(predicates()),
    "pairs of predicates": list(pairs_of_predicates()), "tests": list(tests()),
    "numbers of answers": list(numbers_of_answers()), "flushing": list(flushing()),
    "choices": list(choices()), "into halves": list(into_halves()), "whole": list(whole()),
    "widening": list(widening()),
}  # fmt: skip
