"""Records a launch once for each configuration that it could have.

A sweep is one call of an autotuned kernel, or of any kernel with options to try. Every
configuration is prepared as the autotuner does it, with its hooks, and recorded with the memory
that it would find; none is launched but one, so that the case goes on.
"""

from __future__ import annotations

import itertools
import shutil
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch

from ..interception import intercepted_launches
from . import recorder, recording
from .recording import Recording, RecordingError

PASSED_OVER = ("OutOfResources", "SharedMemoryError", "CompileTimeAssertionFailure", "PTXASError")
"""The errors of a configuration that does not fit: autotuners try the next one."""


@dataclass
class Sweep:
    """What is collected while a case runs."""

    vary: Mapping[str, Sequence[Any]]
    """Options of a launch, and constants of the kernel, with the values to try."""
    label: str
    caught: list[tuple[Recording, dict[str, torch.Tensor]]]
    count: int = 0
    _prepares: bool = field(default=False)
    """Whether launches are recorded only."""

    def choices(self) -> list[dict[str, Any]]:
        """Every combination of what varies."""
        values = itertools.product(*self.vary.values())
        return [dict(zip(self.vary, chosen, strict=True)) for chosen in values]


@contextmanager
def sweeping(sweep: Sweep) -> Iterator[None]:
    """Adds every configuration of every launch inside of the block to `sweep.caught`."""
    from triton.runtime.autotuner import Autotuner
    from triton.runtime.jit import JITFunction

    launch, tune = JITFunction.run, Autotuner.run

    def run(self: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
        if warmup or (not sweep._prepares and not sweep.vary):
            return launch(self, *args, grid=grid, warmup=warmup, **kwargs)
        if sweep._prepares:
            return _record(sweep, self, args, grid, kwargs, launch)
        first = len(sweep.caught)
        with _preparing(sweep):
            for choice in sweep.choices():
                with _naming(self.__name__, choice):
                    _record(sweep, self, args, grid, {**kwargs, **choice}, launch)
                sweep.caught[-1][0].configuration = describe(choice)
        _close(sweep, first)
        return launch(self, *args, grid=grid, warmup=warmup, **{**kwargs, **sweep.choices()[0]})

    def run_tuned(self: Any, *args: Any, **kwargs: Any) -> Any:
        self.nargs = dict(zip(self.arg_names, args, strict=False))
        configs = self.prune_configs(kwargs)
        told = distinct([config.all_kwargs() for config in configs])
        first = len(sweep.caught)
        with _preparing(sweep):
            for config, words in zip(configs, told, strict=True):
                for choice in sweep.choices():
                    with _naming(self.base_fn.__name__, {**words, **choice}):
                        _prepare(self, args, kwargs, config, choice)
                    sweep.caught[-1][0].configuration = describe({**words, **choice})
        _close(sweep, first)
        return _launch_one(self, args, kwargs, configs[0])

    JITFunction.run, Autotuner.run = run, run_tuned
    try:
        yield
    finally:
        JITFunction.run, Autotuner.run = launch, tune


def _prepare(
    tuner: Any, args: Any, kwargs: dict[str, Any], config: Any, choice: dict[str, Any]
) -> None:
    """Has one configuration recorded, and leaves memory as it was."""
    current = {**kwargs, **config.all_kwargs(), **choice}
    named = {**tuner.nargs, **current}
    with kept_memory(named.values()), hooks_of(tuner, config, named):
        tuner.fn.run(*args, **current)


@contextmanager
def hooks_of(tuner: Any, config: Any, named: dict[str, Any]) -> Iterator[None]:
    """What the autotuner does before and after a launch of a configuration."""
    if config.pre_hook:
        config.pre_hook(named)
    tuner.pre_hook(named)
    try:
        yield
    except Exception as error:
        tuner.post_hook(named, exception=error)
        raise
    tuner.post_hook(named, exception=None)


@contextmanager
def kept_memory(values: Any) -> Iterator[None]:
    """Gives the tensors among `values` their content back after the block."""
    tensors = [part for value in values for part in _tensors(value)]
    copies = {
        tensor.untyped_storage().data_ptr(): (tensor, _bytes(tensor).clone()) for tensor in tensors
    }
    try:
        yield
    finally:
        for tensor, copy in copies.values():
            _bytes(tensor).copy_(copy)


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for member in value:
            yield from _tensors(member)
    elif isinstance(getattr(value, "base", None), torch.Tensor):
        yield value.base


def _bytes(tensor: torch.Tensor) -> torch.Tensor:
    memory = torch.empty(0, dtype=torch.uint8, device=tensor.device)
    return memory.set_(tensor.untyped_storage())


Ran = tuple[Recording, Recording]
"""A launch as it was before and after it ran."""


def running(ran: list[Ran]) -> AbstractContextManager[None]:
    """Adds every launch inside of the block to `ran`."""

    def run(launch: Any, kernel: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
        before, _ = recorder.record_launch(kernel, args, grid, kwargs, "")
        compiled = launch(kernel, *args, grid=grid, warmup=warmup, **kwargs)
        after, _ = recorder.record_launch(kernel, args, grid, kwargs, "")
        recorder.keep_text(before, compiled)
        del after.storages[len(before.storages) :]
        ran.append((before, after))
        return compiled

    return intercepted_launches(run)


@contextmanager
def _preparing(sweep: Sweep) -> Iterator[None]:
    sweep._prepares = True
    try:
        yield
    finally:
        sweep._prepares = False


def _record(
    sweep: Sweep, kernel: Any, args: Any, grid: Any, kwargs: dict[str, Any], launch: Any
) -> None:
    """Records a launch, and compiles it without launching it."""
    recorded = recorder.record_launch(kernel, args, grid, kwargs, sweep.label)
    try:
        compiled = launch(kernel, *args, grid=recorded[0].grid, warmup=True, **kwargs)
    except Exception as error:
        if not is_passed_over(error):
            raise
        compiled = None  # Targets will say so, each for itself.
    recorder.keep_text(recorded[0], compiled)
    sweep.caught.append(recorded)


@contextmanager
def _naming(kernel: str, words: Mapping[str, Any]) -> Iterator[None]:
    """Errors inside of the block are those of a configuration, and say so."""
    try:
        yield
    except RecordingError:
        raise
    except Exception as error:
        raise RecordingError(
            f"kernel '{kernel}' cannot be launched in configuration {describe(words)}: "
            f"{error}\nleave that configuration out"
        ) from error


def is_passed_over(error: BaseException) -> bool:
    """Whether autotuners try the next configuration after this error."""
    return any(kind.__name__ in PASSED_OVER for kind in type(error).__mro__)


def _close(sweep: Sweep, first: int) -> None:
    if len(sweep.caught) == first:
        raise RecordingError(f"{sweep.label}: there is no configuration to record")
    sweep.count += 1
    for recorded, _ in sweep.caught[first:]:
        recorded.sweep = sweep.count


def _launch_one(tuner: Any, args: Any, kwargs: dict[str, Any], config: Any) -> Any:
    """Launches one configuration as an autotuner that has chosen it."""
    current = {**kwargs, **config.all_kwargs()}
    if config.pre_hook:
        config.pre_hook({**tuner.nargs, **current})
    tuner.best_config, tuner.nargs = config, None
    return tuner.fn.run(*args, **current)


def distinct(all_words: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Of each configuration, what some other one has otherwise; all of it, if there is no other."""
    first = all_words[0]
    same = {n for n in first if all(n in words and words[n] == first[n] for words in all_words)}
    if len(all_words) == 1:
        same = set()
    return [{n: value for n, value in words.items() if n not in same} for words in all_words]


def describe(words: Mapping[str, Any]) -> str:
    """The name of a configuration: `BLOCK=64 num_warps=4`."""
    return " ".join(f"{name}={value}" for name, value in words.items()) or "as written"


def vary_recording(launch: Path, vary: Mapping[str, Sequence[Any]]) -> list[Path]:
    """Puts copies of a recording beside it, one for each combination of options; gives all.

    Constants of the kernel cannot vary: the grid is that of the recorded ones.
    """
    loaded = recording.load(launch)
    require_options(loaded, vary)
    made = []
    for number, choice in enumerate(Sweep(vary, loaded.label, []).choices()):
        one = replace(loaded, configuration=describe(choice))
        one.options = {**loaded.options, **choice}
        one.sweep = zlib.crc32(launch.name.encode())
        place = launch.with_name(f"{launch.name}-{number:03}")
        one.save(place)
        made.append(place)
    shutil.rmtree(launch)
    return made


def require_options(launch: Recording, names: Iterable[str]) -> None:
    """Raises RecordingError if one of the names is a parameter of the recorded kernel."""
    for name in names:
        if name in launch.arguments:
            raise RecordingError(
                f"'{name}' is a parameter of kernel '{launch.kernel}', and the grid of a recording "
                "is fixed: vary it where the kernel is launched, in a Python file"
            )
