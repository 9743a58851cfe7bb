"""Triton's own compiler for NVIDIA GPUs, asked for code: it is in the wheel, and needs no GPU."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import frontend
from ..errors import TritonSharedError


@dataclass(frozen=True)
class TritonCode:
    """What it has made of one kernel."""

    phases: Mapping[str, str]
    """Texts by phase: ttir, ttgir, llir, ptx."""
    cubin: bytes
    metadata: Mapping[str, Any]
    """What Triton's launcher would read, with the options that it was compiled with."""
    ptxas: Path
    """The assembler that it has taken."""


def known_options(arch: int, given: Mapping[str, Any]) -> dict[str, Any]:
    """Those of a launch line that Triton has, too; others say something to our compiler alone."""
    backend = _backend(arch)
    return {
        name: value for name, value in given.items() if name in backend.parse_options({}).__dict__
    }


def compile_ttir(ttir: str, arch: int, options: Mapping[str, Any]) -> TritonCode:
    """Compiles a text that Triton has printed. Raises TritonSharedError if Triton does not."""
    from triton._C.libtriton import ir
    from triton.backends.compiler import Language

    backend = _backend(arch)
    from triton.backends.nvidia.compiler import get_ptxas

    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    parsed = backend.parse_options(dict(options))
    stages: dict[str, Any] = {}
    backend.add_stages(stages, parsed, Language.TRITON)
    metadata = {"target": backend.target, **parsed.__dict__}
    made: dict[str, Any] = {}
    try:
        module = frontend.parse(ttir, context)
        for phase, stage in stages.items():
            module = stage(module, metadata)
            made[phase] = module if isinstance(module, bytes) else str(module)
    except (RuntimeError, TypeError, ValueError) as error:
        raise TritonSharedError(f"Triton's own backend does not compile it: {error}") from error
    texts = {phase: text for phase, text in made.items() if isinstance(text, str)}
    return TritonCode(texts, made["cubin"], metadata, Path(get_ptxas(arch).path))


def _backend(arch: int) -> Any:
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import make_backend

    if "nvidia" not in triton.backends.backends:
        raise TritonSharedError(
            "this wheel of Triton has no backend for NVIDIA GPUs\n"
            "install the wheel from PyPI for x86-64 Linux, which has one"
        )
    return make_backend(GPUTarget("cuda", arch, 32))
