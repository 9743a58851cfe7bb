"""Where a thread goes on: branches, calls, the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from . import arithmetic, conversions, memory, threads
from .arithmetic import Maker
from .code import Code, Unknown, mangled
from .reader import (
    Brace,
    Function,
    Instruction,
    Label,
    PtxError,
    Registers,
    Statement,
    Targets,
    Variable,
)

_OWN = ("__assertfail", "vprintf")
"""Functions of the device's runtime: one ends the launch, what the other prints nobody reads."""


class Labels:
    """Names of labels and of tables of them, which blocks have for themselves."""

    def __init__(self, body: Iterable[Statement]) -> None:
        self._known: list[dict[str, str]] = [{}]
        self._tables: list[dict[str, tuple[str, ...]]] = [{}]
        self._parents: list[int] = [-1]
        self._next = 0
        self._current = 0
        open_blocks = [0]
        for statement in body:
            if isinstance(statement, Brace):
                if statement.opens:
                    self._known.append({})
                    self._tables.append({})
                    self._parents.append(open_blocks[-1])
                    open_blocks.append(len(self._known) - 1)
                else:
                    open_blocks.pop()
            elif isinstance(statement, Label):
                block = open_blocks[-1]
                self._known[block][statement.name] = f"{mangled(statement.name)}_{block}"
            elif isinstance(statement, Targets):
                self._tables[open_blocks[-1]][statement.name] = statement.labels

    def enter(self) -> None:
        """The next block begins."""
        self._next += 1
        self._current = self._next

    def leave(self) -> None:
        """The current one ends."""
        self._current = self._parents[self._current]

    def find(self, name: str) -> str:
        """The label of this name in the current block, or in one around it; or nothing."""
        return next((self._known[b][name] for b in self._around() if name in self._known[b]), "")

    def find_table(self, name: str) -> tuple[str, ...]:
        """The names in a table, which is found as a label is."""
        tables = (self._tables[block] for block in self._around())
        return next((table[name] for table in tables if name in table), ())

    def _around(self) -> Iterator[int]:
        """The current block and those around it, outwards."""
        block = self._current
        while block >= 0:
            yield block
            block = self._parents[block]


MAKERS: dict[str, Maker] = {
    **arithmetic.MAKERS,
    **memory.MAKERS,
    **threads.MAKERS,
    "cvt": conversions.convert,
}


def write_function(function: Function, code: Code, functions: dict[str, Function]) -> None:
    """The body of a function, as lines of C."""
    labels = Labels(function.body)
    code.add("uint64_t carry = 0;")
    code.words = memory.words_with_parts(function.body)
    for statement in function.body:
        if isinstance(statement, Brace):
            code.add("{" if statement.opens else "}")
            if statement.opens:
                labels.enter()
                code.scopes.append({})
            else:
                labels.leave()
                code.scopes.pop()
        elif isinstance(statement, Label):
            code.add(f"{labels.find(statement.name)}:;")
        elif isinstance(statement, Targets):
            continue
        elif isinstance(statement, Registers):
            code.declare(statement)
        elif isinstance(statement, Variable):
            code.allocate(statement)
        else:
            _write(code, statement, labels, functions)


def _write(
    code: Code, instruction: Instruction, labels: Labels, functions: dict[str, Function]
) -> None:
    guard = code.value(instruction.predicate, "pred") if instruction.predicate else ""
    if guard.startswith("(!"):
        guard = f"(!({code.word(instruction.predicate[1:], 'pred')} != 0))"
    code.add(f"if {guard} {{" if guard else "{")
    name = instruction.parts[0]
    if name == "bra":
        code.add(f"goto {_label(instruction, labels, instruction.operands[0])};")
    elif name == "brx":
        _branch_by_index(code, instruction, labels)
    elif name in ("ret", "exit"):
        code.add("return;")
    elif name == "trap":
        code.add('stop("traps");')
    elif name == "call":
        _call(code, instruction, functions)
    elif name in MAKERS:
        try:
            MAKERS[name](code, instruction)
        except Unknown:
            raise
        except (PtxError, KeyError, ValueError, IndexError) as error:
            why = str(error) if isinstance(error, PtxError) else ""
            raise Unknown(instruction, why) from error
    else:
        raise Unknown(instruction)
    code.add("}")


def _label(instruction: Instruction, labels: Labels, name: str) -> str:
    label = labels.find(name)
    if not label:
        raise Unknown(instruction, "where it leads")
    return label


def _branch_by_index(code: Code, instruction: Instruction, labels: Labels) -> None:
    """`brx.idx`: to a label of a table; an index beyond it ends the launch."""
    is_known = instruction.opcode in ("brx.idx", "brx.idx.uni")
    if not is_known or len(instruction.operands) != 2:
        raise Unknown(instruction)
    index, table = instruction.operands
    targets = labels.find_table(table)
    if not targets:
        raise Unknown(instruction, f"the table '{table}'")
    code.add(f"switch ({code.value(index, 'u32')}) {{")
    for place, target in enumerate(targets):
        code.add(f"case {place}: goto {_label(instruction, labels, target)};")
    said = f"branches by index %u into a table of {len(targets)} labels"
    code.add(f'default: fail("{said}", {code.value(index, "u32")});')
    code.add("}")


def _call(code: Code, instruction: Instruction, functions: dict[str, Function]) -> None:
    operands = list(instruction.operands)
    results: list[str] = []
    if operands[0].startswith("("):
        results = _listed(operands.pop(0))
    name = operands[0]
    given = _listed(operands[1]) if len(operands) > 1 else []
    if name in functions:
        passed = ", ".join(f"(char *){code.symbols[one]}" for one in (*results, *given))
        code.add(f"{mangled(name)}({passed});")
    elif name == "__assertfail":
        text = f"*(const char **){code.symbols[given[0]]}"
        code.add(f"stop({text});")
    elif name not in _OWN:
        raise Unknown(instruction, f"'{name}'")


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.strip("() ").split(",") if part.strip()]
