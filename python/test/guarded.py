"""Buffers that notice accesses beyond their ends.

Round the values lies poison: NaN, or a number that no test uses. Who reads it computes nonsense,
and who writes over it is found when the test ends.
"""

from __future__ import annotations

import torch

MARGIN = 96
"""Elements on each side: more than a block of these tests reaches beyond."""


def poison(dtype: torch.dtype) -> float:
    if dtype.is_floating_point:
        return float("nan")
    return 1 if dtype == torch.bool else 91


def bits(values: torch.Tensor) -> torch.Tensor:
    return values.view(torch.uint8)


class Memory:
    """The buffers of one test."""

    def __init__(self) -> None:
        self._margins: list[tuple[torch.Tensor, torch.Tensor]] = []

    def holding(self, values: torch.Tensor) -> torch.Tensor:
        """A contiguous copy of `values` with poison round it."""
        size = values.numel()
        whole = torch.full((size + 2 * MARGIN,), poison(values.dtype)).to(values.dtype)
        inner = whole[MARGIN : MARGIN + size].view(values.shape)
        inner.copy_(values)
        for margin in (whole[:MARGIN], whole[MARGIN + size :]):
            self._margins.append((margin, margin.clone()))
        return inner

    def empty(self, *shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        """A buffer for results, full of -1 (of True if it is one of bools)."""
        return self.holding(torch.full(shape, -1).to(dtype))

    def check(self) -> None:
        """Nothing has been written outside of any buffer."""
        for margin, before in self._margins:
            assert torch.equal(bits(margin), bits(before)), "written beyond the end of a buffer"
