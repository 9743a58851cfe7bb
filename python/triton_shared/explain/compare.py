"""Two reports side by side, differences first: of two kernels, configurations, targets or
compilers."""

from __future__ import annotations

import difflib
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

from . import Access
from .instructions import by_line, count
from .page import fill

_SAME = 3
"""Lines that are the same, shown around those that are not."""
_COUNTERPARTS = {"cta": "ttgir", "ttgir": "cta"}
"""Phases of the two compilers that say the same in other words."""
_MACHINE_CODE = ("s", "ptx", "sass")
_ACCIDENTAL = re.compile(r"/\*[0-9a-f]+\*/|(?<=[RP])\d+|(?<=%)[a-z]+\d+|(?<=L_)\w+|\s+")
"""Of machine code: addresses, numbers of registers, names of labels, and how it is set."""


def render(left: Mapping[str, Any], right: Mapping[str, Any]) -> str:
    """One page about two reports, which needs nothing beside it."""
    found = describe(left, right)
    names, facts = found["names"], found["facts"]
    lines, texts = list(by_line(left, right)), list(compare_texts(left, right))
    body = fill("compare.html", **found, lines=lines, texts=texts)
    whose = f"{left['kernel']}: " if left["kernel"] == right["kernel"] else ""
    return fill(
        "page.html",
        title=f"{names[0]} and {names[1]}",
        subtitle=f"{whose}{sum(one['differs'] for one in facts)} of {len(facts)} facts differ",
        sections=[{"id": "compare", "title": "What differs", "body": body}],
        diffs="",
    )


def describe(left: Mapping[str, Any], right: Mapping[str, Any]) -> dict[str, Any]:
    """The two as data, without their texts: `comparison` of `schema.json`."""
    return {
        "names": list(names_of(left, right)),
        "facts": list(compare_facts(left, right)),
        "instructions": list(count(left, right)),
    }


def names_of(left: Mapping[str, Any], right: Mapping[str, Any]) -> tuple[str, str]:
    """A heading for each, of what they differ in: kernel, compiler, target, parameters, options.

    Where that is all the same, of the first fact that is not.
    """
    has_parameters = left["kernel"] == right["kernel"] and _know_parameters(left, right)
    labels = [_labels(one, has_parameters) for one in (left, right)]
    differing = [
        key for key in {**labels[0], **labels[1]} if labels[0].get(key) != labels[1].get(key)
    ]
    if differing:
        a, b = (", ".join(one[key] for key in differing if key in one) for one in labels)
        return a or "default", b or "default"
    first = next(compare_facts(left, right))
    if first["differs"]:
        return f"{first['what']}: {first['left']}", f"{first['what']}: {first['right']}"
    return "left", "right"


def _know_parameters(left: Mapping[str, Any], right: Mapping[str, Any]) -> bool:
    return bool(left["signature"] and right["signature"])


def _labels(report: Mapping[str, Any], has_parameters: bool) -> dict[Any, str]:
    """How a report is told from others, by what each word is about."""
    labels = {name: str(report[name]) for name in ("kernel", "compiler", "target")}
    if has_parameters:
        labels |= {("parameter", n): f"{n}={word}" for n, word in report["signature"].items()}
    return labels | {("option", n): f"{n}={value}" for n, value in report["options"].items()}


def compare_facts(left: Mapping[str, Any], right: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """A row per fact: "what", "left", "right", "differs"; those that differ come first."""
    phases = {p["phase"] for p in left["phases"]} & {p["phase"] for p in right["phases"]}
    rows = [_facts(one, phases) for one in (left, right)]
    if _know_parameters(left, right):
        for row, report in zip(rows, (left, right), strict=True):
            row |= {f"parameter {name}": word for name, word in report["signature"].items()}
    names = [name for name in rows[0] if name in rows[1]]
    names += [name for name in {**rows[0], **rows[1]} if name not in names]
    found = [
        {"what": name, "left": rows[0].get(name, "–"), "right": rows[1].get(name, "–")}
        for name in names
    ]
    for one in found:
        one["differs"] = one["left"] != one["right"]
    yield from sorted(found, key=lambda one: not one["differs"])


def _facts(report: Mapping[str, Any], phases: Container[str]) -> dict[str, Any]:
    options = ", ".join(f"{name}={value}" for name, value in report["options"].items())
    facts: dict[str, Any] = {
        "target": report["target"],
        "compiler": f"{report['compiler']} {report['version']}",
        "options": options or "default",
    }
    for number, record in enumerate(report["accesses"], start=1):
        access = Access.of(record)
        strides = ", ".join(d.stride for d in access.dimensions)
        shape = "×".join(map(str, access.shape))
        why = f": {access.why.text}" if access.why else ""
        facts[f"access {number}"] = (
            f"{access.kind} {access.noun} {shape}{f' of strides {strides}' if strides else ''}{why}"
        )
    facts |= {
        f"operations in {one['phase']}": len(one["operations"])
        for one in report["phases"]
        if one["phase"] in phases
    }
    if report["passes"]:
        facts["passes that changed something"] = sum(p["changed"] for p in report["passes"])
    for name, value in (report["resources"] or {}).items():
        if name != "occupancy":
            facts[name.replace("_", " ")] = value
        elif value:
            facts["warps of a multiprocessor"] = f"{value['warps']} of {value['of_warps']}"
    run = report["run"] or {}
    if run.get("roofline"):
        facts[f"microseconds on {run['roofline']['device']}"] = (
            f"{run['roofline']['seconds'] * 1e6:.3g}"
        )
    return facts


def compare_texts(left: Mapping[str, Any], right: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The texts of each phase that both have: "rows" of pairs of lines, with what they are.

    A pair is (kind, left, right); the kind is `same`, `changed`, `gap`, or `beside` where the
    phases are another compiler's and are shown as a whole. Texts that differ come first; those that
    are the same have no rows. Machine code differs where it does so in more than the numbers of
    registers.
    """
    texts = [{one["phase"]: one["text"] for one in report["phases"]} for report in (left, right)]
    found = []
    for phase, text in texts[0].items():
        other = _COUNTERPARTS.get(phase, "")
        if phase in texts[1]:
            is_code = phase in _MACHINE_CODE
            rows = list(_pairs(text.splitlines(), texts[1][phase].splitlines(), is_code))
            found.append({"phase": phase, "rows": rows})
        elif other in texts[1]:
            rows = list(_beside(text.splitlines(), texts[1][other].splitlines()))
            found.append({"phase": f"{phase} and {other}", "rows": rows})
    yield from sorted(found, key=lambda one: not one["rows"])


def _beside(a: Sequence[str], b: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    for line in range(max(len(a), len(b))):
        yield "beside", "".join(a[line : line + 1]), "".join(b[line : line + 1])


def _pairs(a: Sequence[str], b: Sequence[str], is_code: bool) -> Iterator[tuple[str, str, str]]:
    x, y = ([without_accidents(line) for line in side] if is_code else side for side in (a, b))
    matcher = difflib.SequenceMatcher(None, x, y, autojunk=False)
    for number, group in enumerate(matcher.get_grouped_opcodes(_SAME)):
        if number:
            yield "gap", "", ""
        for kind, i, j, k, m in group:
            if kind == "equal":
                yield from (("same", *pair) for pair in zip(a[i:j], b[k:m], strict=True))
                continue
            for _, before, after in _beside(a[i:j], b[k:m]):
                yield "changed", before, after


def without_accidents(line: str) -> str:
    """A line of machine code as it would be with other registers and at another address."""
    return _ACCIDENTAL.sub(" ", line)
