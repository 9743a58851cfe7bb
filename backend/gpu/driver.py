"""The driver half of the backend: NVIDIA GPUs, and what Triton asks of them.

Triton looks for exactly one concrete `DriverBase` in this module.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import triton
from triton.backends import compiler as base_compiler
from triton.backends import driver as base
from triton_shared import knobs
from triton_shared.cuda import gpus, launcher
from triton_shared.versions import read_version

from . import tuning

_PREFIX = "shared_cuda:"

_CPP_TYPES = {
    "i1": "int8_t",
    "u1": "uint8_t",
    **dict.fromkeys(("fp16", "bf16", "fp32", "f32", "fp64"), "double"),
    **{f"i{bits}": f"int{bits}_t" for bits in (8, 16, 32, 64)},
    **{f"u{bits}": f"uint{bits}_t" for bits in (8, 16, 32, 64)},
}


@functools.cache
def name_of(index: int) -> str:
    """The device as Triton sees it.

    Triton keys compiled kernels by the device alone, and its own backend calls its devices by
    number: with the same name, one would run the other's kernels.
    """
    return f"{_PREFIX}{index}"


@functools.cache
def index_of(device: Any) -> int:
    """The number of a device that Triton, or its user, names."""
    if isinstance(device, int):
        return device
    index = getattr(device, "index", None)
    if isinstance(index, int):
        return index
    return int(str(device).removeprefix(_PREFIX).removeprefix("cuda:"))


class Utils:
    """Properties of the device, and how a kernel becomes a handle."""

    def get_device_properties(self, device: Any) -> dict[str, int]:
        """The limits that Triton checks, under its names."""
        facts = gpus.facts(index_of(device))
        return {
            "max_shared_mem": facts["shared_bytes"],
            "max_num_regs": facts["registers"],
            "multiprocessor_count": facts["multiprocessors"],
            "warpSize": facts["warp_size"],
            "sm_clock_rate": facts["clock_kilohertz"],
            "mem_clock_rate": facts["memory_clock_kilohertz"],
            "mem_bus_width": facts["memory_bus_bits"],
        }

    def load_binary(
        self, name: str, kernel: bytes, shared: int, device: Any
    ) -> tuple[launcher.Binary, launcher.Binary, int, int, int]:
        """Module, function, registers, spilled words, largest number of threads."""
        binary = launcher.load(name, kernel, shared, index_of(device))
        native = binary.kernel
        return binary, binary, native.registers, native.local_bytes // 4, native.max_threads

    def unload_module(self, module: launcher.Binary) -> None:
        """The cubin is unloaded with the last reference to it."""


class SharedCudaDriver(base.DriverBase):
    """The NVIDIA GPUs of this machine, by way of our own compiler and launcher."""

    def __init__(self) -> None:
        self.utils = Utils()
        self.launcher_cls = launcher.make_launcher
        # The two questions of every launch; torch answers them fastest, where it is loaded.
        self._index, self._stream = _questions()

    @classmethod
    def is_active(cls) -> bool:
        """Only if TRITON_DEFAULT_BACKEND names us: else Triton's own backend is the default.

        Before 3.7 Triton does not know that variable, and two active drivers are an error.
        """
        version = read_version(triton.__version__)
        return version >= (3, 7) and knobs.default_backend() == "shared_cuda"

    def get_current_target(self) -> Any:
        """The target that kernels are compiled for: its arch is the compute capability."""
        major, minor = self.get_device_capability()
        return base_compiler.GPUTarget("shared_cuda", major * 10 + minor, 32)

    def get_current_device(self) -> str:
        """The GPU that kernels are launched on."""
        return name_of(self._index())

    def set_current_device(self, device: Any) -> None:
        """Makes a GPU the current one, for torch too."""
        torch = sys.modules.get("torch")
        if torch is not None and torch.cuda.is_available():
            torch.cuda.set_device(index_of(device))
        else:
            gpus.set_current(index_of(device))

    def get_current_stream(self, device: Any = None) -> int:
        """The stream that kernels are put into: torch's current one."""
        return self._stream(self._index() if device is None else index_of(device))

    def get_device_capability(self, device: Any = None) -> tuple[int, int]:
        """The compute capability, such as (9, 0)."""
        index = self._index() if device is None else index_of(device)
        major, minor = gpus.facts(index)["capability"]
        return major, minor

    def get_active_torch_device(self) -> Any:
        """Where kernels find their tensors."""
        import torch

        return torch.device("cuda", self._index())

    def get_device_interface(self) -> Any:
        """Events and synchronisation."""
        import torch

        return torch.cuda

    def get_benchmarker(self) -> Any:
        """Triton's own benchmark loop, once all configurations are compiled."""
        return tuning.Benchmarker()

    def get_empty_cache_for_benchmark(self) -> Any:
        """Memory that is larger than the second-level cache of any GPU."""
        import torch

        return torch.empty(1 << 26, dtype=torch.int, device=self.get_active_torch_device())

    def clear_cache(self, cache: Any) -> None:
        """Writes `cache`, so that a kernel's data leaves the GPU's own."""
        cache.zero_()

    def map_python_to_cpp_type(self, ty: str) -> str:
        """The C type of a parameter."""
        return "void *" if ty.startswith("*") else _CPP_TYPES[ty]

    def allocate_default_profile_scratch(self, size: int, alignment: int, stream: Any) -> Any:
        """Memory for what an instrumented kernel writes."""
        import torch

        return torch.empty(size, dtype=torch.int8, device=self.get_active_torch_device())


def _questions() -> tuple[Callable[[], int], Callable[[int], int]]:
    """How to learn the current device, and the current stream of a device."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available():
        return gpus.ask_current(), lambda device: 0
    torch.cuda.init()
    return torch._C._cuda_getDevice, torch._C._cuda_getCurrentRawStream
