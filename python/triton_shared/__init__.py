"""triton-shared: Triton kernels on CPUs and NVIDIA GPUs, through linalg.

Importing this package is cheap and cannot fail: neither triton nor torch nor the native library is
loaded before the first use. `triton_shared.device("cpu")` or `device("cuda")` says where Triton's
kernels run.
"""

from __future__ import annotations

from .check import check
from .device import device
from .errors import (
    CacheError,
    CacheWarning,
    CompilationError,
    CompilerCrashError,
    CudaError,
    DamagedObjectError,
    DeviceAssertError,
    LibraryError,
    TritonSharedError,
)
from .explain import explain
from .library import launches

__version__ = "0.1.0"

__all__ = [
    "CacheError",
    "CacheWarning",
    "CompilationError",
    "CompilerCrashError",
    "CudaError",
    "DamagedObjectError",
    "DeviceAssertError",
    "LibraryError",
    "TritonSharedError",
    "check",
    "device",
    "explain",
    "launches",
]
