"""Draws time over length: a panel for each way, a line for each kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib import rcParams
from matplotlib.figure import Figure

rcParams["svg.hashsalt"] = "triton-shared"  # the same picture for the same numbers


def write(rows: list[dict[str, Any]], path: Path) -> None:
    """On logarithmic scales, where what grows in proportion is parallel to the dashed line."""
    ways = list(dict.fromkeys(row["way"] for row in rows))
    figure = Figure(figsize=(3.6 * len(ways), 4.5))
    panels = figure.subplots(1, len(ways), sharey=True, squeeze=False)[0]
    for panel, way in zip(panels, ways, strict=True):
        for row in (row for row in rows if row["way"] == way):
            points = [(n, cost["seconds"]) for n, cost in row["costs"].items() if cost["seconds"]]
            panel.plot([int(n) for n, _ in points], [s for _, s in points], "o-", label=row["kind"])
        panel.plot([100, 1000], [0.1, 1.0], "k--", linewidth=0.8)
        panel.set_xscale("log")
        panel.set_yscale("log")
        panel.set_title(way)
        panel.set_xlabel("lines")
    panels[0].set_ylabel("seconds to compile")
    panels[-1].legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
