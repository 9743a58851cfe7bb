"""What checks cost: CPU time of launches with checks to the same launches without, on one thread.

    python -m benchmarks.check [NUMBER] [--write] [--sanitizer PYTHON]

NUMBER measurements per kernel, of which the median counts (default: 15). Besides, once each:
Triton's interpreter, and triton-viz's sanitizer where PYTHON has that package, on the same kernels
and tensors; these look for accesses outside of tensors alone, or for nothing. --write keeps it all
in benchmarks/results/check.json, from which benchmarks/page.py makes a table.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
import triton
import triton.language as tl

ROOT = Path(__file__).resolve().parents[1]
PEERS = ("interpreter", "sanitizer")
PATIENCE = 120
"""Seconds of the clock that a peer has for a kernel."""
SIZE = 1 << 22
SIDE = 512


@triton.jit
def add(x, y, z, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    inside = i < n
    tl.store(z + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


@triton.jit
def softmax(x, y, columns, stride, B: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, B)
    v = tl.load(x + row * stride + i, mask=i < columns, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(y + row * stride + i, e / tl.sum(e, 0), mask=i < columns)


@triton.jit
def matmul(a, b, c, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    j = tl.program_id(1) * B + tl.arange(0, B)
    total = tl.zeros((B, B), tl.float32)
    for start in range(0, n, B):
        k = start + tl.arange(0, B)
        left = tl.load(a + i[:, None] * n + k[None, :], mask=k[None, :] < n, other=0.0)
        right = tl.load(b + k[:, None] * n + j[None, :], mask=k[:, None] < n, other=0.0)
        total += tl.dot(left, right)
    tl.store(c + i[:, None] * n + j[None, :], total)


@triton.jit
def gather(table, index, y, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.load(table + tl.load(index + i)))


@triton.jit
def scatter(x, index, y, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + tl.load(index + i), tl.load(x + i))


@triton.jit
def transpose(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    j = tl.program_id(1) * B + tl.arange(0, B)
    inside = (i < n)[:, None] & (j < n)[None, :]
    tile = tl.load(x + j[None, :] * n + i[:, None], mask=inside)
    tl.store(y + i[:, None] * n + j[None, :], tile, mask=inside)


@triton.jit
def count(index, counts, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(counts + tl.load(index + i, mask=i < n, other=0), 1, mask=i < n)


def launches() -> Iterator[tuple[str, Callable[[], object]]]:
    """Each kernel and how it is launched."""
    x, y, z = torch.rand(SIZE), torch.rand(SIZE), torch.zeros(SIZE)
    yield "add", lambda: add[(SIZE // 1024,)](x, y, z, SIZE, B=1024)
    rows, out = torch.rand(SIZE // 1024, 1024), torch.zeros(SIZE // 1024, 1024)
    yield "softmax", lambda: softmax[(SIZE // 1024,)](rows, out, 1000, 1024, B=1024)
    a, b, c = torch.rand(SIDE, SIDE), torch.rand(SIDE, SIDE), torch.zeros(SIDE, SIDE)
    yield "matmul", lambda: matmul[(SIDE // 64, SIDE // 64)](a, b, c, SIDE, B=64)
    index = torch.randint(0, SIZE, (SIZE,))
    yield "gather", lambda: gather[(SIZE // 1024,)](x, index, z, B=1024)
    order = torch.randperm(SIZE)
    yield "scatter", lambda: scatter[(SIZE // 1024,)](x, order, z, B=1024)
    side = 1 << 11
    yield "transpose", lambda: transpose[(side // 64, side // 64)](x, z, side, B=64)
    counts = torch.zeros(SIZE, dtype=torch.int32)
    yield "count", lambda: count[(SIZE // 1024,)](index, counts, SIZE, B=1024)


def checked(run: Callable[[], object], bounds_only: bool) -> Callable[[], object]:
    """The same launch with checks."""
    import triton_shared

    def launch() -> None:
        with triton_shared.check(bounds_only=bounds_only) as report:
            run()
        assert report.is_clean

    return launch


def measured(repeat: int) -> Iterator[dict[str, Any]]:
    """Of each kernel: the seconds of a launch without checks, and what those with checks cost."""
    import triton_shared
    from triton_shared import measure

    with triton_shared.device("cpu"), triton_shared.launches(threads=1):
        for name, run in launches():
            bounds, everything = (
                measure.ratio(checked(run, bounds_only), run, repeat)
                for bounds_only in (True, False)
            )
            plain = sorted(cpu_seconds(run) for _ in range(repeat))[repeat // 2]
            yield {"kernel": name, "seconds": plain, "bounds": bounds, "all": everything}


def cpu_seconds(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def peer_seconds(peer: str, kernel: str, python: str) -> float | None:
    """CPU seconds of a launch by a peer, in a process of its own; none if it does not end."""
    command = [python, "-W", "ignore", "-m", "benchmarks.check", "--peer", peer, kernel]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    if peer == "interpreter":
        environment["TRITON_INTERPRET"] = "1"
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=PATIENCE
        )
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        print(f"{peer}, {kernel}: {done.stderr[-1000:]}", file=sys.stderr)
        return None
    return float(done.stdout.split()[-1])


def run_peer(peer: str, kernel: str) -> None:
    """Prints what a launch takes in this process."""
    if peer == "sanitizer":
        import triton_viz

        globals()[kernel] = triton_viz.trace("sanitizer")(globals()[kernel])
    run = dict(launches())[kernel]
    print(cpu_seconds(run))


def main(words: list[str]) -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repeat", nargs="?", type=int, default=15)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--sanitizer", metavar="PYTHON", help="one that has triton-viz")
    parser.add_argument("--peer", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    if options.peer:
        return run_peer(*options.peer)
    from benchmarks import page

    rows = []
    pythons = {"interpreter": sys.executable, "sanitizer": options.sanitizer}
    print("| kernel | bounds | all | interpreter | sanitizer |\n|---|---|---|---|---|")
    for row in measured(options.repeat):
        for peer in PEERS:
            python = pythons[peer]
            taken = peer_seconds(peer, row["kernel"], python) if python else None
            row[peer] = taken and taken / row["seconds"]
        rows.append(row)
        print(page.check_row(row), flush=True)
    if options.write:
        facts = {"cpu": page.cpu_name(), "triton": triton.__version__, "repeat": options.repeat}
        text = json.dumps({**facts, "rows": rows}, indent=1)
        (page.RESULTS / "check.json").write_text(text + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
