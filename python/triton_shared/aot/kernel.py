"""One variant of a kernel: compiled for a target, a signature and a grid."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import library
from ..cuda import tensor_map
from ..errors import CompilationError, TritonSharedError
from ..frontend import Target, parse_options
from ..versions import read_version
from . import names, sources
from .hidden import HiddenParameter, hidden_parameters
from .signature import (
    Parameter,
    algorithm_of,
    hash_of,
    parse_grid,
    parse_signature,
    suffix_of,
)

_SEAL_BYTES = 16
"""Behind the object in artefact `obj` stands a checksum, which no linker needs."""


@dataclass(frozen=True)
class Kernel:
    """What `compile_kernel` has made, by phase, and what its launcher must know."""

    name: str
    """What callers and the linker know it by."""
    digest: str
    suffix: str
    target: Target
    parameters: tuple[Parameter, ...]
    grid: tuple[str, str, str]
    """C expressions over the parameters' names."""
    num_warps: int
    num_stages: int
    shared: int
    """Bytes of dynamic shared memory of a program."""
    block: tuple[int, int]
    """On a GPU: the threads of a program, and the programs that share a block."""
    hidden: tuple[HiddenParameter, ...]
    """What the launcher passes behind the arguments."""
    artefacts: Mapping[str, bytes] = field(repr=False)

    @property
    def symbol(self) -> str:
        """The launcher's name in C, and the kernel's in the machine code."""
        return f"{self.name}_{self.digest}_{self.suffix}"

    @property
    def file_suffix(self) -> str:
        """Behind the name of the output: `.9969bdda_01234`."""
        return f".{self.digest}_{self.suffix}"

    @property
    def algorithm(self) -> str:
        """What a caller of the linked program chooses by number."""
        return algorithm_of(self.parameters, self.num_warps, self.num_stages)

    @property
    def passed(self) -> list[Parameter]:
        """The parameters of the launcher, in order."""
        return [parameter for parameter in self.parameters if parameter.is_passed]

    @property
    def tensor_maps(self) -> list[tuple[int, HiddenParameter]]:
        """The hidden parameters that are encoded at a launch, with their numbers."""
        return [(number, one) for number, one in enumerate(self.hidden) if one.recipe]

    @property
    def missing_maps(self) -> int | None:
        """The hidden parameter that says which tensor maps there are not."""
        kinds = [one.kind for one in self.hidden]
        return kinds.index(tensor_map.MISSING) if tensor_map.MISSING in kinds else None

    @property
    def linkable(self) -> list[Parameter]:
        """The parameters of every variant of this kernel: those that are 1 here, too."""
        return [parameter for parameter in self.parameters if not parameter.is_constant]


def compile_kernel(
    path: Path,
    name: str,
    signature: str,
    grid: str,
    *,
    target: str = "cpu",
    num_warps: int = 1,
    num_stages: int = 3,
    out_name: str = "",
    options: Mapping[str, Any] | None = None,
) -> Kernel:
    """Compiles the kernel `name` of a Python file, or of a file of TTIR."""
    device = Target.parse(target)
    names.require_function(out_name or name, "--out-name")
    source = sources.read(path, name)
    names.require_parameters(source.parameters)
    parameters = parse_signature(signature, source.parameters)
    expressions = parse_grid(grid, parameters)
    digest = hash_of(signature, num_warps, num_stages)
    suffix = suffix_of(parameters, names_all=_triton_version() < (3, 7))
    keywords = {"num_warps": num_warps, "num_stages": num_stages, **(options or {})}
    symbol = f"{out_name or name}_{digest}_{suffix}"
    ttir = source.to_ttir(symbol, parameters, device, keywords)
    words = parse_options(device, keywords).words()
    artefacts, facts = _lower(ttir, words, symbol, device.kind, from_triton=bool(source.kernel))
    _check_arguments(symbol, parameters, facts["args"])
    return Kernel(
        out_name or name,
        digest,
        suffix,
        device,
        tuple(parameters),
        expressions,
        num_warps,
        num_stages,
        int(facts.get("shared", 0)),
        tuple(facts.get("block", (1, 1))),
        hidden_parameters(symbol, device.kind, facts["hidden"], kernel_arguments(parameters)),
        artefacts,
    )


def _triton_version() -> tuple[int, int]:
    import triton

    return read_version(triton.__version__)


def _lower(
    ttir: str, words: str, symbol: str, kind: str, *, from_triton: bool
) -> tuple[dict[str, bytes], dict[str, Any]]:
    done = library.compile_text(ttir, words, printed_by_triton=from_triton)
    if not done.succeeded:
        phases = library.phases(kind)
        made = [phase for phase in phases if done.artefact(phase)]
        failed = phases[phases.index(made[-1]) + 1] if made else phases[0]
        raise CompilationError(symbol, failed, done.diagnostics)
    artefacts = {phase: done.artefact(phase) for phase in done.artefacts}
    artefacts.setdefault("ttir", ttir.encode())
    if "obj" in artefacts:
        artefacts["obj"] = artefacts["obj"][:-_SEAL_BYTES]
    return artefacts, json.loads(done.metadata)


def kernel_arguments(parameters: Sequence[Parameter]) -> list[tensor_map.Argument]:
    """What the launcher passes, as recipes of tensor maps count it."""
    return [
        tensor_map.Argument(p.name, p.size, is_unsigned=p.type.startswith(("u", "*")))
        for p in parameters
        if p.is_passed
    ]


_KINDS = {"u1": "i1", "fp16": "f16", "fp32": "f32", "fp64": "f64"}


def _check_arguments(symbol: str, parameters: list[Parameter], compiled: list[str]) -> None:
    """A file of TTIR has types of its own: the launcher must pass what they say."""
    passed = [parameter for parameter in parameters if parameter.is_passed]
    asked = [
        "ptr" if p.type.startswith("*") else _KINDS.get(p.type, p.type.replace("u", "i"))
        for p in passed
    ]
    if asked != compiled:
        raise TritonSharedError(
            f"kernel '{symbol}' takes ({', '.join(compiled)}), but its signature says "
            f"({', '.join(asked)})"
        )
