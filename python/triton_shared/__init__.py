"""triton-shared: Triton kernels on CPUs and NVIDIA GPUs, through linalg.

Importing this package is cheap and cannot fail: neither triton nor torch nor the native library is
loaded before the first use. `triton_shared.device("cpu")` or `device("cuda")` says where Triton's
kernels run.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

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
    PtxasWarning,
    TritonSharedError,
    VerificationError,
    VerificationWarning,
)
from .explain import explain
from .library import launches

if TYPE_CHECKING:
    from . import repro
    from .verification import verify
    from .verified import verified_autotune

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
    "PtxasWarning",
    "TritonSharedError",
    "VerificationError",
    "VerificationWarning",
    "check",
    "device",
    "explain",
    "launches",
    "repro",
    "verified_autotune",
    "verify",
]


def __getattr__(name: str) -> Any:
    # What needs triton itself is loaded with its first use.
    if name == "verified_autotune":
        from .verified import verified_autotune

        return verified_autotune
    if name == "verify":
        from .verification import verify

        return verify
    if name == "repro":
        return importlib.import_module(f"{__name__}.repro")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
