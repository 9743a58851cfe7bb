"""Launches that other packages make, kept so that each can be repeated by another compiler."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

import torch
from triton.runtime.autotuner import Autotuner, Heuristics
from triton.runtime.jit import JITFunction, KernelInterface

MOST_OF_ONE = 2
"""Launches of a kernel that are kept: shapes differ less than kernels do."""
MOST_CONFIGS = 6
"""Configurations that a tuner tries."""


def layers_of(kernel: KernelInterface[Any]) -> Iterator[Any]:
    """A decorated kernel, and what it decorates, down to the function."""
    yield kernel
    while not isinstance(kernel, JITFunction):
        kernel = kernel.fn
        yield kernel


def _leave_few_configs(kernel: KernelInterface[Any]) -> None:
    """Lets a tuner try some of its configurations, spread over all."""
    for layer in layers_of(kernel):
        if isinstance(layer, Autotuner) and len(layer.configs) > MOST_CONFIGS:
            count = len(layer.configs)
            every = [i * count // MOST_CONFIGS for i in range(MOST_CONFIGS)]
            layer.configs = [layer.configs[i] for i in every]


def _copy(value: Any) -> Any:
    if not isinstance(value, torch.Tensor):
        return value
    return value.detach().clone(memory_format=torch.preserve_format)


def _repeats(value: torch.Tensor) -> bool:
    return any(not step and n > 1 for step, n in zip(value.stride(), value.shape, strict=True))


def _describe(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return tuple(value.shape), value.stride(), value.dtype
    return "a grid" if callable(value) else repr(value)


@dataclass
class Launch:
    """A launch as a package has made it, and what its tensors held before."""

    kernel: KernelInterface[Any]
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]
    before: list[Any] = field(init=False)

    def __post_init__(self) -> None:
        self.before = [_copy(value) for value in self._values()]

    def _values(self) -> list[Any]:
        return [*self.arguments, *self.keywords.values()]

    @property
    def name(self) -> str:
        """Of the function."""
        *_, function = layers_of(self.kernel)
        return str(function.__name__)

    @property
    def signature(self) -> tuple[Any, ...]:
        """Equal for launches that are compiled alike."""
        return (self.name, *map(_describe, self._values()))

    @property
    def tensors(self) -> list[torch.Tensor]:
        """The tensors among the arguments."""
        return [value for value in self._values() if isinstance(value, torch.Tensor)]

    @property
    def config(self) -> str:
        """What the last tuning has chosen."""
        tuners = [layer for layer in layers_of(self.kernel) if isinstance(layer, Autotuner)]
        return ", ".join(str(tuner.best_config) for tuner in tuners)

    def restore(self) -> None:
        """Puts back what the tensors held; nobody writes to one that repeats its elements."""
        for value, held in zip(self._values(), self.before, strict=True):
            if isinstance(value, torch.Tensor) and not _repeats(value):
                value.data.copy_(held)

    def forget_tuning(self) -> None:
        """The next run tries configurations, as if there had been none before: what a tuner keeps
        on disk may be of a run beside others, when all were compiled."""
        for layer in layers_of(self.kernel):
            if isinstance(layer, Autotuner):
                layer.cache.clear()
                layer.cache_results = False

    def run(self) -> Any:
        """Launches on what the tensors hold now; gives the compiled kernel."""
        return self.kernel.run(*self.arguments, **self.keywords)


@contextmanager
def recording() -> Iterator[list[Launch]]:
    """Keeps what is launched meanwhile; of what is compiled alike, one launch. Tuners have fewer
    configurations from then on."""
    found: list[Launch] = []
    seen: set[tuple[Any, ...]] = set()
    depth = 0

    def watch(run: Any) -> Any:
        def outer(self: KernelInterface[Any], *arguments: Any, **keywords: Any) -> Any:
            nonlocal depth
            # A tuner runs what it decorates: the launch is the outermost call.
            if not depth and not keywords.get("warmup"):
                _leave_few_configs(self)
                note(Launch(self, arguments, keywords))
            depth += 1
            try:
                return run(self, *arguments, **keywords)
            finally:
                depth -= 1

        return outer

    def note(launch: Launch) -> None:
        if launch.signature in seen:
            return
        seen.add(launch.signature)
        if sum(other.name == launch.name for other in found) < MOST_OF_ONE:
            found.append(launch)

    with ExitStack() as stack:
        for kind in (JITFunction, Autotuner, Heuristics):
            stack.enter_context(mock.patch.object(kind, "run", watch(kind.run)))
        yield found
