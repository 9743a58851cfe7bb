"""Findings as SARIF 2.1.0, which editors and code hosts show beside the source."""

from __future__ import annotations

import linecache
from pathlib import Path
from typing import Any

from .. import columns
from . import text
from .finding import KINDS, Finding, Place

_LEVELS = {"error": "error", "warning": "warning", "info": "note"}

_RULES = {
    "out-of-bounds": "An access leaves the tensor that the kernel was given",
    "never-written": "Memory is read that nobody has written",
    "race": "Nothing orders two accesses of one element by two programs",
    "duplicate-lanes": "One store has different values for one element",
    "misaligned": "An address is no multiple of the size of what is accessed",
    "undefined-lanes": "Lanes that a masked load has not read are used",
    "wrapped-address": "An integer wraps around on its way to an address",
    "false-hint": "What the kernel tells the compiler is not so",
    "not-finite": "The kernel makes and stores an infinite number, or none",
    "unknown-order": "Nobody knows whether two programs' accesses of one element are ordered",
    "read-back": "A program reads what another lane has stored, without a barrier",
    "order-dependent": "The order in which programs add floats is open",
    "full-mask": "A mask has left nothing out in this launch",
    "empty-mask": "A mask has left everything out in this launch",
}


def describe(findings: list[Finding]) -> dict[str, Any]:
    """The log of one run of `check`."""
    kinds = list(KINDS)
    rules = [
        {
            "id": kind,
            "shortDescription": {"text": _RULES[kind]},
            "defaultConfiguration": {"level": _LEVELS[KINDS[kind]]},
        }
        for kind in kinds
    ]
    driver = {"name": "triton_shared.check", "rules": rules}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "unicodeCodePoints",
                "results": [_result(finding, kinds.index(finding.kind)) for finding in findings],
            }
        ],
    }


def _result(finding: Finding, rule: int) -> dict[str, Any]:
    related = [("called from here", place) for place in finding.places[1:]]
    if finding.other:
        said = f"{finding.other.access}, the other side"
        for place in finding.other.places:
            related.append((said, place))
            said = "called from here"
    result: dict[str, Any] = {
        "ruleId": finding.kind,
        "ruleIndex": rule,
        "level": _LEVELS[finding.severity],
        "message": {"text": f"{text.title(finding)} (kernel {finding.kernel})"},
        "locations": [_location(finding.place)] if finding.place else [],
        "properties": {"finding": finding.as_json()},
    }
    if related:
        result["relatedLocations"] = [
            {"id": number, **_location(place), "message": {"text": said}}
            for number, (said, place) in enumerate(related)
        ]
    return result


def _location(place: Place) -> dict[str, Any]:
    column = columns.of_characters(linecache.getline(place.file, place.line), place.column)
    region = {"startLine": place.line, "startColumn": column}
    file = {"uri": Path(place.file).absolute().as_uri()}
    return {"physicalLocation": {"artifactLocation": file, "region": region}}
