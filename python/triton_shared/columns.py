"""Columns of places as all tools count them: of the file, from 1.

Triton 3.6 and 3.7 write columns from 0, of the function without its indentation; from 3.8 on they
are those of the file, from 1.
"""

from __future__ import annotations

import bisect
import linecache
import re
from collections.abc import Sequence
from typing import Any

from .versions import read_version

_OURS = ("cpu", "shared_cuda")
"""Backends whose texts have columns of files already."""
_PLACE = re.compile(r'(?P<file>"(?:[^"\\]|\\.)*"):(?P<line>\d+):(?P<column>\d+)')
_HEAD = re.compile(r"(?P<indent>[ \t]*)(?:async[ \t]+)?def\s")


def counts_from_zero(version: str) -> bool:
    """Whether this version of Triton writes columns from 0."""
    return read_version(version) < (3, 8)


def of_files(ttir: str) -> str:
    """A text of Triton 3.6 or 3.7 with the columns that later versions write.

    A file that cannot be read is taken for one whose functions are not indented.
    """
    heads: dict[str, _Heads] = {}

    def place(match: re.Match[str]) -> str:
        name = match["file"]
        if name not in heads:
            heads[name] = _Heads(linecache.getlines(name[1:-1]))
        column = int(match["column"]) + heads[name].indentation_around(int(match["line"])) + 1
        return f"{name}:{match['line']}:{column}"

    return _PLACE.sub(place, ttir)


def ttir_of(compiled: Any) -> str:
    """The text of a compiled kernel, whichever backend has compiled it."""
    import triton

    ttir = str(compiled.asm["ttir"])
    is_as_triton_counts = compiled.metadata.target.backend not in _OURS
    counts = is_as_triton_counts and counts_from_zero(triton.__version__)
    return of_files(ttir) if counts else ttir


def of_characters(source: str, column: int) -> int:
    """A column of a line in characters; Python's, and Triton's by that, are those of bytes.

    A line that cannot be read ("") is taken for one of ASCII alone.
    """
    if not source:
        return max(1, column)
    return len(source.encode()[: max(0, column - 1)].decode(errors="ignore")) + 1


class _Heads:
    """Where the functions of a file begin, and how far they are indented."""

    def __init__(self, lines: Sequence[str]) -> None:
        found = [(i, match) for i, line in enumerate(lines, 1) if (match := _HEAD.match(line))]
        self._lines = [number for number, _ in found]
        self._indents = [len(match["indent"]) for _, match in found]

    def indentation_around(self, line: int) -> int:
        """That of the function which begins last before a line: kernels have none inside."""
        last = bisect.bisect_right(self._lines, line) - 1
        return self._indents[last] if last >= 0 else 0
