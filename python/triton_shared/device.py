"""Chooses the device that Triton launches on, for a block.

`set_active` of Triton's driver is the one way that works in every version and beside a GPU.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

DEVICES = ("cpu", "cuda")


@contextmanager
def device(name: str) -> Iterator[None]:
    """Inside the block, Triton compiles for and launches on `name`: "cpu" or "cuda".

    "cuda" is an NVIDIA GPU by way of our own compiler; CudaError says what is missing for it.

    >>> with triton_shared.device("cpu"):
    ...     kernel[grid](x, y, n)
    """
    if name not in DEVICES:
        raise ValueError(f"device must be one of {', '.join(DEVICES)}; got '{name}'")
    import triton

    with active_driver(_driver(name, triton.runtime.driver._active)):
        yield


@contextmanager
def active_driver(driver: Any) -> Iterator[None]:
    """Inside the block, Triton launches through `driver`, ours or one of its own."""
    import triton

    config = triton.runtime.driver
    before = config._active
    config.set_active(driver)
    try:
        yield
    finally:
        config.set_active(before)


def _driver(name: str, active: Any) -> Any:
    """The driver of a device; the active one if that is it."""
    if name == "cpu":
        from triton_shared.backend.driver import CpuDriver

        return active if isinstance(active, CpuDriver) else CpuDriver()
    from triton_shared.backend.gpu.driver import SharedCudaDriver
    from triton_shared.cuda import gpus

    gpus.require()
    return active if isinstance(active, SharedCudaDriver) else SharedCudaDriver()
