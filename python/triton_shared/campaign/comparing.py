"""Cases of `diff`: the launches of a case of a file, or recorded ones, on two targets."""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from .case import FAILED, Outcome


def prepare(kind: str) -> None:
    """Imports what is needed to record and to compare."""
    from ..diff import run  # noqa: F401
    from . import checking

    checking.prepare(kind)


def session(kind: str) -> AbstractContextManager[Any]:
    """The processes of the targets serve all cases of one process."""
    from ..diff import workers

    # A kernel is recorded as `diff` does it: what it says of dots of f32 holds for all targets.
    os.environ.update(workers.environment("cpu"))
    os.environ.pop("TRITON_KERNEL_OVERRIDE", None)
    return workers.session()


def run(kind: str, facts: dict[str, Any]) -> Outcome:
    """Compares."""
    from ..diff import report
    from ..diff import run as comparing
    from ..errors import TritonSharedError

    targets = (facts["targets"][0], facts["targets"][1])
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        try:
            _record(facts, folder)
            found = list(comparing.compare_all(folder, targets, facts["launch_timeout"]))
            if facts["locate"]:
                found = comparing.locate(found, targets, facts["launch_timeout"])
        except TritonSharedError as error:
            return Outcome(FAILED, str(error))
    reports = [report.without_folder(one) for one in found]
    if not reports:
        return Outcome(FAILED, "it launches no kernel")
    status = report.status(reports)
    said = "" if status == "equal" else report.as_text(reports, targets)
    return Outcome(status, said, json.loads(report.as_json(reports, targets)))


def _record(facts: dict[str, Any], folder: Path) -> None:
    from ..diff import recorder
    from ..diff.recording import RecordingError
    from . import sources

    if not sources.is_script(facts):
        launches = sources.launches(facts)
    elif facts["index"] is None:
        raise RecordingError(
            f"{facts['file']} has neither 'cases()' nor 'case()'\n"
            "write a function 'case' that launches the kernel"
        )
    else:
        try:
            vary = {name: [value] for name, value in facts["vary"].items()}
            with sources.seeded(facts["seed"]):
                launches = recorder.record(sources.find_case(facts), vary or None)
        except RecordingError:
            raise
        except Exception as error:
            raise RecordingError(f"it does not run on the CPU: {error}") from error
    for number, launch in enumerate(launches):
        launch.save(folder / f"{number:04}")
