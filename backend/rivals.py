"""The other devices of Triton, where TRITON_SHARED_ACTIVE=1 says that ours is the default one.

Triton asks every driver whether it is active, and takes the one that says yes: two are an error.
Beside a visible GPU, its drivers of GPUs say yes, too.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any

import triton
from triton.backends import driver as base
from triton_shared import knobs
from triton_shared.errors import TritonSharedError
from triton_shared.versions import read_version

_IN_TREE = ("nvidia", "amd")


@functools.cache
def step_aside() -> None:
    """Has the drivers of Triton's wheel say no, unless TRITON_DEFAULT_BACKEND names one.

    They can still be chosen: `triton.runtime.driver.set_active` takes any driver.
    """
    for name in _IN_TREE:
        try:
            module = importlib.import_module(f"triton.backends.{name}.driver")
        except ImportError:
            continue  # A wheel for other GPUs.
        for driver in vars(module).values():
            if isinstance(driver, type) and issubclass(driver, base.DriverBase):
                _let_step_aside(driver)


def _let_step_aside(driver: Any) -> None:
    if "is_active" not in vars(driver):
        return
    original = driver.is_active

    @staticmethod  # type: ignore[misc]
    def is_active() -> bool:
        is_aside = knobs.active() and not _triton_was_told()
        return not is_aside and bool(original())

    driver.is_active = is_active


def refuse(ours: type) -> None:
    """Says what to do where another driver says yes all the same."""
    if _triton_was_told():
        return
    rivals = [
        name
        for name, backend in triton.backends.backends.items()
        if backend.driver is not ours and backend.driver.is_active()
    ]
    if not rivals:
        return
    raise TritonSharedError(
        f"TRITON_SHARED_ACTIVE=1 asks for the CPU, but Triton's device '{rivals[0]}' is active, "
        f"too, and Triton {triton.__version__} wants one\n"
        "set the variable before Triton is imported, or choose the device in the script: "
        "with triton_shared.device('cpu')"
    )


def _triton_was_told() -> bool:
    """Whether Triton asks one driver only: before 3.7 it does not know the variable."""
    version = read_version(triton.__version__)
    return version >= (3, 7) and bool(knobs.default_backend())
