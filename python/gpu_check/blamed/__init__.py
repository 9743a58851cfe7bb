"""Whether the ladder of `triton_shared.blame` names who has made a kernel wrong, on a GPU.

    scripts/gpu-check --there --blame

injects a fault behind each of our passes for a GPU, edits PTX of ours and of Triton's, and has a
wrong configuration compared. Each is launched on the GPU and goes down the ladder there; without
LLVM, the emulator runs PTX alone. Writes `blame.json`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from triton_shared.blame import codes, kernel, ladder
from triton_shared.blame.ladder import Options
from triton_shared.blame.runs import REFERENCE, Runs
from triton_shared.blame.verdict import Report
from triton_shared.diff import run, workers
from triton_shared.diff.replay import REFERENCES

from . import faults, tuned

HERE = Path(__file__).parent
CENTRED, TUNED = HERE / "centred.py", HERE / "tuned.py"
_TIMEOUT = 60.0
Climb = Callable[[Runs, Options], Report]


@dataclass(frozen=True)
class Row:
    """A fault, who has it, and who is told."""

    name: str
    suspect: str
    level: str
    """What the verdict must be, as `verdict.LEVELS` calls it."""
    culprits: tuple[str, ...] = ()
    found: str = ""
    found_culprits: tuple[str, ...] = ()
    sentence: str = ""
    seconds: float = 0.0
    steps: tuple[dict[str, Any], ...] = ()

    @property
    def is_right(self) -> bool:
        """Whether the one who has made the fault is named, and nobody else."""
        return (self.found, self.found_culprits) == (self.level, self.culprits)


def main(out: Path, printed: str, only: str) -> int:
    """Blames all whose names have `only`; `printed` is our pipeline. Gives the exit code."""
    # Cases are made of tensors of the CPU, where Triton's own driver would be active.
    os.environ["TRITON_SHARED_ACTIVE"] = "1"
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, workers.session():
        rows = blame_all(Path(folder), printed, lambda name: only in name, ladder.climb)
    print(table(rows), flush=True)
    seconds = round(time.monotonic() - start, 1)
    right = sum(row.is_right for row in rows)
    print(f"{right} of {len(rows)} are blamed rightly, in {seconds} s", flush=True)
    facts = [{**asdict(row), "is_right": row.is_right} for row in rows]
    whole = {"gpu": gpu(), "seconds": seconds, "right": right, "rows": facts}
    out.mkdir(parents=True, exist_ok=True)
    (out / "blame.json").write_text(json.dumps(whole, indent=1) + "\n")
    return int(right < len(rows) or not rows)


def gpu() -> str:
    """The GPU of this machine; empty where there is none."""
    import torch

    return torch.cuda.get_device_name() if torch.cuda.is_available() else ""


def blame_all(
    folder: Path,
    printed: str,
    is_wanted: Callable[[str], bool],
    climb: Climb,
    configurations: bool = True,
) -> list[Row]:
    """A row per fault; those of configurations take a GPU."""
    known = _known_launch(folder / "known")
    jobs: list[Callable[[], Row]] = []
    for number, (row, options) in enumerate(_faults(known, printed)):
        launch = folder / f"{number:03}"

        def go(row: Row = row, options: Options = options, launch: Path = launch) -> Row:
            shutil.copytree(known, launch)
            start = time.monotonic()
            return _told(row, climb(Runs(launch, _TIMEOUT), options).facts(), start)

        if is_wanted(row.name):
            jobs.append(go)
    for suspect in ladder.ON_GPU if configurations else ():
        row = Row("wrong configuration", suspect, "configuration", (tuned.WRONG,))
        if is_wanted(row.name):
            answer = folder / f"{suspect}.json"
            jobs.append(lambda row=row, answer=answer: _compare_configurations(row, answer))
    with ThreadPoolExecutor(max(2, (os.cpu_count() or 2) // 2)) as pool:
        return list(pool.map(lambda job: job(), jobs))


def _known_launch(folder: Path) -> Path:
    """The launch, with what every ladder begins with."""
    (launch,) = run.prepare(CENTRED, "", folder)
    kernel.check(launch, _TIMEOUT)
    workers.replay_all([launch], (REFERENCE, *REFERENCES), _TIMEOUT)
    return launch


def _faults(known: Path, printed: str) -> list[tuple[Row, Options]]:
    """All that goes wrong with one launch, and twice nothing."""
    found = [
        (Row("nothing", suspect, "nothing"), Options(suspect, timeout=_TIMEOUT))
        for suspect in ladder.ON_GPU
    ]
    right = faults.packed(printed)
    for name in faults.our_passes(printed):
        other = right if name in faults.TOGETHER else None
        compiler = faults.packed(printed, name)
        options = Options("shared_cuda", timeout=_TIMEOUT, compiler=compiler, other=other)
        found.append((Row(f"pass {name}", "shared_cuda", "our passes", (name,)), options))
    launch = Runs(known).recorded
    for suspect, made in (
        ("nvidia", codes.of_triton(launch)),
        ("shared_cuda", codes.of_ours(launch)),
    ):
        options = Options(suspect, timeout=_TIMEOUT, ptx=faults.edited(made.ptx))
        found.append((Row("edited PTX", suspect, "PTX"), options))
    return found


def _told(row: Row, facts: dict[str, Any], start: float) -> Row:
    verdict = facts["verdict"]
    return replace(
        row,
        found=verdict["level"],
        found_culprits=tuple(verdict["culprits"]),
        sentence=verdict["sentence"],
        seconds=round(time.monotonic() - start, 1),
        steps=tuple(facts["steps"]),
    )


def _compare_configurations(row: Row, answer: Path) -> Row:
    start = time.monotonic()
    words = [str(TUNED), "--configs", "--suspect", row.suspect, "--json", str(answer)]
    command = [sys.executable, "-W", "ignore", "-m", "triton_shared.blame", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=2 * _TIMEOUT)
    if not answer.is_file():
        said = {"level": "unknown", "culprits": (), "sentence": done.stderr[-1000:]}
        return _told(row, {"verdict": said, "steps": ()}, start)
    return _told(row, json.loads(answer.read_text())["launches"][0], start)


def table(rows: list[Row]) -> str:
    """A line each; of those that are wrong, what the ladder has said."""
    width = max((len(row.name) for row in rows), default=0)
    lines = []
    for row in rows:
        told = " ".join([row.found, *row.found_culprits])
        mark = "right" if row.is_right else "WRONG"
        lines.append(f"{mark}  {row.name:<{width}}  {row.suspect:<11}  {told} ({row.seconds} s)")
        if not row.is_right:
            lines.append(f"       {row.sentence}")
            lines += [
                f"       {one['name']}: {one['status']} {one['said'][:300]}" for one in row.steps
            ]
    return "\n".join(lines)
