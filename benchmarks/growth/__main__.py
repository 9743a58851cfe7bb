"""Times compilations of kernels of growing length and prints a table.

python -m benchmarks.growth            from the root of the tree
python -m benchmarks.growth --write    also benchmarks/results/growth.json and docs/performance.md,
                                       kind by kind
"""

from __future__ import annotations

import argparse
import json
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import triton
from rich.progress import track
from triton_shared.frontend import Target, parse_options

from benchmarks import page

from . import plot
from .kinds import KINDS, Kind
from .measure import GIVEN_UP, Cost, measure

LINES = (25, 100, 400, 1000)
GPU = "cuda:90a"
WAYS = ("fast", "reference", "PTX", "ptxas")
"""The CPU's modes, and the two halves of compiling for a GPU: up to PTX, and what NVIDIA's
assembler makes of that."""
REPEATED = 30.0
"""Seconds: what takes less is measured several times, for the least."""
Rows = list[dict[str, Any]]


def lesser(costs: list[Cost]) -> Cost:
    """The least of some measurements, as other processes only make one longer."""
    if any(cost.seconds is None for cost in costs):
        return GIVEN_UP
    return min(costs, key=lambda cost: cost.seconds or 0.0)


def measure_lengths(inputs: list[tuple[Path, str]], repeat: int) -> list[Cost]:
    """A cost for each input, up to the first one that is given up.

    All lengths are measured before any is again: what else the machine does, and what that leaves
    of its caches, is then the same for short and long kernels.
    """
    costs: list[list[Cost]] = []
    for file, words in inputs:
        costs.append([measure(file, words)])
        if costs[-1][0].seconds is None:
            break
    for _ in range(repeat - 1):
        for (file, words), known in zip(inputs, costs, strict=False):
            if (known[0].seconds or REPEATED) < REPEATED:
                known.append(measure(file, words))
    return [lesser(known) for known in costs]


def grow(kind: Kind, folder: Path, ways: list[str], lines: tuple[int, ...], repeat: int) -> Rows:
    """A row for each of `ways`; longer kernels are not tried after one was given up."""
    rows = []
    for way in ways:
        target = GPU if way in ("PTX", "ptxas") else "cpu"
        inputs = []
        for n in lines:
            file = folder / f"{kind.name}-{n}-{target.replace(':', '')}.mlir"
            if not file.is_file():
                file.write_text(kind.ttir(n, folder, target))
            inputs.append(_inputs(way, file))
        costs = measure_lengths(inputs, repeat)
        named = {str(n): asdict(cost) for n, cost in zip(lines, costs, strict=False)}
        rows.append({"kind": kind.name, "way": way, "costs": named})
    return rows


def _inputs(way: str, file: Path) -> tuple[Path, str]:
    """The file and the words for `measure`."""
    if way == "PTX":
        return file, f"{parse_options(Target.parse(GPU), {}).words()} to-phase=ptx"
    return (file.with_suffix(".ptx"), GPU) if way == "ptxas" else (file, f"mode={way}")


def main() -> None:
    """Measures, prints, and writes if asked to."""
    parser = argparse.ArgumentParser(description="Times compilations of kernels of any length.")
    parser.add_argument("--write", action="store_true", help="update the JSON, page and plot")
    parser.add_argument("--only", default="", help="kinds whose names contain this")
    parser.add_argument("--ways", nargs="+", choices=WAYS, help="only these; ptxas needs PTX")
    parser.add_argument("--most", type=int, default=max(LINES), help="lines of the longest kernel")
    parser.add_argument("--repeat", type=int, default=3, help="measurements of each (default: 3)")
    options = parser.parse_args()

    kinds = [kind for kind in KINDS if options.only in kind.name]
    ways = [way for way in WAYS if way in (options.ways or WAYS)]
    lines = tuple(n for n in LINES if n <= options.most)
    with tempfile.TemporaryDirectory() as folder:
        for kind in track(kinds, "kinds"):
            rows = grow(kind, Path(folder), ways, lines, options.repeat)
            print(page.growth_table(rows), flush=True)
            if options.write:
                write(rows)


def write(rows: Rows) -> None:
    """Puts `rows` in place of those of the same kinds and ways."""
    file = page.RESULTS / "growth.json"
    old = json.loads(file.read_text())["results"] if file.is_file() else []
    known = {(row["kind"], row["way"]): row for row in [*old, *rows]}
    order = [(kind.name, way) for kind in KINDS for way in WAYS]
    merged = [known[key] for key in order if key in known]
    report = {"triton": triton.__version__, "cpu": page.cpu_name(), "results": merged}
    file.write_text(json.dumps(report, indent=2) + "\n")
    page.write()
    plot.write(merged, page.ROOT / "docs" / "performance-growth.svg")


if __name__ == "__main__":
    main()
