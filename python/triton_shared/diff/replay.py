"""Replays a recorded launch on a target, on a copy of its memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch

from .. import columns, library
from ..device import active_driver
from . import addresses, given, modules, texts
from .formats import TYPES, wide
from .recording import (
    Dtype,
    Function,
    Recording,
    RecordingError,
    Reinterpreted,
    View,
    map_argument,
)

TARGETS = ("cpu", "cpu-fast", "emulated", "shared_cuda", "nvidia", "interpreter")
"""Where a launch can be replayed: this compiler on the CPU, in reference mode (or as the
environment says) and in fast mode, its code for a GPU in the emulator and on one, Triton's own
backend, and Triton's interpreter."""

CPU_MODES = {"cpu": "", "cpu-fast": "fast", "reference": "reference"}
"""The modes of targets on the CPU; without one, the environment says which."""

REFERENCES = ("f64", "f64-sizes", "f64-terms")
"""The CPU, with every float in f64: on the values, on their absolute values, on ones instead."""


@dataclass
class Replayed:
    """What a replay left."""

    buffers: list[torch.Tensor]
    """The memory of every storage: bytes, or f64 for a reference."""
    ttir: str = ""
    types: dict[str, Any] | None = None
    """What the text was compiled for."""
    facts: dict[str, Any] = field(default_factory=dict)


def replay(
    recording: Recording,
    target: str,
    storages: list[torch.Tensor] | None = None,
    grid: tuple[int, ...] | None = None,
    place: Path | None = None,
) -> Replayed:
    """Runs the launch on `target`; other memory or another grid takes the recorded one's place.

    `place` is the folder of a target that has its code there.
    """
    if target in REFERENCES:
        return _replay_in_f64(recording, target)
    if grid:
        recording = replace(recording, grid=grid)
    code = given.load(place) if place and target.startswith(given.PREFIX) else None
    on_gpu = target in ("shared_cuda", "nvidia") or (code and code.form == "cubin")
    device = "cuda" if on_gpu else "cpu"
    is_text = target == "emulated" or not recording.file or code is not None
    with _active(target, is_text):  # which says what a target lacks
        memory = [storage.clone().to(device) for storage in storages or recording.storages]
        places = [part.data_ptr() for part in memory]
        addresses.translate(recording, memory, recording.addresses, places)
        compiled = None
        if code and place:
            _replay_given(recording, code, place, memory)
        elif is_text:
            _replay_text(recording, target, memory)
        else:
            compiled = run_kernel(recording, _arguments(recording, memory, _triton_dtype), target)
        if device == "cuda":
            torch.cuda.synchronize()
    memory = [part.cpu() for part in memory]
    addresses.translate(recording, memory, places, recording.addresses)
    if is_text:
        return Replayed(memory, recording.ttir, recording.types)
    facts = {
        name: getattr(compiled, name)
        for name in ("n_regs", "n_spills")
        if isinstance(getattr(compiled, name, None), int)
    }
    types = getattr(getattr(compiled, "src", None), "signature", None)
    ttir = columns.ttir_of(compiled) if hasattr(compiled, "asm") else ""
    return Replayed(memory, ttir, types, facts)


def _arguments(recording: Recording, memory: list[torch.Tensor], dtype: Any) -> dict[str, Any]:
    def other(value: Any) -> Any:
        if isinstance(value, Function):
            return modules.kernel(value.file, value.name)
        return dtype(value.name) if isinstance(value, Dtype) else value

    return {
        name: map_argument(value, lambda view: view.of(memory), other)
        for name, value in recording.arguments.items()
    }


def prepare(
    recording: Recording,
    device: str = "cpu",
    copy: Callable[[torch.Tensor], torch.Tensor] = torch.clone,
) -> tuple[list[torch.Tensor], dict[str, Any]]:
    """A copy of the recorded memory on a device, and the arguments of a launch that lie in it."""
    memory = [copy(storage).to(device) for storage in recording.storages]
    places = [part.data_ptr() for part in memory]
    addresses.translate(recording, memory, recording.addresses, places)
    return memory, _arguments(recording, memory, _triton_dtype)


