"""Options that know whether a kernel has asked for them."""

from __future__ import annotations

from typing import Any

from triton_shared.lowering import Metadata
from triton_shared.options import Options

READS_WARPS = "reads_num_warps"
"""The metadata of a kernel that asks how many warps it has: what it computes hangs on that."""


class WatchedOptions(Options):
    """The options of one compilation; notes that the front end has read `num_warps`."""

    # Beside the fields, which are the metadata of a kernel, and part of its key.
    __slots__ = ("_was_read",)
    _was_read: bool

    @property
    def num_warps(self) -> int:
        """As given; `tl.extra.cuda.num_warps()` and `num_threads()` read it."""
        object.__setattr__(self, "_was_read", True)
        number: int = self.__dict__["num_warps"]
        return number

    @num_warps.setter
    def num_warps(self, value: int) -> None:
        self.__dict__["num_warps"] = value

    def watch(self) -> WatchedOptions:
        """Forgets what was read so far."""
        object.__setattr__(self, "_was_read", False)
        return self

    def note(self, metadata: Metadata) -> None:
        """Writes down whether `num_warps` was read."""
        metadata[READS_WARPS] = self._was_read


def parse(given: dict[str, Any]) -> WatchedOptions:
    """Takes from the keywords of a launch what is an option, and watches it."""
    return WatchedOptions.parse(given).watch()
