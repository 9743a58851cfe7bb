"""Shows diagnostics with the lines of the kernel that they are about.

kernel.py:6:8: error: 'tt.load' op …
    v = tl.load(x + i)
        ^
"""

from __future__ import annotations

import linecache
import re
from collections.abc import Iterator
from contextlib import contextmanager

from . import columns

_PLACE = re.compile(r"^(?P<file>.+?):(?P<line>\d+):(?P<column>\d+): (?:error|warning|note|remark):")


def with_source_lines(diagnostics: str) -> str:
    """Puts under each diagnostic the source line it names, with a caret at the column.

    A note at the same place as the diagnostic before it repeats nothing; a place whose file
    cannot be read is left as it is.
    """
    shown: list[str] = []
    last = None
    for text in diagnostics.splitlines():
        shown.append(text)
        place = _PLACE.match(text)
        if not place or place.group("file", "line", "column") == last:
            continue
        last = place.group("file", "line", "column")
        shown += marked_line(place["file"], int(place["line"]), int(place["column"]))
    return "\n".join(shown)


def marked_line(file: str, line: int, column: int) -> list[str]:
    """The source line, indented, and below it a caret; nothing if the file cannot be read."""
    source = linecache.getline(file, line).rstrip()
    if not source:
        return []
    return [f"    {source.strip()}", " " * (4 + _caret(source, column)) + "^"]


@contextmanager
def lent_source(file: str, text: str) -> Iterator[None]:
    """Inside, lines of `file` are those of `text`: the file itself need not be on this machine."""
    before = linecache.cache.get(file)
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    try:
        yield
    finally:
        linecache.cache.pop(file, None)
        if before is not None:
            linecache.cache[file] = before


def _caret(source: str, column: int) -> int:
    """Where the caret goes below the stripped line; columns count bytes, from 1."""
    indent = len(source) - len(source.lstrip())
    return max(0, min(columns.of_characters(source, column), len(source)) - 1 - indent)
