"""What a search finds for each graph on this CPU, beside eager torch and inductor's C++ backend.

    python -m benchmarks.graph.cpu --only LoRA
    python -m benchmarks.graph.cpu --write     also benchmarks/results/graph-cpu.json

One thread each, in pairs; what counts is the median of the ratios. Rows of other calls stay.
Numbers are bf16: torch has no fast product of f16 on a CPU, 53 ms where bf16 takes 0.6 and f32 0.9.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import torch
import triton_shared
from torch._inductor.utils import fresh_cache
from triton_shared.graph.judging import FullSize
from triton_shared.measure import ratio

from benchmarks.cpu.__main__ import keep_freed_memory
from benchmarks.cpu.speed import use_threads
from benchmarks.page import cpu_name

from .cases import CASES, Case

RESULTS = Path(__file__).resolve().parents[1] / "results" / "graph-cpu.json"


def measure(case: Case, budget: float, candidates: int, repeat: int) -> dict[str, Any]:
    """The row of a graph."""
    inputs = case.inputs("cpu", torch.bfloat16)
    graph = case.graph(torch.bfloat16)
    best = graph.superoptimize(
        inputs=inputs, budget=budget, candidates=candidates, graphs=12, cache=False,
        profile_iters=20,
    )  # fmt: skip
    report = best.report()
    assert report.best
    program = best.program
    found = program(inputs)
    execute = program.module(program.sizes_of(inputs)).execute_mugraph

    def ours() -> Any:
        return execute(*inputs)

    torch._dynamo.reset()
    with fresh_cache(), torch.no_grad():
        compiled = torch.compile(case.torch, dynamic=False)
        compiled(*inputs)
        with triton_shared.device("cpu"):
            ratios = {
                name: ratio(lambda peer=peer: peer(*inputs), ours, repeat)
                for name, peer in (("eager", case.torch), ("inductor", compiled))
            }
    timed = [row for row in report.rows if row.time is not None]
    return {
        "name": case.name,
        "shapes": case.shapes,
        "ratio": ratios,
        "wrong": FullSize(graph.graph, inputs).wrong(found),
        "timed": len(timed),
        "verified": sum(row.launches > 0 for row in timed),
        "counts": report.counts(),
        "best": {"kernels": report.best.kernels, "rules": report.best.rules},
        "seconds": round(report.seconds, 1),
    }


def main() -> None:
    """Measures, prints, and writes if asked to."""
    parser = argparse.ArgumentParser(description="Times graphs on this CPU against inductor.")
    add = parser.add_argument
    add("--write", action="store_true", help="update the JSON")
    add("--only", default="", help="graphs whose names contain this")
    add("--budget", type=float, default=120.0, help="seconds of each search (default: 120)")
    add("--candidates", type=int, default=16, help="that are verified at most (default: 16)")
    add("--repeat", type=int, default=9, help="pairs (default: 9)")
    options = parser.parse_args()
    use_threads(1)
    keep_freed_memory()
    known = json.loads(RESULTS.read_text())["rows"] if RESULTS.is_file() else []
    rows = {row["name"]: row for row in known}
    for case in CASES:
        if options.only.lower() not in case.name.lower():
            continue
        row = measure(case, options.budget, options.candidates, options.repeat)
        rows[case.name] = row
        ratios = "  ".join(f"{name} {value:.2f}" for name, value in row["ratio"].items())
        print(f"{case.name:<9} {ratios}  {row['timed']} timed  {row['best']}  {row['wrong']}")
        if options.write:
            kept = [rows[one.name] for one in CASES if one.name in rows]
            facts = {"cpu": cpu_name(), "torch": torch.__version__, "repeat": options.repeat}
            RESULTS.write_text(json.dumps({**facts, "rows": kept}, indent=1) + "\n")


if __name__ == "__main__":
    main()
