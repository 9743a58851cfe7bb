"""The functions that a kernel's operations come from, as text."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterable, Mapping
from typing import Any


def show_sources(
    texts: Iterable[Mapping[str, Any]], source: tuple[str, str] | None
) -> list[dict[str, Any]]:
    """For each file that places name and that can be read, the functions around them.

    `source` is the name and the text of what was compiled, where that was no Python. Each piece is
    {"file", "first": the number of its first line, "lines"}.
    """
    lines: dict[str, set[int]] = {}
    for text in texts:
        for operation in text["operations"]:
            for place in operation["places"]:
                lines.setdefault(place["file"], set()).add(place["line"])
    pieces = []
    for file in lines:
        if source and file == source[0]:
            pieces.append({"file": file, "first": 1, "lines": source[1].splitlines()})
            continue
        found = linecache.getlines(file)
        pieces += [
            {
                "file": file,
                "first": first,
                "lines": [line.rstrip("\n") for line in found[first - 1 : last]],
            }
            for first, last in _spans(found, lines[file])
        ]
    return pieces


def _spans(lines: list[str], wanted: set[int]) -> list[tuple[int, int]]:
    """The first and last lines of the outermost functions that hold `wanted` lines."""
    try:
        tree = ast.parse("".join(lines))
    except SyntaxError:
        return [(1, len(lines))] if lines else []
    spans = [
        (min([node.lineno, *(d.lineno for d in node.decorator_list)]), node.end_lineno or 0)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
    ]
    used = [(a, b) for a, b in spans if any(a <= line <= b for line in wanted)]
    outer = [s for s in used if not any(o[0] <= s[0] and s[1] <= o[1] and o != s for o in used)]
    return _without_callers(outer, used, wanted)


def _without_callers(
    outer: list[tuple[int, int]], used: list[tuple[int, int]], wanted: set[int]
) -> list[tuple[int, int]]:
    """A kernel inside of a function, as tests have them, is shown without that function."""
    chosen = []
    for span in outer:
        inside = [s for s in used if s != span and span[0] <= s[0] and s[1] <= span[1]]
        mine = {line for line in wanted if span[0] <= line <= span[1]}
        covered = {line for line in mine if any(a <= line <= b for a, b in inside)}
        chosen += _without_callers(inside, inside, mine) if inside and covered == mine else [span]
    return sorted(set(chosen))
