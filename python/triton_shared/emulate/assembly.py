"""Inline assembly of what is asynchronous becomes calls of wgmma.c, order.c and mbarrier.c.

Four kinds of text are known: `wgmma.mma_async`, one or some after each other, with scales as
predicates that the text sets from an operand or as a number, perhaps after a fence; the loop that
waits for an mbarrier; predicated instructions of TMA (boxes.py); and statements with numbers at
most (`wgmma.wait_group`, `fence.proxy.async`, `bar.arrive`, …), which hand the values that are tied
to them through.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from . import boxes

_PRODUCT = re.compile(
    r"wgmma\.mma_async\.sync\.aligned\.m64n(\d+)k(\d+)\.(\w+)\.(\w+)\.(\w+)\s+"
    r"\{([^}]*)\}\s*,\s*(?:\{([^}]*)\}|([^,]+))\s*,(.*)",
    re.DOTALL,
)
_PREDICATE = re.compile(r"setp\.(eq|ne)\.[bsu]32\s+(%?\w+)\s*,\s*([^,\s]+)\s*,\s*([^,\s]+)$")
_SILENT = {
    "wgmma.fence.sync.aligned",
    "wgmma.commit_group.sync.aligned",
    "fence.proxy.async",
    "fence.proxy.async.shared::cta",
    "fence.mbarrier_init.release.cluster",
}
_SPIN = re.compile(
    r"\{?\s*\.reg \.pred\s+(\w+);\s*(\w+):\s*mbarrier\.try_wait\.parity\.shared(?:::cta)?\.b64\s+"
    r"\1,\s*\[(\S+)\],\s*([^,;\s]+)(?:,[^;]*)?;\s*(?:@!\1 bra(?:\.uni)?\s+\2;|"
    r"@\1 bra(?:\.uni)?\s+(\w+);\s*bra(?:\.uni)?\s+\2;\s*\5:)\s*\}?"
)
_ARRIVE = re.compile(r"(?:bar|barrier(?:\.cta)?)\.arrive(?:\.aligned)?\s+(\S+),\s*(\S+)")
_APPROXIMATION = re.compile(r"((?:rcp|tanh)\.approx\.f32) \$0, \$1")
_WAIT = re.compile(r"wgmma\.wait_group\.sync\.aligned\s+(\S+)")
FUNCTIONS = (
    ("void", "@emu_wgmma", "i32, i32, ptr, ptr, i64, i64, ptr, ptr"),
    ("void", "@emu_wgmma_fence_sync_aligned", ""),
    ("void", "@emu_wgmma_commit_group_sync_aligned", ""),
    ("void", "@emu_wgmma_wait_group_sync_aligned", "i64"),
    ("void", "@emu_bar_arrive", "i32, i32"),
    ("void", "@emu_mbarrier_wait_parity", "i64, i32"),
    ("void", "@emu_fence_proxy_async", ""),
    ("void", "@emu_fence_proxy_async_shared_cta", ""),
    ("void", "@emu_fence_mbarrier_init_release_cluster", ""),
    ("float", "@emu_rcp_approx_f32", "float"),
    ("float", "@emu_tanh_approx_f32", "float"),
    *boxes.FUNCTIONS,
)
"""What the functions call: type, name, types of the arguments."""
_RESULTS = {"f32": "f", "f16": "h", "s32": "i"}
_OPERANDS = {"f16": "h", "bf16": "b", "tf32": "t", "e4m3": "4", "e5m2": "5", "s8": "s", "u8": "u"}
_BITS = {"h": 16, "b": 16, "t": 32}


def _is_product(depth: int, result: str, left: str, right: str) -> bool:
    """Whether the instruction has this form."""
    if 256 // _BITS.get(left, 8) != depth or _BITS.get(left) != _BITS.get(right):
        return False
    if (result == "i") != (left in "su") or (left in "su") != (right in "su"):
        return False
    return (left == right or left in "45su") and (result != "h" or left in "h45")


@dataclass(frozen=True)
class _Assembly:
    """A call of inline assembly, whose function is `name`."""

    name: str
    result: str
    results: tuple[str, ...]
    """Its types."""
    types: tuple[str, ...]
    """Of the arguments."""
    tied: dict[int, int]
    """Results to the arguments that share their register."""

    def value(self, operand: str, kind: str = "i32") -> str:
        """An operand of the text as a value: `$3`, or a number."""
        operand = operand.strip()
        if not operand.startswith("$"):
            return f"{kind} {int(operand)}"
        number = int(operand[1:])
        place = self.tied[number] if number < len(self.results) else number - len(self.results)
        return f"{self.types[place]} %a{place}"

    def define(self, lines: list[str], values: dict[int, str]) -> str:
        """The function: `lines`, then the results, those without a value as their tied inputs."""
        parameters = ", ".join(f"{kind} %a{i}" for i, kind in enumerate(self.types))
        lines = [f"define internal {self.result} {self.name}({parameters}) {{", *lines]
        values = {result: f"%a{argument}" for result, argument in self.tied.items()} | values
        if not self.results:
            return "\n".join([*lines, "  ret void", "}"])
        if not self.result.startswith("{"):
            return "\n".join([*lines, f"  ret {self.result} {values[0]}", "}"])
        before = "poison"
        for i, kind in enumerate(self.results):
            lines.append(f"  %s{i} = insertvalue {self.result} {before}, {kind} {values[i]}, {i}")
            before = f"%s{i}"
        return "\n".join([*lines, f"  ret {self.result} {before}", "}"])


def split(text: str) -> list[str]:
    """The parts of a list with commas, some of them within brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "<{([") - (character in ">})]")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def _read(name: str, result: str, constraints: str, types: list[str]) -> _Assembly:
    kinds = [] if result == "void" else split(result.strip("{} ")) if result[0] == "{" else [result]
    inputs = [part for part in constraints.split(",") if part and part[0] not in "=~"]
    tied = {int(part): i for i, part in enumerate(inputs) if part.isdigit()}
    return _Assembly(name, result, tuple(kinds), tuple(types), tied)


