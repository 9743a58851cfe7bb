"""Catches the launches of a case while it runs on the CPU.

A file is compared by what it launches: it has a function `cases()` (or `case()`) that gives objects
with a method `run()`, as the examples have, or plain functions. If a case also says what is
expected, as (value, bound) per output, that goes along with the launch that wrote the output.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import torch

from .. import columns
from ..interception import intercepted_launches
from . import addresses, modules
from .recording import Recording, RecordingError, Stated, Storages, encode_argument, shown

_NOT_OPTIONS = ("instrumentation_mode", "fpsan_homomorphic_casts")


def record_file(
    file: str, wanted: str, folder: Path, vary: Mapping[str, Sequence[Any]] | None = None
) -> list[str]:
    """Records the cases whose name holds `wanted`; gives the names of the folders made.

    With `vary`, each launch once for every configuration: see `sweeps`.
    """
    names: list[str] = []
    sweeps_before = 0
    for case in cases_of(modules.load(file)):
        if wanted not in str(case):
            continue
        recordings = record(case, vary)
        for recording in recordings:
            recording.sweep += sweeps_before
            name = f"{len(names):04}"
            recording.save(folder / name)
            names.append(name)
        sweeps_before = max((recording.sweep for recording in recordings), default=sweeps_before)
    return names


def record(case: Any, vary: Mapping[str, Sequence[Any]] | None = None) -> list[Recording]:
    """Runs a case and gives its launches, in order."""
    import triton_shared

    from . import sweeps

    run: Callable[[], Any] = getattr(case, "run", case)
    label = label_of(case)
    caught: list[tuple[Recording, dict[str, torch.Tensor]]] = []
    watching = (
        catching(caught, label)
        if vary is None
        else sweeps.sweeping(sweeps.Sweep(vary, label, caught))
    )
    with triton_shared.device("cpu"), watching:
        outputs = run()
    if hasattr(case, "expected"):
        _attach(caught, outputs, case.expected())
    return [recording for recording, _ in caught]


def label_of(case: Any) -> str:
    """What reports call a case."""
    return str(case) if hasattr(case, "run") else str(getattr(case, "__name__", case))


def cases_of(module: Any) -> Iterator[Any]:
    """The cases of a Python file."""
    if hasattr(module, "cases"):
        yield from module.cases()
    elif hasattr(module, "case"):
        yield _case_of(module.case)
    else:
        raise RecordingError(
            f"{module.__file__} has neither 'cases()' nor 'case()'\n"
            "write a function 'case' that launches the kernel"
        )


def _case_of(case: Any) -> Any:
    """A case that a file has: itself, what a function makes, or the function, which launches."""
    import triton_shared

    if hasattr(case, "run"):
        return case
    with triton_shared.device("cpu"):
        made = case()
    return made if hasattr(made, "run") else case


def catching(caught: list[Any], label: str, skips: bool = False) -> AbstractContextManager[None]:
    """Adds every launch inside of the block that succeeds to `caught`, with its tensors.

    What cannot be recorded is an error, or left out if `skips`.
    """

    def run(launch: Any, kernel: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
        recorded = None
        if not warmup:
            try:
                recorded = record_launch(kernel, args, grid, kwargs, label)
            except (RecordingError, TypeError):
                if not skips:
                    raise
        done = launch(kernel, *args, grid=grid, warmup=warmup, **kwargs)
        if recorded:
            keep_text(recorded[0], done)
            caught.append(recorded)
        return done

    return intercepted_launches(run)


def keep_text(recording: Recording, compiled: Any) -> None:
    """Adds what the kernel was compiled to; the interpreter compiles nothing."""
    if not hasattr(compiled, "asm"):
        return
    recording.ttir, recording.types = columns.ttir_of(compiled), dict(compiled.src.signature)
    addresses.forget_unused(recording, recording.ttir)


def record_launch(
    fn: Any, args: tuple[Any, ...], grid: Any, kwargs: dict[str, Any], label: str
) -> tuple[Recording, dict[str, torch.Tensor]]:
    """A launch of a jitted function, as it is about to happen, and its tensors."""
    options = {n: v for n, v in kwargs.items() if n not in fn.arg_names and n not in _NOT_OPTIONS}
    bound = fn.signature.bind(*args, **{n: v for n, v in kwargs.items() if n in fn.arg_names})
    bound.apply_defaults()
    given = dict(bound.arguments)
    size = tuple(grid(given)) if callable(grid) else tuple(grid)
    storages = Storages()
    recording = Recording(
        file=shown(fn.fn.__code__.co_filename),
        kernel=fn.fn.__name__,
        grid=tuple(int(n) for n in size),
        arguments={name: encode_argument(name, v, storages) for name, v in given.items()},
        options={n: encode_argument(n, v, storages) for n, v in options.items() if v is not None},
        label=label,
        storages=storages.copies,
        addresses=storages.addresses,
    )
    addresses.record(recording, storages)
    return recording, {n: v for n, v in given.items() if isinstance(v, torch.Tensor)}


def _attach(caught: list[Any], outputs: Any, expected: Any) -> None:
    """Puts each expected value beside the last launch that had the output as an argument.

    Of a sweep, beside all configurations.
    """
    for output, (value, bound) in zip(outputs, expected, strict=True):
        last = None
        for recording, tensors in reversed(caught):
            name = next((n for n, t in tensors.items() if is_same(t, output)), None)
            if name is not None and last in (None, recording.sweep or None):
                recording.stated.append(Stated(name, value, bound))
                last = recording.sweep or -1


def is_same(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether two tensors are the same memory, seen in the same way."""
    return (a.data_ptr(), a.shape, a.stride()) == (b.data_ptr(), b.shape, b.stride())
