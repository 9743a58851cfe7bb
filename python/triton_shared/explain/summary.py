"""A report for the terminal: as wide as that is, with colours if it has them."""

from __future__ import annotations

from typing import Any

from . import Access, Explanation, compare, instructions
from .report import Report
from .table import show, show_table


def show_report(report: Report) -> None:
    """Prints what matters of a report to the standard output."""
    data = report.data
    accesses = tuple(Access.of(record) for record in data["accesses"])
    show(Explanation(accesses, (report.kernel,), ()))
    for line in facts(data):
        print(line)


def show_comparison(left: Report, right: Report) -> None:
    """Prints a table of the facts in which two reports differ, and of their instructions."""
    names = compare.names_of(left.data, right.data)
    rows = [
        (one["what"], str(one["left"]), str(one["right"]))
        for one in compare.compare_facts(left.data, right.data)
        if one["differs"]
    ]
    rows += [
        (one["op"], str(one["left"]), str(one["right"]))
        for one in instructions.count(left.data, right.data)
        if one["left"] != one["right"]
    ]
    show_table(("", *names), rows, title=f"{left.kernel}: {len(rows)} differences")


def facts(data: Any) -> list[str]:
    """A line each about phases, passes and what the code takes."""
    changed = [one for one in data["passes"] if one["changed"]]
    seconds = sum(one["seconds"] for one in data["passes"])
    lines = [
        "phases: "
        + ", ".join(f"{one['phase']} {len(one['operations'])}" for one in data["phases"])
        + " operations",
        f"passes: {len(changed)} of {len(data['passes'])} changed something, "
        f"{seconds * 1e3:.1f} ms",
    ]
    if data["resources"]:
        lines += _resources(data["resources"])
    return lines


def _resources(r: dict[str, Any]) -> list[str]:
    spilled = r["spill_store_bytes"] + r["spill_load_bytes"]
    line = f"GPU: {r['registers']} registers, {spilled or 'no'} bytes spilled, "
    line += f"{r['shared_bytes']} bytes of shared memory"
    if r["occupancy"]:
        o = r["occupancy"]
        line += f", {o['warps']} of {o['of_warps']} warps (limited by {o['limit']})"
    return [line]
