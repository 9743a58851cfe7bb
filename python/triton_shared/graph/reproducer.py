"""What was found wrong, in a folder: a program, what it was given, and what should have come."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from .field import Residues
from .ir import Graph
from .program import Plan, render
from .verify import Judge, Rejected, Verdict


def write_reproducer(folder: Path, graph: Graph, plan: Plan, verdict: Verdict) -> Path:
    """The file in the folder that repeats it: `python FOLDER/repro.py` ends with 1."""
    sizes = dict(verdict.sizes)
    judge = Judge(graph, plan)
    try:
        if verdict.gate == "FIELD":
            judge.ask_field()
        for run in judge.runs():
            if run.gate == verdict.gate and run.sizes == sizes:
                judge.run(run)
    except Rejected:
        pass
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "program.py").write_text(judge.program.text(sizes, f"Rejected: {verdict.gate}"))
    given, found, expected = judge.kept or ([], [], [])
    kept = {"inputs": _data(given), "found": _data(found), "expected": _data(expected)}
    torch.save({**kept, "types": [node.dtype for node in graph.inputs]}, folder / "run.pt")
    path = folder / "repro.py"
    path.write_text(render("repro.py.j2", gate=verdict.gate, message=verdict.message, sizes=sizes))
    return path


def _data(some: list[Any]) -> list[Any]:
    """Tensors as they are; residues packed; of inexact numbers the value and the error."""
    return [
        one.packed if isinstance(one, Residues)
        else one if isinstance(one, torch.Tensor)
        else (one.value, one.error)
        for one in some
    ]  # fmt: skip
