"""The GPUs of this machine, through our own access to the CUDA driver."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .. import knobs, library
from ..errors import CudaError

if TYPE_CHECKING:
    from .. import _native


def count() -> int:
    """How many GPUs the driver shows. Raises CudaError where there is no driver."""
    with _cuda_errors():
        return int(_open().cuda_count_devices())


def require() -> None:
    """Raises CudaError, saying what is missing, unless there is a GPU."""
    if count() == 0:
        raise CudaError(
            "there is no NVIDIA GPU: the CUDA driver shows none\n"
            "look at nvidia-smi and CUDA_VISIBLE_DEVICES; kernels run without one on device "
            '"cpu"'
        )


def current() -> int:
    """The GPU of this thread's current context, 0 if it has none."""
    with _cuda_errors():
        return int(_open().cuda_get_device())


def ask_current() -> Callable[[], int]:
    """The same as `current`, for every launch: the driver's answer without a check."""
    with _cuda_errors():
        ask: Callable[[], int] = _open().cuda_get_device
        return ask


def set_current(device: int) -> None:
    """Makes a GPU the current one of this thread."""
    with _cuda_errors():
        _open().cuda_set_device(device)


@functools.cache
def facts(device: int) -> dict[str, Any]:
    """Name, capability and limits of a GPU."""
    with _cuda_errors():
        described: dict[str, Any] = _open().cuda_describe_device(device)
        return described


def load(cubin: bytes, entry: str, shared_bytes: int, device: int) -> _native.CudaKernel:
    """Loads a function of a cubin on a GPU."""
    with _cuda_errors():
        kernel: _native.CudaKernel = _open().CudaKernel(cubin, entry, shared_bytes, device)
        return kernel


def make_launcher(
    name: str,
    plan: Sequence[tuple[Any, ...]],
    link: Callable[[Any], _native.CudaKernel],
    check: Callable[[int, Any], None],
    *,
    threads: int,
    programs: int,
    cooperative: bool,
    starts_early: bool,
    tensor_maps: Sequence[tuple[Any, ...]] = (),
    missing_place: int = -1,
    bounds: Sequence[Sequence[tuple[Any, ...]]] = (),
    other_form: Callable[..., None] | None = None,
) -> _native.CudaLauncher:
    """Makes the object that turns arguments into C values and launches grids."""
    launcher: _native.CudaLauncher = library.native().CudaLauncher(
        *(name, plan, link, check, CudaError, threads, programs, cooperative, starts_early),
        *(tensor_maps, missing_place, bounds, other_form),
    )
    return launcher


def _open() -> Any:
    module = library.native()
    module.cuda_open(knobs.cuda_driver())
    return module


@contextmanager
def _cuda_errors() -> Iterator[None]:
    try:
        yield
    except RuntimeError as error:
        if isinstance(error, CudaError) or type(error) is not RuntimeError:
            raise
        raise CudaError(str(error)) from None
