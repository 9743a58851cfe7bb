"""The kernels of the corpus as the newest Triton writes them: the machine with the GPU has another.

They are recorded here, with their text, and travel in the pack. There our library makes machine
code of the text, and its launcher launches that: Triton has no part in it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from triton_shared.diff import replay
from triton_shared.versions import read_version

from . import launches
from .pack import ROOT


def record(place: Path) -> None:
    """Fills a folder with the launches, in a process that has that Triton."""
    others = (ROOT / ".venv").glob("triton-*")
    newest = max(others, key=lambda other: read_version(other.name.removeprefix("triton-")))
    paths = [str(newest), str(ROOT / "python"), *filter(None, [os.environ.get("PYTHONPATH")])]
    subprocess.run(
        [sys.executable, "-W", "ignore", "-m", __name__, str(place)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        cwd=ROOT,
        stdout=subprocess.DEVNULL,  # some kernels print
        check=True,
    )


def corpus(place: Path, wanted: str = "") -> list[Path]:
    """Records the kernels whose name has `wanted` as the Triton of this process writes them."""
    made = []
    for name, recording in launches.corpus():
        if wanted in name:
            # No memory of these holds addresses.
            launch = replace(recording, addresses=[0] * len(recording.storages))
            done = replay.replay(launch, "cpu")
            launch = replace(launch, file="", signature=None, ttir=done.ttir, types=done.types)
            made.append(place / f"{launches.NEWEST}-{name}")
            launch.save(made[-1])
    return made


if __name__ == "__main__":
    corpus(Path(sys.argv[1]))
