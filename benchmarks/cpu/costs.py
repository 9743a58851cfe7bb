"""What a kernel costs before it computes: compiling, loading, launching.

Compiling is from Triton's TTIR to an object file, in this process and without a cache; CPU time.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from triton.backends.nvidia.driver import CudaLauncher
from triton_shared import library
from triton_shared.measure import seconds

from . import cases, kernels

COMPILE_GOALS = {"add": 60, "softmax": 130, "matmul": 150, "attention": 280}
"""Milliseconds that issue 6 allows."""
SHAPES = ((64, 64, 32), (128, 128, 32), (256, 256, 32))
"""Blocks of a product, for the growth of the time to compile it."""


def milliseconds(run: Callable[[], object], repeat: int, number: int = 1) -> float:
    """The median over `repeat` measurements of the mean CPU time of `number` runs."""
    means = (seconds(run, number, time.process_time) for _ in range(repeat))
    return statistics.median(means) * 1e3


def compile_ms(compiled: Any, repeat: int) -> float:
    """From the TTIR of a kernel to its object, again."""
    text = str(compiled.asm["ttir"])
    return milliseconds(
        lambda: library.compile_text(text, "mode=fast", printed_by_triton=True), repeat
    )


def load_ms(compiled: Any, repeat: int) -> float:
    """From the object of a kernel to code that can be called."""
    obj, entry = compiled.asm["obj"], compiled.metadata.entry
    return milliseconds(lambda: library.load_kernel(obj, entry), repeat, 10)


@dataclass(frozen=True)
class Costs:
    """Everything that this file measures; the names say of what, the values are in ms or µs."""

    compile_ms: dict[str, float]
    load_ms: dict[str, float]
    compile_ms_of_blocks: dict[str, float]
    launch_us: dict[str, float]


def measure(repeat: int = 9) -> Costs:
    """Compiles, loads and launches small cases."""
    compiled = {name: case() for name, case in _CASES.items()}
    return Costs(
        {name: compile_ms(kernel, repeat) for name, kernel in compiled.items()},
        {name: load_ms(kernel, repeat) for name, kernel in compiled.items()},
        {"x".join(map(str, shape)): compile_ms(_matmul(*shape), repeat) for shape in SHAPES},
        _launches(repeat),
    )


def _run(case: cases.Case) -> Any:
    launch = case.launch
    assert isinstance(launch, cases.Launch)
    return launch.kernel[launch.grid](*launch.arguments, **launch.constants, mode="fast")


def _matmul(rows: int, columns: int, depth: int) -> Any:
    a, b, c = (torch.zeros(256, 256) for _ in range(3))
    grid = (256 // rows, 256 // columns)
    return kernels.matmul[grid](a, b, c, 256, 256, 256, BM=rows, BN=columns, BK=depth, mode="fast")


_CASES: dict[str, Callable[[], Any]] = {
    "add": lambda: _run(cases.add(1 << 14)),
    "softmax": lambda: _run(cases.softmax(1024)),
    "matmul": lambda: _matmul(64, 64, 32),
    "attention": lambda: _run(cases.attention(causal=False)),
}


def _launches(repeat: int) -> dict[str, float]:
    """Launches of one small program: through Triton's jit, and below it.

    The peer is the same call of Triton's jit with the launcher of Triton's NVIDIA backend behind
    it, whose half in C, which needs a driver, is left out.
    """
    x = torch.ones(16)

    def jit() -> Any:
        return kernels.add[(1,)](x, x, x, 16, BLOCK=16)

    compiled = jit()
    ours = compiled.run
    words = (1, 1, 1, 0, compiled.function, compiled.packed_metadata, None, None, None)
    nvidia = object.__new__(CudaLauncher)
    nvidia.num_ctas = 1
    nvidia.global_scratch_size = nvidia.profile_scratch_size = 0
    nvidia.global_scratch_align = nvidia.profile_scratch_align = 1
    nvidia.launch_cooperative_grid = nvidia.launch_pdl = False
    nvidia.launch = "".format  # a function in C that takes anything and does nothing

    def through(launcher: Callable[..., object]) -> float:
        compiled._run = launcher
        return milliseconds(jit, repeat, 2000) * 1e3

    result = {
        "launcher": milliseconds(lambda: ours(*words, x, x, x, 16, 16), repeat, 2000) * 1e3,
        "jit": through(ours),
        "jit, NVIDIA's launcher without its driver": through(nvidia),
    }
    compiled._run = ours
    return result