def make(name: str, result: str, text: str, constraints: str, types: list[str]) -> str | None:
    """A function that does what the text says, or none if it is of another kind."""
    text = re.sub(r"\\([0-9A-F]{2})", lambda m: chr(int(m[1], 16)), text)
    product = re.search(r"wgmma\.mma_async[^;]*;", text)
    body = text.strip()
    if product and body.startswith("{") and body.endswith("}"):
        body = body[1:-1]
    statements = [part.strip() for part in body.split(";") if part.strip()]
    assembly = _read(name, result, constraints, types)
    if product:
        return _make_product(assembly, statements)
    if spin := _SPIN.fullmatch(text.strip()):
        return _make_spin(assembly, spin[3], spin[4])
    if len(statements) == 1 and (function := _APPROXIMATION.fullmatch(statements[0])):
        call = f"call float @emu_{function[1].replace('.', '_')}({assembly.value('$1')})"
        return assembly.define([f"  %approximation = {call}"], {0: "%approximation"})
    if lines := boxes.make(statements, assembly.value):
        return assembly.define(lines, {})
    if all(
        part in _SILENT or _WAIT.fullmatch(part) or _ARRIVE.fullmatch(part) for part in statements
    ):
        return _make_silent(assembly, statements)
    return None


def _make_spin(assembly: _Assembly, place: str, parity: str) -> str:
    kind, value = assembly.value(place).split(" ")
    cast = {"ptr": "ptrtoint", "i64": "bitcast"}.get(kind, "zext")
    lines = [
        f"  %place = {cast} {kind} {value} to i64",
        f"  call void @emu_mbarrier_wait_parity(i64 %place, {assembly.value(parity)})",
    ]
    return assembly.define(lines, {})


def _make_silent(assembly: _Assembly, statements: list[str]) -> str:
    lines: list[str] = []
    for statement in statements:
        if wait := _WAIT.fullmatch(statement):
            groups = assembly.value(wait[1], "i64")
            if not groups.startswith("i64"):
                lines.append(f"  %g{len(lines)} = zext {groups} to i64")
                groups = f"i64 %g{len(lines) - 1}"
            lines.append(f"  call void @emu_wgmma_wait_group_sync_aligned({groups})")
        elif arrive := _ARRIVE.fullmatch(statement):
            given = f"{assembly.value(arrive[1])}, {assembly.value(arrive[2])}"
            lines.append(f"  call void @emu_bar_arrive({given})")
        else:
            function = re.sub(r"\W+", "_", statement)
            lines.append(f"  call void @emu_{function}()")
    return assembly.define(lines, {})


def _flags(listed: list[str], is_signed: bool, transpositions: int) -> list[str] | None:
    """Whether the sums count, two signs, two transpositions; none if not so many are there."""
    if len(listed) != 1 + 2 * is_signed + transpositions:
        return None
    signs = listed[1:3] if is_signed else ["1", "1"]
    turned = listed[len(listed) - transpositions :]
    return [listed[0], *signs, *["0"] * (2 - transpositions), *turned]


