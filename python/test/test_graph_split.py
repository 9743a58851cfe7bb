"""Loops that several programs share: parts in one kernel, joined by another."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import triton_shared.graph as mi
from graph_cases import (
    assert_right,
    attention,
    gated_mlp,
    grouped_query_attention,
    one_kernel,
    random_inputs,
    rms_norm_matmul,
)
from triton_shared.graph import split_loops
from triton_shared.graph.cost import machine
from triton_shared.graph.program import Part, Plan, Program
from triton_shared.graph.rules import rewritten
from triton_shared.graph.shared_memory import shared_bytes
from triton_shared.graph.space import Choices
from triton_shared.graph.tiles import Blocks
from triton_shared.graph.verify import verify

QUARTERS = Blocks(16, 32, 16, 0, online=True, split=4)


def last_scaled(graph: mi.KernelGraph) -> Plan:
    """One kernel of the form that divides at the end."""
    form = next(g for rules, g in rewritten(graph.graph, 8) if "scale_rows_last" in rules)
    return Plan(form, (Part((len(form.nodes) - 1,), QUARTERS),))


@pytest.mark.parametrize("case", [rms_norm_matmul, attention, grouped_query_attention],
                         ids=lambda case: case.__name__)  # fmt: skip
def test_sums_products_and_relative_sums_are_joined(case: Any):
    """A sum of squares beside a product; sums relative to a maximum of each part."""
    graph = case()
    plan = last_scaled(graph)
    assert [text.name for text in plan.texts()] == ["kernel_0_parts", "kernel_0"]
    given = random_inputs(graph)
    assert_right(graph, given, Program(graph.graph, plan)(given))


@pytest.mark.parametrize("depth", [1, 15, 16, 17, 100, 129])
def test_parts_of_any_size_even_none_are_right(depth: int):
    graph = gated_mlp()
    program = Program(graph.graph, one_kernel(graph, QUARTERS))
    shapes = [(5, depth), (depth, 40), (depth, 40)]
    given = [torch.randn(shape).half() for shape in shapes]
    if depth == 1:
        with pytest.raises(mi.GraphError, match="d1"):
            program([given[0], given[1][:, :1], given[2]])
    assert_right(graph, given, program(given))


@pytest.mark.nightly
def test_a_split_loop_passes_all_gates():
    graph = attention()
    assert verify(graph.graph, last_scaled(graph)).is_right


def test_a_part_that_is_left_out_is_found(monkeypatch: pytest.MonkeyPatch):
    """The graph itself has one turn for each part; other sizes have parts of two, and of none."""
    plain = split_loops.SplitWriter._range

    def first_turn_only(self: Any, axis: Any) -> str:
        text = plain(self, axis)
        return text.replace("part * span + span", f"part * span + BLOCK_{axis.name}")

    monkeypatch.setattr(split_loops.SplitWriter, "_range", first_turn_only)
    graph = gated_mlp()
    verdict = verify(graph.graph, one_kernel(graph, QUARTERS))
    assert verdict.gate == "SHAPES"


def test_two_loops_one_after_the_other_are_not_split():
    graph = attention()
    with pytest.raises(mi.Unsupported, match="two loops one after the other"):
        one_kernel(graph, QUARTERS).texts()


def test_what_has_no_loop_is_not_split():
    graph = mi.new_kernel_graph()
    x = graph.new_input(dims=(16, 64), dtype=mi.float16)
    graph.mark_output(graph.exp(x))
    with pytest.raises(mi.Unsupported, match="no loop that could be split"):
        one_kernel(graph, QUARTERS).texts()


def test_a_search_splits_where_a_gpu_has_more_units_than_there_are_tiles():
    graph = mi.new_kernel_graph()
    x = graph.new_input(dims=(16, 4096), dtype=mi.float16)
    w = graph.new_input(dims=(4096, 256), dtype=mi.float16)
    graph.mark_output(graph.matmul(x, w))
    nodes, kept = graph.graph.nodes, frozenset(graph.graph.inputs)
    best = Choices(machine(90)).of(graph.graph, [nodes[-1]], kept)[0]
    assert best.blocks.split > 1


def test_what_a_split_kernel_takes_of_a_gpu_is_asked():
    graph = gated_mlp()
    for target in ("triton", "shared"):
        assert shared_bytes(Program(graph.graph, one_kernel(graph, QUARTERS)), 90, target) > 0
