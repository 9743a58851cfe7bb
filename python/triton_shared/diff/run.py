"""The steps of a comparison, from a file or a recording to reports."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import TritonSharedError
from . import comparison, culprit, recording, sweeps, workers
from .census import take
from .comparison import Finding, LaunchReport, TensorReport
from .recording import Recording, RecordingError
from .replay import REFERENCES
from .widening import Widenings

_PROGRAM = "program.json"
"""Where a process that looks for the program of an element leaves its answer."""


def prepare(
    source: Path,
    wanted: str,
    folder: Path,
    vary: Mapping[str, Sequence[Any]] | None = None,
    timeout: float = 600,
) -> list[Path]:
    """Fills `folder` with the launches of a Python file, a recording or a folder of recordings.

    With `vary`, each launch is there once for every configuration. `timeout` is that of a launch
    while a file is recorded.
    """
    if not source.exists():
        raise RecordingError(
            f"there is no file or folder '{source}'\n"
            "name a Python file with a function 'case', or a recording that --keep has left"
        )
    if source.suffix == ".ttrepro":
        raise RecordingError(
            f"{source} is a reproducer, whose code may be anybody's\n"
            f"python -m triton_shared.repro run {source} --run compares what its kernel does"
        )
    if source.suffix == ".py":
        workers.record(str(source), wanted, folder, vary, timeout)
    elif source.is_file():
        recording.unpack(source, folder / "0000")
    elif (source / "launch.json").is_file():
        recording.load(source).save(folder / "0000")
    else:
        for number, found in enumerate(sorted(source.glob("*/launch.json"))):
            recording.load(found.parent).save(folder / f"{number:04}")
    launches = sorted(path.parent for path in folder.glob("*/launch.json"))
    if source.suffix != ".py" and vary:
        launches = [made for launch in launches for made in sweeps.vary_recording(launch, vary)]
    if not launches:
        raise RecordingError(f"{source} launches nothing" + (f" for '{wanted}'" if wanted else ""))
    return launches


def compare_all(
    folder: Path,
    targets: tuple[str, str],
    timeout: float = 120,
    deadline: float = 0,
    widenings: Widenings | None = None,
    references: tuple[str, ...] = REFERENCES,
) -> Iterator[LaunchReport]:
    """Replays every launch below `folder` on both targets and compares.

    `references` are what bounds are taken from.
    """
    launches = sorted(path.parent for path in folder.glob("*/launch.json"))
    with workers.session():
        for target in dict.fromkeys(targets):
            workers.replay_all(launches, (target,), timeout, deadline)
        rounding = [launch for launch in launches if needs_reference(launch, targets)]
        workers.replay_all(rounding, references, timeout, deadline)
    for launch in launches:
        yield compare_one(launch, targets, widenings, references)


def compare_one(
    launch: Path,
    targets: tuple[str, str],
    widenings: Widenings | None = None,
    references: tuple[str, ...] = REFERENCES,
) -> LaunchReport:
    """Compares what two targets have left in the folder of a launch."""
    loaded = recording.load(launch)
    left, right = (workers.result(launch, target) for target in targets)
    found = {name: workers.result(launch, name) for name in references}
    report = comparison.compare(loaded, left, right, found, widenings)
    tensors = tuple(_with_program(launch, loaded, left.ttir, tensor) for tensor in report.tensors)
    return replace(report, tensors=tensors, folder=launch)


def locate(
    reports: Sequence[LaunchReport],
    targets: tuple[str, str],
    timeout: float = 120,
    most_bytes: int = culprit.MOST_BYTES,
    widenings: Widenings | None = None,
) -> list[LaunchReport]:
    """Looks for the operation that is wrong, in launches that are different.

    Where it was looked for without rounding, that has said more.
    """
    return [
        replace(one, culprit=_find_culprit(one, targets, timeout, most_bytes, widenings))
        if one.status == "different" and not (one.exact and one.exact.culprit)
        else one
        for one in reports
    ]


def _find_culprit(
    report: LaunchReport,
    targets: tuple[str, str],
    timeout: float,
    most_bytes: int,
    widenings: Widenings | None,
) -> Finding:
    assert report.folder
    if not set(targets) <= set(culprit.TARGETS):
        return Finding(None, f"probes run on {', '.join(culprit.TARGETS)} alone")
    launch = recording.load(report.folder)
    if not launch.ttir:
        return Finding(None, "the recording has no TTIR: record the launch again")
    program = next((t.program for t in report.tensors if t.program), None)
    if program is None and math.prod(launch.grid) > 1:
        return Finding(None, "nobody knows which program has written the worst element")
    folder = report.folder / "probed"
    try:
        return culprit.find(
            launch,
            targets,
            program or (0, 0, 0),
            folder,
            most_bytes=most_bytes,
            timeout=timeout,
            widenings=widenings,
        )
    except (RecordingError, TritonSharedError) as error:
        return Finding(None, str(error))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def needs_reference(launch: Path, targets: tuple[str, str]) -> bool:
    """Whether both targets have run a kernel that rounds floats."""
    found = [workers.result(launch, target) for target in targets]
    ttir = next((result.ttir for result in found if result.ttir), "")
    return all(result.succeeded for result in found) and bool(ttir) and not take(ttir).is_exact


def _with_program(launch: Path, loaded: Recording, ttir: str, tensor: TensorReport) -> TensorReport:
    if tensor.is_equal or not tensor.worst or not can_find_program(ttir):
        return tensor
    if tensor.argument not in loaded.views():
        return tensor
    return replace(tensor, program=find_program(launch, tensor.argument, tensor.worst.index))


def can_find_program(ttir: str) -> bool:
    """Whether programs of a kernel do the same on a part of the grid."""
    return "tt.get_num_programs" not in ttir


def find_program(
    launch: Path, argument: str, index: tuple[int, ...]
) -> tuple[int, int, int] | None:
    """The program that writes an element, if one alone does so."""
    answer = launch / _PROGRAM
    words = [str(launch), argument, json.dumps(index), str(answer)]
    command = [sys.executable, "-W", "ignore", "-m", "triton_shared.diff.locate", *words]
    try:
        subprocess.run(
            command, capture_output=True, timeout=120, env=workers.environment("cpu"), check=True
        )
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return None
    found = json.loads(answer.read_text())
    answer.unlink()
    return tuple(found) if found else None
