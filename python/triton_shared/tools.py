"""The command-line tools of a wheel: functions of the one library, called by scripts."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

from .errors import LibraryError

_LIBRARY = Path(__file__).with_name("libTritonShared.so")


def opt() -> int:
    """`triton-shared-opt`: the compiler, pass by pass."""
    return _call("tritonSharedOptMain", "triton-shared-opt")


def reduce() -> int:
    """`triton-shared-reduce`: the smallest module that still fails."""
    return _call("tritonSharedReduceMain", "triton-shared-reduce")


def lsp() -> int:
    """`triton-shared-lsp`: the language server for editors."""
    return _call("tritonSharedLspMain", "triton-shared-lsp")


def _call(function: str, program: str) -> int:
    if not _LIBRARY.is_file():
        raise LibraryError(
            f"'{program}' of the package is for wheels; there is no {_LIBRARY}\n"
            f"in a source tree it is build/bin/{program}"
        )
    words = [program, *sys.argv[1:]]
    arguments = (ctypes.c_char_p * (len(words) + 1))(*(word.encode() for word in words), None)
    return int(getattr(ctypes.CDLL(str(_LIBRARY)), function)(len(words), arguments))
