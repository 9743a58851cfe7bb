"""Lines of code as HTML, with five colours: Pygments knows the words of each language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import pairwise

from pygments.lexer import Lexer
from pygments.lexers.asm import GasLexer, LlvmLexer
from pygments.lexers.python import PythonLexer
from pygments.token import Comment, Keyword, Name, Number, String, _TokenType

_LEXERS: dict[str, type[Lexer]] = {"source": PythonLexer, "s": GasLexer}
_PLAIN = ("sass", "ptx")
_CLASSES = ((Comment, "c"), (String, "s"), (Number, "m"), (Keyword, "k"), (Name.Variable, "v"))


Marks = Mapping[int, Sequence[tuple[int, int, int]]]
"""Of lines that have any, the expressions: first column and the one behind the end, from 0, and
their numbers; they lie one in the other."""


def highlight(text: str, language: str, marks: Marks | None = None) -> list[str]:
    """Each line of `text` as HTML. `language` is a phase or `source`; all MLIR is like LLVM IR."""
    if language in _PLAIN:
        return [escape(line, quote=False) for line in text.splitlines()]
    lexer = _LEXERS.get(language, LlvmLexer)(stripnl=False, ensurenl=False)
    lines: list[list[tuple[str, _TokenType]]] = [[]]
    for token, value in lexer.get_tokens(text):
        for number, part in enumerate(value.split("\n")):
            if number:
                lines.append([])
            lines[-1].append((part, token))
    shown = ["".join(_line(parts, (marks or {}).get(n, ()))) for n, parts in enumerate(lines, 1)]
    return shown[:-1] if shown[-1] == "" else shown


def _line(
    parts: Sequence[tuple[str, _TokenType]], marks: Sequence[tuple[int, int, int]]
) -> Iterator[str]:
    """One line: words with colours, between the tags of expressions."""
    at = 0
    edges = sorted({column for mark in marks for column in mark[:2]})
    for text, token in parts:
        cuts = [at, *(edge for edge in edges if at < edge < at + len(text)), at + len(text)]
        for begin, end in pairwise(cuts):
            if begin < end:
                yield "".join(_opened(marks, begin))
                yield _mark(text[begin - at : end - at], token)
                yield "</i>" * sum(last == end for _, last, _ in marks)
        at += len(text)


def _opened(marks: Sequence[tuple[int, int, int]], column: int) -> Iterator[str]:
    begun = [mark for mark in marks if mark[0] == column]
    for _, _, number in sorted(begun, key=lambda mark: -mark[1]):
        yield f'<i data-e="{number}">'


def _mark(text: str, token: _TokenType) -> str:
    written = escape(text, quote=False)
    name = next((name for kind, name in _CLASSES if token in kind), "")
    return f'<b class="{name}">{written}</b>' if name and text.strip() else written
