"""The command lines that repeat each step of a report by hand."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import library

if TYPE_CHECKING:
    from .gathering import Question


def describe(question: Question, kernel: str, words: str) -> dict[str, Any]:
    """A command for each phase, for the accesses, for the passes and for the page.

    They read `<kernel>.ttir`, which the page offers ("input"), but for the last one where there is
    a launch; all but that need no Python.
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
        *_machine_code(kernel, device, tool, options),
        *_reproducer_steps(question),
        page_step(kernel, question, question.options),
    ]
    return {"input": question.ttir, "steps": steps}


def page_step(kernel: str, question: Question, options: Mapping[str, Any]) -> dict[str, str]:
    """The command that makes the page: the one that was given, where the kernel's text alone would
    lack its launch."""
    if question.launch and question.words:
        command = shlex.join(["python", "-m", "triton_shared.explain", *question.words])
        return {"what": "page with the launch", "command": command}
    words = ["python", "-m", "triton_shared.explain", f"{kernel}.ttir"]
    words += ["--compiler", question.compiler] * (question.compiler == "triton")
    words += ["--target", question.target]
    words += [word for n, v in options.items() for word in ("--option", f"{n}={v}")]
    return {"what": "page", "command": shlex.join([*words, "-o", f"{kernel}.html"])}


def _reproducer_steps(question: Question) -> list[dict[str, str]]:
    """What can be done with the file of the launch, elsewhere, too."""
    if question.reproducer is None:
        return []
    # Both run the kernel's text: Triton's interpreter has no part in them.
    other = "cpu-fast" if question.target == "cpu" else "emulated"
    words = [str(question.reproducer), "--run", "--targets", f"cpu,{other}"]

    def repro(command: str) -> str:
        return shlex.join(["python", "-m", "triton_shared.repro", command, *words])

    return [
        {"what": "launch, from its reproducer", "command": repro("run")},
        {"what": "reproducer, reduced to what differs", "command": repro("reduce")},
    ]


def _machine_code(
    kernel: str, device: str, tool: Callable[..., str], options: Sequence[str]
) -> list[dict[str, str]]:
    """What no text is, and the tool that shows it: binutils' on a CPU, CUDA's on a GPU."""
    if device == "cuda":
        phase, file, code = "cubin", f"{kernel}.cubin", "sass"
        shown = ["nvdisasm", "--print-code", file]
    else:
        phase, file, code = "obj", f"{kernel}.o", "s"
        shown = ["objdump", "--disassemble", file]
    made = f"{tool(f'--to-phase={phase}', *options)} -o {shlex.quote(file)}"
    return [
        {"what": phase, "command": made},
        {"what": code, "command": shlex.join(shown)},
    ]


def _tool_options(words: str) -> list[str]:
    """What the tool would not do without being told."""
    defaults = {one["name"]: one["default"] for one in json.loads(library.target_options())}
    pairs = [word.partition("=")[::2] for word in words.split()]
    chosen = [(n, v) for n, v in pairs if n == "target" or defaults.get(n, v) != v]
    return [f"--{name}={value}" for name, value in chosen]
