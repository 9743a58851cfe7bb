"""Times kernels against eager torch in the same process, one thread each.

    ../.venv/bin/python ../benchmarks/peers.py            from python/; prints a table
    … --write                                             also benchmarks/results/cpu-reference.json
                                                          and docs/performance.md

The machines are noisy, so nothing is compared over time: ours and torch run in turn, and what
counts is the median of the ratios of neighbours. A ratio above 1 means that ours is faster.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

import page
import torch
import triton
import triton_shared
from examples.attention import attention
from examples.layer_norm import forward
from examples.matmul import matmul
from examples.softmax import softmax
from examples.vector_add import add
from triton_shared import knobs, library

ROOT = Path(__file__).resolve().parents[1]
Run = Callable[[], object]


@dataclass(frozen=True)
class Result:
    """One kernel at one size."""

    kernel: str
    size: str
    seconds: float
    torch_seconds: float
    ratio: float


def pairs() -> list[tuple[str, str, Run, Run]]:
    """Kernel, size, ours, torch's."""
    torch.manual_seed(0)
    x, y = torch.rand(1 << 20), torch.rand(1 << 20)
    rows = torch.randn(1024, 1024)
    weight, bias = torch.rand(1024), torch.rand(1024)
    a, b = torch.randn(256, 256), torch.randn(256, 256)
    q, k, v = (torch.randn(4, 256, 64) for _ in range(3))
    functional = torch.nn.functional
    return [
        ("vector add f32", "2^20", lambda: add(x, y), lambda: x + y),
        ("softmax f32", "1024x1024", lambda: softmax(rows), lambda: torch.softmax(rows, 1)),
        (
            "layer norm f32",
            "1024x1024",
            lambda: forward(rows, weight, bias),
            lambda: functional.layer_norm(rows, (1024,), weight, bias, 1e-5),
        ),
        ("matmul f32", "256^3", lambda: matmul(a, b, tile=(64, 64, 32)), lambda: a @ b),
        (
            "attention f32",
            "4 heads, 256x64",
            lambda: attention(q, k, v, False),
            lambda: functional.scaled_dot_product_attention(q, k, v),
        ),
    ]


def seconds(run: Run) -> float:
    """CPU time of one call on this thread: what other processes take does not count."""
    start = time.thread_time()
    run()
    return time.thread_time() - start


def measure(kernel: str, size: str, ours: Run, peer: Run, repeat: int) -> Result:
    """Runs both in turn."""
    ours(), peer()
    times = [(seconds(ours), seconds(peer)) for _ in range(repeat)]
    return Result(
        kernel,
        size,
        statistics.median(t for t, _ in times),
        statistics.median(t for _, t in times),
        statistics.median(p / o for o, p in times),
    )


def main() -> None:
    """Measures, prints, and writes if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="update the JSON and the page")
    parser.add_argument("--repeat", type=int, default=15, help="runs of each (default: 15)")
    options = parser.parse_args()

    torch.set_num_threads(1)
    library.set_launch_settings(knobs.LaunchSettings(1, "forward", 0))
    with triton_shared.device("cpu"):
        results = [measure(*pair, options.repeat) for pair in pairs()]
    rows = [asdict(result) for result in results]
    print(page.cpu_table(rows))
    if options.write:
        report = {
            "triton": triton.__version__,
            "torch": torch.__version__,
            "repeat": options.repeat,
            "results": rows,
        }
        path = ROOT / "benchmarks" / "results" / "cpu-reference.json"
        path.write_text(json.dumps(report, indent=2) + "\n")
        page.write()


if __name__ == "__main__":
    main()
