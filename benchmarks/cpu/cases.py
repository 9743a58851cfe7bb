"""What is timed on a CPU: a table of kernels, shapes and types, each with its peers.

A case is data: how to launch ours in a mode, what torch does instead, and how far the results may
be apart. Results go to memory that is there before, to `out=` or to what the last run has freed, so
that nobody pays for fresh pages.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import torch
import triton

from . import kernels
from .transformer import Transformer

Run = Callable[[], object]
functional = torch.nn.functional


class Runnable(Protocol):
    """What is ours of a case."""

    def prepare(self, mode: str) -> Run | None:
        """Compiles for `mode` and runs once; None if there is no such mode of it."""


@dataclass(frozen=True)
class Launch:
    """A kernel of ours with its arguments."""

    kernel: Any
    grid: tuple[int, ...]
    arguments: tuple[Any, ...]
    constants: dict[str, Any]

    def prepare(self, mode: str) -> Run:
        """Compiles for `mode` and runs once; then launches without the work of Triton's jit.

        What that costs, and is the same for every backend, is told by costs.py.
        """
        compiled = self.kernel[self.grid](*self.arguments, **self.constants, mode=mode)
        grid = (*self.grid, 1, 1)[:3]
        triton_words = (0, compiled.function, compiled.packed_metadata, None, None, None)
        return partial(
            compiled.run, *grid, *triton_words, *self.arguments, *self.constants.values()
        )


class Fresh:
    """What torch does where it takes no `out=`: frees its last result, then makes another."""

    def __init__(self, compute: Callable[[], torch.Tensor]) -> None:
        self._compute = compute
        self._results: list[torch.Tensor] = []

    def __call__(self) -> None:
        """Runs once."""
        self._results.clear()
        self._results.append(self._compute())

    @property
    def result(self) -> torch.Tensor:
        """Of the last run."""
        return self._results[0]


@dataclass(frozen=True)
class Case:
    """One kernel at one size."""

    kernel: str
    size: str
    launch: Runnable
    eager: Run
    """The same by eager torch."""
    results: Callable[[], tuple[torch.Tensor, torch.Tensor]]
    """What ours and torch's have written."""
    function: Callable[..., object] | None = None
    """For torch.compile, if that makes something else than a call of a library."""
    inputs: tuple[torch.Tensor, ...] = ()
    goal: float | None = None
    """The ratio to eager torch that issue 6 asks for."""
    elsewhere: float | None = None
    """The ratio to eager torch of triton-cpu at its best block, on a Xeon without bf16."""

    @property
    def name(self) -> str:
        """Kernel and size."""
        return f"{self.kernel} {self.size}"


def all_cases() -> list[Case]:
    """Everything, quick ones first."""
    torch.manual_seed(0)
    return [
        *(add(1 << p, g) for p, g in ((14, 1.0), (24, 0.9))),
        *(softmax(n) for n in (256, 1024, 4096)),
        _layer_norm(),
        _rms_norm(),
        _gather(),
        _cumsum(),
        _cross_entropy(),
        *(
            _matmul(n, torch.float32, g)
            for n, g in ((256, 0.95), (512, 0.75), (1024, 0.68), (2048, 0.6))
        ),
        _matmul(512, torch.bfloat16, 0.7 if _multiplies_bf16() else 2.0),
        _matmul(512, torch.float16, None),
        attention(False),
        attention(True),
        _transformer(),
    ]


def _multiplies_bf16() -> bool:
    """Whether the CPU has instructions for bf16, which torch uses, too."""
    return "avx512_bf16" in Path("/proc/cpuinfo").read_text()


def add(n: int, goal: float | None = None) -> Case:
    """A sum of vectors of `n` numbers."""
    x, y, ours, theirs = torch.rand(n), torch.rand(n), torch.empty(n), torch.empty(n)
    grid = (triton.cdiv(n, 1024),)
    return Case(
        "add f32",
        f"2^{n.bit_length() - 1}",
        Launch(kernels.add, grid, (x, y, ours, n), {"BLOCK": 1024}),
        partial(torch.add, x, y, out=theirs),
        lambda: (ours, theirs),
        lambda x, y: x + y,
        (x, y),
        goal,
        0.87,
    )


def softmax(n: int) -> Case:
    """The softmax of rows of `n` numbers."""
    x = torch.randn(4096, n)
    ours, theirs = torch.empty_like(x), torch.empty_like(x)
    return Case(
        "softmax f32",
        f"4096x{n}",
        Launch(kernels.softmax, (4096,), (x, ours, n), {"BLOCK": n}),
        partial(torch.softmax, x, 1, out=theirs),
        lambda: (ours, theirs),
        lambda x: torch.softmax(x, 1),
        (x,),
        0.85,
        0.77 if n == 1024 else None,
    )


