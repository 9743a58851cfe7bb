"""What came of PyTorch's samples: counts by element type, and what failed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from triton_shared.campaign.results import Row

from .opinfo import NOTHING, RIGHT, THEIRS

FILE = Path(__file__).resolve().parents[2] / "benchmarks" / "results" / "opinfo.json"
_COUNTS = ("operations", "samples", "right", "theirs", "kernels", "nothing", "left")

_WHOSE = {
    r"atomic_\w+ does not support u?int(8|16)\b": "Triton's: its language refuses atomics of "
    "integers below 32 bits on each target, and inductor asks for one",
    r"KeyError: 'complex(64|128)'": "inductor's: its code generator for Triton has no name for "
    "complex numbers, and stops before there is a kernel",
}
"""Of failures that are not ours: a pattern of what is said, and whose they are."""


def summarize(rows: Iterable[Row]) -> dict[str, Any]:
    """Everything, as JSON can hold it.

    Of each element type: operations and samples that ran; samples that are right; those that fail
    with the C++ backend, too; samples of which kernels were made; operations without a sample that
    runs eagerly; operations that nobody has run yet. `whose` names who fails, if not this project.
    """
    types: dict[str, dict[str, int]] = {}
    failures: list[dict[str, str]] = []
    theirs: list[str] = []
    versions: dict[str, str] = {}
    for row in rows:
        counts = types.setdefault(row.case.facts["dtype"], dict.fromkeys(_COUNTS, 0))
        outcome = row.outcome
        if outcome is None:
            counts["left"] += 1
            continue
        versions = outcome.versions
        if outcome.status == NOTHING:
            counts["nothing"] += 1
            continue
        # A process that died has counted nothing.
        found = outcome.result or {"samples": 1, "right": 0, "theirs": 0, "kernels": 0}
        counts["operations"] += 1
        for name, number in found.items():
            counts[name] += number
        if outcome.status == THEIRS:
            theirs.append(row.case.name)
        elif outcome.status != RIGHT:
            failures.append(
                {"name": row.case.name, "end": outcome.status, "said": outcome.said.strip()}
            )
    # That of the library changes with each build.
    named = {name: versions[name] for name in ("torch", "triton", "python") if name in versions}
    whose = {f["name"]: owner for f in failures if (owner := _owner(f["said"]))}
    return {
        "versions": named,
        "types": types,
        "failures": failures,
        "whose": whose,
        "theirs": theirs,
    }


def _owner(said: str) -> str:
    return next((owner for pattern, owner in _WHOSE.items() if re.search(pattern, said)), "")


def added(new: dict[str, Any], old: dict[str, Any]) -> dict[str, Any]:
    """What is known when a campaign is not the first one: the file of one ends with its build.

    An element type has the results of the campaign that has run more of its operations, the newer
    one of two that have run as many. Those with other versions count for nothing.
    """
    if not (old and new["versions"]):
        return old or new
    if old["versions"] != new["versions"]:
        return new

    def run(whole: dict[str, Any], dtype: str) -> int:
        counts = whole["types"].get(dtype)
        return counts["operations"] + counts["nothing"] if counts else -1

    by = {d: max(new, old, key=lambda w: run(w, d)) for d in {**old["types"], **new["types"]}}

    def kept(field: str) -> list[Any]:
        """What both have in a list of names, or of what has one."""
        return [
            entry
            for whole in (old, new)
            for entry in whole[field]
            if by[_dtype(entry if isinstance(entry, str) else entry["name"])] is whole
        ]

    failures = kept("failures")
    owners = {**old.get("whose", {}), **new["whose"]}
    return {
        "versions": new["versions"],
        "types": {dtype: whole["types"][dtype] for dtype, whole in by.items()},
        "failures": failures,
        "whose": {f["name"]: owners[f["name"]] for f in failures if f["name"] in owners},
        "theirs": kept("theirs"),
    }


def _dtype(name: str) -> str:
    """That of a case."""
    return name.rpartition(" ")[2]


def share(counts: dict[str, int]) -> float:
    """Of the samples that the C++ backend can do, those that are right."""
    possible = counts["samples"] - counts["theirs"]
    return counts["right"] / possible if possible else 1.0


def total(whole: dict[str, Any]) -> dict[str, int]:
    """Of all element types."""
    return {name: sum(c[name] for c in whole["types"].values()) for name in _COUNTS}


def as_text(whole: dict[str, Any]) -> str:
    """For people: a line per type, then what failed, in a line each."""
    lines = [f"{'type':<12}" + "".join(f"{name:>12}" for name in (*_COUNTS, "share"))]
    for name, counts in (*whole["types"].items(), ("all", total(whole))):
        cells = [*(str(counts[c]) for c in _COUNTS), f"{share(counts):.4f}"]
        lines.append(f"{name:<12}" + "".join(f"{cell:>12}" for cell in cells))
    for failure in whole["failures"]:
        said = " ".join(failure["said"].split())
        lines.append(f"{failure['end']:<8}{failure['name']}: {said[:160]}")
    return "\n".join(lines)


def write(whole: dict[str, Any]) -> None:
    """Keeps it for scripts/clients, beside what other campaigns have found."""
    old = json.loads(FILE.read_text()) if FILE.exists() else {}
    FILE.write_text(json.dumps(added(whole, old), indent=1) + "\n")
