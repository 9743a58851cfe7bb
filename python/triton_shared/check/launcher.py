"""Launches of kernels that were compiled with checks.

Such a kernel has one more argument than its author has written, the last one: a table of where the
tensors of the launch lie.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from .. import library
from ..errors import DeviceAssertError
from . import session
from .finding import Tensor, from_native
from .unwritten import PATTERN

if TYPE_CHECKING:
    from .. import _native
    from ..launcher import Parameter

_LEADING = 9
"""Grid, stream, function, metadata and hooks stand before the kernel's arguments."""
_GAVE_UP = "check: "
"""How the runtime begins to say that it could not go on after what it has found."""


class CheckedLauncher:
    """What Triton calls with grid and arguments; tells the report of the block."""

    def __init__(
        self, kernel: str, parameters: list[Parameter], launcher: _native.CpuLauncher
    ) -> None:
        self._kernel = kernel
        self._parameters = parameters
        self._launcher = launcher

    def __call__(self, *args: Any) -> None:
        """Launches, and adds what was found also if that fails."""
        report = session.current()
        grid = (int(args[0]), int(args[1]), int(args[2]))
        tensors = list(_tensors(self._parameters, args[_LEADING:]))
        views = [t and (t.element_bytes, list(t.shape), list(t.strides)) for t in tensors]
        is_thorough = not report.bounds_only
        launch = library.native().CheckedLaunch(views, grid, is_thorough, PATTERN)
        # Programs that are compared run one after the other, unless they wait for each other.
        threads = 1 if is_thorough else None
        try:
            with library.launches(threads=threads):
                self._launcher(*args, launch.table)
        except DeviceAssertError as error:
            if not str(error).startswith(_GAVE_UP):
                raise
            report.ended_early.append(f"{self._kernel}: {str(error).removeprefix(_GAVE_UP)}")
        finally:
            found = json.loads(launch.findings)
            report.add([from_native(f, self._kernel, grid, tensors) for f in found])


def _tensors(parameters: Iterable[Parameter], values: Iterable[Any]) -> Iterator[Tensor | None]:
    """For each C value that the arguments become, the tensor that it points at."""
    for parameter, value in zip(parameters, values, strict=True):
        if parameter.form == "tuple":
            yield from _tensors(parameter.members, value)
            continue
        pointed = value.base if parameter.form == "descriptor" else value
        for number, kind in enumerate(parameter.kinds):
            yield _describe(parameter.name, pointed) if kind == "ptr" and number == 0 else None


def _describe(name: str, value: Any) -> Tensor | None:
    """None for what only is an address: nobody knows what lies there."""
    if value is None:
        return Tensor(name, "None", (0,), (1,), 1)
    if not all(hasattr(value, word) for word in ("shape", "stride", "element_size")):
        return None
    bytes_each = int(value.element_size())
    before = after = 0
    # Others than torch's tensors may have a storage, and no place in it.
    if hasattr(value, "untyped_storage") and hasattr(value, "storage_offset"):
        before = int(value.storage_offset()) * bytes_each
        after = int(value.untyped_storage().nbytes()) - before
    dtype = str(value.dtype).removeprefix("torch.")
    shape, strides = tuple(map(int, value.shape)), tuple(map(int, value.stride()))
    return Tensor(name, dtype, shape, strides, bytes_each, before, after)