def _make_product(assembly: _Assembly, statements: list[str]) -> str | None:
    products = _Products(assembly)
    if not all(products.add(statement) for statement in statements):
        return None
    return assembly.define(products.lines, products.values)


class _Products:
    """Calls of `emu_wgmma`, with registers in arrays."""

    def __init__(self, assembly: _Assembly) -> None:
        self.lines: list[str] = []
        self.values: dict[int, str] = {}
        """Results that have been computed so far."""
        self._assembly = assembly
        self._predicates: dict[str, str] = {}
        self._count = 0

    def add(self, statement: str) -> bool:
        """Does what the statement says; false if it is of another kind."""
        if predicate := _PREDICATE.match(statement):
            self._compare(*predicate.groups())
        elif match := _PRODUCT.fullmatch(statement):
            return self._multiply(match)
        elif statement in _SILENT:
            self.lines.append(f"  call void @emu_{re.sub(r'[^a-z]+', '_', statement)}()")
        else:
            return statement.startswith(".reg .pred")
        return True

    def _compare(self, relation: str, predicate: str, first: str, second: str) -> None:
        name = f"%predicate{len(self.lines)}"
        left, right = self._assembly.value(first), self._assembly.value(second)
        self.lines += [
            f"  {name} = icmp {relation} {left}, {right.removeprefix('i32 ')}",
            f"  {name}.word = zext i1 {name} to i32",
        ]
        self._predicates[predicate] = f"i32 {name}.word"

    def _multiply(self, match: re.Match[str]) -> bool:
        columns, depth = int(match[1]), int(match[2])
        result = _RESULTS.get(match[3], "?")
        left, right = _OPERANDS.get(match[4], "?"), _OPERANDS.get(match[5], "?")
        sums, registers = split(match[6]), split(match[7] or "")
        place, *listed = match[9].split(",")
        transpositions = 0 if left not in "hb" else 1 if registers else 2
        flags = _flags(listed, result != "i", transpositions)
        is_whole = columns % 8 == 0 and 8 <= columns <= 256 and len(registers) in (0, 4)
        is_whole &= len(sums) == columns // (4 if result == "h" else 2)
        if not flags or not is_whole or not _is_product(depth, result, left, right):
            return False
        value = self._assembly.value
        read = [self._predicates.get(flag.strip()) or value(flag) for flag in flags]
        arrays = {"flags": read, "left": list(map(value, registers))}
        numbers = [int(part[1:]) for part in sums]
        places = "i64 0" if registers else value(match[8], "i64")
        self._call(
            f"i32 {columns}, i32 {depth}", result + left + right, arrays, numbers,
            f"{places}, {value(place, 'i64')}",
        )  # fmt: skip
        return True

    def _sum(self, number: int) -> str:
        """What a sum is before the next product."""
        kind = self._assembly.results[number]
        if number in self.values:
            return f"{kind} {self.values[number]}"
        tied = number in self._assembly.tied
        return self._assembly.value(f"${number}") if tied else f"{kind} undef"

    def _call(
        self, shape: str, types: str, arrays: dict[str, list[str]], sums: list[int], places: str
    ) -> None:
        own = f"{self._count}."
        self._count += 1
        lines = self.lines
        lines += [
            f"  %types{own} = alloca [3 x i8]",
            f'  store [3 x i8] c"{types}", ptr %types{own}',
        ]
        for array, given in {**arrays, "sums": [self._sum(number) for number in sums]}.items():
            name = f"%{array}{own}"
            lines.append(f"  {name} = alloca [{len(given)} x i32], align 16")
            for i, value in enumerate(given):
                lines += [
                    f"  {name}{i} = getelementptr i32, ptr {name}, i32 {i}",
                    f"  store {value}, ptr {name}{i}",
                ]
        left = f"%left{own}" if arrays["left"] else "null"
        lines.append(
            f"  call void @emu_wgmma({shape}, ptr %types{own}, ptr %flags{own}, {places}, "
            f"ptr {left}, ptr %sums{own})"
        )
        for i, number in enumerate(sums):
            kind = self._assembly.results[number]
            lines.append(f"  %r{own}{i} = load {kind}, ptr %sums{own}{i}")
            self.values[number] = f"%r{own}{i}"
