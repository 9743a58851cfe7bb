"""Launches a cubin on a GPU, whoever has made it: arguments are C values, as its PTX takes them."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch

from .. import library
from ..cuda import tensor_map
from ..errors import CompilationError
from ..frontend import Target, parse_options
from .recording import RecordingError

if TYPE_CHECKING:
    from .given import Given


def compile_text(ttir: str, options: Mapping[str, Any]) -> Given:
    """What this compiler makes of a kernel's text for the current GPU.

    `options` are those of its launch line. Raises CompilationError.
    """
    from ..cuda import gpus
    from .given import Given

    major, minor = gpus.facts(gpus.current())["capability"]
    target = Target.parse(f"cuda:{10 * major + minor}")
    done = library.compile_text(ttir, parse_options(target, options).words())
    if not done.succeeded:
        raise CompilationError("", "cubin", done.diagnostics)
    return Given.compiled("cubin", done.artefact("cubin"), json.loads(done.metadata))


def launch(given: Given, values: Sequence[Any], grid: tuple[int, int, int]) -> None:
    """Loads the cubin on the current GPU, launches it and waits for it; see `start`."""
    device = torch.cuda.current_device()
    start(given, values, grid, device, torch.cuda.current_stream(device).cuda_stream)
    torch.cuda.synchronize()


def start(
    given: Given, values: Sequence[Any], grid: tuple[int, int, int], device: int, stream: int
) -> None:
    """Loads the cubin on a GPU and launches it in a stream.

    `values` are what the kernel's author passes, floats as bytes. Raises RecordingError for what
    only a kernel's own launcher can make.
    """
    from ..cuda import gpus, launcher

    if any(one["kind"].startswith("scratch.") for one in given.hidden):
        raise RecordingError("a launch of a given cubin has no scratch memory for it")
    loaded = gpus.load(given.code, given.kernel, given.shared, device)
    entries, arguments, known = _plan(values)
    entries += launcher.hidden_plan(given.kernel, given.hidden, itertools.count(len(entries)))
    launch_grid = gpus.make_launcher(
        given.kernel,
        entries,
        lambda kernel: kernel,
        lambda _index, _argument: None,
        threads=given.threads,
        programs=given.programs,
        cooperative=False,
        starts_early=False,
        **launcher.tensor_maps_plan(given.hidden, known),
    )
    launch_grid(*grid, stream, loaded, (), None, None, None, *arguments)


def _plan(
    values: Sequence[Any],
) -> tuple[list[tuple[Any, ...]], list[Any], list[tensor_map.Argument]]:
    """What the native launcher reads of each value, the value as it takes it, and its size."""
    entries: list[tuple[Any, ...]] = []
    arguments: list[Any] = []
    known = []
    for number, value in enumerate(values):
        # The driver takes as many bytes as the parameter has; those of numbers are the first ones.
        kind = "ptr" if isinstance(value, torch.Tensor) else "i64"
        if isinstance(value, bytes):
            value = int.from_bytes(value, "little")
        if kind == "i64":
            value = (int(value) + (1 << 63)) % (1 << 64) - (1 << 63)
        form = "pointer" if kind == "ptr" else "value"
        name = f"argument {number}"
        entries.append((form, name, number, kind, False, 0, False))
        arguments.append(value)
        known.append(tensor_map.Argument.of_kind(name, kind, False))
    return entries, arguments, known
