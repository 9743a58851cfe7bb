"""Calls kernels of a shared library from Python, with ctypes: for tests and tools."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import TritonSharedError
from .linker import read_header

_TYPES: dict[str, Any] = {
    "CUdeviceptr": ctypes.c_ulonglong,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    **{f"int{n}_t": getattr(ctypes, f"c_int{n}") for n in (8, 16, 32, 64)},
    **{f"uint{n}_t": getattr(ctypes, f"c_uint{n}") for n in (8, 16, 32, 64)},
}


class Program:
    """One variant of a kernel, in a shared library made with `--emit so,h`.

    >>> add = Program("add.9969bdda_01234.so", "add.9969bdda_01234.h")
    >>> add(x, y, out, 1000)  # arrays, tensors or addresses; no stream
    """

    def __init__(self, library: str | Path, header: str | Path) -> None:
        variant = read_header(Path(header))
        self._passed = [(name, kind) for name, kind, hint in variant.parameters if hint != 1]
        self._library = ctypes.CDLL(str(Path(library).resolve()))
        self._launch = getattr(self._library, variant.symbol)
        self._launch.argtypes = [ctypes.c_void_p, *(_TYPES[kind] for _, kind in self._passed)]
        self._launch.restype = ctypes.c_int
        self._symbol = variant.symbol

    def __call__(self, *arguments: Any, stream: int = 0) -> None:
        """Launches the kernel; raises TritonSharedError with the code of a failure."""
        if len(arguments) != len(self._passed):
            names = ", ".join(name for name, _ in self._passed)
            raise TypeError(f"'{self._symbol}' takes ({names}), got {len(arguments)} arguments")
        code = self._launch(stream, *_addresses(arguments))
        if code:
            raise TritonSharedError(f"'{self._symbol}' failed with CUresult {code}")

    def call(self, function: str) -> int:
        """Calls another function of the library that takes nothing: `load_…`, `unload_…`."""
        return int(getattr(self._library, function)())


def _addresses(arguments: Sequence[Any]) -> list[Any]:
    """Tensors and arrays become the address of their data."""
    return [_address(argument) for argument in arguments]


def _address(argument: Any) -> Any:
    if hasattr(argument, "data_ptr"):
        return argument.data_ptr()
    interface = getattr(argument, "__array_interface__", None)
    if interface and interface["shape"]:
        return interface["data"][0]
    return argument
