"""Texts that Triton's compiler prints, and which line of them comes from which line of the kernel.

Our own phases say so themselves; what another compiler knows stands in its text: `loc(…)` in MLIR,
`!dbg` in LLVM IR.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

_ALIAS = re.compile(r"^(#loc\d*) = loc\((.*)\)$")
_PLACE = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):(\d+)|(#loc\d*)')
_MLIR_WORD = re.compile(r'(?:%[^=]*= )?"?([a-z_]\w*(?:\.\w+)*)"?')
_FUSED = re.compile(r"fused(?:<[^>]*>)?\[([^,\]]+)[^\]]*\]")
_DEBUG = re.compile(r",? !dbg (!\d+)")
_METADATA = re.compile(r"^(!\d+) = (?:distinct )?!(\w+)\((.*)\)$")
_FIELD = re.compile(r'(\w+): ("(?:[^"\\]|\\.)*"|[^,()]+)')
_LLVM_WORD = re.compile(r"(?:%\S+ = )?(?:(?:tail|musttail|notail) )?(\w+)")

_LIBRARY = "triton/language/"

Placed = dict[str, Any]
"""A text with places: `text`, and `operations` as `Driver/PlacedText.h` has them."""


def place_mlir(text: str) -> Placed:
    """A module that was printed with its locations, without them."""
    lines = text.splitlines()
    aliases = {found[1]: found[2] for found in map(_ALIAS.match, lines) if found}
    kept: list[str] = []
    operations: list[dict[str, Any]] = []
    opened: list[int] = []  # Of each region, where its operation stands in `operations`.
    for line in lines:
        if _ALIAS.match(line):
            continue
        bare, place = _without_locations(line)
        kept.append(bare)
        body = bare.strip()
        if body.startswith("}"):
            # The place of an operation with regions stands behind the last of them.
            at = opened.pop() if opened else None
            if at is not None and place:
                operations[at]["places"] = _shown(_mlir_places(place, aliases))
            if body.endswith("{") and at is not None:
                opened.append(at)
        elif word := _MLIR_WORD.match(body):
            if body.endswith("{"):
                opened.append(len(operations))
            places = _shown(_mlir_places(place, aliases))
            operations.append(_operation(len(kept), word[1], places))
    return {
        "text": "\n".join(kept).strip("\n") + "\n",
        "operations": [one for one in operations if one["places"]],
    }


def _without_locations(line: str) -> tuple[str, str]:
    """The line without each ` loc(…)`, and what stands in the last one."""
    last = ""
    while (start := line.find(" loc(")) >= 0:
        end, depth = start + len(" loc("), 1
        while depth and end < len(line):
            depth += {"(": 1, ")": -1}.get(line[end], 0)
            end += 1
        last = line[start + len(" loc(") : end - 1]
        line = line[:start] + line[end:]
    return line, last


def _mlir_places(location: str, aliases: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """All places that a location is made of, the innermost call first."""
    # Where several operations became one, any of them will do.
    for file, line, column, alias in _PLACE.findall(_FUSED.sub(r"\1", location)):
        if alias:
            yield from _mlir_places(aliases.get(alias, ""), aliases)
        else:
            yield {"file": file, "line": int(line), "column": int(column)}


def place_llvm(text: str) -> Placed:
    """LLVM IR without what only debuggers read."""
    lines = text.splitlines()
    known = {
        found[1]: (found[2], dict(_FIELD.findall(found[3])))
        for found in map(_METADATA.match, lines)
        if found
    }
    kept: list[str] = []
    operations: list[dict[str, Any]] = []
    for line in lines:
        if line.startswith("!"):
            continue
        kept.append(_DEBUG.sub("", line))
        debug = _DEBUG.search(line)
        word = _LLVM_WORD.match(line.strip())
        places = _shown(_llvm_places(debug[1], known)) if debug and line[:1] == " " else []
        if word and places:
            operations.append(_operation(len(kept), word[1], places))
    return {"text": "\n".join(kept).strip("\n") + "\n", "operations": operations}


_Known = Mapping[str, tuple[str, Mapping[str, str]]]


def _llvm_places(node: str, known: _Known) -> Iterator[dict[str, Any]]:
    while node in known:
        kind, fields = known[node]
        file = _file_of(fields.get("scope", ""), known)
        if kind == "DILocation" and file and fields.get("line", "0") != "0":
            yield {
                "file": file,
                "line": int(fields["line"]),
                "column": int(fields.get("column", "0")),
            }
        node = fields.get("inlinedAt", "")


def _file_of(scope: str, known: _Known) -> str | None:
    while scope in known:
        _, fields = known[scope]
        if fields.get("file") in known:
            _, file = known[fields["file"]]
            folder, name = (file.get(part, '""')[1:-1] for part in ("directory", "filename"))
            return str(PurePosixPath(folder) / name)
        scope = fields.get("scope", "")
    return None


def _shown(places: Iterator[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each place once; as nobody can change Triton's own functions, without those if there are
    others, which is what `Analysis/SourcePlaces.h` does."""
    found: list[dict[str, Any]] = []
    for place in places:
        if place not in found:
            found.append(place)
    return [one for one in found if _LIBRARY not in one["file"]] or found


def _operation(line: int, word: str, places: list[dict[str, Any]]) -> dict[str, Any]:
    return {"line": line, "op": word, "name": "", "places": places}
