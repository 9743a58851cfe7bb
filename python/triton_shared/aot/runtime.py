"""What machine code for the CPU calls, in C: the runtime's own files, as they are.

They lie in `runtime/kernel` of the source tree, and of the package in an installed wheel. A
launcher gets copies of those that its kernel needs.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from pathlib import Path

from ..errors import TritonSharedError

_HEADER = "kernel.h"
_FILES = {
    "tritonSharedAssertFailed": "assertion.c",
    "tritonSharedYield": _HEADER,
    "tritonSharedScratch": "scratch.c",
    "tritonSharedClockNanoseconds": "machine.c",
    "tritonSharedProcessorNumber": "machine.c",
    "tritonSharedProcessorCount": "machine.c",
    "tritonSharedPrintBegin": "print.c",
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
    parts = [_read(_HEADER), *(_read(file) for file in files if file != _HEADER)]
    return "\n".join(part.replace(f'#include "{_HEADER}"\n\n', "") for part in parts)


def _read(file: str) -> str:
    return (_folder() / file).read_text()


@functools.cache
def _folder() -> Path:
    here = Path(__file__).resolve().parent
    folders = (here.parent / "runtime" / "kernel", here.parent.parent.parent / "runtime" / "kernel")
    for folder in folders:
        if (folder / _HEADER).is_file():
            return folder
    raise TritonSharedError(
        "the files of the runtime in C are missing: no 'kernel.h' in "
        f"{' or '.join(str(folder) for folder in folders)}\n"
        "install the package again, or run it in its source tree"
    )
