"""Compares the CPU and the GPU on every launch, and tells in a table and as JSON.

Work goes on where an earlier call stopped: recordings and results are kept. A kernel that crashes
or hangs costs its own result and nothing else.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from triton_shared.diff import run, workers
from triton_shared.diff.comparison import LaunchReport
from triton_shared.diff.replay import REFERENCES
from triton_shared.diff.report import describe

TARGETS = ("cpu", "shared_cuda")
WORKERS = 8


@dataclass(frozen=True)
class Row:
    """One launch."""

    name: str
    kernel: str
    verdict: str
    """agree, differ, refused (it does not compile), failed (it does not run), left (no time)."""
    policies: tuple[str, ...]
    margin: float
    message: str
    detail: list[str]
    """A text for each tensor that differs."""
    registers: int
    spills: int
    seconds: float

    def as_json(self) -> dict[str, Any]:
        """For the table that is committed."""
        facts = dict(self.__dict__)
        facts["margin"] = self.margin if self.margin < 1e300 else "inf"
        return facts


def check(launches: list[Path], timeout: float, deadline: float) -> list[Row]:
    """Runs and compares."""
    for target in TARGETS:
        _replay(launches, (target,), timeout, deadline)
    rounding = [launch for launch in launches if run.needs_reference(launch, TARGETS)]
    _replay(rounding, REFERENCES, timeout, deadline)
    with ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(lambda launch: _row(launch, launch in rounding), launches))


def _replay(
    launches: list[Path], targets: tuple[str, ...], timeout: float, deadline: float
) -> None:
    parts = [launches[i::WORKERS] for i in range(WORKERS)]

    def one(part: list[Path]) -> None:
        workers.replay_all(part, targets, timeout, deadline)

    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(one, filter(None, parts)))


def _row(launch: Path, rounds: bool) -> Row:
    gpu = workers.result(launch, TARGETS[1])
    report = run.compare_one(launch, TARGETS)
    lacks_reference = rounds and any(
        workers.result(launch, name).error == "not run" for name in REFERENCES
    )
    tensors = [tensor for tensor in report.tensors if tensor.policy != "exact"]
    return Row(
        name=launch.name,
        kernel=report.kernel,
        verdict=_verdict(report, gpu, lacks_reference),
        policies=tuple(sorted({tensor.policy for tensor in report.tensors})),
        margin=max((tensor.margin for tensor in tensors), default=0.0),
        message=report.message,
        detail=[describe(tensor, TARGETS) for tensor in report.tensors if not tensor.is_equal],
        registers=gpu.facts.get("n_regs", 0),
        spills=gpu.facts.get("n_spills", 0),
        seconds=round(gpu.seconds, 3),
    )


def _verdict(report: LaunchReport, gpu: workers.Result, lacks_reference: bool) -> str:
    if report.status == "different" and lacks_reference:
        return "left"  # How far off a right result may be is not known: there was no time for it.
    if report.status != "failed":
        return {"equal": "agree", "different": "differ"}[report.status]
    if gpu.error == "not run":
        return "left"
    return "refused" if gpu.error in ("CompilationError", "CompilerCrashError") else "failed"


def table(rows: Iterable[Row]) -> str:
    """What did not agree, one line each, then the counts."""
    rows = list(rows)
    lines = []
    for row in rows:
        if row.verdict == "agree":
            continue
        reason = next((line for line in row.message.splitlines() if "error:" in line), row.message)
        shown = reason.strip().splitlines()[-1:] or " ".join(row.detail[:1]).splitlines()
        words = " ".join(" ".join(shown).split())
        lines.append(f"{row.verdict:<8} {row.name:<36} {words[:230]}")
    counts = Counter(row.verdict for row in rows)
    margin = max((row.margin for row in rows if row.verdict == "agree"), default=0.0)
    spilled = sum(row.spills > 0 for row in rows)
    told = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
    lines.append(f"{len(rows)} launches: {told}; largest margin of those that agree {margin:.2f}")
    lines.append(f"{spilled} kernels spill registers")
    return "\n".join(lines)


def sanitize(launches: list[Path], place: Path, count: int, deadline: float) -> dict[str, str]:
    """Runs a sample under compute-sanitizer's memcheck; gives a verdict by name."""
    tool = shutil.which("compute-sanitizer")
    if not tool:
        return {"": "compute-sanitizer is not installed"}
    verdicts = {}
    agreeing = [launch for launch in launches if workers.result(launch, TARGETS[1]).succeeded]
    step = max(1, len(agreeing) // count)
    for launch in agreeing[::step][:count]:
        left = deadline - time.monotonic() if deadline else 120.0
        if left < 15:
            verdicts[launch.name] = "no time"
            continue
        copy = place / launch.name
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(launch, copy, ignore=shutil.ignore_patterns(*TARGETS, *REFERENCES))
        worker = [sys.executable, "-m", "triton_shared.diff.worker", TARGETS[1], str(copy)]
        command = [tool, "--tool", "memcheck", "--error-exitcode", "86", *worker]
        environment = workers.environment(TARGETS[1]) | {"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}
        try:
            done = subprocess.run(
                command, env=environment, capture_output=True, text=True, timeout=min(left, 120)
            )
        except subprocess.TimeoutExpired:
            verdicts[launch.name] = "timeout"
            continue
        found = [line for line in done.stdout.splitlines() if "Invalid" in line]
        fine = "ERROR SUMMARY: 0 errors" in done.stdout
        verdicts[launch.name] = "clean" if fine else "; ".join(found[:2]) or done.stdout[-300:]
    return verdicts


def write(rows: list[Row], facts: dict[str, Any], path: Path) -> None:
    """The JSON that is committed. The thousands of launches of tests that agree are counted."""
    counts = Counter(row.verdict for row in rows)
    counted: list[str] = []
    kept = []
    for row in rows:
        kind, file, *_ = row.name.split("-")
        if kind == "tests" and row.verdict == "agree":
            counted.append(file)
        else:
            kept.append(row.as_json())
    tests = dict(sorted(Counter(counted).items()))
    whole = {**facts, "counts": dict(counts), "tests": tests, "rows": kept}
    path.write_text(json.dumps(whole, indent=1) + "\n")
