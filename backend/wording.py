"""Puts a sentence where Triton answers with a bare word.

Asking a kernel for `asm["ttgir"]`, and passing a complex tensor, both end in a KeyError that names
the key alone. Both are replaced when the first kernel meets this backend.
"""

from __future__ import annotations

import functools
from typing import Any, NoReturn

from triton_shared.stages import PHASES


@functools.cache
def install() -> None:
    """Takes over both answers; kernels of other backends keep Triton's own `asm`."""
    _explain_asm_keys()
    _explain_dtypes()


def _explain_asm_keys() -> None:
    from triton.compiler.compiler import AsmDict

    original = AsmDict.__missing__

    def missing(asm: Any, key: str) -> Any:
        if any(phase in asm for phase in PHASES[1:]):
            _refuse_key(asm, key)
        return original(asm, key)

    AsmDict.__missing__ = missing


def _refuse_key(asm: Any, key: str) -> NoReturn:
    if key == PHASES[-1]:
        raise KeyError(
            "the cache entry of this kernel has lost its object file; "
            "set TRITON_ALWAYS_COMPILE=1 to compile again"
        )
    raise KeyError(
        f"a kernel compiled for the CPU has no '{key}'; it has {', '.join(sorted(asm))} "
        "('linalg' is where the paths to CPU and GPU part)"
    )


class _Dtypes(dict[str, str]):
    """Triton's table of element types, with an answer for the ones it does not have."""

    def __missing__(self, name: str) -> NoReturn:
        known = ", ".join(sorted(set(self.values()) - {"void"}))
        raise TypeError(f"a kernel cannot take elements of type '{name}'; it can take {known}")


def _explain_dtypes() -> None:
    from triton import _utils

    _utils.type_canonicalisation_dict = _Dtypes(_utils.type_canonicalisation_dict)
