"""Which operations have run on the GPU, on which element types, and agreed with the CPU.

scripts/supported-ops makes a column of docs/supported-ops.md of it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

from triton_shared.diff import recording, workers

from .check import TARGETS, Row
from .pack import ROOT


def write(rows: Iterable[Row], folder: Path, path: Path) -> None:
    """Writes a line of JSON for every launch below `folder` that agrees: its test, its cells."""
    sys.path.insert(0, str(ROOT / "python" / "test"))
    from recording import cells_of  # type: ignore[attr-defined]

    lines: dict[str, set[tuple[str, str]]] = {}
    for row in rows:
        ttir = workers.result(folder / row.name, TARGETS[1]).ttir if row.verdict == "agree" else ""
        lines.setdefault(_test(folder / row.name), set()).update(cells_of(ttir))
    with path.open("w") as file:
        for test, cells in sorted(lines.items()):
            if cells:
                file.write(json.dumps({"test": test, "cells": sorted(cells)}) + "\n")


def _test(launch: Path) -> str:
    """The test that makes the launch, as pytest names it."""
    label = recording.load(launch).label
    kind = launch.name.partition("-")[0]
    if kind == "tests":
        return f"python/test/{label}"
    name = {"corpus": "test_corpus.py::test_agrees_with_the_interpreter"}.get(
        kind, "test_examples.py::test_agrees_with_torch"
    )
    return f"python/test/{name}[{label}]"
