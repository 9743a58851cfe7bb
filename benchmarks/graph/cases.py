"""The seven graphs that Mirage's repository times, at its shapes, and what one writes in torch.

Where its attention takes exp of scores without a maximum, so do these: scores stay small because
keys are scaled.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import triton_shared.graph as mi

Shapes = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Case:
    """A graph, and the same in torch."""

    name: str
    shapes: Shapes
    write: Callable[..., Any]
    """Takes the graph and its inputs, gives the result."""
    torch: Callable[..., Any]
    scales: tuple[float, ...] = ()
    """Of inputs; 1 if not given."""

    def graph(self, dtype: Any = mi.float16) -> mi.KernelGraph:
        """The graph, of f16 if not told otherwise."""
        graph = mi.new_kernel_graph()
        inputs = [graph.new_input(shape, dtype=dtype) for shape in self.shapes]
        graph.mark_output(self.write(graph, *inputs))
        return graph

    def inputs(self, device: str, dtype: Any = mi.float16) -> list[Any]:
        """Random inputs."""
        generator = torch.Generator().manual_seed(0)
        scales = self.scales or (1.0,) * len(self.shapes)
        return [
            (torch.randn(shape, generator=generator) * scale).to(dtype).to(device)
            for shape, scale in zip(self.shapes, scales, strict=True)
        ]


def _norm(x: Any) -> Any:
    return torch.nn.functional.rms_norm(x, x.shape[-1:], eps=0.0)


def _graph_attention(graph: Any, q: Any, k: Any, v: Any) -> Any:
    powers = graph.exp(graph.matmul(q, k))
    return graph.matmul(graph.div(powers, graph.reduction(powers, 2)), v)


def _attention(q: Any, k: Any, v: Any) -> Any:
    powers = torch.exp(q @ k)
    return (powers / powers.sum(2, keepdim=True)) @ v


def _graph_norm_transformer(graph: Any, h: Any, x: Any, rate: Any) -> Any:
    step = graph.mul(rate, graph.add(graph.rms_norm(h, h.shape[-1:]), x))
    return graph.rms_norm(graph.add(x, step), x.shape[-1:])


CASES: tuple[Case, ...] = (
    Case(
        "RMSNorm",
        ((16, 4096), (4096, 6144)),
        lambda g, x, w: g.matmul(g.rms_norm(x, x.shape[-1:]), w),
        lambda x, w: _norm(x) @ w,
        (1.0, 0.02),
    ),
    Case(
        "GatedMLP",
        ((8, 4096), (4096, 4096), (4096, 4096)),
        lambda g, x, a, b: g.mul(g.silu(g.matmul(x, a)), g.matmul(x, b)),
        lambda x, a, b: torch.nn.functional.silu(x @ a) * (x @ b),
        (1.0, 0.02, 0.02),
    ),
    Case(
        "LoRA",
        ((16, 256), (256, 4096), (256, 16), (16, 4096)),
        lambda g, x, w, a, b: g.add(g.matmul(x, w), g.matmul(g.matmul(x, a), b)),
        lambda x, w, a, b: x @ w + (x @ a) @ b,
        (1.0, 0.1, 0.1, 0.1),
    ),
    Case(
        "GQA",
        ((2, 256, 64), (2, 64, 4096), (2, 4096, 64)),
        _graph_attention,
        _attention,
        (1.0, 0.125, 1.0),
    ),
    Case(
        "QKNorm",
        ((2, 256, 64), (2, 64, 4096), (2, 4096, 64)),
        lambda g, q, k, v: _graph_attention(
            g, g.rms_norm(q, q.shape[-1:]), k, g.rms_norm(v, v.shape[-1:])
        ),
        lambda q, k, v: _attention(_norm(q), k, _norm(v)),
        (1.0, 0.125, 1.0),
    ),
    Case(
        "nTrans",
        ((8, 4096), (8, 4096), (8, 4096)),
        _graph_norm_transformer,
        lambda h, x, rate: _norm(x + rate * (_norm(h) + x)),
    ),
    Case(
        "MHA",
        ((32, 16, 64), (32, 64, 4096), (32, 4096, 64)),
        _graph_attention,
        _attention,
        (1.0, 0.125, 1.0),
    ),
)
