"""The tensor cores of a GPU, for the emulated machine: how they add up."""

from __future__ import annotations

import ctypes
import json
import re
from typing import Any

from .. import library

_LETTERS = {"f32": "f", "f16": "h", "bf16": "b", "tf32": "t", "f8": "8", "mma": "m", "wgmma": "w"}
_WORDS = ("instruction", "operand", "sum")
_NUMBERS = ("block", "fraction", "result")
_ARCH = re.compile(r"sm_(?P<capability>\d+)[af]?")


def use(machine: ctypes.CDLL, gpu: str) -> None:
    """Lets products be added up as on `gpu`, as in `sm_90a`; empty for plain sums.

    Raises ValueError for what is no GPU whose tensor cores are known.
    """
    rows: list[int] = []
    for core in _cores_of(gpu):
        rows += [ord(_LETTERS[core[word]]) for word in _WORDS]
        rows += [core[number] for number in _NUMBERS]
    count = len(_WORDS) + len(_NUMBERS)
    machine.emu_use_cores((ctypes.c_int32 * len(rows))(*rows), len(rows) // count)


def _cores_of(gpu: str) -> list[dict[str, Any]]:
    if not gpu:
        return []
    match = _ARCH.fullmatch(gpu)
    capability = int(match["capability"]) if match else 0
    known = json.loads(library.tensor_cores())
    found = [core for core in known if core["first"] <= capability <= core["last"]]
    if not found:
        raise ValueError(f"it is not known how the tensor cores of {gpu!r} add up")
    return found
