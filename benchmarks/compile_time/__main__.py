"""Times compilations from TTIR to a cubin by this compiler and by Triton's own; needs no GPU.

python -m benchmarks.compile_time              from the root of the tree: prints the tables
python -m benchmarks.compile_time --write      also benchmarks/results/compile-time.json and page
"""

from __future__ import annotations

import argparse
import json

import triton
from rich.progress import track
from triton_shared.cuda import tools

from benchmarks import page

from .cases import CASES, tuned
from .measure import compare, compare_all


def main() -> None:
    """Measures, prints, and writes if asked to."""
    parser = argparse.ArgumentParser(description="Times compilations by both compilers.")
    parser.add_argument("--write", action="store_true", help="update the JSON and the page")
    parser.add_argument("--only", default="", help="kernels whose names contain this")
    parser.add_argument("--repeat", type=int, default=7, help="measurements of each (default: 7)")
    parser.add_argument("--no-tuning", action="store_true", help="no list of configurations")
    options = parser.parse_args()
    if options.write and (options.only or options.no_tuning):
        parser.error("what is written is all or nothing: leave out --only and --no-tuning")

    cases = [case for case in CASES if options.only in case.name]
    rows = [compare(case, options.repeat) for case in track(cases, "kernels")]
    print(page.compile_table(rows), flush=True)
    if options.no_tuning:
        return
    tuning = compare_all(tuned(), max(1, options.repeat // 3))
    print(page.tuning_text(tuning))
    if options.write:
        versions = {"triton": triton.__version__, "ptxas": tools.version_of(tools.find_ptxas())}
        report = {**versions, "cpu": page.cpu_name(), "rows": rows, "tuning": tuning}
        file = page.RESULTS / "compile-time.json"
        file.write_text(json.dumps(report, indent=1) + "\n")
        page.write()


if __name__ == "__main__":
    main()
