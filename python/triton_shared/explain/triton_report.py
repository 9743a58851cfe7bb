"""The report of what Triton's own compiler for NVIDIA GPUs makes of a kernel; no GPU is needed.

Accesses are what our analyses say of the same TTIR. Triton's passes are not recorded.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from ..cuda import tools, triton_compiler
from ..errors import TritonSharedError
from ..frontend import Target
from . import gpu_use
from .commands import page_step
from .machine_code import place_assembly, place_sass
from .shown_sources import show_sources
from .upstream_texts import place_llvm, place_mlir

if TYPE_CHECKING:
    from .gathering import Question


def gather(question: Question, accesses: list[dict[str, Any]], offsets: Any) -> dict[str, Any]:
    """The report of `question` by the other compiler; `schema.json` describes it.

    Raises TritonSharedError for another target than a GPU, and for what Triton does not compile.
    """
    import triton

    target = Target.parse(question.target)
    if target.kind == "cpu":
        raise TritonSharedError(
            "Triton's own compiler makes code for GPUs alone\n"
            "name one as the target of both: --target cuda:90"
        )
    options = triton_compiler.known_options(target.arch, question.options)
    made = triton_compiler.compile_ttir(question.ttir, target.arch, options)
    name = str(made.metadata["name"])
    arch = _architecture(made.phases["ptx"])
    words = ["-lineinfo", *shlex.split(made.metadata.get("ptx_options") or "")]
    fuses = bool(made.metadata["enable_fp_fusion"])
    cubin, log = tools.assemble(
        made.phases["ptx"], arch, fuses=fuses, words=words, ptxas=made.ptxas
    )
    phases = [_place(phase, text) for phase, text in made.phases.items()]
    phases.append({"phase": "sass", **place_sass(tools.disassemble(cubin))})
    facts = {
        "ptxas_log": log,
        "block": [32 * made.metadata["num_warps"], 1],
        "shared": made.metadata["shared"],
        "shared_limit": gpu_use.shared_limit(target.arch),
    }
    return {
        "kernel": name,
        "compiler": "triton",
        "options": options,
        "version": triton.__version__,
        "sources": show_sources([offsets, *phases], None),
        "phases": phases,
        "passes": [],
        "accesses": accesses,
        "resources": gpu_use.describe(facts, question.target),
        "commands": {"input": question.ttir, "steps": [page_step(name, question, options)]},
    }


def _place(phase: str, text: str) -> dict[str, Any]:
    places = {"llir": place_llvm, "ptx": place_assembly}.get(phase, place_mlir)
    return {"phase": phase, **places(text)}


def _architecture(ptx: str) -> str:
    """What PTX says it is for, `cuda:90a`."""
    line = next(line for line in ptx.splitlines() if line.startswith(".target"))
    return line.split()[1].rstrip(",").replace("sm_", "cuda:")
