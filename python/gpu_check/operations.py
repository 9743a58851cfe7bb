"""Which operations the launches that agree had, on which element types: a column of a page.

scripts/supported-ops --record FOLDER reads it, as it reads what the Python tests keep.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import triton
from triton_shared.diff import recording, workers

from .check import TARGETS, Row
from .launches import NEWEST
from .pack import ROOT

_RECORDED = {
    "corpus": "python/gpu_check/launches.py::corpus",
    "suite": "python/gpu_check/launches.py::examples",
    NEWEST: "python/gpu_check/newest_triton.py::corpus",
}
"""The functions that have recorded launches, by the first word of their names."""


def write(launches: list[Path], rows: list[Row], out: Path) -> Path:
    """Writes a line for each launch that agrees; gives the file."""
    sys.path.insert(0, str(ROOT / "python" / "test"))
    cells_of = importlib.import_module("recording").cells_of
    agreeing = {row.name for row in rows if row.verdict == "agree"}
    lines = []
    for launch in launches:
        if launch.name in agreeing:
            cells = sorted(cells_of(workers.result(launch, TARGETS[1]).ttir))
            lines.append(json.dumps({"cells": cells, "test": test_of(launch)}, sort_keys=True))
    file = out / f"gpu-{triton.__version__}" / "operations.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{line}\n" for line in lines))
    return file


def test_of(launch: Path) -> str:
    """What had the launch recorded: a test, or a function of this package with the case's name."""
    kind, _, name = launch.name.partition("-")
    if kind == "tests":
        return f"python/test/{recording.load(launch).label}"
    return f"{_RECORDED[kind]}[{name}]"
