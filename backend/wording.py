"""Puts a sentence where Triton answers with a bare word.

Asking a kernel for `asm["ttgir"]`, passing a complex tensor, and calling a function of libdevice
with types that it does not take, all end in a KeyError that names the key alone. They are replaced
when the first kernel meets this backend.
"""

from __future__ import annotations

import functools
from typing import Any, NoReturn

from triton_shared import stages

from . import nvidia

_ON_GPU, _ON_CPU = ("sass",), ("s",)
"""What is made when it is asked for: of a cubin by Triton, and of a CPU's LLVM IR."""

_OF_TRITON = (*nvidia.PHASES, "sass")
"""What a kernel of the CPU has when it is asked for, by way of Triton's own backend."""

_OTHERS_WORD = "ttsharedir"
"""What microsoft/triton-shared calls the phase `memref` of the CPU."""

_COUNTERPARTS = {
    "ttgir": ("cta", "linalg"),
    _OTHERS_WORD: ("gpu",),
    "ptx": ("llir",),
    "cubin": ("obj",),
    "sass": ("s",),
    "hsaco": ("obj", "cubin"),
    "amdgcn": ("ptx", "llir"),
    "memref": ("gpu",),
    "obj": ("cubin",),
    "cta": ("linalg",),
    "gpu": ("memref",),
}
"""What comes closest to a phase that a kernel does not have: the first one that is there."""


@functools.cache
def install() -> None:
    """Takes over these answers; kernels of other backends keep Triton's own `asm`."""
    _explain_asm_keys()
    _remember_options()
    _explain_dtypes()
    _explain_library_types()


def _explain_asm_keys() -> None:
    from triton.compiler.compiler import AsmDict

    original = AsmDict.__missing__

    def missing(asm: Any, key: str) -> Any:
        if key in _ON_GPU and "cubin" in asm:
            return original(asm, key)
        if key == _OTHERS_WORD and "memref" in asm:
            return asm["memref"]
        if key in _ON_CPU and "obj" in asm:
            asm[key] = stages.llir_to_s(asm["llir"])
            return asm[key]
        if key in _OF_TRITON and "obj" in asm and nvidia.is_there():
            if key not in nvidia.PHASES:
                return original(asm, key)  # which asks for the cubin
            asm.update(_made_by_triton(asm))
            return asm[key]
        if any(phase in asm for phase in ("structured", "linalg")):
            _refuse_key(asm, key)
        return original(asm, key)

    AsmDict.__missing__ = missing


def _remember_options() -> None:
    from triton.compiler.compiler import CompiledKernel

    original = CompiledKernel.__init__

    def init(kernel: Any, *args: Any, **named: Any) -> None:
        original(kernel, *args, **named)
        kernel.asm.metadata = kernel.metadata

    CompiledKernel.__init__ = init


def _made_by_triton(asm: Any) -> dict[str, Any]:
    facts = getattr(asm, "metadata", None)
    options = {name: getattr(facts, name, None) for name in nvidia.OPTIONS}
    try:
        return nvidia.make(asm["ttir"], {n: v for n, v in options.items() if v is not None})
    except Exception as error:
        raise KeyError(
            f"Triton's backend for NVIDIA GPUs does not compile this kernel of the CPU: {error}; "
            f"it has {', '.join(sorted({*asm, *_ON_CPU}))}"
        ) from error


def _refuse_key(asm: Any, key: str) -> NoReturn:
    on_gpu = "cta" in asm
    if key == ("cubin" if on_gpu else "obj"):
        raise KeyError(
            f"the cache entry of this kernel has lost its {'cubin' if on_gpu else 'object file'}; "
            "set TRITON_ALWAYS_COMPILE=1 to compile again"
        )
    has = sorted({*asm, *(_ON_GPU if on_gpu else (*_ON_CPU, *_by_triton()))})
    near = next((phase for phase in _nearest(key, has) if phase in has), None)
    hint = f"; the nearest is '{near}'" if near else ""
    raise KeyError(
        f"a kernel compiled for the {'GPU' if on_gpu else 'CPU'} has no '{key}'; "
        f"it has {', '.join(has)}{hint}"
    )


def _by_triton() -> tuple[str, ...]:
    return _OF_TRITON if nvidia.is_there() else ()


def _nearest(key: str, has: list[str]) -> list[str]:
    """What to look at instead, the best first: another compiler's phase, or a slip of the pen."""
    import difflib

    return [*_COUNTERPARTS.get(key, ()), *difflib.get_close_matches(key, has)]


class _Dtypes(dict[str, str]):
    """Triton's table of element types, with an answer for the ones it does not have."""

    def __missing__(self, name: str) -> NoReturn:
        known = ", ".join(sorted(set(self.values()) - {"void"}))
        raise TypeError(f"a kernel cannot take elements of type '{name}'; it can take {known}")


def _explain_dtypes() -> None:
    from triton import _utils

    _utils.type_canonicalisation_dict = _Dtypes(_utils.type_canonicalisation_dict)


class _LibraryFunction(dict[tuple[Any, ...], tuple[str, Any]]):
    """The symbols of a library function by the types it takes, with an answer for other types."""

    def __missing__(self, types: tuple[Any, ...]) -> NoReturn:
        symbol = next(iter(self.values()))[0]
        known = " or ".join(_list(types) for types in self)
        raise TypeError(
            f"the library function '{symbol}' does not take {_list(types)}; it takes {known}: "
            "convert with .to()"
        )


def _list(types: tuple[Any, ...]) -> str:
    return f"({', '.join(map(str, types))})"


def _explain_library_types() -> None:
    from triton.language import core

    original = core.extern_elementwise

    @functools.wraps(original)
    def extern_elementwise(
        lib_name: str,
        lib_path: str,
        args: list[Any],
        arg_type_symbol_dict: dict[tuple[Any, ...], tuple[str, Any]],
        is_pure: bool,
        _semantic: Any = None,
    ) -> Any:
        functions = _LibraryFunction(arg_type_symbol_dict)
        return original(lib_name, lib_path, args, functions, is_pure, _semantic=_semantic)

    core.extern_elementwise = extern_elementwise
