"""What compilers make of a recorded kernel, phase by phase: ours, and Triton's own for NVIDIA GPUs.

No GPU is needed for any of it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import knobs, library
from ..cuda import tools, triton_compiler
from ..diff.given import Given
from ..diff.recording import Recording
from ..errors import CompilationError
from ..frontend import Target, parse_options

ARCH = 90
"""The compute capability, where no GPU says its own."""
_OPTIONS = (
    "num_warps", "num_ctas", "num_stages", "maxnreg", "enable_fp_fusion", "ptx_options",
)  # fmt: skip
"""Of a launch line, as far as they say something to a compiler for a GPU."""


@dataclass(frozen=True)
class Codes:
    """All that became of a kernel."""

    phases: Mapping[str, str]
    """Texts by phase."""
    cubin: bytes
    given: Given
    """Its PTX, as a launch takes it."""
    ptxas: Path
    """What the compiler assembles its PTX with."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    """What ptxas is told besides, by PTXAS_OPTIONS or on the launch line."""

    @property
    def ptx(self) -> str:
        """Assembly for ptxas."""
        return self.phases["ptx"]


def launch_options(launch: Recording) -> dict[str, Any]:
    """The options of a launch that a compiler for a GPU reads."""
    return {n: v for n, v in launch.options.items() if n in _OPTIONS and v is not None}


def _ptxas_words(launch: Recording) -> tuple[str, ...]:
    return (*knobs.ptxas_options(), *str(launch.options.get("ptx_options") or "").split())


def of_ours(launch: Recording, arch: int = ARCH, text: str = "", **more: Any) -> Codes:
    """What this compiler makes of it for a GPU, or of `text`, a later module of it.

    Raises CompilationError.
    """
    options = parse_options(Target.parse(f"cuda:{arch}"), {**launch_options(launch), **more})
    done = library.compile_text(text or launch.ttir, options.words())
    phases = [p for p in library.phases("cuda") if p != "cubin"]
    texts = {p: done.artefact(p).decode() for p in phases if done.artefact(p)}
    if "ptx" not in texts:
        raise CompilationError(launch.kernel, "ptx", done.diagnostics)
    facts = json.loads(done.metadata)
    given = Given.compiled("ptx", texts["ptx"].encode(), facts)
    ptxas = tools.find_ptxas(f"cuda:{arch}")
    return Codes(texts, done.artefact("cubin"), given, ptxas, facts, _ptxas_words(launch))


def of_triton(launch: Recording, arch: int = ARCH, **more: Any) -> Codes:
    """What Triton's own backend makes of it. Raises TritonSharedError."""
    made = triton_compiler.compile_ttir(launch.ttir, arch, {**launch_options(launch), **more})
    metadata = made.metadata
    scratch = [
        (metadata.get(f"{what}_scratch_size") or 0, metadata.get(f"{what}_scratch_align") or 1)
        for what in ("global", "profile")
        if f"{what}_scratch_size" in metadata
    ]
    given = Given(
        "ptx",
        made.phases["ptx"].encode(),
        metadata["name"],
        32 * metadata["num_warps"],
        1,
        metadata["shared"],
        (),
        tuple(scratch),
    )
    facts = {name: value for name, value in metadata.items() if _is_plain(value)}
    return Codes(made.phases, made.cubin, given, made.ptxas, facts, _ptxas_words(launch))


def through_our_llvm(made: Codes) -> str:
    """PTX that LLVM 22 makes of the LLVM IR of Triton's own backend; empty if it cannot."""
    if "llir" not in made.phases:
        return ""
    options = parse_options(Target.parse(f"cuda:{ARCH}"), {})
    text = made.phases["llir"]
    if "\ntarget triple" not in text:
        # Triton says it to LLVM only when that makes PTX.
        text = f'target triple = "nvptx64-nvidia-cuda"\n{text}'
    done = library.compile_text(text, f"{options.words()} from=llvm-ir")
    return done.artefact("ptx").decode()


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, (bool, int, float, str))
