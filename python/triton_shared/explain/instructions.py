"""Which machine instructions two reports have, and which line of the kernel they come from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

Report = Mapping[str, Any]


def count(left: Report, right: Report) -> Iterator[dict[str, Any]]:
    """How often each instruction stands in both codes, without its modifiers: "op", "left",
    "right"; the largest differences first."""
    counts = [
        Counter(one["op"].partition(".")[0] for one in _code(report)["operations"])
        for report in (left, right)
    ]
    for op in sorted(
        {*counts[0], *counts[1]}, key=lambda op: (-abs(counts[0][op] - counts[1][op]), op)
    ):
        yield {"op": op, "left": counts[0][op], "right": counts[1][op]}


def by_line(left: Report, right: Report) -> Iterator[dict[str, Any]]:
    """What each line of the kernel became: "file", "line", its "text", and for "left" and "right"
    the "total" of its instructions and how many of each kind there are, with their modifiers."""
    texts = {
        (source["file"], source["first"] + number): text
        for report in (left, right)
        for source in report["sources"]
        for number, text in enumerate(source["lines"])
    }
    sides = [_of_lines(report, texts) for report in (left, right)]
    for place in sorted({*sides[0], *sides[1]}):
        row: dict[str, Any] = {"file": place[0], "line": place[1], "text": texts[place].strip()}
        for name, side in zip(("left", "right"), sides, strict=True):
            kinds = side.get(place, Counter())
            row[name] = {"total": kinds.total(), "kinds": kinds.most_common()}
        yield row


def _of_lines(
    report: Report, texts: Mapping[tuple[str, int], str]
) -> dict[tuple[str, int], Counter[str]]:
    found: dict[tuple[str, int], Counter[str]] = {}
    for operation in _code(report)["operations"]:
        places = [(place["file"], place["line"]) for place in operation["places"]]
        if place := next((place for place in places if place in texts), None):
            found.setdefault(place, Counter())[operation["op"]] += 1
    return found


def _code(report: Report) -> Mapping[str, Any]:
    """The last text, which is what a machine runs."""
    last: Mapping[str, Any] = report["phases"][-1]
    return last
