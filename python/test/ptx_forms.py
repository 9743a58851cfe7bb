"""PTX instructions on integers and predicates, and what they mean in plain Python."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterator
from typing import Any

from ptx_registers import Form, encode, lanes, width

SINGLE = ("u16", "s16", "u32", "s32", "u64", "s64")
WORDS = ("u32", "s32")
PACKED = ("u16x2", "s16x2", "u8x4", "s8x4")


def ends(name: str) -> tuple[int, int]:
    half = 1 << width(name) - 1
    return (-half, half - 1) if name[0] == "s" else (0, 2 * half - 1)


def saturated(value: int, name: str) -> int:
    least, most = ends(name)
    return max(least, min(value, most))


def bit(value: int, place: int) -> int:
    return value >> place & 1


def low(value: int, count: int) -> int:
    return value & (1 << count) - 1


def signed(value: int, count: int) -> int:
    return low(value, count) - (bit(value, count - 1) << count)


def each(rule: Callable[..., int], name: str) -> Callable[..., Any]:
    """The rule in each lane."""
    if lanes(name)[1] == 1:
        return rule
    return lambda *given: tuple(rule(*numbers) for numbers in zip(*given, strict=True))


# ---------------------------------------------------------------------------------------------
# Arithmetic
# ---------------------------------------------------------------------------------------------


def sums() -> Iterator[Form]:
    rules = {"add": operator.add, "sub": operator.sub, "min": min, "max": max}
    for name, (base, rule) in itertools.product((*SINGLE, *PACKED), rules.items()):
        yield Form(f"{base}.{name}", name, f"{name} {name}", each(rule, name))
    for name, base in itertools.product(("s32", "u32", *PACKED), ("add", "sub")):
        one, rule = lanes(name)[0], rules[base]
        limited = each(lambda a, b, rule=rule, one=one: saturated(rule(a, b), one), name)
        yield Form(f"{base}.sat.{name}", name, f"{name} {name}", limited)
    for name, base in itertools.product(("s32", "s16x2", "s8x4"), ("min", "max")):
        rule = rules[base]
        rectified = each(lambda a, b, rule=rule: max(0, rule(a, b)), name)
        yield Form(f"{base}.relu.{name}", name, f"{name} {name}", rectified)
    for name in ("s16", "s32", "s64", "s16x2", "s8x4"):
        yield Form(f"neg.{name}", name, name, each(operator.neg, name))
    for name in SINGLE:
        distance = lambda a, b, c: abs(a - b) + c  # noqa: E731
        yield Form(f"sad.{name}", name, f"{name} {name} {name}", distance)
        if name[0] == "s":
            yield Form(f"abs.{name}", name, name, abs)


def product(part: str, name: str) -> Callable[[int, int], int]:
    return lambda a, b: a * b >> (width(name) if part == "hi" else 0)


def short_product(part: str, name: str) -> Callable[[int, int], int]:
    cut = signed if name == "s32" else low
    return lambda a, b: cut(a, 24) * cut(b, 24) >> (16 if part == "hi" else 0)


def products() -> Iterator[Form]:
    for name, part in itertools.product(SINGLE, ("lo", "hi", "wide")):
        if part == "wide" and width(name) == 64:
            continue
        to = f"{name[0]}{2 * width(name)}" if part == "wide" else name
        rule = product(part, name)
        yield Form(f"mul.{part}.{name}", to, f"{name} {name}", rule)
        add = lambda a, b, c, rule=rule: rule(a, b) + c  # noqa: E731
        yield Form(f"mad.{part}.{name}", to, f"{name} {name} {to}", add)
    for name, part in itertools.product(WORDS, ("lo", "hi")):
        rule = short_product(part, name)
        yield Form(f"mul24.{part}.{name}", name, f"{name} {name}", rule)
        add = lambda a, b, c, rule=rule: rule(a, b) + c  # noqa: E731
        yield Form(f"mad24.{part}.{name}", name, f"{name} {name} {name}", add)
    for base, make in (("mad", product), ("mad24", short_product)):
        rule = make("hi", "s32")
        limited = lambda a, b, c, rule=rule: saturated(signed(rule(a, b), 32) + c, "s32")  # noqa: E731
        yield Form(f"{base}.hi.sat.s32", "s32", "s32 s32 s32", limited)


def parts(value: int, count: int, start: int, name: str) -> list[int]:
    size = 32 // count if start < 0 else 8
    cut = signed if name[0] == "s" else low
    return [cut(value >> max(start, 0) + size * i, size) for i in range(count)]


def dot_products() -> Iterator[Form]:
    for left, right in itertools.product(WORDS, WORDS):
        to = "s32" if "s32" in (left, right) else "u32"

        def sum4(a: int, b: int, c: int, left: str = left, right: str = right) -> int:
            return c + sum(map(operator.mul, parts(a, 4, -1, left), parts(b, 4, -1, right)))

        yield Form(f"dp4a.{left}.{right}", to, f"{left} {right} {to}", sum4)
        for half, start in (("lo", 0), ("hi", 16)):

            def sum2(
                a: int, b: int, c: int, left: str = left, right: str = right, start: int = start
            ) -> int:
                return c + sum(map(operator.mul, parts(a, 2, -1, left), parts(b, 2, start, right)))

            yield Form(f"dp2a.{half}.{left}.{right}", to, f"{left} {right} {to}", sum2)


# ---------------------------------------------------------------------------------------------
# Bits
# ---------------------------------------------------------------------------------------------


def table(a: int, b: int, c: int, entries: int) -> int:
    return sum(
        bit(entries, 4 * bit(a, i) + 2 * bit(b, i) + bit(c, i)) << i for i in range(32)
    )  # fmt: skip


def logic() -> Iterator[Form]:
    for name in ("b16", "b32", "b64", "pred"):
        for base, rule in (("and", operator.and_), ("or", operator.or_), ("xor", operator.xor)):
            yield Form(f"{base}.{name}", name, f"{name} {name}", rule)
        inverted = operator.not_ if name == "pred" else operator.invert
        yield Form(f"not.{name}", name, name, inverted)
        if name != "pred":
            yield Form(f"cnot.{name}", name, name, lambda a: a == 0)
            yield Form(f"shl.{name}", name, f"{name} u32", lambda a, n: a << min(n, 64))
    for name in SINGLE:
        yield Form(f"shr.{name}", name, f"{name} u32", lambda a, n: a >> min(n, 64))
    for entries in (0x1B, 0xEA, 0x80):
        rule = lambda a, b, c, e=entries: table(a, b, c, e)  # noqa: E731
        yield Form("lop3.b32", "b32", "b32 b32 b32", rule, immediate=hex(entries))


def lookups() -> Iterator[Form]:
    """The predicate is the fifth operand, behind the table, which is a register here."""
    for base, rule in (("and", operator.and_), ("or", operator.or_)):
        for sign in ("", "!"):

            def both(a: int, b: int, c: int, entries: int, p: bool, rule: Any = rule) -> Any:
                bits = table(a, b, c, entries)
                return bits, rule(bits != 0, p)

            yield Form(f"lop3.{base}.b32", "b32|pred", f"b32 b32 b32 b32 {sign}pred", both)


def mask(a: int, b: int, mode: str) -> int:
    """As PTX describes it."""
    place, length = a & 31, b & 31
    above = 0 if a >= 32 and mode == "clamp" else low(-1 << place, 32)
    beyond = place + length >= 32 or (mode == "clamp" and (a >= 32 or b >= 32))
    return above & ~(0 if beyond else low(-1 << place + length, 32))


def extended(a: int, b: int, mode: str, name: str) -> int:
    length = b & 31 if mode == "wrap" else min(b, 32)
    if not length:
        return 0
    return signed(a, length) if name == "s32" else low(a, length)


def extracted(a: int, place: int, length: int, name: str) -> int:
    """A signed field repeats its top bit, or that of the number if it reaches beyond."""
    place, length, last = place & 0xFF, length & 0xFF, width(name) - 1
    sign = bit(a, min(place + length - 1, last)) if name[0] == "s" and length else 0
    return sum(
        (bit(a, place + i) if i < length and place + i <= last else sign) << i
        for i in range(last + 1)
    )


def inserted(a: int, b: int, place: int, length: int, name: str) -> int:
    for i in range(length & 0xFF):
        at = (place & 0xFF) + i
        if at < width(name):
            b = b & ~(1 << at) | bit(a, i) << at
    return b


def fields() -> Iterator[Form]:
    for mode in ("clamp", "wrap"):
        yield Form(f"bmsk.{mode}.b32", "b32", "b32 b32", lambda a, b, m=mode: mask(a, b, m))
        for name in WORDS:
            rule = lambda a, b, m=mode, n=name: extended(a, b, m, n)  # noqa: E731
            yield Form(f"szext.{mode}.{name}", name, f"{name} u32", rule)
    for name in ("u32", "s32", "u64", "s64"):
        rule = lambda a, p, n, t=name: extracted(a, p, n, t)  # noqa: E731
        yield Form(f"bfe.{name}", name, f"{name} u32 u32", rule)
    for name in ("b32", "b64"):
        rule = lambda a, b, p, n, t=name: inserted(a, b, p, n, t)  # noqa: E731
        yield Form(f"bfi.{name}", name, f"{name} {name} u32 u32", rule)


def nth_set(a: int, base: int, offset: int) -> int:
    if offset == 0:
        return base if base < 32 and bit(a, base) else -1
    places = range(base, 32) if offset > 0 else range(base, -1, -1)
    found = [i for i in places if i < 32 and bit(a, i)] if base < 32 else []
    return found[abs(offset) - 1] if abs(offset) <= len(found) else -1


def highest(a: int) -> int:
    return (~a if a < 0 else a).bit_length() - 1


def places() -> Iterator[Form]:
    for name in ("b32", "b64"):
        size = width(name)
        yield Form(f"popc.{name}", "u32", name, lambda a: a.bit_count())
        yield Form(f"clz.{name}", "u32", name, lambda a, n=size: n - a.bit_length())
        yield Form(f"brev.{name}", name, name, lambda a, n=size: int(f"{a:0{n}b}"[::-1], 2))
    for name in ("u32", "s32", "u64", "s64"):
        yield Form(f"bfind.{name}", "u32", name, highest)
        top = width(name) - 1
        down = lambda a, top=top: top - highest(a) if highest(a) >= 0 else -1  # noqa: E731
        yield Form(f"bfind.shiftamt.{name}", "u32", name, down)
    yield Form("fns.b32", "b32", "b32 b32 s32", nth_set)
    for base, offset in ((0, 3), (7, 1), (20, -4), (31, -32), (0, 32), (5, 0), (32, -1)):
        rule = lambda a, b=base, n=offset: nth_set(a, b, n)  # noqa: E731
        yield Form("fns.b32", "b32", "b32", rule, immediate=f"{base}, {offset}")


MODES = {
    "f4e": ("3210", "4321", "5432", "6543"), "b4e": ("5670", "6701", "7012", "0123"),
    "rc8": ("0000", "1111", "2222", "3333"), "ecl": ("3210", "3211", "3222", "3333"),
    "ecr": ("0000", "1110", "2210", "3210"), "rc16": ("1010", "3232", "1010", "3232"),
}  # fmt: skip
"""The bytes of `prmt`, the highest first, for each value of the low two bits of its selector."""


def permutations() -> Iterator[Form]:
    for mode, choices in MODES.items():

        def picked(a: int, b: int, c: int, choices: tuple[str, ...] = choices) -> int:
            both = (a | b << 32).to_bytes(8, "little")
            return int.from_bytes(bytes(both[int(digit)] for digit in choices[c & 3]), "big")

        yield Form(f"prmt.b32.{mode}", "b32", "b32 b32 b32", picked)


# ---------------------------------------------------------------------------------------------
# Conversions
# ---------------------------------------------------------------------------------------------


def packs() -> Iterator[Form]:
    for name in ("u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2"):
        size = width(name)

        def both(a: int, b: int, c: int = 0, name: str = name, size: int = size) -> int:
            upper, lower = (encode(saturated(v, name), name) for v in (a, b))
            return c << 2 * size | upper << size | lower

        if size == 16:
            yield Form(f"cvt.pack.sat.{name}.s32", "b32", "s32 s32", both)
        else:
            yield Form(f"cvt.pack.sat.{name}.s32.b32", "b32", "s32 s32 b32", both)


FAMILIES: dict[str, list[Form]] = {
    "sums": list(sums()), "products": list(products()), "dot products": list(dot_products()),
    "logic": list(logic()), "lookups": list(lookups()), "fields": list(fields()),
    "places": list(places()), "permutations": list(permutations()), "packs": list(packs()),
}  # fmt: skip
