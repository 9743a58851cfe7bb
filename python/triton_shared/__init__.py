"""triton-shared: Triton kernels on the CPU, through linalg.

Importing this package is cheap and cannot fail: neither triton nor torch nor the native library is
loaded before the first use. `triton_shared.device("cpu")` makes Triton run its kernels here.
"""

from __future__ import annotations

from .device import device
from .errors import (
    CompilationError,
    DamagedObjectError,
    DeviceAssertError,
    LibraryError,
    TritonSharedError,
)
from .knobs import launches

__version__ = "0.1.0"

__all__ = [
    "CompilationError",
    "DamagedObjectError",
    "DeviceAssertError",
    "LibraryError",
    "TritonSharedError",
    "device",
    "launches",
]
