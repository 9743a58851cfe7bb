"""Machine code as text, and which line of it comes from which line of the kernel.

Assemblers write that down themselves: `.loc` in assembly and PTX, and what NVIDIA's disassembler
says before instructions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

_FILE = re.compile(r'\s*\.file\s+(\d+)\s+"((?:[^"\\]|\\.)*)"(?:\s+"((?:[^"\\]|\\.)*)")?')
_LOC = re.compile(r"\s*\.loc\s+(\d+)\s+(\d+)\s+(\d+)(.*)")
_INLINED = re.compile(r"inlined_at\s+(\d+)\s+(\d+)\s+(\d+)")
_PREDICATE = re.compile(r"^\s*@!?%p\d+")
_SASS = re.compile(
    r'\s*//## File "(?P<file>[^"]*)", line (?P<line>\d+)'
    r'(?: inlined at "(?P<caller>[^"]*)", line (?P<at>\d+))?'
)
_DEBUG = re.compile(r"\s*\.section\s+(?:\.debug|\.nv_debug)\w*")

Placed = dict[str, Any]
"""A text with places: `text`, and `operations` as `Driver/PlacedText.h` has them."""


def place_assembly(text: str) -> Placed:
    """Assembly of a CPU, or PTX, without what only debuggers read."""
    files = dict(_files(text))
    kept: list[str] = []
    operations: list[dict[str, Any]] = []
    places: list[dict[str, Any]] = []
    for line in text.splitlines():
        if _DEBUG.match(line):
            break
        if loc := _LOC.match(line):
            places = _places(loc, files)
        elif not _FILE.match(line) and not _is_debug_label(line):
            kept.append(line)
            if places and _is_instruction(line):
                word = _PREDICATE.sub("", line).split()[0]
                operations.append(_operation(len(kept), word, places))
    return {"text": "\n".join(kept).rstrip() + "\n", "operations": operations}


def place_sass(text: str) -> Placed:
    """What `nvdisasm --print-line-info-inline` prints of a cubin's functions."""
    kept: list[str] = []
    operations: list[dict[str, Any]] = []
    places: list[dict[str, Any]] = []
    was_place = False
    for line in text.splitlines():
        if found := _SASS.match(line):
            # Several lines in a row tell of one instruction, the innermost call first.
            places = places if was_place else []
            places = places + _sass_places(found)
            was_place = True
            continue
        was_place = False
        kept.append(line)
        if "/*" in line and line.rstrip().endswith(";") and places:
            word = re.sub(r"/\*\w+\*/|@!?U?P\w+", "", line).split()[0]
            operations.append(_operation(len(kept), word, _unique(places)))
    return {"text": "\n".join(kept).rstrip() + "\n", "operations": operations}


def _sass_places(found: re.Match[str]) -> list[dict[str, Any]]:
    places = [{"file": found["file"], "line": int(found["line"]), "column": 0}]
    if found["caller"]:
        places.append({"file": found["caller"], "line": int(found["at"]), "column": 0})
    return places


def _unique(places: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [place for number, place in enumerate(places) if place not in places[:number]]


def _files(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        if found := _FILE.match(line):
            folder, name = (found[2], found[3]) if found[3] else ("", found[2])
            yield found[1], str(PurePosixPath(folder) / name)


def _places(loc: re.Match[str], files: dict[str, str]) -> list[dict[str, Any]]:
    found = [loc.groups()[:3], *(call.groups() for call in _INLINED.finditer(loc[4]))]
    return [
        {"file": files[file], "line": int(line), "column": int(column)}
        for file, line, column in found
        if line != "0" and file in files  # Line 0 says that there is none.
    ]


def _is_debug_label(line: str) -> bool:
    return bool(re.match(r"\s*(\.L(tmp|func_begin|func_end)\d+:|\$L__(tmp|func_begin)\d+:)", line))


def _is_instruction(line: str) -> bool:
    stripped = line.strip()
    return bool(stripped) and stripped[0] not in ".#/{}$()" and not stripped.endswith(":")


def _operation(line: int, word: str, places: list[dict[str, Any]]) -> dict[str, Any]:
    return {"line": line, "op": word.rstrip(";"), "name": "", "places": places}
