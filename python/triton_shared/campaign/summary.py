"""What came of a campaign: a table for people, JSON for programs, an exit code for both."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from .case import CRASH, FAILED, TIMEOUT
from .kinds import KINDS
from .results import Row

FINE, FOUND, NOT_RUN = 0, 1, 2
"""Exit codes: as those of `diff`."""
_SCHEMA = 1
_MOST_FINDS = 20
"""So many are printed; JSON has all."""


@dataclass
class _Kind:
    """What came of the cases of a kind."""

    left: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    finds: list[dict[str, Any]] = field(default_factory=list)

    def facts(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "cases": self.ends.total(),
            "left": self.left,
            "ends": dict(self.ends.most_common()),
            "seconds": round(self.seconds, 1),
            "cpu_seconds": round(self.cpu_seconds, 1),
            "finds": self.finds,
        }


def summarize(rows: Iterable[Row]) -> dict[str, Any]:
    """Everything, as JSON can hold it."""
    kinds: dict[str, _Kind] = {}
    versions: list[dict[str, str]] = []
    hosts: set[str] = set()
    for row in rows:
        kind = kinds.setdefault(row.case.kind, _Kind())
        outcome = row.outcome
        if outcome is None:
            kind.left += 1
            continue
        kind.ends[outcome.status] += 1
        kind.seconds += outcome.seconds
        kind.cpu_seconds += outcome.cpu_seconds
        hosts.add(outcome.host)
        if outcome.versions not in versions:
            versions.append(outcome.versions)
        if outcome.status not in KINDS[row.case.kind].fine:
            find = {"name": row.case.name, "end": outcome.status, "said": outcome.said}
            kind.finds.append({**find, "result": outcome.result})
    return {
        "schema": _SCHEMA,
        "versions": versions,
        "hosts": len(hosts - {""}),
        "kinds": {name: kind.facts() for name, kind in kinds.items()},
    }


def as_json(whole: dict[str, Any]) -> str:
    """For programs."""
    return json.dumps(whole, indent=1)


def exit_code(whole: dict[str, Any]) -> int:
    """1 if a case has found something that may be ours, 2 if one could not run, else 0."""
    code = FINE
    for name, kind in whole["kinds"].items():
        for find in kind["finds"]:
            if find["result"].get("upstream"):
                continue
            could_not_run = find["end"] == FAILED or (
                find["end"] in (CRASH, TIMEOUT) and not KINDS[name].deaths_are_finds
            )
            if not could_not_run:
                return FOUND
            code = NOT_RUN
    return code


def as_text(whole: dict[str, Any]) -> str:
    """For people: a line per kind, then what was found."""
    table = [("kind", "done", "left", "ends", "CPU s")]
    for name, kind in whole["kinds"].items():
        ends = ", ".join(f"{count} {end}" for end, count in kind["ends"].items()) or "none"
        numbers = (str(kind["cases"]), str(kind["left"]))
        table.append((name, *numbers, ends, f"{kind['cpu_seconds']:.1f}"))
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = []
    for name, done, left, ends, seconds in table:
        cells = (name.ljust(widths[0]), done.rjust(widths[1]), left.rjust(widths[2]))
        lines.append("  ".join((*cells, ends.ljust(widths[3]), seconds.rjust(widths[4]))))
    finds = [
        (name, find)
        for name, kind in whole["kinds"].items()
        for find in kind["finds"]
        if not find["result"].get("upstream")
    ]
    for name, find in finds[:_MOST_FINDS]:
        said = find["said"].strip()[:1000].replace("\n", "\n    ")
        lines += ["", f"{name} {find['name']}: {find['end']}", *([f"    {said}"] if said else [])]
    if len(finds) > _MOST_FINDS:
        lines += ["", f"and {len(finds) - _MOST_FINDS} others, which --json has"]
    return "\n".join(line.rstrip() for line in lines)
