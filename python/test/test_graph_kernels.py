"""Kernels of `triton_shared.graph`: what one kernel can hold, and that it is right."""

from __future__ import annotations

from typing import Any

import pytest
import triton_shared.graph as mi
from graph_cases import (
    PAPER,
    assert_right,
    attention,
    gated_mlp,
    lora,
    normalized_attention,
    one_kernel,
    random_inputs,
    rms_norm_matmul,
)
from triton_shared.graph.program import Part, Plan, Program
from triton_shared.graph.rules import expanded, rewritten
from triton_shared.graph.tiles import Blocks, KernelText
from triton_shared.graph.verify import verify

SPLIT = Blocks(rows=16, columns=32, depth=32, inner=16, online=True)
WHOLE = Blocks(rows=16, columns=0, depth=0, inner=0)


def text_of(graph: mi.KernelGraph, blocks: Blocks) -> KernelText:
    (text,) = one_kernel(graph, blocks).texts()
    return text


@pytest.mark.parametrize("case", PAPER, ids=lambda case: case.__name__)
@pytest.mark.parametrize("blocks", [SPLIT, WHOLE], ids=["split", "whole"])
def test_every_graph_of_the_paper_fits_into_one_kernel(case: Any, blocks: Blocks):
    graph = case()
    given = random_inputs(graph)
    plan = one_kernel(graph, blocks)
    assert_right(graph, given, Program(graph.graph, plan)(given))


@pytest.mark.nightly
@pytest.mark.parametrize("case", PAPER, ids=lambda case: case.__name__)
@pytest.mark.parametrize("dtype", [mi.float16, mi.bfloat16, mi.float32], ids=str)
def test_every_graph_of_the_paper_is_verified(case: Any, dtype: Any):
    graph = case(dtype)
    for blocks in (SPLIT, WHOLE):
        verdict = verify(graph.graph, one_kernel(graph, blocks))
        assert verdict.is_right, (blocks, verdict)


def divided_last(graph: mi.KernelGraph, blocks: Blocks) -> KernelText:
    """The kernel of the graph in which rows are scaled after the product."""
    (found,) = (g for way, g in rewritten(graph.graph, 9) if way == ("scale_rows_last",))
    (text,) = Plan(found, (Part((len(found.nodes) - 1,), blocks),)).texts()
    return text


def loops(text: KernelText) -> int:
    return sum(line.lstrip().startswith("for ") for line in text.lines)


def test_the_sum_of_squares_is_made_in_the_loop_of_the_product():
    text = text_of(rms_norm_matmul(), SPLIT)
    assert loops(text) == 2, "without rewriting, the norm comes first"
    text = divided_last(rms_norm_matmul(), SPLIT)
    assert loops(text) == 1
    assert sum("tl.load" in line for line in text.lines) == 2


def test_two_products_of_one_input_share_a_loop_and_its_loads():
    text = text_of(gated_mlp(), SPLIT)
    assert loops(text) == 1
    assert sum("tl.load" in line for line in text.lines) == 3
    assert sum("tl.dot" in line for line in text.lines) == 2


def test_a_product_of_a_product_is_a_loop_in_a_loop():
    text = text_of(lora(), SPLIT)
    assert any(line.startswith("    for ") for line in text.lines)


def test_attention_rescales_in_one_loop():
    text = divided_last(attention(), SPLIT)
    assert sum(line.startswith("for ") for line in text.lines) == 1
    apart = divided_last(attention(), Blocks(16, 32, 32, 16, online=False))
    assert sum(line.startswith("for ") for line in apart.lines) == 2


def test_what_does_not_change_in_a_loop_is_read_before_it():
    text = text_of(normalized_attention(), Blocks(16, 0, 32, 0, online=True))
    loop = next(place for place, line in enumerate(text.lines) if line.startswith("for "))
    queries = [place for place, line in enumerate(text.lines) if "tl.load(t0 " in line]
    assert queries
    assert all(place < loop for place in queries)


def test_transposing_is_free():
    graph = mi.new_kernel_graph()
    x = graph.new_input(dims=(20, 48), dtype=mi.float16)
    y = graph.new_input(dims=(48, 20), dtype=mi.float16)
    graph.mark_output(graph.add(graph.transpose(graph.exp(x)), y))
    text = text_of(graph, SPLIT)
    assert not any("trans" in line for line in text.lines)
    given = random_inputs(graph)
    assert_right(graph, given, Program(graph.graph, one_kernel(graph, SPLIT))(given))


def test_a_transposed_product_exchanges_its_operands():
    graph = mi.new_kernel_graph()
    a = graph.new_input(dims=(20, 48), dtype=mi.float16)
    b = graph.new_input(dims=(48, 33), dtype=mi.float16)
    graph.mark_output(graph.transpose(graph.matmul(a, b)))
    given = random_inputs(graph)
    assert_right(graph, given, Program(graph.graph, one_kernel(graph, SPLIT))(given))


@pytest.mark.parametrize("shapes", [((1, 40), (40, 24)), ((24, 40), (40, 1)), ((5, 1), (1, 7)),
                                    ((1, 1), (1, 1))])  # fmt: skip
def test_products_with_a_size_of_1(shapes: tuple[tuple[int, int], tuple[int, int]]):
    graph = mi.new_kernel_graph()
    a, b = (graph.new_input(dims=shape, dtype=mi.float16) for shape in shapes)
    graph.mark_output(graph.exp(graph.matmul(a, b)))
    for blocks in (SPLIT, WHOLE):
        plan = one_kernel(graph, blocks)
        given = [tensor / 4 for tensor in random_inputs(graph)]
        assert_right(graph, given, Program(graph.graph, plan)(given))


def test_inputs_may_have_any_strides():
    graph = gated_mlp()
    given = random_inputs(graph)
    given[0] = given[0].t().contiguous().t()
    given[1] = given[1].repeat(1, 2)[:, ::2].copy_(given[1])
    assert_right(graph, given, Program(graph.graph, one_kernel(graph, SPLIT))(given))


def test_what_cannot_be_one_kernel_says_why():
    graph = mi.new_kernel_graph()
    x = graph.new_input(dims=(20, 48), dtype=mi.float16)
    graph.mark_output(graph.exp(x))
    graph.mark_output(graph.sum(x, 1))
    with pytest.raises(mi.Unsupported, match=r"results of shapes \(20, 1\) and \(20, 48\)"):
        Plan(expanded(graph.graph), (Part((1, 2), SPLIT),)).texts()