def run_kernel(recording: Recording, arguments: dict[str, Any], target: str) -> Any:
    """Launches the kernel of a recording once on these arguments, where `target` is active."""
    kernel = modules.kernel(recording.file, recording.kernel)
    grid, options = recording.grid, dict(recording.options)
    if CPU_MODES.get(target):
        options["mode"] = CPU_MODES[target]
    if recording.signature is None or os.environ.get("TRITON_INTERPRET") == "1":
        return kernel[grid](**arguments, **options)
    import triton

    source = triton.compiler.ASTSource(
        kernel,
        recording.signature,
        constexprs={n: v for n, v in arguments.items() if recording.signature[n] == "constexpr"},
    )
    compiled = triton.compile(source, options=options)
    compiled[(*grid, 1, 1)[:3]](*arguments.values())
    return compiled


@contextmanager
def _active(target: str, is_text: bool) -> Iterator[None]:
    if is_text:
        yield
        return
    import triton

    import triton_shared

    if (target == "interpreter") != (os.environ.get("TRITON_INTERPRET") == "1"):
        raise RecordingError(f"target '{target}' needs another setting of TRITON_INTERPRET")
    if target == "interpreter":
        yield
    elif target in CPU_MODES:
        # One program after the other: the same sums in the same order at every run.
        with triton_shared.device("cpu"), triton_shared.launches(threads=1):
            yield
    elif target == "shared_cuda":
        with triton_shared.device("cuda"):
            yield
    else:
        with active_driver(triton.backends.backends["nvidia"].driver()):
            yield


def _triton_dtype(name: str) -> Any:
    import triton.language as tl

    return tl.dtype(name)


def _replay_text(recording: Recording, target: str, memory: list[torch.Tensor]) -> None:
    """Runs the recording's TTIR, whatever source it came from."""
    if not recording.ttir or recording.types is None:
        raise RecordingError(
            f"target '{target}' runs the kernel's TTIR, which this recording does not have: "
            "record the launch again"
        )
    arguments = _text_arguments(recording, memory)
    types, options = recording.types, recording.options
    if target == "emulated":
        texts.run_in_emulator(recording.ttir, types, arguments, recording.grid, options, memory)
    elif target in CPU_MODES:
        with library.launches(threads=1):
            texts.run_on_cpu(recording.ttir, types, arguments, recording.grid, CPU_MODES[target])
    elif target == "shared_cuda":
        from . import cubins

        code = cubins.compile_text(recording.ttir, options)
        given.run(code, types, arguments, recording.grid, memory, Path())
    else:
        raise RecordingError(
            f"target '{target}' needs the kernel's source, and this recording has its TTIR alone"
        )


def _replay_given(
    recording: Recording, code: given.Given, place: Path, memory: list[torch.Tensor]
) -> None:
    """Runs code that lies beside the recording."""
    if recording.types is None:
        raise RecordingError("the recording does not say what its kernel was compiled for")
    arguments = _text_arguments(recording, memory)
    given.run(code, recording.types, arguments, recording.grid, memory, place)


def _text_arguments(recording: Recording, memory: list[torch.Tensor]) -> list[Any]:
    """The arguments of a launch, without anything that would have to be imported.

    Types and functions are constants, which a text does without.
    """
    assert recording.types is not None

    def other(value: Any) -> Any:
        return None if isinstance(value, (Dtype, Function)) else value

    return [
        map_argument(recording.arguments[name], lambda view: view.of(memory), other)
        for name in recording.types
    ]


def _replay_in_f64(recording: Recording, target: str) -> Replayed:
    """What the kernel would compute without rounding."""
    kernel = InF64(recording)
    of_values, of_scalar = _INPUTS[target]
    memory = kernel.memory(of_values)
    kernel.run(memory, of_scalar)
    return Replayed(memory)


