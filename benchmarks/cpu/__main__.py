"""Times kernels on this CPU and prints a table.

python -m benchmarks.cpu            from the root of the tree
python -m benchmarks.cpu --write    also benchmarks/results/cpu.json and docs/performance.md
"""

from __future__ import annotations

import argparse
import ctypes
import json
from dataclasses import asdict

import torch
import torch._inductor.config as inductor
import triton
import triton_shared
from rich.progress import track
from torch._inductor.utils import fresh_cache

from benchmarks import page

from . import cases, costs, plot, speed

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
"""Of malloc.h."""


def keep_freed_memory() -> None:
    """Lets the C library hand out again what was freed, however large, instead of fresh pages.

    Ours and peers with `out=` need no memory; without this, the others would pay for its pages.
    """
    library = ctypes.CDLL(None)
    if not hasattr(library, "mallopt"):
        return  # Not glibc.
    library.mallopt(M_MMAP_THRESHOLD, 1 << 30)
    library.mallopt(M_TRIM_THRESHOLD, (1 << 31) - 1)


def main() -> None:
    """Measures, prints, and writes if asked to."""
    parser = argparse.ArgumentParser(description="Times kernels on this CPU against torch.")
    parser.add_argument("--write", action="store_true", help="update the JSON, page and plot")
    parser.add_argument("--repeat", type=int, default=9, help="runs of each (default: 9)")
    parser.add_argument("--only", default="", help="kernels whose names contain this")
    parser.add_argument("--no-inductor", action="store_true", help="leave out torch.compile")
    options = parser.parse_args()

    keep_freed_memory()
    chosen = [case for case in cases.all_cases() if options.only in case.name]
    with triton_shared.device("cpu"), fresh_cache(), inductor.patch(compile_threads=1):
        rows = [
            asdict(speed.measure(case, options.repeat, not options.no_inductor))
            for case in track(chosen, "kernels")
        ]
        print(page.cpu_table(rows))
        if not options.only:
            found = asdict(costs.measure(options.repeat))
            print(page.cpu_costs(found))
    if options.write and not options.only:
        report = {
            "triton": triton.__version__,
            "torch": torch.__version__,
            "cpu": page.cpu_name(),
            "repeat": options.repeat,
            "rest": speed.REST,
            "results": rows,
            "costs": found,
        }
        (page.RESULTS / "cpu.json").write_text(json.dumps(report, indent=2) + "\n")
        page.write()
        plot.write(rows, page.ROOT / "docs" / "performance-cpu.svg")


if __name__ == "__main__":
    main()
