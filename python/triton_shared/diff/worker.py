"""The process that replays launches: a crash, a hang or a lost GPU ends it and nothing else.

    python -m triton_shared.diff.worker TARGET,... RECORDING...

Replays every recording that has no result of a target yet; without words, as lines of JSON on the
standard input say, until that ends. What it is about to do it writes down
first, so that whoever started it knows where it died.
"""

from __future__ import annotations

import json
import sys
import time
import traceback
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..check import check, text
from ..interception import intercepted_launches
from . import derived, recorder, recording, replay

STARTED, RESULT = "started", "result.json"
LAUNCHING = "launching"
"""The file that has the name of the kernel which is launched while a file is recorded."""
OUTSIDE = "outside"
"""The file that has what kernels access outside of their tensors while a file is recorded."""
NOT_RECORDED = 4
"""The exit code of a worker that cannot record: its standard error says why, without a trace."""
GPU_LOST = 3
"""The exit code of a worker whose GPU does nothing any more: its successor goes on."""


def main(words: list[str]) -> int:
    """Records, or replays all that is left."""
    if words[:1] == ["record"]:
        return _record(*words[1:5])
    if words[:1] == ["record-checked"]:
        return _record_checked(*words[1:5])
    for asked in [words] if words else map(json.loads, sys.stdin):
        targets = asked[0].split(",")
        for launch in map(Path, asked[1:]):
            for target in targets:
                if not (launch / target / RESULT).exists():
                    _run(launch, target, launch / target)
    return 0


def _record(file: str, wanted: str, folder: str, vary: str) -> int:
    place = Path(folder) / LAUNCHING
    place.write_text("")

    def run(launch: Any, kernel: Any, *args: Any, **named: Any) -> Any:
        place.write_text(kernel.fn.__name__)
        return launch(kernel, *args, **named)

    try:
        with intercepted_launches(run):
            names = recorder.record_file(file, wanted, Path(folder), json.loads(vary))
    except recording.RecordingError as error:
        print(error, file=sys.stderr)
        return NOT_RECORDED
    print(f"{len(names)} launches recorded", file=sys.stderr)
    return 0


def _record_checked(file: str, wanted: str, folder: str, vary: str) -> int:
    """Records while accesses outside of tensors are left out; writes down what they were."""
    with check(bounds_only=True) as report:
        done = _record(file, wanted, folder, vary)
    told = [
        f"{finding.places[0] if finding.places else file}: {text.title(finding)}, "
        f"in kernel '{finding.kernel}'"
        for finding in report.findings
    ]
    (Path(folder) / OUTSIDE).write_text("\n".join(told))
    return done


def _run(launch: Path, target: str, place: Path) -> None:
    place.mkdir(exist_ok=True)
    (place / STARTED).touch()
    start = time.monotonic()
    try:
        made = _replay(_load(launch, target), target, place)
    except Exception as error:
        answer = {
            "succeeded": False,
            "error": type(error).__name__,
            "message": str(error),
            "trace": traceback.format_exc()[-4000:],
        }
    else:
        return keep(made, place, time.monotonic() - start)
    answer["seconds"] = time.monotonic() - start
    _write(answer, place)
    if not answer["succeeded"] and _gpu_is_lost():
        sys.exit(GPU_LOST)


def _replay(launch: recording.Recording, target: str, place: Path) -> replay.Replayed:
    if target == derived.TARGET:
        return derived.derive(launch)
    return replay.replay(launch, target, place=place)


def keep(made: replay.Replayed, place: Path, seconds: float = 0.0) -> None:
    """Writes what a target has left to its folder."""
    place.mkdir(exist_ok=True)
    for number, buffer in enumerate(made.buffers):
        np.save(place / f"storage-{number}.npy", buffer.numpy(), allow_pickle=False)
    (place / "ttir.mlir").write_text(made.ttir)
    answer = {"succeeded": True, "facts": made.facts, "types": made.types, "seconds": seconds}
    _write(answer, place)


def _write(answer: dict[str, Any], place: Path) -> None:
    # Last, and in one step: a result that is there is whole.
    half = place / f"{RESULT}.tmp"
    half.write_text(json.dumps(answer))
    half.rename(place / RESULT)


def _load(launch: Path, target: str) -> recording.Recording:
    """The recording; a reference needs a text, if need be what another target has compiled."""
    loaded = recording.load(launch)
    if target not in derived.REFERENCES or loaded.ttir:
        return loaded
    for found in sorted(launch.glob(f"*/{RESULT}")):
        answer = json.loads(found.read_text())
        text = found.with_name("ttir.mlir")
        if answer.get("types") and text.is_file():
            return replace(loaded, ttir=text.read_text(), types=answer["types"])
    return loaded


def _gpu_is_lost() -> bool:
    """After some errors every further call of a process fails: the next process starts anew."""
    import torch

    try:
        if torch.cuda.is_initialized():
            torch.cuda.synchronize()
    except Exception:
        return True
    return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
