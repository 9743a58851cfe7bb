"""Runs a recorded launch with code that somebody has put beside it, instead of the kernel's own.

A target whose name begins with `given-` has a folder in that of the launch, as all targets; in it
lies a module for the CPU's reference mode, a late one or PTX for the emulator, or a cubin for a
GPU, and what a launch must know of it. So one launch is run with as many codes as somebody likes,
and compared as ever.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from ..launcher import Parameter, parameters
from . import texts
from .recording import RecordingError

PREFIX = "given-"
_FACTS = "given.json"
FORMS = {"cpu": "code.mlir", "gpu": "code.mlir", "ptx": "code.ptx", "cubin": "code.cubin"}
"""What code may be, and the file in which it lies."""
_FLOATS = {"f16": "half", "bf16": "bfloat", "f32": "float", "f64": "double"}


@dataclass(frozen=True)
class Given:
    """Code for a launch."""

    form: str
    """A word of `FORMS`: a module that the CPU goes on from, one in phase `gpu`, PTX, a cubin."""
    code: bytes
    kernel: str = ""
    """Its name in a cubin."""
    threads: int = 0
    """Of a block, where PTX does not say; those of a program in a cubin."""
    programs: int = 1
    """That share a block."""
    shared: int = 0
    """Bytes that a launch gives it."""
    hidden: tuple[Mapping[str, Any], ...] = ()
    """What a launch fills in behind the arguments."""
    scratch: tuple[tuple[int, int], ...] = ()
    """Pointers behind all these, as Triton's own backend has them: bytes per program, alignment."""

    @classmethod
    def compiled(cls, form: str, code: bytes, facts: Mapping[str, Any]) -> Given:
        """What this compiler has made for a GPU, with what it tells of it."""
        threads, programs = facts["block"]
        name, shared, hidden = facts["name"], facts["shared"], tuple(facts["hidden"])
        return cls(form, code, name, threads, programs, shared, hidden)

    def save(self, launch: Path, name: str) -> str:
        """Puts it beside a launch; gives the target that runs it."""
        place = launch / f"{PREFIX}{name}"
        place.mkdir(exist_ok=True)
        (place / FORMS[self.form]).write_bytes(self.code)
        facts = {**asdict(self), "code": ""}
        (place / _FACTS).write_text(json.dumps(facts))
        return place.name


def load(place: Path) -> Given:
    """The code in the folder of a target."""
    facts = json.loads((place / _FACTS).read_text())
    facts["code"] = (place / FORMS[facts["form"]]).read_bytes()
    facts["hidden"] = tuple(facts["hidden"])
    facts["scratch"] = tuple((size, align) for size, align in facts["scratch"])
    return Given(**facts)


def run(
    given: Given,
    types: Mapping[str, Any],
    arguments: Sequence[Any],
    grid: tuple[int, ...],
    memory: Sequence[torch.Tensor],
    folder: Path,
) -> None:
    """Launches the code on arguments that `types` describes; `memory` is all that it has."""
    if given.form == "cpu":
        texts.run_on_cpu(given.code.decode(), dict(types), arguments, grid, "reference")
        return
    plan = parameters(types)
    values = _values(plan, arguments, given)
    x, y, z = (*grid, 1, 1)[:3]
    for size, _ in given.scratch:
        count = max(size * x * y * z, 1)
        values.append(torch.zeros(count, dtype=torch.uint8, device=memory[0].device))
    if given.form == "cubin":
        from . import cubins

        cubins.launch(given, values, (x, y, z))
        return
    from .. import emulate
    from ..emulate import ptx

    text = given.code.decode()
    if given.form == "ptx":
        kernel = ptx.compile_ptx(text, given.shared, folder, given.hidden, given.threads)
    else:
        kernel = emulate.build_module(text, folder)
    emulate.launch(kernel, values, (x, y, z), memory=memory)


def _values(plan: Sequence[Parameter], arguments: Sequence[Any], given: Given) -> list[Any]:
    """The C values of the arguments; floats as the bytes that they are."""
    values: list[Any] = []
    for top, argument in zip(plan, arguments, strict=True):
        flat = list(texts.flatten(top, argument))
        kinds = [kind for parameter in top.flat() for kind in parameter.kinds]
        if given.scratch and any(one.form == "descriptor" for one in top.flat()):
            raise RecordingError(
                f"argument '{top.name}' is a tensor descriptor: the maps that Triton's own backend "
                "makes of those are not made here"
            )
        values += [_encoded(kind, value) for kind, value in zip(kinds, flat, strict=True)]
    return values


def _encoded(kind: str, value: Any) -> Any:
    from ..emulate import encode

    return encode(_FLOATS[kind], value) if kind in _FLOATS else value
