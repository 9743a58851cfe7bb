"""Which expression of a kernel an operation comes from: a line may hold many.

Triton's places do not name that. Until 3.7, a place is where the last operand of the expression
begins; from 3.8 on, it is where the expression itself begins.
"""

from __future__ import annotations

import ast
import functools
import linecache
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .. import columns
from ..versions import read_version

Span = tuple[int, int, int, int]
"""First line and column, last line, and the column behind the end; all count from 1."""

_STATEMENTS = (ast.FunctionDef, ast.ClassDef, ast.If, ast.With, ast.Try)
"""What holds so much that nobody would find anything in it."""
_LAST = {
    ast.BinOp: "right", ast.UnaryOp: "operand", ast.Subscript: "slice", ast.Attribute: "value",
    ast.Assign: "value", ast.AugAssign: "value", ast.AnnAssign: "value", ast.Expr: "value",
    ast.Return: "value", ast.keyword: "value",
}  # fmt: skip
"""The operand that Triton looks at last."""
_KINDS: dict[str, Any] = {
    "tt.expand_dims": ast.Subscript,
    **dict.fromkeys(("tt.addptr", "tt.splat", "tt.broadcast", "tt.return"), ast.AST),
}
"""What operations come from, if several expressions begin at a place; others of `tt` are calls."""


def names_operands(version: str) -> bool:
    """Whether the places of this version of Triton are those of operands."""
    return read_version(version) < (3, 8)


def add_expressions(texts: Iterable[Mapping[str, Any]], version: str) -> None:
    """Gives places their "expression" where that can be found."""
    of_operands = names_operands(version)
    for text in texts:
        for operation in text["operations"]:
            for place in operation["places"]:
                if span := _find(place, operation["op"], of_operands):
                    place["expression"] = list(span)


def find_loop_variable(file: str, line: int) -> str | None:
    """What the `for` whose head holds this line calls its variable; None without a source."""
    source = _source(file)
    heads = [loop for loop in source.loops if _is_in_head(line, loop)] if source else []
    target = max(heads, key=lambda loop: loop.lineno).target if heads else None
    return target.id if isinstance(target, ast.Name) else None


def _is_in_head(line: int, loop: ast.For) -> bool:
    return loop.lineno <= line <= (loop.iter.end_lineno or 0)


def _find(place: Mapping[str, Any], op: str, of_operands: bool) -> Span | None:
    source = _source(place["file"])
    if source is None:
        return None
    find = source.find_operand if of_operands else source.find
    return find(place["line"], place["column"], op)


def _source(file: str) -> _Source | None:
    return _parse(tuple(linecache.getlines(file)))


@functools.lru_cache(maxsize=32)
def _parse(lines: tuple[str, ...]) -> _Source | None:
    try:
        return _Source.of(lines) if lines else None
    except SyntaxError:
        return None


@dataclass(frozen=True)
class _Source:
    """A file of Python."""

    lines: tuple[str, ...]
    begun: Mapping[tuple[int, int], list[ast.AST]]
    """What begins at a line and a column from 0 (in bytes), the outermost first."""
    parents: Mapping[ast.AST, ast.AST]
    loops: tuple[ast.For, ...]

    @staticmethod
    def of(lines: tuple[str, ...]) -> _Source:
        begun: dict[tuple[int, int], list[ast.AST]] = {}
        parents: dict[ast.AST, ast.AST] = {}
        loops = []
        for node in ast.walk(ast.parse("".join(lines))):
            parents |= dict.fromkeys(ast.iter_child_nodes(node), node)
            if isinstance(node, ast.For):
                loops.append(node)
            if hasattr(node, "col_offset"):
                begun.setdefault((node.lineno, node.col_offset), []).append(node)  # type: ignore[attr-defined]
        return _Source(lines, begun, parents, tuple(loops))

    def find(self, line: int, column: int, op: str) -> Span | None:
        """The expression that begins there."""
        return self._choose(self.begun.get((line, column - 1), ()), op)

    def find_operand(self, line: int, column: int, op: str) -> Span | None:
        """The expression whose last operand begins there."""
        operands = self.begun.get((line, column - 1), ())
        return self._choose([self.parents[one] for one in operands if self._is_last(one)], op)

    def _is_last(self, node: ast.AST) -> bool:
        parent = self.parents[node]
        return hasattr(parent, "col_offset") and _last(parent) is node

    def _choose(self, nodes: Iterable[ast.AST], op: str) -> Span | None:
        found = [node for node in nodes if not self._computes_nothing(node)]
        wanted = _KINDS.get(op) or (ast.Call if op.startswith("tt.") else ast.AST)
        found = [node for node in found if isinstance(node, wanted)] or found
        expressions = [node for node in found if isinstance(node, ast.expr)]
        return next((self._span(node) for node in (*expressions, *found)), None)

    def _computes_nothing(self, node: ast.AST) -> bool:
        """A block of statements, and the name of what is called."""
        call = self.parents.get(node)
        return isinstance(node, _STATEMENTS) or (isinstance(call, ast.Call) and call.func is node)

    def _span(self, node: Any) -> Span:
        end: Any = node.iter if isinstance(node, ast.For) else node
        end = node.test if isinstance(node, ast.While) else end
        return (
            node.lineno,
            self._column(node.lineno, node.col_offset),
            end.end_lineno,
            self._column(end.end_lineno, end.end_col_offset),
        )

    def _column(self, line: int, offset: int) -> int:
        """Of characters, from 1."""
        return columns.of_characters(self.lines[line - 1], offset + 1)


def _last(node: ast.AST) -> ast.AST | None:
    """The part of a node that Triton looks at last."""
    if isinstance(node, ast.Call):
        return [node.func, *node.keywords, *node.args][-1]
    if isinstance(node, ast.Compare):
        return node.comparators[0]
    if name := _LAST.get(type(node)):
        found: ast.AST | None = getattr(node, name)
        return found
    placed: Iterator[ast.AST] = (
        one for one in ast.iter_child_nodes(node) if hasattr(one, "col_offset")
    )
    return next(iter(reversed([*placed])), None)
