"""Times compilations of kernels of growing length, or with growing blocks, and prints a table.

python -m benchmarks.growth             from the root of the tree
python -m benchmarks.growth --blocks    blocks of one kernel, next to Triton's own compiler
python -m benchmarks.growth --write     also benchmarks/results/growth.json and docs/performance.md,
                                        kind by kind
"""

from __future__ import annotations

import argparse
import json
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import triton
from rich.progress import track
from triton_shared.frontend import Target, parse_options

from benchmarks import page

from . import plot
from .blocks import BLOCKS, NUM_WARPS, SIZES, Block
from .kinds import KINDS, Kind
from .measure import GIVEN_UP, Cost, measure

LINES = (25, 100, 400, 1000)
GPU = "cuda:90a"
WAYS = ("fast", "reference", "PTX", "ptxas")
"""The CPU's modes, and the two halves of compiling for a GPU: up to PTX, and what NVIDIA's
assembler makes of that."""
TRITONS = ("Triton's PTX", "ptxas of Triton's")
"""The same halves by Triton's own backend."""
REPEATED = 30.0
"""Seconds: what takes less is measured several times, for the least."""
Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Table:
    """What is measured, and where it lies in the results."""

    kinds: tuple[Kind | Block, ...]
    ways: tuple[str, ...]
    sizes: tuple[int, ...]
    key: str
    cpu_key: str


LENGTH_TABLE = Table(KINDS, WAYS, LINES, "results", "cpu")
BLOCK_TABLE = Table(BLOCKS, (*WAYS, *TRITONS), SIZES, "blocks", "blocks_cpu")


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


def grow(
    kind: Kind | Block, folder: Path, ways: list[str], sizes: tuple[int, ...], repeat: int
) -> Rows:
    """A row for each of `ways`; longer kernels, or larger blocks, are not tried after one was given
    up."""
    rows = []
    for way in ways:
        target = "cpu" if way in ("fast", "reference") else GPU
        inputs = []
        for n in sizes:
            file = folder / f"{kind.name}-{n}-{target.replace(':', '')}.mlir"
            if not file.is_file():
                file.write_text(kind.ttir(n, folder, target))
            inputs.append(_inputs(way, file, NUM_WARPS if isinstance(kind, Block) else 4))
        costs = measure_lengths(inputs, repeat)
        named = {str(n): asdict(cost) for n, cost in zip(sizes, costs, strict=False)}
        rows.append({"kind": kind.name, "way": way, "costs": named})
    return rows


def _inputs(way: str, file: Path, num_warps: int) -> tuple[Path, str]:
    """The file and the words for `measure`."""
    if way == "PTX":
        options = parse_options(Target.parse(GPU), {"num_warps": num_warps})
        return file, f"{options.words()} to-phase=ptx"
    if way == TRITONS[0]:
        return file, f"triton {num_warps}"
    assembled = {"ptxas": ".ptx", TRITONS[1]: ".triton.ptx"}
    if way in assembled:
        return file.with_suffix(assembled[way]), GPU
    return file, f"mode={way}"


def main() -> None:
    """Measures, prints, and writes if asked to."""
    parser = argparse.ArgumentParser(description="Times compilations of kernels of any length.")
    parser.add_argument("--write", action="store_true", help="update the JSON, page and plot")
    parser.add_argument("--blocks", action="store_true", help="growing blocks, not kernels")
    parser.add_argument("--only", default="", help="kinds whose names contain this")
    every = (*WAYS, *TRITONS)
    parser.add_argument("--ways", nargs="+", choices=every, help="only these; ptxas needs PTX")
    parser.add_argument("--most", type=int, help="lines of the longest kernel, or elements")
    parser.add_argument("--repeat", type=int, default=3, help="measurements of each (default: 3)")
    options = parser.parse_args()

    table = BLOCK_TABLE if options.blocks else LENGTH_TABLE
    kinds = [kind for kind in table.kinds if options.only in kind.name]
    ways = [way for way in table.ways if way in (options.ways or table.ways)]
    sizes = tuple(n for n in table.sizes if n <= (options.most or max(table.sizes)))
    with tempfile.TemporaryDirectory() as folder:
        for kind in track(kinds, "kinds"):
            rows = grow(kind, Path(folder), ways, sizes, options.repeat)
            print(page.growth_table(rows), flush=True)
            if options.write:
                write(rows, table)


def write(rows: Rows, table: Table) -> None:
    """Puts `rows` in place of those of the same kinds and ways."""
    file = page.RESULTS / "growth.json"
    report = json.loads(file.read_text()) if file.is_file() else {}
    known = {(row["kind"], row["way"]): row for row in [*report.get(table.key, []), *rows]}
    order = [(kind.name, way) for kind in table.kinds for way in table.ways]
    report[table.key] = [known[key] for key in order if key in known]
    report |= {"triton": triton.__version__, table.cpu_key: page.cpu_name()}
    file.write_text(json.dumps(report, indent=2) + "\n")
    page.write()
    plot.write(report.get(LENGTH_TABLE.key, []), page.ROOT / "docs" / "performance-growth.svg")


if __name__ == "__main__":
    main()
