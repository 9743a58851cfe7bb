"""What a launcher needs besides its kernel, in C: the runtime's own files, as they are.

They lie in `runtime` of the source tree, and of the package in an installed wheel: what machine
code for the CPU calls in `kernel`, how a GPU's driver is found and asked in `cuda`. A launcher gets
copies of those that it needs.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..errors import TritonSharedError

_HEADER = "kernel.h"
_DRIVER = ("driver.h", "launch.h")
_TENSOR_MAP = "tensor_map.h"
_FILES = {
    "tritonSharedAssertFailed": "assertion.c",
    "tritonSharedYield": _HEADER,
    "tritonSharedScratch": "scratch.c",
    "tritonSharedClockNanoseconds": "machine.c",
    "tritonSharedProcessorNumber": "machine.c",
    "tritonSharedProcessorCount": "machine.c",
    "tritonSharedMayUseMatrixTiles": "machine.c",
    "tritonSharedPrintBegin": "print.c",
    "tritonSharedTensorCoreDot": "tensor_core.c",
    "tritonSharedAddRowF32": "row_update.c",
    "tritonSharedAddRowF64": "row_update.c",
    "__truncsfbf2": "bfloat16.c",
    "__truncdfbf2": "bfloat16.c",
}
"""Functions that machine code may call, and the file without which it cannot."""


def called_by(obj: bytes) -> list[str]:
    """The functions that an object file needs. ELF has what it lacks in its table of strings."""
    return [name for name in _FILES if b"\0" + name.encode() + b"\0" in obj]


def source_of(functions: Iterable[str]) -> str:
    """One text in C with the files that define `functions`; empty if nothing is called."""
    files = dict.fromkeys(_FILES[name] for name in functions)
    if not files:
        return ""
    others = [file for file in files if file != _HEADER]
    return _join("kernel", (_HEADER, *others))


def driver_source(*, has_tensor_maps: bool = False) -> str:
    """One text in C that finds the CUDA driver, loads a function with it and launches it."""
    return _join("cuda", (*_DRIVER, _TENSOR_MAP) if has_tensor_maps else _DRIVER)


def _join(folder: str, files: Sequence[str]) -> str:
    """The files as one text; the first is the header that the others include."""
    texts = [(_folder() / folder / file).read_text() for file in files]
    return "\n".join(text.replace(f'#include "{files[0]}"\n\n', "") for text in texts)


def folder() -> Path:
    """Where the files are that machine code for the CPU calls."""
    return _folder() / "kernel"


@functools.cache
def _folder() -> Path:
    here = Path(__file__).resolve().parent
    folders = (here.parent / "runtime", here.parent.parent.parent / "runtime")
    for folder in folders:
        if (folder / "kernel" / _HEADER).is_file():
            return folder
    raise TritonSharedError(
        "the files of the runtime in C are missing: no 'kernel/kernel.h' in "
        f"{' or '.join(str(folder) for folder in folders)}\n"
        "install the package again, or run it in its source tree"
    )
