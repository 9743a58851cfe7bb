"""PTX as text becomes a list of statements: what is declared, and instruction by instruction.

Names are as PTX has them. Blocks in braces stay: registers and labels of inline assembly are known
in theirs alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field


class PtxError(Exception):
    """A text that is no PTX of one kernel, or has what the emulator has no meaning for."""


SIZES = {
    **{f"{letter}{bits}": bits // 8 for letter in "bsu" for bits in (8, 16, 32, 64)},
    "f16": 2, "bf16": 2, "f16x2": 4, "bf16x2": 4, "f32": 4, "f64": 8, "pred": 1, "b128": 16,
}  # fmt: skip
"""Bytes of a type."""


@dataclass(frozen=True)
class Variable:
    """A parameter, or memory with a name."""

    name: str
    kind: str
    count: int = 1
    """Elements; 0 for memory that goes on to the end."""
    align: int = 1
    values: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """In bytes."""
        return SIZES[self.kind] * self.count


@dataclass(frozen=True)
class Instruction:
    """One statement that does something."""

    line: int
    opcode: str
    operands: tuple[str, ...]
    predicate: str = ""
    """The register that it asks; with `!` where it must be false."""

    @property
    def parts(self) -> tuple[str, ...]:
        """The opcode, and what is appended to it."""
        return tuple(self.opcode.split("."))

    def __str__(self) -> str:
        guard = f"@{self.predicate} " if self.predicate else ""
        return f"{guard}{' '.join([self.opcode, ', '.join(self.operands)]).rstrip()};"


@dataclass(frozen=True)
class Label:
    """A place to branch to."""

    name: str


@dataclass(frozen=True)
class Targets:
    """A table of labels that `brx.idx` branches by."""

    name: str
    labels: tuple[str, ...]


@dataclass(frozen=True)
class Registers:
    """A declaration: names and what they hold."""

    names: tuple[str, ...]
    kind: str


@dataclass(frozen=True)
class Brace:
    """The begin or the end of a block."""

    opens: bool


Statement = Instruction | Label | Targets | Registers | Brace | Variable


@dataclass
class Function:
    """The entry of a module, or what it calls."""

    name: str
    parameters: list[Variable]
    body: list[Statement]
    results: list[Variable] = field(default_factory=list)
    threads: tuple[int, int] | None = None
    """Of a block, as the text of an entry requires: those of a program, and programs."""


@dataclass
class Module:
    """A text with one kernel."""

    target: str
    kernel: Function
    functions: list[Function]
    memory: dict[str, list[Variable]] = field(default_factory=dict)
    """Variables outside of the kernel, by space: `shared`, `global`, `const`."""


_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_DIRECTIVE = re.compile(r"^\s*\.(?:loc|file)\b[^\n]*$", re.MULTILINE)
_ENTRY = re.compile(
    r"\.entry\s+(?P<name>[\w$]+)\s*(?:\((?P<given>[^)]*)\))?(?P<limits>[^{;]*)\{", re.DOTALL
)
_FUNCTION = re.compile(
    r"\.func\s*(?:\((?P<results>[^)]*)\))?\s*(?P<name>[\w$]+)\s*(?:\((?P<given>[^)]*)\))?"
    r"[^;{(]*\{",
    re.DOTALL,
)
_VARIABLE = re.compile(
    r"(?:\.(?:visible|extern|weak|common)\s+)?\.(?P<space>shared|global|const|local)\s+"
    r"(?:\.align\s+(?P<align>\d+)\s+)?\.(?P<kind>[a-z]+\d+)\s+(?P<name>[\w$]+)"
    r"\s*(?P<sizes>(?:\[\d*\])*)\s*(?:=\s*(?P<values>\{[^}]*\}|[^;{]+))?;"
)
_PARAMETER = re.compile(
    r"\.param\s+(?:\.align\s+(?P<align>\d+)\s+)?\.(?P<kind>\w+)(?:\s+\.ptr[^,]*?)?"
    r"(?:\s+\.align\s+\d+)?\s+(?P<name>[\w$]+)(?:\[(?P<count>\d+)\])?\s*$",
    re.DOTALL,
)
_REGISTERS = re.compile(r"\.reg\s+\.(?P<kind>\w+)\s+(?P<names>.*)", re.DOTALL)
_RANGE = re.compile(r"([%\w$]+)<(\d+)>")
_LABEL = re.compile(r"([$%_A-Za-z][\w$]*)\s*:(?!:)")
_TARGETS = re.compile(r"([$%_A-Za-z][\w$]*)\s*:\s*\.branchtargets\b([^;]*);")
_GUARD = re.compile(r"@(!?)\s*(%?[\w$]+)\s+")


def read(text: str) -> Module:
    """The module of a text. Raises PtxError."""
    plain = _DIRECTIVE.sub("", _COMMENT.sub(_blank, text))
    entries = list(_ENTRY.finditer(plain))
    if len(entries) != 1:
        raise PtxError(f"a module of one kernel is wanted, this one has {len(entries)}")
    outside, bodies, last = "", [], 0
    for found in sorted([*entries, *_FUNCTION.finditer(plain)], key=lambda match: match.start()):
        end = _matching(plain, found.end() - 1)
        first = plain.count("\n", 0, found.end()) + 1
        bodies.append(
            Function(
                found["name"],
                _parameters(found["given"]),
                list(_statements(plain[found.end() : end], first)),
                _parameters(found.groupdict().get("results")),
                _threads(found.groupdict().get("limits") or ""),
            )
        )
        outside += plain[last : found.start()]
        last = end + 1
    target = re.search(r"\.target\s+(\w+)", plain)
    kernel = next(body for body in bodies if body.name == entries[0]["name"])
    module = Module(target[1] if target else "", kernel, [b for b in bodies if b is not kernel])
    for variable in _VARIABLE.finditer(outside + plain[last:]):
        module.memory.setdefault(variable["space"], []).append(_variable(variable))
    return module


def _blank(comment: re.Match[str]) -> str:
    """As many lines as the comment has."""
    return "\n" * comment[0].count("\n")


def _matching(text: str, start: int) -> int:
    """Where the brace that opens at `start` is closed."""
    depth = 0
    for place in range(start, len(text)):
        depth += (text[place] == "{") - (text[place] == "}")
        if not depth:
            return place
    raise PtxError("a brace is never closed")


def _parameters(listed: str | None) -> list[Variable]:
    return [_parameter(part) for part in (listed or "").split(",") if part.strip()]


def _parameter(text: str) -> Variable:
    match = _PARAMETER.search(text)
    if not match:
        raise PtxError(f"a parameter is not known: {text.strip()}")
    count = int(match["count"] or 1)
    return Variable(match["name"], match["kind"], count, int(match["align"] or 1))


def _threads(limits: str) -> tuple[int, int] | None:
    match = re.search(r"\.reqntid\s+([\d,\s]+)", limits)
    if not match:
        return None
    x, y, z = ([int(number) for number in match[1].split(",")] + [1, 1])[:3]
    return x, y * z


def _variable(match: re.Match[str]) -> Variable:
    sizes = [int(size or 0) for size in re.findall(r"\[(\d*)\]", match["sizes"])]
    count = 1
    for size in sizes:
        count *= size
    values = (match["values"] or "").strip("{} \n")
    numbers = []
    for value in filter(None, (part.strip() for part in values.split(","))):
        if not re.fullmatch(r"-?(?:0[xX][0-9a-fA-F]+|\d+)", value):
            raise PtxError(f"the initial value '{value}' of '{match['name']}' is not known")
        numbers.append(int(value, 0))
    return Variable(match["name"], match["kind"], count, int(match["align"] or 1), tuple(numbers))


def _statements(body: str, line: int) -> Iterator[Statement]:
    """What stands between the braces of a kernel, whose first line is `line`."""
    place = 0
    while place < len(body):
        character = body[place]
        if character.isspace() or character == ";":
            line += character == "\n"
            place += 1
        elif character in "{}":
            yield Brace(character == "{")
            place += 1
        elif targets := _TARGETS.match(body, place):
            yield Targets(targets[1], _names(targets[2]))
            line += targets[0].count("\n")
            place = targets.end()
        elif label := _LABEL.match(body, place):
            yield Label(label[1])
            place = label.end()
        else:
            end = body.find(";", place)
            if end < 0:
                raise PtxError(f"line {line}: a statement without an end")
            statement = body[place:end]
            yield from _statement(statement, line)
            line += statement.count("\n")
            place = end + 1


def _statement(text: str, line: int) -> Iterator[Statement]:
    text = text.strip()
    if registers := _REGISTERS.match(text):
        yield Registers(_names(registers["names"]), registers["kind"])
    elif variable := _VARIABLE.match(f"{text};"):
        yield _variable(variable)
    elif text.startswith(".param"):
        yield _parameter(text)
    elif text.startswith("."):
        if not text.startswith(".pragma"):
            raise PtxError(f"line {line}: not known here: {text}")
    else:
        guard = _GUARD.match(text)
        rest = text[guard.end() :] if guard else text
        opcode, *operands = rest.split(maxsplit=1)
        predicate = guard[1] + guard[2] if guard else ""
        yield Instruction(line, opcode, split("".join(operands)), predicate)


def _names(listed: str) -> tuple[str, ...]:
    """`%r<3>` is `%r0`, `%r1`, `%r2`."""
    names: list[str] = []
    for part in listed.split(","):
        part = part.strip()
        counted = _RANGE.fullmatch(part)
        names += [f"{counted[1]}{i}" for i in range(int(counted[2]))] if counted else [part]
    return tuple(names)


def split(text: str) -> tuple[str, ...]:
    """The parts of a list with commas, some of them within brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "{[(") - (character in "}])")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return tuple(part.strip() for part in parts if part.strip())
