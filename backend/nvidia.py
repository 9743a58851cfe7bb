"""What Triton's own backend for NVIDIA GPUs makes of a kernel that was compiled for the CPU.

Programs that walk through Triton's stages ask a kernel for them. No GPU is needed to make them.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

ARCH = 90
"""The compute capability, where no GPU says its own."""

PHASES = ("ttgir", "ptx", "cubin")
"""What can be asked for; the GPU's LLVM IR would have the name of the CPU's."""

OPTIONS = ("num_warps", "num_ctas", "num_stages", "maxnreg", "enable_fp_fusion", "debug")
"""Of a launch line, as far as they say something to that backend."""


def is_there() -> bool:
    """Whether this wheel of Triton has that backend."""
    import triton

    return "nvidia" in triton.backends.backends


def make(ttir: str, options: dict[str, Any]) -> dict[str, Any]:
    """All of `PHASES` of a kernel; `options` are those of its launch line."""
    from triton._C.libtriton import ir
    from triton.backends.compiler import GPUTarget, Language
    from triton.compiler import make_backend

    target = GPUTarget("cuda", ARCH, 32)
    backend = make_backend(target)
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    parsed = backend.parse_options(options)
    stages: dict[str, Any] = {}
    backend.add_stages(stages, parsed, Language.TRITON)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.ttir"
        path.write_text(ttir)
        module = ir.parse_mlir_module(str(path), context)
    module.context = context
    metadata = {"target": target, **parsed.__dict__}
    made: dict[str, Any] = {}
    for phase, stage in stages.items():
        module = stage(module, metadata)
        made[phase] = module if isinstance(module, bytes) else str(module)
    return {phase: made[phase] for phase in PHASES}
