"""The stages of compilation as functions, text to text: to look at, to change, to go on from.

    ttir = stages.ast_to_ttir(kernel, {"x": "*fp32", "n": "i32"}, {"BLOCK": 64})
    linalg = stages.ttir_to_linalg(ttir)
    obj = stages.linalg_to_obj(linalg)

The way of a text is `ttir`, `structured`, `linalg`, then `memref`, `llir`, `obj` for the CPU or
`cta`, `gpu`, `llir`, `ptx`, `cubin` for a GPU. Each function takes the text of one phase and gives
that of another; the last ones give bytes. Texts may have been changed: one that crashes the
compiler raises CompilerCrashError, one that it refuses CompilationError.
"""

from __future__ import annotations

from typing import Any

from . import library
from .errors import CompilationError
from .frontend import Target, ast_to_ttir, parse_options

__all__ = [
    "ast_to_ttir",
    "cta_to_gpu",
    "gpu_to_llir",
    "gpu_to_ptx",
    "linalg_to_cta",
    "linalg_to_gpu",
    "linalg_to_llir",
    "linalg_to_memref",
    "linalg_to_obj",
    "llir_to_obj",
    "llir_to_ptx",
    "memref_to_llir",
    "ptx_to_cubin",
    "run",
    "structured_to_linalg",
    "ttir_to_linalg",
    "ttir_to_structured",
]

GPU = "cuda:90"
"""The target of functions that only a GPU has."""


def run(text: str, phase: str, *, target: str = "cpu", **options: Any) -> bytes:
    """Takes the text of any MLIR phase on to `phase`, whose text or code it gives.

    `options` are those of a launch line: mode, num_warps, precise, …
    """
    words = parse_options(Target.parse(target), options).words()
    # LLVM IR comes with the code that is made of it.
    last = {"llir": "ptx" if target != "cpu" else "obj"}.get(phase, phase)
    return _take(text, phase, f"{words} to-phase={last}")


def ttir_to_structured(ttir: str) -> str:
    """Memory accesses become `tts` operations."""
    return run(ttir, "structured").decode()


def structured_to_linalg(structured: str) -> str:
    """Computation becomes linalg on tensors."""
    return run(structured, "linalg").decode()


def ttir_to_linalg(ttir: str) -> str:
    """Both of the above."""
    return run(ttir, "linalg").decode()


def linalg_to_memref(linalg: str) -> str:
    """CPU: accesses become copies of views of memory."""
    return run(linalg, "memref").decode()


def memref_to_llir(memref: str, **options: Any) -> str:
    """CPU: optimised LLVM IR."""
    return run(memref, "llir", **options).decode()


def linalg_to_llir(linalg: str, *, target: str = "cpu", **options: Any) -> str:
    """Optimised LLVM IR, for a CPU or a GPU."""
    return run(linalg, "llir", target=target, **options).decode()


def linalg_to_obj(linalg: str, **options: Any) -> bytes:
    """CPU: an object file, with a checksum behind it."""
    return run(linalg, "obj", **options)


def llir_to_obj(llir: str) -> bytes:
    """CPU: an object file, with a checksum behind it. The LLVM IR is not optimised again."""
    return assemble(llir, "obj", "")


def llir_to_s(llir: str) -> str:
    """CPU: the same as assembly, to be read."""
    return assemble(llir, "s", "to-phase=s").decode()


def linalg_to_cta(linalg: str, *, target: str = GPU, **options: Any) -> str:
    """GPU: tiles of a block of threads, with their layouts."""
    return run(linalg, "cta", target=target, **options).decode()


def cta_to_gpu(cta: str, *, target: str = GPU, **options: Any) -> str:
    """GPU: what each thread does."""
    return run(cta, "gpu", target=target, **options).decode()


def linalg_to_gpu(linalg: str, *, target: str = GPU, **options: Any) -> str:
    """Both of the above."""
    return run(linalg, "gpu", target=target, **options).decode()


def gpu_to_llir(gpu: str, *, target: str = GPU, **options: Any) -> str:
    """GPU: optimised LLVM IR."""
    return run(gpu, "llir", target=target, **options).decode()


def gpu_to_ptx(gpu: str, *, target: str = GPU, **options: Any) -> str:
    """GPU: assembly for ptxas."""
    return run(gpu, "ptx", target=target, **options).decode()


def llir_to_ptx(llir: str, *, target: str = GPU, **options: Any) -> str:
    """GPU: assembly for ptxas. The LLVM IR is not optimised again."""
    return assemble(llir, "ptx", parse_options(Target.parse(target), options).words()).decode()


def ptx_to_cubin(ptx: str, *, target: str = GPU, **options: Any) -> bytes:
    """GPU: machine code, by ptxas."""
    from .cuda import tools

    device = parse_options(Target.parse(target), options)
    return tools.assemble(ptx, device.target, fuses=device.fuses, words=device.ptxas_words)[0]


def assemble(llir: str, phase: str, words: str) -> bytes:
    """Makes `obj`, `s` or `ptx` of LLVM IR; `words` are the native compiler's options."""
    return _take(llir, phase, f"{words} from=llvm-ir")


def _take(text: str, phase: str, words: str) -> bytes:
    done = library.compile_text(text, words)
    made = done.artefact(phase)
    if not done.succeeded or not made:
        raise CompilationError("", phase, done.diagnostics)
    return made
