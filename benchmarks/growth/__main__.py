"""Times compilations of kernels of growing length and prints a table.

python -m benchmarks.growth            from the root of the tree
python -m benchmarks.growth --write    also benchmarks/results/growth.json and docs/performance.md
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
from .measure import measure

LINES = (25, 100, 300, 1000)
WAYS = ("fast", "reference", "cuda:90")
"""How kernels are compiled: the CPU's modes, a GPU."""


def words_of(way: str) -> str:
    """`way` as the native compiler reads it; for the GPU without `ptxas`, which is not ours."""
    if way != "cuda:90":
        return f"mode={way}"
    return f"{parse_options(Target.parse(way), {}).words()} to-phase=ptx"


def grow(kind: Kind, way: str, folder: Path, lines: tuple[int, ...]) -> dict[str, Any]:
    """The costs of the kernels of `kind`; longer ones are not tried after one was given up."""
    target = "cpu" if way in ("fast", "reference") else way
    costs = {}
    for n in lines:
        file = folder / f"{kind.name}-{n}-{target.replace(':', '')}.mlir"
        if not file.is_file():
            file.write_text(kind.ttir(n, folder, target))
        cost = measure(file, words_of(way))
        costs[str(n)] = asdict(cost)
        if cost.seconds is None:
            break
    return {"kind": kind.name, "way": way, "costs": costs}


def main() -> None:
    """Measures, prints, and writes if asked to."""
    parser = argparse.ArgumentParser(description="Times compilations of kernels of any length.")
    parser.add_argument("--write", action="store_true", help="update the JSON, page and plot")
    parser.add_argument("--only", default="", help="kinds whose names contain this")
    parser.add_argument("--way", choices=WAYS, help="only this way of compiling")
    parser.add_argument("--most", type=int, default=max(LINES), help="lines of the longest kernel")
    options = parser.parse_args()

    kinds = [kind for kind in KINDS if options.only in kind.name]
    ways = [options.way] if options.way else list(WAYS)
    lines = tuple(n for n in LINES if n <= options.most)
    with tempfile.TemporaryDirectory() as folder:
        pairs = [(kind, way) for kind in kinds for way in ways]
        rows = [grow(kind, way, Path(folder), lines) for kind, way in track(pairs, "kernels")]
    print(page.growth_table(rows))
    if options.write and not (options.only or options.way):
        report = {"triton": triton.__version__, "cpu": page.cpu_name(), "results": rows}
        (page.RESULTS / "growth.json").write_text(json.dumps(report, indent=2) + "\n")
        page.write()
        plot.write(rows, page.ROOT / "docs" / "performance-growth.svg")


if __name__ == "__main__":
    main()
