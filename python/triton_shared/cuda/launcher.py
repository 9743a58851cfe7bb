"""How a compiled kernel becomes the launcher that Triton calls."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..errors import DamagedObjectError, TritonSharedError
from ..launcher import (
    Parameter,
    check_element_type,
    hidden_kinds,
    is_expected,
    parameters,
    where_cached,
)
from . import gpus, launch_bounds, tensor_map
from .other_form import TEXT, OtherForm

if TYPE_CHECKING:
    from .. import _native

_AXES = ("grid.x", "grid.y", "grid.z")
_SCRATCH = ("scratch.global", "scratch.profile")
_PASSED = (*_AXES, *_SCRATCH, tensor_map.KIND, tensor_map.MISSING)
"""The hidden parameters that the launcher fills in: sizes of the grid, memory, of which Triton's
own facts (`global_scratch_size` and so on) say how much, and tensor maps."""


@dataclass(frozen=True)
class Binary:
    """What Triton carries as a kernel's `function`: a cubin, loaded on a GPU."""

    name: str
    cubin_sha256: str
    kernel: _native.CudaKernel = field(repr=False)
    device: int

    def __int__(self) -> int:
        """The driver's `CUfunction`, which profilers ask for."""
        return int(self.kernel.__index__())

    __index__ = __int__


def load(name: str, cubin: bytes, shared: int, device: int) -> Binary:
    """Loads a cubin on a GPU."""
    kernel = gpus.load(cubin, name, shared, device)
    return Binary(name, hashlib.sha256(cubin).hexdigest(), kernel, device)


def make_launcher(src: Any, metadata: Any) -> Any:
    """Makes the launcher of a compiled kernel: what Triton calls with grid and arguments."""
    plan = parameters(src.signature)
    flat = [parameter for top in plan for parameter in top.flat()]
    kinds = [kind for parameter in flat for kind in parameter.kinds]
    compiled = list(metadata.args)
    if kinds != compiled:
        raise TritonSharedError(
            f"kernel '{metadata.name}' was compiled for the arguments ({', '.join(compiled)}), but "
            f"its signature asks for ({', '.join(kinds)})"
        )
    number = itertools.count()
    entries = [parameter.as_plan(number) for parameter in plan]
    hidden = hidden_plan(metadata.name, metadata.hidden, number)
    entries += hidden
    scratch = [name.removeprefix("scratch.") for form, name, *_ in hidden if form == "pointer"]

    def check(index: int, argument: Any) -> None:
        if index < len(flat):
            _check_place(metadata.name, flat[index].name, argument)
            check_element_type(metadata.name, flat[index], argument)

    threads, programs = metadata.block
    values = _values(flat)
    other = None
    if getattr(metadata, TEXT, ""):
        other = OtherForm(metadata, src.signature, len(scratch))
    launcher = gpus.make_launcher(
        metadata.name,
        entries,
        lambda binary: _check_binary(binary, metadata),
        check,
        threads=threads,
        programs=programs,
        cooperative=bool(getattr(metadata, "launch_cooperative_grid", False)),
        starts_early=bool(getattr(metadata, "launch_pdl", False)),
        **tensor_maps_plan(metadata.hidden, values, has_other_form=other is not None),
        bounds=launch_bounds.as_plan(metadata.launch_bounds, values),
        other_form=other,
    )
    return _ScratchLauncher(launcher, metadata, scratch) if scratch else launcher


def hidden_plan(
    kernel: str, hidden: Iterable[Mapping[str, Any]], number: Iterator[int]
) -> list[tuple[Any, ...]]:
    """What the native launcher does about the hidden parameters that the metadata lists."""
    return [
        ("grid", kind, _AXES.index(kind), "i32", False, 0, False)
        if kind in _AXES
        else ("pointer", kind, next(number), "ptr", False, 0, False)
        if kind in _SCRATCH
        else ("later", kind, 0, "ptr", False, 0, False)
        for kind in hidden_kinds(kernel, hidden, _PASSED)
    ]


def _values(parameters: Iterable[Parameter]) -> list[tensor_map.Argument]:
    """The C values that the parameters become."""
    return [
        tensor_map.Argument.of_kind(name, kind, parameter.unsigned)
        for parameter in parameters
        for name, kind in zip(parameter.value_names(), parameter.kinds, strict=True)
    ]


def tensor_maps_plan(
    hidden: Sequence[Mapping[str, Any]],
    arguments: Sequence[tensor_map.Argument],
    *,
    has_other_form: bool = False,
) -> dict[str, Any]:
    """What the native launcher encodes, and which argument says what it could encode."""
    places = list(enumerate(hidden, len(arguments)))
    maps = [(place, one) for place, one in places if one["kind"] == tensor_map.KIND]
    missing = [place for place, one in places if one["kind"] == tensor_map.MISSING]
    may_be_missing = has_other_form or bool(missing)
    return {
        "tensor_maps": [
            tensor_map.as_plan(
                place, tensor_map.read(one), arguments, may_be_missing=may_be_missing
            )
            for place, one in maps
        ],
        "missing_place": missing[0] if missing else -1,
    }


class _ScratchLauncher:
    """A launcher that asks Triton's allocators for memory before every launch."""

    def __init__(self, launcher: _native.CudaLauncher, metadata: Any, scratch: list[str]) -> None:
        self._launch = launcher
        self._wanted = [
            (what, _scratch_size(metadata, what), getattr(metadata, f"{what}_scratch_align", 1))
            for what in scratch
        ]

    def __call__(self, x: int, y: int, z: int, stream: int, *rest: Any) -> None:
        programs = x * y * z
        memory = [
            _allocator(what)(programs * size, align, stream) if programs else None
            for what, size, align in self._wanted
        ]
        self._launch(x, y, z, stream, *rest, *memory)


def _scratch_size(metadata: Any, what: str) -> int:
    return getattr(metadata, f"{what}_scratch_size", 0) or 0


def _allocator(what: str) -> Any:
    from triton.runtime import _allocation

    if what == "global":
        return _allocation._allocator.get()
    chosen = _allocation._profile_allocator
    return chosen.get() if hasattr(chosen, "get") else chosen


def _check_binary(binary: Binary, metadata: Any) -> _native.CudaKernel:
    """Rejects a cubin that is not what the compiler wrote: a GPU would run it."""
    if is_expected(binary.cubin_sha256, metadata.cubin_sha256):
        return binary.kernel
    raise DamagedObjectError(
        f"the cubin of kernel '{binary.name}' is damaged: its checksum does not match\n"
        f"{where_cached(metadata)}; delete it, or set TRITON_ALWAYS_COMPILE=1 to compile again"
    )


def _check_place(kernel: str, parameter: str, argument: Any) -> None:
    """Rejects memory of the CPU, unless it is pinned: that, a GPU can read."""
    if getattr(argument, "is_cpu", False) is True and not argument.is_pinned():
        raise ValueError(
            f"argument '{parameter}' of kernel '{kernel}' lies on the CPU: a GPU cannot read it\n"
            'move it with .cuda(), pin it with .pin_memory(), or run the kernel on device "cpu"'
        )
