"""What was found wrong, in a folder: a program, what it was given, and what should have come.

Tensors are a file of torch: numpy's have no bfloat16.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import torch

from ..frontend import ast_to_ttir
from .field import Residues
from .ir import Graph, Sizes
from .program import Plan, Program, render
from .shared_memory import specialization
from .verify import Judge, Rejected, Verdict


def write_reproducer(folder: Path, graph: Graph, plan: Plan, verdict: Verdict) -> Path:
    """The file in the folder that repeats it: `python FOLDER/repro.py` ends with 1."""
    sizes = dict(verdict.sizes)
    judge = Judge(graph, plan)
    try:
        if verdict.gate == "FIELD":
            judge.ask_field()
        else:
            for run in judge.runs():
                if run.sizes == sizes:
                    judge.run(run)
    except Rejected:
        pass
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "program.py").write_text(judge.program.text(sizes, f"Rejected: {verdict.gate}"))
    given, found, expected = judge.kept or ([], [], [])
    kept = {"inputs": _data(given), "found": _data(found), "expected": _data(expected)}
    torch.save({**kept, "types": [node.dtype for node in graph.inputs]}, folder / "run.pt")
    for name, text in _ttir(judge.program, sizes).items():
        (folder / f"{name}.ttir").write_text(text)
    path = folder / "repro.py"
    path.write_text(render("repro.py.j2", gate=verdict.gate, message=verdict.message, sizes=sizes))
    return path


def _ttir(program: Program, sizes: Sizes) -> dict[str, str]:
    """Kernels as a compiler gets them, by name; not those that Triton's front end refuses."""
    from triton import CompilationError

    graph = program.plan.graph
    try:
        module = program.module(sizes)
    except (SyntaxError, ImportError):
        return {}
    made = {}
    for text in program.plan.texts(sizes):
        kernel = getattr(module, text.name)
        types, constants, divisors = specialization(text, kernel, graph, sizes)
        names = [kernel.arg_names[place] for (place,) in divisors]
        with suppress(CompilationError):
            made[text.name] = ast_to_ttir(kernel, types, constants, names)
    return made


def _data(some: list[Any]) -> list[Any]:
    """Tensors as they are; residues packed; of inexact numbers the value and the error."""
    return [
        one.packed if isinstance(one, Residues)
        else one if isinstance(one, torch.Tensor)
        else (one.value, one.error)
        for one in some
    ]  # fmt: skip
