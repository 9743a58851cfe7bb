"""The command lines that repeat each step of a report by hand."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any

from .. import library

if TYPE_CHECKING:
    from .gathering import Question


def describe(question: Question, kernel: str, words: str) -> dict[str, Any]:
    """A command for each phase, for the accesses and for the passes.

    They read `<kernel>.ttir`, which the page offers ("input"), and need no Python.
    """
    file = f"{kernel}.ttir"
    options = _tool_options(words)
    device = "cuda" if question.target.startswith("cuda") else "cpu"
    last = "llir"
    kinds = [phase for phase in library.phases(device)[1:] if phase not in ("obj", "cubin")]

    def tool(*more: str) -> str:
        return shlex.join(["triton-shared-opt", *more, file])

    steps = [
        {"what": "accesses", "command": tool("--explain-accesses") + " -o /dev/null"},
        *({"what": p, "command": tool(f"--to-phase={p}", *options)} for p in kinds),
        {
            "what": "passes",
            "command": tool(
                f"--to-phase={last}",
                *options,
                "--mlir-print-ir-after-all",
                "--mlir-print-ir-after-change",
            )
            + " -o /dev/null",
        },
    ]
    return {"input": question.ttir, "steps": steps}


def _tool_options(words: str) -> list[str]:
    """What the tool would not do without being told."""
    defaults = {one["name"]: one["default"] for one in json.loads(library.target_options())}
    pairs = [word.partition("=")[::2] for word in words.split()]
    chosen = [(n, v) for n, v in pairs if n == "target" or defaults.get(n, v) != v]
    return [f"--{name}={value}" for name, value in chosen]