def _layer_norm() -> Case:
    x, w, b = torch.randn(4096, 1024), torch.rand(1024), torch.rand(1024)
    ours = torch.empty_like(x)
    eager = Fresh(partial(functional.layer_norm, x, (1024,), w, b, 1e-5))

    return Case(
        "layer norm f32",
        "4096x1024",
        Launch(kernels.layer_norm, (4096,), (x, w, b, ours, 1024, 1e-5), {"BLOCK": 1024}),
        eager,
        lambda: (ours, eager.result),
        lambda x, w, b: functional.layer_norm(x, (1024,), w, b, 1e-5),
        (x, w, b),
        1.0,
        0.64,
    )


def _rms_norm() -> Case:
    x, w = torch.randn(4096, 1024), torch.rand(1024)
    ours = torch.empty_like(x)
    eager = Fresh(partial(functional.rms_norm, x, (1024,), w, 1e-5))

    return Case(
        "rms norm f32",
        "4096x1024",
        Launch(kernels.rms_norm, (4096,), (x, w, ours, 1024, 1e-5), {"BLOCK": 1024}),
        eager,
        lambda: (ours, eager.result),
        lambda x, w: functional.rms_norm(x, (1024,), w, 1e-5),
        (x, w),
        1.0,
    )


def _gather() -> Case:
    table, index = torch.rand(32768, 512), torch.randint(0, 32768, (8192,))
    ours, theirs = torch.empty(8192, 512), torch.empty(8192, 512)
    return Case(
        "row gather f32",
        "8192 of 32768x512",
        Launch(kernels.gather_rows, (8192,), (table, index, ours, 512), {"BLOCK": 512}),
        partial(torch.index_select, table, 0, index, out=theirs),
        lambda: (ours, theirs),
        lambda table, index: table[index],
        (table, index),
        0.8,
    )


def _cumsum() -> Case:
    x = torch.rand(4096, 1024)
    ours, theirs = torch.empty_like(x), torch.empty_like(x)
    return Case(
        "cumsum f32",
        "4096x1024",
        Launch(kernels.cumsum, (4096,), (x, ours, 1024), {"BLOCK": 1024}),
        partial(torch.cumsum, x, 1, out=theirs),
        lambda: (ours, theirs),
        goal=0.8,
    )


def _cross_entropy() -> Case:
    x, target = torch.randn(4096, 32000), torch.randint(0, 32000, (4096,))
    ours = torch.empty(4096)
    eager = Fresh(partial(functional.cross_entropy, x, target, reduction="none"))

    return Case(
        "cross entropy f32",
        "4096x32000",
        Launch(kernels.cross_entropy, (4096,), (x, target, ours, 32000), {"BLOCK": 1024}),
        eager,
        lambda: (ours, eager.result),
        goal=0.9,
    )


def _matmul(n: int, dtype: torch.dtype, goal: float | None) -> Case:
    a, b = torch.randn(n, n).to(dtype), torch.randn(n, n).to(dtype)
    ours, theirs = torch.empty_like(a), torch.empty_like(a)
    grid = (n // 64, n // 64)
    return Case(
        f"matmul {str(dtype).removeprefix('torch.')}",
        f"{n}^3",
        Launch(kernels.matmul, grid, (a, b, ours, n, n, n), {"BM": 64, "BN": 64, "BK": 32}),
        partial(torch.mm, a, b, out=theirs),
        lambda: (ours, theirs),
        goal=goal,
        elsewhere={512: 0.57, 1024: 0.61}.get(n) if dtype == torch.float32 else None,
    )


def _transformer() -> Case:
    block = Transformer()
    return Case(
        "inductor: transformer block",
        "1x512x512, 8 heads",
        block,
        block.run_eager,
        block.results,
        block.module,
        (block.x,),
    )


def attention(causal: bool) -> Case:
    """Attention of 8 heads of 64 numbers, over 1024 tokens."""
    q, k, v = (torch.randn(1, 8, 1024, 64) for _ in range(3))
    ours = torch.empty_like(q)
    eager = Fresh(partial(functional.scaled_dot_product_attention, q, k, v, is_causal=causal))

    return Case(
        "causal attention f32" if causal else "attention f32",
        "8 heads, 1024x64",
        Launch(
            kernels.attention,
            (16, 8),
            (q, k, v, ours, 1024, 0.125),
            {"BM": 64, "BN": 64, "D": 64, "CAUSAL": causal},
        ),
        eager,
        lambda: (ours, eager.result),
        goal=0.9,
        elsewhere=None if causal else 0.31,
    )
