"""`python -m triton_shared.graph fuzz`: random graphs, all candidates verified."""

from __future__ import annotations

import argparse
import concurrent.futures
import multiprocessing
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from . import fuzz


def main(words: list[str]) -> int:
    """Exit code 1 if a candidate is wrong."""
    parser = argparse.ArgumentParser(prog="python -m triton_shared.graph", description=__doc__)
    parser.add_argument("command", choices=["fuzz"])
    parser.add_argument("--seed", type=int, default=0, help="of the first graph")
    parser.add_argument("--count", type=int, default=20, help="graphs, one for each seed")
    parser.add_argument("--each", type=int, default=3, help="candidates of each")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--output", type=Path, default=Path("graph-fuzz"), help="for reproducers")
    options = parser.parse_args(words)
    start, done, wrong = time.monotonic(), 0, 0
    seeds = range(options.seed, options.seed + options.count)
    for number, found in _results(seeds, options.each, options.jobs):
        done += number
        for one in found:
            wrong += 1
            print(one.describe(), f"\nrepeat with: python {fuzz.write(one, options.output)}")
    seconds = time.monotonic() - start
    print(f"{options.count} graphs, {done} candidates, {wrong} wrong, {seconds:.0f} s")
    return 1 if wrong else 0


def _results(seeds: range, each: int, jobs: int) -> Iterator[tuple[int, list[fuzz.Found]]]:
    if jobs == 1:
        for seed in seeds:
            yield fuzz.run(seed, each)
        return
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(jobs, context) as pool:
        waiting = [pool.submit(fuzz.run, seed, each) for seed in seeds]
        for one in concurrent.futures.as_completed(waiting):
            yield one.result()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
