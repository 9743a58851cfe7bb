"""What torch.cuda says of the CPU: one device of capability 9.0, whose work is done at once."""

from __future__ import annotations

import functools
import os
import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import torch
import torch.utils._triton

from ..backend.driver import Event as CpuEvent
from .generators import PhiloxGenerator
from .graphs import CUDAGraph, graph

CAPABILITY = (9, 0)
"""That of the GPU for which a kernel's `asm["ptx"]` is made."""


class Event(CpuEvent):  # type: ignore[misc]
    """A point in time."""

    def __init__(
        self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False
    ) -> None:
        super().__init__(enable_timing)

    def query(self) -> bool:
        """Whether what came before is done."""
        return True

    def wait(self, stream: Any = None) -> None:
        """Nothing to wait for."""


class Stream:
    """An order of work, which is done already."""

    cuda_stream = 0

    def __init__(self, device: Any = None, priority: int = 0, **_: Any) -> None:
        self.device = torch.device("cpu")
        self.priority = priority

    def synchronize(self) -> None:
        """Nothing to wait for."""

    def query(self) -> bool:
        """Whether all is done."""
        return True

    def wait_stream(self, stream: Any) -> None:
        """Nothing to wait for."""

    def wait_event(self, event: Any) -> None:
        """Nothing to wait for."""

    def record_event(self, event: Event | None = None) -> Event:
        """Notes the time."""
        event = event or Event()
        event.record(self)
        return event

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        pass


_STREAM = Stream()


class Device:
    """The choice of a device, of which there is one."""

    def __init__(self, device: Any = None) -> None:
        self.idx = self.prev_idx = 0

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass


def _constant(value: Any) -> Callable[..., Any]:
    """A function of its own for each name: torch._dynamo has a rule for each, by its identity."""
    return lambda *_, **__: value


def _block() -> Callable[..., Any]:
    """A choice of stream, of which there is one."""

    @contextmanager
    def block(*_: Any, **__: Any) -> Iterator[None]:
        yield

    return block


def properties(device: Any = None) -> SimpleNamespace:
    """What `torch.cuda.get_device_properties` gives, of this machine where it has such a thing."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return SimpleNamespace(
        name=_name(),
        major=CAPABILITY[0],
        minor=CAPABILITY[1],
        total_memory=total,
        multi_processor_count=os.cpu_count() or 1,
        warp_size=32,
        max_threads_per_block=1024,
        max_threads_per_multi_processor=2048,
        regs_per_multiprocessor=1 << 16,
        shared_memory_per_block=48 << 10,
        shared_memory_per_block_optin=227 << 10,
        shared_memory_per_multiprocessor=228 << 10,
        L2_cache_size=1 << 22,
        is_integrated=1,
        is_multi_gpu_board=0,
        gcnArchName="",
    )


def _name(device: Any = None) -> str:
    return platform.processor() or platform.machine()


def _free_and_total(device: Any = None) -> tuple[int, int]:
    page = os.sysconf("SC_PAGE_SIZE")
    return page * os.sysconf("SC_AVPHYS_PAGES"), page * os.sysconf("SC_PHYS_PAGES")


_GENERATOR = PhiloxGenerator()


def _seed(seed: int) -> None:
    # Not torch.manual_seed, which seeds "cuda", too.
    torch.default_generator.manual_seed(seed)
    _GENERATOR.manual_seed(seed)


ANSWERS: dict[str, Any] = {
    "get_device_properties": properties,
    "get_device_name": _name,
    "mem_get_info": _free_and_total,
    "Event": Event,
    "Stream": Stream,
    "CUDAGraph": CUDAGraph,
    "graph": graph,
    "default_generators": (_GENERATOR,),
    "manual_seed": _seed,
    "manual_seed_all": lambda seed: _seed(seed),
    "initial_seed": lambda: torch.initial_seed(),
    "get_rng_state": lambda device=None: torch.get_rng_state(),
    "set_rng_state": lambda state, device=None: torch.set_rng_state(state),
    "stream": _block(),
    **{name: type(name, (Device,), {}) for name in ("device", "device_of")},
    **{
        name: _constant(value)
        for value, names in (
            (True, ("is_available", "is_initialized", "is_bf16_supported")),
            (False, ("is_current_stream_capturing",)),
            (1, ("device_count",)),
            (0, ("current_device", "memory_allocated", "max_memory_allocated", "memory_reserved",
                 "max_memory_reserved")),
            (CAPABILITY, ("get_device_capability",)),
            (_STREAM, ("current_stream", "default_stream")),
            ((0, 0), ("graph_pool_handle",)),
            (None, ("init", "set_device", "set_stream", "synchronize", "empty_cache",
                    "ipc_collect", "reset_peak_memory_stats", "reset_max_memory_allocated")),
        )
        for name in names
    },
}  # fmt: skip
"""By the name in torch.cuda. What is not here gets torch's own answer."""

