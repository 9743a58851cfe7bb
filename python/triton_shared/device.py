"""Chooses the device that Triton launches on, for a block.

`set_active` of Triton's driver is the one way that works in every version and beside a GPU.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

DEVICES = ("cpu",)


@contextmanager
def device(name: str) -> Iterator[None]:
    """Inside the block, Triton compiles for and launches on `name`.

    >>> with triton_shared.device("cpu"):
    ...     kernel[grid](x, y, n)
    """
    if name not in DEVICES:
        raise ValueError(f"device must be one of {', '.join(DEVICES)}; got '{name}'")
    import triton

    from triton_shared.backend.driver import CpuDriver

    config = triton.runtime.driver
    before = config._active
    config.set_active(before if isinstance(before, CpuDriver) else CpuDriver())
    try:
        yield
    finally:
        config.set_active(before)
