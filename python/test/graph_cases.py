"""Graphs that tests of `triton_shared.graph` share: those that Mirage's paper is about, small."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
import triton_shared.graph as mi
from triton_shared.graph.program import Part, Plan, Program
from triton_shared.graph.rules import expanded
from triton_shared.graph.tiles import Blocks


def rms_norm_matmul(dtype: Any = mi.float16) -> mi.KernelGraph:
    graph = mi.new_kernel_graph()
    x = graph.new_input(dims=(16, 96), dtype=dtype)
    w = graph.new_input(dims=(96, 80), dtype=dtype)
    graph.mark_output(graph.matmul(graph.rms_norm(x, normalized_shape=(96,)), w))
    return graph


def gated_mlp(dtype: Any = mi.float16) -> mi.KernelGraph:
    graph = mi.new_kernel_graph()
    x = graph.new_input(dims=(16, 64), dtype=dtype)
    gate, up = (graph.new_input(dims=(64, 96), dtype=dtype) for _ in range(2))
    left, right = graph.matmul(x, gate), graph.matmul(x, up)
    graph.mark_output(graph.mul(graph.silu(left), right))
    return graph


def lora(dtype: Any = mi.float16) -> mi.KernelGraph:
    graph = mi.new_kernel_graph()
    x = graph.new_input(dims=(16, 64), dtype=dtype)
    w = graph.new_input(dims=(64, 96), dtype=dtype)
    a = graph.new_input(dims=(64, 16), dtype=dtype)
    b = graph.new_input(dims=(16, 96), dtype=dtype)
    low = graph.matmul(graph.matmul(x, a), b)
    graph.mark_output(graph.add(graph.matmul(x, w), low))
    return graph


def _attend(graph: mi.KernelGraph, q: Any, k: Any, v: Any) -> None:
    scores = graph.mul_scalar(graph.matmul(q, graph.transpose(k)), q.shape[-1] ** -0.5)
    graph.mark_output(graph.matmul(graph.softmax(scores), v))


def attention(dtype: Any = mi.float16) -> mi.KernelGraph:
    graph = mi.new_kernel_graph()
    _attend(graph, *(graph.new_input(dims=(2, 48, 32), dtype=dtype) for _ in range(3)))
    return graph


def grouped_query_attention(dtype: Any = mi.float16) -> mi.KernelGraph:
    """Two heads of keys, each for three heads of queries."""
    graph = mi.new_kernel_graph()
    q = graph.new_input(dims=(2, 3, 40, 32), dtype=dtype)
    k, v = (graph.new_input(dims=(2, 1, 56, 32), dtype=dtype) for _ in range(2))
    _attend(graph, q, k, v)
    return graph


def normalized_attention(dtype: Any = mi.float16) -> mi.KernelGraph:
    """Queries and keys are normalized first (QK-norm)."""
    graph = mi.new_kernel_graph()
    q, k, v = (graph.new_input(dims=(2, 48, 32), dtype=dtype) for _ in range(3))
    _attend(graph, *(graph.layer_norm(one, (32,)) for one in (q, k)), v)
    return graph


def normalized_transformer(dtype: Any = mi.float16) -> mi.KernelGraph:
    """A step of nTrans: norm(x + a (norm(h) - x))."""
    graph = mi.new_kernel_graph()
    x, h = (graph.new_input(dims=(16, 96), dtype=dtype) for _ in range(2))
    rate = graph.new_input(dims=(96,), dtype=dtype)
    step = graph.mul(rate, graph.sub(graph.rms_norm(h, (96,), 1e-5), x))
    graph.mark_output(graph.rms_norm(graph.add(x, step), (96,), 1e-5))
    return graph


PAPER: Sequence[Callable[..., mi.KernelGraph]] = (
    rms_norm_matmul, gated_mlp, lora, attention, grouped_query_attention, normalized_attention,
    normalized_transformer,
)  # fmt: skip


def one_kernel(graph: mi.KernelGraph, blocks: Blocks) -> Plan:
    """A plan that fuses everything."""
    flat = expanded(graph.graph)
    return Plan(flat, (Part((len(flat.nodes) - 1,), blocks),))


def random_inputs(graph: mi.KernelGraph) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(3)
    return [torch.randn(n.shape, generator=generator).to(n.dtype) for n in graph.graph.inputs]


def assert_right(graph: mi.KernelGraph, inputs: list[torch.Tensor], found: list[Any]) -> None:
    """Outputs are within what rounding each node allows."""
    flat = expanded(graph.graph)
    sizes = Program(graph.graph, Plan(flat, ())).sizes_of(inputs)
    for one, right in zip(found, flat.resized(sizes).expect(inputs), strict=True):
        assert one.shape == right.value.shape
        assert bool(((one.double() - right.value).abs() <= right.error).all())