class InF64:
    """A recorded kernel with f64 for every float, which may run many times.

    What it does with the bits of a float has no meaning then, and does not compile. `rounds` is the
    number of a value (`probes`) whose operation alone stays as it is written.
    """

    def __init__(self, recording: Recording, rounds: int = -1) -> None:
        if addresses.has_tables(recording):
            raise RecordingError("memory holds addresses: it has no reference in f64")
        if not recording.ttir or recording.types is None:
            raise RecordingError("without TTIR, there is no reference in f64")
        promote = ["triton-promote-floats"]
        if rounds >= 0:
            promote = [*texts.ONE_FUNCTION, f"triton-promote-floats{{except={rounds}}}"]
        self._recording = recording
        self._types = texts.in_f64(recording.types)
        self._launch = texts.compile_for_cpu(
            texts.apply_passes(recording.ttir, *promote), self._types, CPU_MODES["reference"]
        )

    def memory(
        self, of_values: Callable[[torch.Tensor], torch.Tensor] = lambda tensor: tensor
    ) -> list[torch.Tensor]:
        """A copy of what was in memory, its floats in f64."""
        types = float_types(self._recording, "reference in f64")
        return [
            promote(storage, dtype, of_values)
            for storage, dtype in zip(self._recording.storages, types, strict=True)
        ]

    def run(
        self,
        memory: list[torch.Tensor],
        of_scalar: Callable[[float], float] = lambda value: value,
    ) -> None:
        """Launches it on this memory."""
        given = replace(
            self._recording,
            types=self._types,
            arguments=_promote_arguments(self._recording.arguments, of_scalar),
        )
        with library.launches(threads=1):
            self._launch(_text_arguments(given, memory), self._recording.grid)


def _promote_arguments(value: Any, of_scalar: Callable[[float], float]) -> Any:
    """The arguments that go with memory in f64."""
    if isinstance(value, dict):
        return {name: _promote_arguments(member, of_scalar) for name, member in value.items()}
    if isinstance(value, tuple):
        return tuple(_promote_arguments(member, of_scalar) for member in value)
    if isinstance(value, Reinterpreted):
        return value.base
    # The kernel gets an f32, whatever it computes in.
    return of_scalar(torch.tensor(value).item()) if isinstance(value, float) else value


_INPUTS: dict[str, tuple[Callable[[torch.Tensor], torch.Tensor], Callable[[float], float]]] = {
    "f64": (lambda tensor: tensor, lambda value: value),
    "f64-sizes": (torch.abs, abs),
    "f64-terms": (torch.ones_like, lambda value: 1.0),
}
"""What becomes of the inputs: of a tensor, and of a float argument."""


def float_types(recording: Recording, form: str) -> list[torch.dtype | None]:
    """The one float type of each storage, None if it holds no floats.

    Raises RecordingError if one holds other numbers, too: then the launch has no such `form`.
    """
    types: list[set[torch.dtype]] = [set() for _ in recording.storages]
    for view in recording.views().values():
        types[view.storage].add(TYPES[view.dtype])
    for found in types:
        if len(found) > 1 and any(dtype.is_floating_point for dtype in found):
            raise RecordingError(f"memory is read as two types: it has no {form}")
    return [next((t for t in found if t.is_floating_point), None) for found in types]


def promote(
    storage: torch.Tensor,
    dtype: torch.dtype | None,
    of_values: Callable[[torch.Tensor], torch.Tensor] = lambda tensor: tensor,
) -> torch.Tensor:
    """Memory with every float in f64."""
    if dtype is None:
        return storage.clone()
    whole = View(0, str(dtype).removeprefix("torch."), (), (), 0)
    size = storage.numel() // dtype.itemsize
    values = replace(whole, shape=(size,), strides=(1,)).of([storage])
    promoted_values: torch.Tensor = of_values(wide(values))
    return promoted_values