NVTX: dict[str, Any] = {
    **{name: _constant(0) for name in ("range_push", "range_pop", "mark")}, "range": _block(),
}  # fmt: skip
"""In torch.cuda.nvtx: marks for a profiler."""

ACCELERATOR: dict[str, Any] = {
    "current_accelerator": _constant(torch.device("cuda")),
    "get_memory_info": _free_and_total,
    "device_index": _block(),
    **{
        name: _constant(value)
        for value, names in (
            (True, ("is_available",)),
            (1, ("device_count",)),
            (0, ("current_device_index", "current_device_idx", "memory_allocated",
                 "max_memory_allocated", "memory_reserved", "max_memory_reserved")),
            (_STREAM, ("current_stream",)),
            (None, ("set_device_index", "set_device_idx", "set_stream", "synchronize",
                    "empty_cache", "reset_peak_memory_stats")),
        )
        for name in names
    },
}  # fmt: skip
"""In torch.accelerator, which is torch.cuda by another name."""


@contextmanager
def installed(moved: Callable[[Any], Any]) -> Iterator[None]:
    """Inside the block torch.cuda answers for the CPU; `moved` says where a device is."""
    own: Any = torch.Generator

    class Generator(own):  # type: ignore[misc]
        def __new__(cls, device: Any = "cpu") -> Any:
            return own.__new__(cls, device=moved(device))

        def __init__(self, device: Any = "cpu") -> None:
            """All is done by `__new__`, which this keeps the words from."""

    # torch._dynamo asks for the function that torch remembers the answers of.
    @functools.lru_cache
    def device_module(device: Any = None) -> Any:
        return torch.cuda

    places: list[tuple[Any, dict[str, Any]]] = [
        (torch.cuda, ANSWERS),
        (torch.cuda.nvtx, NVTX),
        (torch.accelerator, ACCELERATOR),
        (torch.cpu, {"set_stream": _constant(None)}),
        # A tensor's device is "cpu" here, too, for those that ask by it.
        (torch, {"Generator": Generator, "get_device_module": device_module}),
        (torch._C, {"_cuda_getCurrentRawStream": _constant(0)}),
    ]
    with _replaced(places), _nothing_remembered():
        yield


@contextmanager
def _nothing_remembered() -> Iterator[None]:
    """What torch asks once about its devices and Triton, it asks again in the block, and behind it:
    the answers are others."""
    _forget_answers()
    try:
        yield
    finally:
        _forget_answers()


def _forget_answers() -> None:
    for question in vars(torch.utils._triton).values():
        if hasattr(question, "cache_clear"):
            question.cache_clear()


@contextmanager
def _replaced(places: list[tuple[Any, dict[str, Any]]]) -> Iterator[None]:
    missing = object()
    before = [(m, name, getattr(m, name, missing)) for m, new in places for name in new]
    for module, answers in places:
        for name, answer in answers.items():
            setattr(module, name, answer)
    try:
        yield
    finally:
        for module, name, value in before:
            if value is missing:
                delattr(module, name)
            else:
                setattr(module, name, value)
