"""Memory that nobody has written yet.

Inside of a block of `check`, what torch.empty and its like give is filled with a number that is
drawn once per process. A kernel that reads this number reads memory that nobody has written: no
program computes 64 random bits by chance, and whoever writes to the memory changes it.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

PATTERN = secrets.randbits(64) | 1
"""The number; never 0, which is none."""


@contextmanager
def marked() -> Iterator[None]:
    """Inside the block, new tensors without contents are marked as such."""
    try:
        import torch
        from torch.overrides import TorchFunctionMode
    except ImportError:
        yield
        return
    makers = {
        torch.empty,
        torch.empty_like,
        torch.empty_permuted,
        torch.empty_strided,
        torch.Tensor.new_empty,
        torch.Tensor.new_empty_strided,
    }

    class MarksUnwritten(TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(
            self, function: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            made = function(*args, **(kwargs or {}))
            if function in makers and type(made) is torch.Tensor and made.device.type == "cpu":
                _fill(torch, made)
            return made

    with MarksUnwritten():
        yield


def _fill(torch: Any, tensor: Any) -> None:
    """Writes the number over all of the tensor's memory, also in gaps between its elements."""
    storage = tensor.untyped_storage()
    with torch.no_grad():
        memory = torch.tensor([], dtype=torch.uint8).set_(storage)
        whole = memory.numel() // 8 * 8
        number = PATTERN - (1 << 64) if PATTERN >> 63 else PATTERN
        memory[:whole].view(torch.int64).fill_(number)
        rest = list(PATTERN.to_bytes(8, "little"))[: memory.numel() - whole]
        memory[whole:] = torch.tensor(rest, dtype=torch.uint8)
