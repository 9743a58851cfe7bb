"""What each pass has done: its time, and if it has changed something, what."""

from __future__ import annotations

import difflib
from typing import Any

_CONTEXT = 2
"""Lines around a change."""


def describe_passes(records: dict[str, Any]) -> list[dict[str, Any]]:
    """The passes in the order in which they ran; of those that changed something, what.

    `records` are those of `Pipelines/RecordPasses.h`. A pass that changed something has "diff",
    lines that begin with a blank, +, - or @, and "counts", of each kind of operation whose number
    is another one, before and after.
    """
    text, counts = records["text"], records["operations"]
    passes = []
    for record in records["passes"]:
        one = {name: record[name] for name in ("phase", "pass", "on", "seconds", "changed")}
        if record["changed"]:
            one["diff"] = _diff(text, record["text"])
            one["counts"] = {
                name: [counts.get(name, 0), record["operations"].get(name, 0)]
                for name in sorted({*counts, *record["operations"]})
                if counts.get(name, 0) != record["operations"].get(name, 0)
            }
            text, counts = record["text"], record["operations"]
        passes.append(one)
    return passes


def _diff(before: str, after: str) -> list[str]:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=_CONTEXT)
    return [line for line in lines if not line.startswith(("---", "+++"))]
