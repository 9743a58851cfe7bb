"""Kernels that users have reported to be compiled wrong, each made anew from what its thread says.

    scripts/gpu-check --there --threads

compares every configuration of each on Triton's own backend and ours with the CPU, and goes down
the ladder of `triton_shared.blame` for what is wrong. Without a GPU, the emulator stands in:

    python -m triton_shared.diff FILE --configs --targets cpu,emulated
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SIDES = ("nvidia", "shared_cuda")
"""Triton's own backend, and ours."""
_COMPARE, _BLAME = 240, 200
"""Seconds for each."""


@dataclass(frozen=True)
class Thread:
    """One report, and how its kernels are compared."""

    name: str
    file: str
    words: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()

    @property
    def source(self) -> Path:
        """The file with its kernels."""
        return HERE / self.file


THREADS = (
    Thread("fla 640", "fla_640.py", ("--scratch", "dg")),
    Thread("fla 984", "fla_984.py"),
    Thread("fla 1262", "fla_1262.py"),
    Thread(
        "fla 1262, as reported",
        "fla_1262.py",
        environment=(("PTXAS_OPTIONS", "--regAllocOptLevel=2"),),
    ),
)


def main(out: Path, only: str) -> int:
    """Runs all; gives the exit code, which says whether our own backend is wrong."""
    wanted = [thread for thread in THREADS if only in thread.name]
    jobs = [(thread, side) for thread in wanted for side in SIDES]
    with ThreadPoolExecutor(len(jobs)) as pool:
        rows = list(pool.map(lambda job: _look(*job), jobs))
    for row in rows:
        print(f"== {row['name']} on {row['side']}: {row['verdict']} ({row['seconds']} s)")
        print(row["text"], flush=True)
        if row["blame"]:
            print(row["blame"], flush=True)
    out.mkdir(parents=True, exist_ok=True)
    (out / "threads.json").write_text(json.dumps(rows, indent=1) + "\n")
    return int(any(row["side"] == SIDES[1] and row["verdict"] != "right" for row in rows))


def _look(thread: Thread, side: str) -> dict[str, Any]:
    """What comparing says, and who is to blame for what is wrong."""
    start = time.monotonic()
    words = ["diff", str(thread.source), "--configs", "--targets", f"cpu,{side}", *thread.words]
    code, text = _run(words, thread, _COMPARE)
    row = {"name": thread.name, "side": side, "text": text, "blame": ""}
    row["verdict"] = {0: "right", 1: "WRONG"}.get(code, "no answer")
    if code == 1:
        words = ["blame", str(thread.source), "--configs", "--suspect", side, *thread.words]
        words += [f"--ptxas={path}" for path in _other_assemblers()]
        _, row["blame"] = _run(words, thread, _BLAME)
    return {**row, "seconds": round(time.monotonic() - start, 1)}


def _other_assemblers() -> list[Path]:
    """The ptxas of the machine's own CUDA, if there is one."""
    path = Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin", "ptxas")
    return [path] if path.is_file() else []


def _run(words: list[str], thread: Thread, seconds: float) -> tuple[int, str]:
    tool, *rest = words
    command = [sys.executable, "-W", "ignore", "-m", f"triton_shared.{tool}", *rest]
    # Cases are made of tensors of the CPU, on a machine where Triton's own driver would be active.
    environment = {**os.environ, "TRITON_SHARED_ACTIVE": "1", **dict(thread.environment)}
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=seconds
        )
    except subprocess.TimeoutExpired:
        return -1, f"{tool}: no answer within {seconds} s"
    return done.returncode, (done.stdout + done.stderr[-2000:]).strip()
