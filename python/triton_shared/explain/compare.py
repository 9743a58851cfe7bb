"""Two reports side by side, differences first: two kernels, configurations or targets."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Any

from . import Access
from .page import fill

_SAME = 3
"""Lines that are the same, shown around those that are not."""


def render(left: Mapping[str, Any], right: Mapping[str, Any]) -> str:
    """One page about two reports, which needs nothing beside it."""
    names = _names(left, right)
    facts = list(compare_facts(left, right))
    texts = list(compare_texts(left, right))
    body = fill("compare.html", names=names, facts=facts, texts=texts)
    return fill(
        "page.html",
        title=f"{names[0]} and {names[1]}",
        subtitle=f"{sum(one['differs'] for one in facts)} of {len(facts)} facts differ",
        sections=[{"id": "compare", "title": "What differs", "body": body}],
        diffs="",
    )


def _names(left: Mapping[str, Any], right: Mapping[str, Any]) -> tuple[str, str]:
    """What tells the two apart, as far as the reports know."""
    if left["kernel"] != right["kernel"]:
        return left["kernel"], right["kernel"]
    if left["target"] != right["target"]:
        return left["target"], right["target"]
    options = [", ".join(f"{n}={v}" for n, v in one["options"].items()) for one in (left, right)]
    return (
        (options[0] or "default", options[1] or "default")
        if len(set(options)) > 1
        else (
            "left",
            "right",
        )
    )


def compare_facts(left: Mapping[str, Any], right: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """A row per fact: "what", "left", "right", "differs"; those that differ come first."""
    rows = [_facts(one) for one in (left, right)]
    names = [name for name in rows[0] if name in rows[1]]
    names += [name for name in {**rows[0], **rows[1]} if name not in names]
    found = [
        {"what": name, "left": rows[0].get(name, "–"), "right": rows[1].get(name, "–")}
        for name in names
    ]
    for one in found:
        one["differs"] = one["left"] != one["right"]
    yield from sorted(found, key=lambda one: not one["differs"])


def _facts(report: Mapping[str, Any]) -> dict[str, Any]:
    facts: dict[str, Any] = {"target": report["target"]}
    for number, record in enumerate(report["accesses"], start=1):
        access = Access.of(record)
        strides = ", ".join(d.stride for d in access.dimensions)
        shape = "×".join(map(str, access.shape))
        why = f": {access.why.text}" if access.why else ""
        facts[f"access {number}"] = (
            f"{access.kind} {access.noun} {shape}{f' of strides {strides}' if strides else ''}{why}"
        )
    facts |= {f"operations in {p['phase']}": len(p["operations"]) for p in report["phases"]}
    facts["passes that changed something"] = sum(p["changed"] for p in report["passes"])
    for name, value in (report["resources"] or {}).items():
        if name != "occupancy":
            facts[name.replace("_", " ")] = value
        elif value:
            facts["warps of a multiprocessor"] = f"{value['warps']} of {value['of_warps']}"
    run = report["run"] or {}
    if run.get("roofline"):
        facts["microseconds on this CPU"] = f"{run['roofline']['seconds'] * 1e6:.3g}"
    return facts


def compare_texts(left: Mapping[str, Any], right: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The texts of each phase that both have: "rows" of pairs of lines, with what they are.

    A pair is (kind, left, right); the kind is `same`, `changed`, `gap`. Texts that differ come
    first; those that are the same have no rows.
    """
    texts = [{one["phase"]: one["text"] for one in report["phases"]} for report in (left, right)]
    found = [
        {"phase": phase, "rows": list(_pairs(texts[0][phase], texts[1][phase]))}
        for phase in texts[0]
        if phase in texts[1]
    ]
    yield from sorted(found, key=lambda one: not one["rows"])


def _pairs(left: str, right: str) -> Iterator[tuple[str, str, str]]:
    a, b = left.splitlines(), right.splitlines()
    matcher = difflib.SequenceMatcher(None, a, b, autojunk=False)
    for number, group in enumerate(matcher.get_grouped_opcodes(_SAME)):
        if number:
            yield "gap", "", ""
        for kind, i, j, k, m in group:
            if kind == "equal":
                yield from (("same", *pair) for pair in zip(a[i:j], b[k:m], strict=True))
                continue
            for line in range(max(j - i, m - k)):
                yield (
                    "changed",
                    a[i + line] if i + line < j else "",
                    b[k + line] if k + line < m else "",
                )
