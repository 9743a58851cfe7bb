"""What searches for a GPU have found, in docs/graph.md: a table of candidates, and a figure.

    .venv/bin/python -m benchmarks.graph.page

Both are of benchmarks/results/graph.json. The figure is docs/graph-candidates.svg.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "graph.md"
FIGURE = ROOT / "docs" / "graph-candidates.svg"
RESULTS = ROOT / "benchmarks" / "results" / "graph.json"
SHOWN = 8
"""Ways in the table."""

_PART = re.compile(r"(?<=<!-- benchmarks/graph/page\.py -->\n).*?(?=<!-- until here -->)", re.S)
_TEXT = """\
`scripts/gpu-check --there --graph` on {gpu}: {name} of the document's sizes. {timed} candidates
were timed, all of them verified before; of the {shown} fastest ways to write and to cut the graph,
the fastest. {ended}.

| stage | µs | estimated, µs | compiler | kernels | rules |
|---|---|---|---|---|---|
{rows}

Each dot is a candidate that was timed, right of 1 if it is faster than inductor's `max-autotune`;
the cross is eager torch:

![candidates of seven graphs](graph-candidates.svg)
"""


def render(text: str, results: dict[str, Any]) -> str:
    """The page with what was measured."""
    first = results["rows"][0]
    timed = sorted((c for c in first["candidates"] if c["us"]), key=lambda c: c["us"])
    fastest: dict[tuple[Any, ...], dict[str, Any]] = {}
    for one in timed:
        fastest.setdefault(_way(one), one)
    ways = list(fastest.values())[:SHOWN]
    counts = Counter(first["counts"])
    words = {
        "CUT": "cannot be one kernel", "PRUNED": "could not be faster", "BUDGET": "had no time left"
    }  # fmt: skip
    ended = ", ".join(f"{count} {words.get(stage, stage)}" for stage, count in counts.items())
    part = _TEXT.format(
        gpu=results["facts"]["gpu"]["name"],
        name=first["name"],
        shown=len(ways),
        timed=len(timed),
        ended=f"Of {counts.total()} candidates: {ended}",
        rows="\n".join(map(_row, ways)),
    )
    made, count = _PART.subn(lambda _: part, text)
    if count != 1:
        raise ValueError(f"{PAGE} has {count} places for what was measured, not one")
    return made


def _way(one: dict[str, Any]) -> tuple[Any, ...]:
    """How the graph was written, and what is kept in memory, without blocks."""
    return (*one["rules"], *(kernel.split(" ")[0] for kernel in one["kernels"]))


def _row(one: dict[str, Any]) -> str:
    kernels = "<br>".join(f"`{kernel}`" for kernel in one["kernels"])
    rules = ", ".join(f"`{rule}`" for rule in one["rules"]) or "as given"
    cells = (one["stage"], f"{one['us']:.2f}", f"{one['estimated_us']:.2f}", one["target"])
    return f"| {' | '.join(cells)} | {kernels} | {rules} |"


def draw(rows: list[dict[str, Any]]) -> Any:
    """A row of dots for each graph, a figure of matplotlib."""
    import matplotlib
    from matplotlib.figure import Figure

    matplotlib.rcParams |= {"svg.hashsalt": "triton-shared", "svg.fonttype": "none"}
    figure = Figure(figsize=(9, 0.42 * len(rows) + 1.2))
    axes = figure.subplots()
    for place, row in enumerate(rows):
        peer = row["us"]["inductor"]
        speeds = [peer / one["us"] for one in row["candidates"] if one["us"]]
        axes.plot(speeds, [place] * len(speeds), "o", color="#4878a8", alpha=0.35, markersize=5)
        axes.plot(peer / row["us"]["ours"], place, "o", color="#4878a8", markersize=8)
        axes.plot(peer / row["us"]["eager"], place, "x", color="#c44e52")
    axes.axvline(1.0, color="grey", linewidth=0.8)
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.set_yticks(range(len(rows)), [row["name"] for row in rows])
    axes.invert_yaxis()
    axes.set_xlabel("speed as a multiple of inductor's max-autotune; the large dot is the best")
    figure.tight_layout()
    return figure


def main() -> None:
    """Writes both."""
    results = json.loads(RESULTS.read_text())
    PAGE.write_text(render(PAGE.read_text(), results))
    draw(results["rows"]).savefig(FIGURE, metadata={"Date": None})


if __name__ == "__main__":
    main()
