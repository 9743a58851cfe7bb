"""A CUDA driver that only writes down what it is asked for (unittests/FakeCuda)."""

from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass
from typing import Any

import torch
from tree import BUILD

LIBRARY = BUILD / "lib" / "libTritonSharedFakeCuda.so"


@dataclass
class Array:
    """Memory of a GPU that is not there, as any library might hand it over."""

    address: int = 0x7F00_0000_1000
    dtype: torch.dtype = torch.float32
    is_cpu: bool = False
    pinned: bool = False

    def data_ptr(self) -> int:
        return self.address

    def is_pinned(self) -> bool:
        return self.pinned

    # What Triton asks of tensors.
    @property
    def device(self) -> Any:
        return torch.device("cpu" if self.is_cpu else "cuda:0")


class FakeCuda:
    """The driver's notes, and failures to order."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(str(LIBRARY))
        self._library.fakeCudaTakeLog.restype = ctypes.c_char_p
        self.take()

    def take(self) -> list[str]:
        """What the driver was asked for since the last call."""
        lines: list[str] = self._library.fakeCudaTakeLog().decode().splitlines()
        return [line for line in lines if not line.startswith("cuDeviceGetCount")]

    def launches(self) -> list[dict[str, str]]:
        """The launches since the last call, each with its fields by name."""
        lines = [line.split() for line in self.take() if line.startswith("cuLaunchKernelEx")]
        return [
            {"kernel": words[1], **dict(word.split("=", 1) for word in words[2:])}
            for words in lines
        ]

    def fail(self, function: str, result: int) -> None:
        """From now on, `function` returns `result`; zero ends that."""
        self._library.fakeCudaFail(function.encode(), result)


def choose() -> None:
    """Makes this process open the fake as its driver; it opens one only."""
    os.environ["TRITON_SHARED_LIBCUDA"] = str(LIBRARY)
