"""What takes the name of a device, and asks no mode of functions: files, automatic types, pinned
memory. Here "cuda" is the CPU for them, too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import torch
import torch.utils.data._utils.pin_memory as pinning

Moved = Callable[[Any], Any]
"""Says where a device is: that of `run`."""


@contextmanager
def on_the_cpu(moved: Moved) -> Iterator[None]:
    """Inside the block, `torch.load` and `torch.autocast` of "cuda" are those of the CPU."""
    enabled, dtype = torch.is_autocast_enabled, torch.get_autocast_dtype

    def is_enabled(device_type: str = "cuda") -> bool:
        return bool(enabled(moved(device_type)))

    def dtype_of(device_type: str) -> torch.dtype:
        # Outside of all autocasts, that of a GPU is another than that of a CPU.
        is_inside = moved(device_type) != device_type and enabled("cpu")
        return dtype("cpu" if is_inside else device_type)

    with (
        mock.patch.object(torch, "load", _loading(moved)),
        mock.patch.object(torch.autocast, "__init__", _autocasting(moved, dtype_of)),
        mock.patch.object(torch, "is_autocast_enabled", is_enabled),
        mock.patch.object(torch, "get_autocast_dtype", dtype_of),
        mock.patch.object(pinning, "pin_memory", lambda data, device=None: data),
    ):
        yield


def _loading(moved: Moved) -> Callable[..., Any]:
    own = torch.load

    def load(f: Any, map_location: Any = None, *args: Any, **words: Any) -> Any:
        if map_location is None:
            map_location = _location_of
        elif isinstance(map_location, dict):
            map_location = {name: moved(place) for name, place in map_location.items()}
        return own(f, moved(map_location), *args, **words)

    return load


def _location_of(storage: Any, saved: str) -> Any:
    """What was saved on a GPU is here; of others, torch knows."""
    return storage if saved.partition(":")[0] == "cuda" else None


def _autocasting(moved: Moved, dtype_of: Callable[[str], torch.dtype]) -> Callable[..., None]:
    own = torch.autocast.__init__

    # torch._dynamo binds what a script gives to these parameters.
    def make(
        self: Any,
        device_type: str,
        dtype: torch.dtype | None = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ) -> None:
        if moved(device_type) != device_type:
            dtype = dtype or dtype_of(device_type)
        own(self, moved(device_type), dtype, enabled, cache_enabled)

    return make
