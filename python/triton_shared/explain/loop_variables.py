"""Induction variables in what the compiler says of accesses: the IR has lost their names.

Where a loop stands is known, and the `for` in that line of the source says how it calls its own.
"""

from __future__ import annotations

import json
import re
from typing import Any

from .expressions import find_loop_variable


def read_accesses(artefact: bytes) -> list[dict[str, Any]]:
    """The lines of an artefact `accesses`, with the names that the source has for its loops."""
    return [_named(json.loads(line)) for line in artefact.decode().splitlines()]


def _named(record: dict[str, Any]) -> dict[str, Any]:
    for loop in record.pop("loops", ()):
        name = find_loop_variable(loop["file"], loop["line"]) if "file" in loop else None
        if name and loop["variable"].isidentifier():
            word = re.compile(rf"\b{loop['variable']}\b")
            _rename(record, word, name)
            for dimension in record["dimensions"]:
                _rename(dimension, word, name)
    return record


def _rename(fields: dict[str, Any], word: re.Pattern[str], name: str) -> None:
    """In the expressions of an access, or of one of its dimensions."""
    for field in ("offset", "stride", "wrap"):
        if field in fields:
            fields[field] = word.sub(name, fields[field])
    if "bounds" in fields:
        fields["bounds"] = [word.sub(name, bound) for bound in fields["bounds"]]
