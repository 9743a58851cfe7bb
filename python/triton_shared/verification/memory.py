"""Memory whose surroundings are watched.

Every tensor that a kernel's function gets, or makes with torch, lies between two zones of known
bytes. What is made by `torch.empty` is filled with NaN, or with an odd number: what nobody writes
is seen in the result.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from ..interception import intercepted_launches

_ZONE = 512
"""Bytes before and after each tensor."""
_BYTE = 0xA5

_MAKERS = frozenset(
    {
        torch.empty, torch.empty_like, torch.zeros, torch.zeros_like, torch.ones, torch.ones_like,
        torch.full, torch.full_like, torch.empty_strided, torch.Tensor.new_empty,
        torch.Tensor.new_zeros,
    }
)  # fmt: skip
_EMPTY = frozenset({torch.empty, torch.empty_like, torch.empty_strided, torch.Tensor.new_empty})


@dataclass
class Watched:
    """A tensor, its memory with the zones, and what the memory was before."""

    tensor: torch.Tensor
    memory: torch.Tensor
    before: torch.Tensor

    def outside(self) -> torch.Tensor:
        """Which bytes belong to no element."""
        mask = torch.ones(self.memory.numel(), dtype=torch.bool)
        size = self.tensor.element_size()
        offset = self.tensor.storage_offset() * size
        strides = [stride * size for stride in self.tensor.stride()]
        for byte in range(size):
            mask.as_strided(self.tensor.shape, strides, offset + byte).fill_(False)
        return mask

    def is_touched(self) -> bool:
        """Whether a byte that belongs to no element has changed."""
        changed = self.memory.cpu() != self.before.cpu()
        return bool((changed & self.outside()).any())

    def is_changed(self) -> bool:
        """Whether any byte has changed."""
        return not torch.equal(self.memory, self.before)


def between_zones(tensor: torch.Tensor, padding: int = 0) -> Watched:
    """A copy of a tensor between zones, with its strides; `padding` bytes more on both sides."""
    size = tensor.element_size()
    zone = -(-(_ZONE + padding) // size) * size
    span = 1 + sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride(), strict=True))
    span = span * size if tensor.numel() else 0
    memory = torch.full((span + 2 * zone,), _BYTE, dtype=torch.uint8, device=tensor.device)
    rounded = memory[: memory.numel() // size * size].view(tensor.dtype)
    copy = rounded.as_strided(tensor.shape, tensor.stride(), zone // size)
    copy.copy_(tensor)
    return Watched(copy, memory, memory.clone())


@dataclass
class Made:
    """What a function has made while it ran."""

    tensors: list[Watched] = field(default_factory=list)
    kernels: list[str] = field(default_factory=list)
    """Those that were launched."""


@contextmanager
def watching(made: Made) -> Iterator[None]:
    """Inside of the block, tensors that torch makes are watched, and launches named."""

    class Watching(TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(
            self, function: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            result = function(*args, **(kwargs or {}))
            if function not in _MAKERS or not isinstance(result, torch.Tensor):
                return result
            if function in _EMPTY:
                _fill(result)
            made.tensors.append(between_zones(result))
            return made.tensors[-1].tensor

    def run(launch: Any, kernel: Any, *args: Any, warmup: bool, **kwargs: Any) -> Any:
        if not warmup:
            made.kernels.append(kernel.fn.__name__)
        return launch(kernel, *args, warmup=warmup, **kwargs)

    with intercepted_launches(run), Watching():
        yield


def unwritten(dtype: torch.dtype) -> float:
    """What stands where nobody has written."""
    return float("nan") if dtype.is_floating_point else float(_odd(dtype))


def _odd(dtype: torch.dtype) -> int:
    return 1 if dtype == torch.bool else torch.iinfo(dtype).max - 12


def _fill(values: torch.Tensor) -> None:
    values.fill_(float("nan") if values.dtype.is_floating_point else _odd(values.dtype))
