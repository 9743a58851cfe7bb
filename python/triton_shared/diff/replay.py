"""Replays a recorded launch on a target, on a copy of its memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from ..device import active_driver
from . import addresses, modules
from .formats import TYPES, wide
from .recording import Dtype, Function, Recording, RecordingError, View, map_argument

TARGETS = ("cpu", "shared_cuda", "nvidia", "interpreter")
"""Where a launch can be replayed: this compiler on both devices, Triton's own, its interpreter."""

REFERENCES = ("f64", "f64-sizes", "f64-terms")
"""The CPU, with every float in f64: on the values, on their absolute values, on ones instead."""


@dataclass
class Replayed:
    """What a replay left."""

    buffers: list[torch.Tensor]
    """The memory of every storage: bytes, or f64 for a reference."""
    ttir: str = ""
    facts: dict[str, Any] = field(default_factory=dict)


def replay(
    recording: Recording,
    target: str,
    storages: list[torch.Tensor] | None = None,
    grid: tuple[int, ...] | None = None,
) -> Replayed:
    """Runs the launch on `target`; other memory or another grid takes the recorded one's place."""
    if target in REFERENCES:
        return _replay_in_f64(recording, target)
    device = "cuda" if target in ("shared_cuda", "nvidia") else "cpu"
    with _active(target):  # which says what a target lacks
        memory = [storage.clone().to(device) for storage in storages or recording.storages]
        places = [part.data_ptr() for part in memory]
        addresses.translate(recording, memory, recording.addresses, places)
        arguments = _arguments(recording, memory, _triton_dtype)
        compiled = _launch(recording, arguments, grid or recording.grid)
        if device == "cuda":
            torch.cuda.synchronize()
    memory = [part.cpu() for part in memory]
    addresses.translate(recording, memory, places, recording.addresses)
    asm = getattr(compiled, "asm", {})
    facts = {
        name: getattr(compiled, name)
        for name in ("n_regs", "n_spills")
        if isinstance(getattr(compiled, name, None), int)
    }
    return Replayed(memory, asm.get("ttir", ""), facts)


def _arguments(recording: Recording, memory: list[torch.Tensor], dtype: Any) -> dict[str, Any]:
    def other(value: Any) -> Any:
        if isinstance(value, Function):
            return modules.kernel(value.file, value.name)
        return dtype(value.name) if isinstance(value, Dtype) else value

    return {
        name: map_argument(value, lambda view: view.of(memory), other)
        for name, value in recording.arguments.items()
    }


def _launch(recording: Recording, arguments: dict[str, Any], grid: tuple[int, ...]) -> Any:
    kernel = modules.kernel(recording.file, recording.kernel)
    if recording.signature is None or os.environ.get("TRITON_INTERPRET") == "1":
        return kernel[grid](**arguments, **recording.options)
    import triton

    source = triton.compiler.ASTSource(
        kernel,
        recording.signature,
        constexprs={n: v for n, v in arguments.items() if recording.signature[n] == "constexpr"},
    )
    compiled = triton.compile(source, options=dict(recording.options))
    compiled[(*grid, 1, 1)[:3]](*arguments.values())
    return compiled


@contextmanager
def _active(target: str) -> Iterator[None]:
    import triton

    import triton_shared

    if (target == "interpreter") != (os.environ.get("TRITON_INTERPRET") == "1"):
        raise RecordingError(f"target '{target}' needs another setting of TRITON_INTERPRET")
    if target == "interpreter":
        yield
    elif target == "cpu":
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


def _replay_in_f64(recording: Recording, target: str) -> Replayed:
    """The kernel computes in the types of its arguments, and in those that it names: all f64 here.

    What it does with the bits of a float has no meaning then, and usually does not compile.
    """
    import triton_shared

    if addresses.has_tables(recording):
        raise RecordingError("memory holds addresses: it has no reference in f64")
    if recording.signature is not None:
        recording = replace(
            recording, signature={n: _promoted_word(t) for n, t in recording.signature.items()}
        )
    of_values, of_scalar = _INPUTS[target]
    memory = [
        _promote(storage, dtype, of_values)
        for storage, dtype in zip(recording.storages, _float_types(recording), strict=True)
    ]

    def other(value: Any) -> Any:
        if isinstance(value, Function):
            return modules.kernel(value.file, value.name)
        # The kernel gets an f32, whatever it computes in.
        return of_scalar(torch.tensor(value).item()) if isinstance(value, float) else value

    arguments = {
        name: map_argument(value, lambda view: view.of(memory), other)
        for name, value in recording.arguments.items()
    }
    arguments = {
        name: _triton_dtype(_promoted_word(value.name)) if isinstance(value, Dtype) else value
        for name, value in arguments.items()
    }
    with triton_shared.device("cpu"), triton_shared.launches(threads=1):
        _launch(recording, arguments, recording.grid)
    return Replayed(memory)


def name_f64() -> None:
    """Makes `tl.float32` and its like mean f64, in kernels loaded from now on.

    Triton reads its own signatures with these names, so parameters of the kernel are f64, too.
    """
    import triton.language as tl

    from .. import launcher

    for name in ("float16", "bfloat16", "float32"):
        setattr(tl, name, tl.float64)
    for name in ("fp16", "f16", "bf16", "fp32", "f32"):
        launcher.KINDS[name] = "f64"
    _sum_dots_in_f64()


def _sum_dots_in_f64() -> None:
    """`tl.dot` sums in f32 unless it is told otherwise: a default, which has no name to change."""
    import triton.language as tl
    from triton.language.semantic import TritonSemantic

    original = TritonSemantic.dot

    def dot(self: Any, lhs: Any, *rest: Any) -> Any:
        *most, out_dtype = rest
        return original(self, lhs, *most, tl.float64 if lhs.type.scalar.is_fp64() else out_dtype)

    TritonSemantic.dot = dot


_INPUTS: dict[str, tuple[Callable[[torch.Tensor], torch.Tensor], Callable[[float], float]]] = {
    "f64": (lambda tensor: tensor, lambda value: value),
    "f64-sizes": (torch.abs, abs),
    "f64-terms": (torch.ones_like, lambda value: 1.0),
}
"""What becomes of the inputs: of a tensor, and of a float argument."""


def _promoted_word(kind: Any) -> Any:
    if isinstance(kind, tuple):
        return tuple(_promoted_word(member) for member in kind)
    stars = kind[: len(kind) - len(kind.lstrip("*k"))]
    floats = ("fp16", "bf16", "fp32", "fp64", "fp8e4nv", "fp8e5", "fp8e4b8", "fp8e5b16")
    return f"{stars}fp64" if kind.lstrip("*k") in floats else kind


def _float_types(recording: Recording) -> list[torch.dtype | None]:
    """The one float type of each storage, None if it holds no floats."""
    types: list[set[torch.dtype]] = [set() for _ in recording.storages]
    for view in recording.views().values():
        types[view.storage].add(TYPES[view.dtype])
    for found in types:
        if len(found) > 1 and any(dtype.is_floating_point for dtype in found):
            raise RecordingError("memory is read as two types: it has no reference in f64")
    return [next((t for t in found if t.is_floating_point), None) for found in types]


def _promote(storage: torch.Tensor, dtype: torch.dtype | None, of_values: Any) -> torch.Tensor:
    if dtype is None:
        return storage.clone()
    whole = View(0, str(dtype).removeprefix("torch."), (), (), 0)
    size = storage.numel() // dtype.itemsize
    values = replace(whole, shape=(size,), strides=(1,)).of([storage])
    promoted_values: torch.Tensor = of_values(wide(values))
    return promoted_values
