"""The driver half of the backend: a device that is this process, and what Triton asks of it.

Triton looks for exactly one concrete `DriverBase` in this module.
"""

from __future__ import annotations

import os
import time
from typing import Any

from triton.backends import compiler as base_compiler
from triton.backends import driver as base
from triton_shared import knobs
from triton_shared.launcher import Binary, make_launcher

from . import benchmark, rivals

if knobs.active():
    rivals.step_aside()

DEVICE = "cpu"
"""The word of `torch.cpu.current_device()`. Triton keys compiled kernels by device only: no GPU
driver may return the same."""

_REGISTERS = 32
"""Of a thread, whatever the kernel: programs that reckon how many of them fit divide by it."""

_CPP_TYPES = {
    "i1": "int8_t",
    "u1": "uint8_t",
    "fp16": "double",
    "bf16": "double",
    "fp32": "double",
    "f32": "double",
    "fp64": "double",
    **{f"i{bits}": f"int{bits}_t" for bits in (8, 16, 32, 64)},
    **{f"u{bits}": f"uint{bits}_t" for bits in (8, 16, 32, 64)},
}


class Event:
    """A point in time; launches have finished when they return."""

    def __init__(self, enable_timing: bool = True, **_: Any) -> None:
        self.seconds = 0.0

    def record(self, stream: Any = None) -> None:
        """Notes the time."""
        self.seconds = time.perf_counter()

    def elapsed_time(self, end: Event) -> float:
        """Milliseconds from this event to `end`."""
        return (end.seconds - self.seconds) * 1e3

    def synchronize(self) -> None:
        """Nothing to wait for."""


class DeviceInterface:
    """What `triton.testing.do_bench` uses of `torch.cuda`."""

    Event = Event

    @staticmethod
    def synchronize(device: Any = None) -> None:
        """Nothing to wait for."""

    @staticmethod
    def current_device() -> str:
        """The one device."""
        return DEVICE

    @staticmethod
    def set_device(device: Any) -> None:
        """There is only one."""


class Utils:
    """Properties of the device, and how a kernel becomes a handle."""

    def get_device_properties(self, device: Any) -> dict[str, int]:
        """The limits that Triton checks; memory and registers are no limit here."""
        return {
            "max_shared_mem": 1 << 30,
            "max_num_regs": 1 << 16,
            "multiprocessor_count": os.cpu_count() or 1,
            "warpSize": 1,
            "sm_clock_rate": 0,
            "mem_clock_rate": 0,
            "mem_bus_width": 64,
        }

    def load_binary(
        self, name: str, kernel: bytes, shared: int, device: Any
    ) -> tuple[Binary, Binary, int, int, int]:
        """Module, function, registers, spills, largest number of threads."""
        binary = Binary(name, kernel)
        return binary, binary, _REGISTERS, 0, 1 << 20

    def unload_module(self, module: Binary) -> None:
        """The object is unlinked with the last reference to it."""


class CpuDriver(base.DriverBase):
    """The processor that runs this process."""

    def __init__(self) -> None:
        self.utils = Utils()
        self.launcher_cls = make_launcher

    @classmethod
    def is_active(cls) -> bool:
        """TRITON_SHARED_ACTIVE decides; unset, we are active where no GPU is visible."""
        wanted = knobs.active()
        if wanted:
            rivals.refuse(cls)
        if wanted is not None:
            return wanted
        try:
            import torch
        except ImportError:
            return True
        return not torch.cuda.is_available()

    def get_current_target(self) -> Any:
        """The target that kernels are compiled for."""
        return base_compiler.GPUTarget("cpu", "cpu", 32)

    def get_current_device(self) -> str:
        """The one device."""
        return DEVICE

    def set_current_device(self, device: Any) -> None:
        """There is only one."""

    def get_current_stream(self, device: Any = None) -> int:
        """Launches run at once: there are no streams."""
        return 0

    def get_device_capability(self, device: Any = None) -> tuple[int, int]:
        """No CUDA capability."""
        return (0, 0)

    def get_active_torch_device(self) -> Any:
        """Where kernels find their tensors."""
        import torch

        return torch.device("cpu")

    def get_device_interface(self) -> type[DeviceInterface]:
        """Events and synchronisation."""
        return DeviceInterface

    def get_benchmarker(self) -> Any:
        """Triton's own benchmark loop, for what is not the same on a CPU."""
        return benchmark.Benchmarker()

    def get_empty_cache_for_benchmark(self) -> Any:
        """Memory that is larger than most second-level caches."""
        import torch

        return torch.empty(1 << 22, dtype=torch.int)

    def clear_cache(self, cache: Any) -> None:
        """Writes `cache`, so that a kernel's data leaves the processor's own."""
        cache.zero_()

    def map_python_to_cpp_type(self, ty: str) -> str:
        """The C type of a parameter."""
        return "void *" if ty.startswith("*") else _CPP_TYPES[ty]

    def assemble_tensormap_to_arg(self, tensormaps_info: Any, args: Any) -> Any:
        """Descriptors need no map here."""
        return args

    def allocate_default_profile_scratch(self, size: int, alignment: int, stream: Any) -> None:
        """Kernels are not instrumented here."""
