"""Memory in which a kernel's mistakes can be seen: guards round tensors, padding after rows.

Guards hold NaN, or zero, and are looked at again afterwards. They are long enough for blocks that
hang over, so that a kernel without masks is found and does not break the process.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

_SMALLEST = 1 << 13
_PAD = 5


class GuardedMemory:
    """Tensors that lie between guards."""

    def __init__(self, fill: float, rows: int, is_padded: bool) -> None:
        self.fill = fill
        self.rows = rows
        """A block hangs over by fewer rows."""
        self.is_padded = is_padded
        self._kept: list[tuple[Any, Any]] = []

    def empty(self, shape: Sequence[int], dtype: Any, device: Any = "cpu") -> Any:
        """A tensor full of the fill value, with strides that leave room after each row."""
        pad = _PAD if self.is_padded and shape else 0
        strides = [1] * len(shape)
        for dim in reversed(range(len(shape) - 1)):
            width = shape[dim + 1] + (pad if dim == len(shape) - 2 else 0)
            strides[dim] = strides[dim + 1] * width
        span = (strides[0] * shape[0] if shape else 1) + pad
        guard = _SMALLEST + self.rows * (max(strides, default=1) if len(shape) > 1 else 1)
        memory = torch.full((span + 2 * guard,), self.fill).to(dtype).to(device)
        tensor = memory.as_strided(tuple(shape), strides, guard)
        self._kept.append((memory, tensor))
        return tensor

    def holding(self, values: Any) -> Any:
        """A copy of a tensor."""
        made = self.empty(values.shape, values.dtype, values.device)
        return made.copy_(values)

    def is_touched(self) -> bool:
        """Whether something was written between tensors."""
        for memory, tensor in self._kept:
            content = tensor.clone()
            tensor.fill_(self.fill)
            good = memory.isnan() if math.isnan(self.fill) else memory == self.fill
            tensor.copy_(content)
            if not bool(good.all()):
                return True
        return False

    def makes_all(self) -> AbstractContextManager[None]:
        """Inside the block, what `torch.empty` makes lies here, too."""
        return making(self.empty)


@contextmanager
def making(empty: Callable[[Sequence[int], Any, Any], Any]) -> Iterator[None]:
    """Inside the block, `torch.empty` is a function of a shape, a type and a device."""

    class Making(TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(
            self, function: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            if function is torch.empty:
                return empty(args[0], kwargs["dtype"], kwargs["device"])
            return function(*args, **(kwargs or {}))

    with Making():
        yield
