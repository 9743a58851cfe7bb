"""Times how long it takes until all of vLLM's kernels are there, from an empty cache.

    python -m benchmarks.cold [--write] [--processes N]     from the root of the tree

Processes that have imported everything take cases of python/test/vllm_cases.py, those that take
longest first, and run each once: frontend, compiler, and the first launch. What counts is the wall
time until the last has ended, as for a server that warms up.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing.connection
import os
import sys
import tempfile
import time
from multiprocessing.connection import Connection
from typing import Any

from benchmarks import page

FILE = page.RESULTS / "vllm-cold.json"
TESTS = page.ROOT / "python" / "test"
LONGEST = ("delta_attention_in_chunks", "gated_delta_rule_in_chunks", "top_k_and_top_p")
"""Cases that end late if they begin late."""


def work(connection: Connection) -> None:
    """Runs the cases whose names come through `connection`, until there is none."""
    sys.path[:0] = [str(TESTS), str(page.ROOT / "python")]
    import test_clients_vllm as tests
    import torch
    import triton_shared

    torch.set_num_threads(1)
    cases = {case.name: case for case in tests.vllm_cases.CASES}
    connection.send(list(cases))
    with triton_shared.device("cpu"):
        while name := connection.recv():
            # The arguments are no part of what is timed, but take next to nothing.
            tests.on_the_cpu(cases[name].make()[0])()
            connection.send(name)


def measure(processes: int) -> dict[str, Any]:
    """Wall seconds, and how many cases there were."""
    spawn = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as cache:
        os.environ["TRITON_CACHE_DIR"] = cache
        workers = []
        for _ in range(processes):
            ours, theirs = spawn.Pipe()
            spawn.Process(target=work, args=(theirs,), daemon=True).start()
            theirs.close()
            workers.append(ours)
        lists = [worker.recv() for worker in workers]
        names = lists[0]
        left = sorted(names, key=lambda name: name in LONGEST)
        start = time.perf_counter()
        busy = workers[: len(left)]
        for worker in busy:
            worker.send(left.pop())
        while busy:
            for worker in multiprocessing.connection.wait(busy):
                assert isinstance(worker, Connection)
                worker.recv()
                if left:
                    worker.send(left.pop())
                else:
                    busy.remove(worker)
        taken = time.perf_counter() - start
        for worker in workers:
            worker.send("")
        return {"seconds": taken, "cases": len(names)}


def main() -> None:
    """Measures, prints, and writes if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="update the JSON")
    parser.add_argument("--processes", type=int, default=2, help="(default: 2)")
    options = parser.parse_args()
    result = {"cpu": page.cpu_name(), "processes": options.processes, **measure(options.processes)}
    print(json.dumps(result))
    if options.write:
        FILE.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
