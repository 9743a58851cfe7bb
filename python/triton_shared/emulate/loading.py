"""The code of an emulated kernel in this process."""

from __future__ import annotations

import ctypes
import weakref
from pathlib import Path

_LOADER = ctypes.CDLL(None)
_LOADER.dlclose.argtypes = [ctypes.c_void_p]


class KernelLibrary(ctypes.CDLL):
    """A kernel with its machine, whose memory goes with the last reference: `ctypes` alone would
    keep it, and a process that emulates many kernels grows too large to fork."""

    def __init__(self, built: Path) -> None:
        super().__init__(str(built))
        self.emu_launch.restype = ctypes.c_char_p
        weakref.finalize(self, _LOADER.dlclose, self._handle)
