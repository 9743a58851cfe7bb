"""`torch.cuda.CUDAGraph` on the CPU: what was captured is kept as calls, and called again.

A GPU executes nothing while it captures. Here everything runs, since results are needed to go on;
what it wrote into memory that was there before is put back when the capture ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes
from torch.utils._pytree import tree_leaves

from ..interception import intercepted_launches


class CUDAGraph:
    """Calls in order: of torch's operators, and of kernels."""

    def __init__(self, keep_graph: bool = False) -> None:
        self._calls: list[Callable[[], Any]] = []
        self._before: dict[int, tuple[Any, Any]] = {}

    def replay(self) -> None:
        """Calls all of it again, on the same memory."""
        for call in self._calls:
            call()

    def reset(self) -> None:
        """Forgets it."""
        self._calls = []

    def pool(self) -> tuple[int, int]:
        """Memory has no pools here."""
        return (0, 0)

    def instantiate(self) -> None:
        """Nothing is left to do."""

    def add(self, call: Callable[[], Any]) -> None:
        """Takes a call."""
        self._calls.append(call)

    def save(self, tensors: list[torch.Tensor]) -> None:
        """Keeps memory that is about to be written, to put it back when the capture ends."""
        for tensor in tensors:
            storage = tensor.untyped_storage()
            if storage.data_ptr() not in self._before:
                self._before[storage.data_ptr()] = (storage, storage.clone())

    def put_back(self) -> None:
        """Ends the capture."""
        for storage, kept in self._before.values():
            storage.copy_(kept)
        self._before = {}


@contextmanager
def graph(into: CUDAGraph, pool: Any = None, stream: Any = None, **_: Any) -> Iterator[None]:
    """`torch.cuda.graph`: what happens in the block becomes the content of a graph."""
    try:
        with _launches(into), _Recorder(into):
            yield
    finally:
        into.put_back()


class _Recorder(TorchDispatchMode):  # type: ignore[misc]
    """Notes torch's operators."""

    def __init__(self, into: CUDAGraph) -> None:
        super().__init__()
        self._into = into

    def __torch_dispatch__(
        self, operator: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        named = kwargs or {}
        self._into.save(_written(operator, args, named))
        made = operator(*args, **named)
        taken = {t.untyped_storage().data_ptr() for t in _tensors((args, named))}
        fresh = [t.untyped_storage().data_ptr() not in taken for t in _tensors(made)]

        def again() -> None:
            results = _tensors(operator(*args, **named))
            for old, new, is_fresh in zip(_tensors(made), results, fresh, strict=True):
                if is_fresh:
                    old.copy_(new)

        self._into.add(again)
        return made


def _tensors(values: Any) -> list[torch.Tensor]:
    return [leaf for leaf in tree_leaves(values) if isinstance(leaf, torch.Tensor)]


def _written(operator: Any, args: Any, named: dict[str, Any]) -> list[torch.Tensor]:
    """The arguments that an operator writes."""
    found = []
    for position, argument in enumerate(operator._schema.arguments):
        if argument.alias_info and argument.alias_info.is_write:
            given = args[position] if position < len(args) else named.get(argument.name)
            found += _tensors(given)
    return found


def _launches(into: CUDAGraph) -> AbstractContextManager[None]:
    """Notes the launches of kernels: each may write all of its tensors."""

    def run(launch: Any, kernel: Any, *args: Any, **named: Any) -> Any:
        with _disable_current_modes():  # A launch is one call, whatever it asks of torch.
            into.save(_tensors((args, named)))
            into.add(lambda: launch(kernel, *args, **named))
            return launch(kernel, *args, **named)

    return intercepted_launches(run)
