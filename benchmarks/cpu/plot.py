"""Draws the ratios to torch as bars."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib import rcParams
from matplotlib.figure import Figure

rcParams["svg.hashsalt"] = "triton-shared"  # the same picture for the same numbers


def write(rows: list[dict[str, Any]], path: Path) -> None:
    """A bar for each kernel, a mark where its goal is; on a scale of powers of two."""
    names = [f"{row['kernel']} {row['size']}" for row in rows]
    figure = Figure(figsize=(9, 0.32 * len(rows) + 1))
    axes = figure.subplots()
    places = range(len(rows))
    axes.barh(places, [row["eager"] for row in rows], height=0.6, color="#4878a8")
    spread = [
        (row["eager"], place, row["eager_spread"])
        for place, row in enumerate(rows)
        if row.get("eager_spread")
    ]
    for ratio, place, (low, high) in spread:
        sides = [[max(0.0, ratio - low)], [max(0.0, high - ratio)]]
        axes.errorbar(ratio, place, xerr=sides, fmt="none", ecolor="black", capsize=2)
    goals = [(place, row["goal"]) for place, row in enumerate(rows) if row["goal"]]
    axes.plot([goal for _, goal in goals], [place for place, _ in goals], "|k", label="goal")
    axes.axvline(1.0, color="grey", linewidth=0.8)
    axes.set_xscale("log", base=2)
    axes.set_yticks(places, names, fontsize=8)
    axes.invert_yaxis()
    axes.set_xlabel("time of eager torch / ours, one thread")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
