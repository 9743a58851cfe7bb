"""Rewriting rules of `triton_shared.graph`: each one computes the same, on random graphs of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import hypothesis
import pytest
import torch
import triton_shared.graph as mi
from graph_cases import PAPER
from hypothesis import strategies
from triton_shared.graph import rules
from triton_shared.graph.ir import Graph, Node, from_json, make, new_input

SIZES = strategies.integers(1, 9)
Drawn = strategies.DrawFn


def given(draw: Drawn, *shapes: tuple[int, ...]) -> list[Node]:
    return [new_input(place, shape, torch.float32) for place, shape in enumerate(shapes)]


def compound(draw: Drawn) -> Node:
    (x,) = given(draw, (draw(SIZES), draw(SIZES)))
    op = draw(strategies.sampled_from(["rms_norm", "layer_norm", "softmax"]))
    return make(op, (x,), **({"dim": draw(strategies.integers(-2, 1))} if op == "softmax"
                             else {"eps": draw(strategies.sampled_from([1e-5, 0.5]))}))  # fmt: skip


def scaled_rows(draw: Drawn) -> Node:
    m, k, n = draw(SIZES), draw(SIZES), draw(SIZES)
    x, s, w = given(draw, (m, k), (draw(strategies.sampled_from([m, 1])), 1), (k, n))
    scaled = make(draw(strategies.sampled_from(["mul", "div"])), (x, s))
    return make("matmul", (scaled, w))


def scaled_by_constant(draw: Drawn) -> Node:
    m, k, n = draw(SIZES), draw(SIZES), draw(SIZES)
    both = given(draw, (m, k), (k, n))
    place = draw(strategies.integers(0, 1))
    both[place] = make("mul_scalar", (both[place],), value=draw(strategies.floats(-3, 3)))
    return make("matmul", tuple(both))


def three_products(right: bool) -> Callable[[Drawn], Node]:
    def build(draw: Drawn) -> Node:
        m, k, n, p = (draw(SIZES) for _ in range(4))
        a, b, c = given(draw, (m, k), (k, n), (n, p))
        if right:
            return make("matmul", (a, make("matmul", (b, c))))
        return make("matmul", (make("matmul", (a, b)), c))

    return build


def two_products(draw: Drawn) -> Node:
    m, k, n = draw(SIZES), draw(SIZES), draw(SIZES)
    op = draw(strategies.sampled_from(["add", "sub"]))
    if draw(strategies.booleans()):
        x, a, b = given(draw, (m, k), (k, n), (k, n))
        return make(op, (make("matmul", (x, a)), make("matmul", (x, b))))
    a, b, x = given(draw, (m, k), (m, k), (k, n))
    return make(op, (make("matmul", (a, x)), make("matmul", (b, x))))


def divided_by_root(draw: Drawn) -> Node:
    x, y = given(draw, (draw(SIZES), draw(strategies.integers(2, 9))), (1, 1))
    return make("div", (x, make("sqrt", (make("add_scalar", (y,), value=5.0),))))


WHERE_IT_APPLIES: dict[rules.Rule, Callable[[Drawn], Node]] = {
    rules.expand_compound: compound,
    rules.scale_rows_last: scaled_rows,
    rules.scale_by_constant_last: scaled_by_constant,
    rules.multiply_right_first: three_products(right=False),
    rules.multiply_left_first: three_products(right=True),
    rules.factor_product: two_products,
    rules.multiply_by_reciprocal: divided_by_root,
}


def inputs_of(node: Node) -> tuple[Node, ...]:
    found: dict[Node, None] = {}

    def visit(one: Node) -> None:
        if one.op == "input":
            found[one] = None
        for operand in one.inputs:
            visit(operand)

    visit(node)
    return tuple(sorted(found, key=lambda one: one.named["index"]))


def test_every_rule_has_a_property():
    assert set(WHERE_IT_APPLIES) == {rules.expand_compound, *rules.RULES}


@pytest.mark.parametrize("rule", WHERE_IT_APPLIES, ids=lambda rule: rule.__name__)
@hypothesis.settings(max_examples=40, deadline=None, derandomize=True, database=None)
@hypothesis.given(data=strategies.data(), seed=strategies.integers(0, 1000))
def test_a_rule_computes_the_same(rule: rules.Rule, data: Any, seed: int):
    node = WHERE_IT_APPLIES[rule](data.draw)
    made = rule(node)
    # Rows of one element are scaled as any other factor: nothing is to be moved.
    if made is None:
        hypothesis.reject()
    assert (made.shape, made.dtype) == (node.shape, node.dtype)
    torch.manual_seed(seed)
    ones = inputs_of(node)
    values = [torch.randn(one.shape) for one in ones]
    before, after = (Graph(ones, (one,)).evaluate(values)[0] for one in (node, made))
    scale = max(1.0, float(before.abs().max()))
    assert float((before - after).abs().max()) <= 1e-10 * scale


@pytest.mark.parametrize("case", PAPER, ids=lambda case: case.__name__)
def test_all_rewritten_graphs_compute_the_same(case: Any):
    graph = case().graph
    torch.manual_seed(0)
    inputs = [torch.randn(node.shape) for node in graph.inputs]
    (expected,) = graph.evaluate(inputs)
    found = rules.rewritten(graph, 12)
    assert len({other.key for _, other in found}) == len(found)
    for way, other in found:
        (value,) = other.evaluate(inputs)
        assert torch.allclose(value, expected, rtol=1e-9, atol=1e-9), way


def test_the_document_s_graph_becomes_one_product_with_rows_scaled_last():
    ways = [way for way, _ in rules.rewritten(PAPER[0]().graph, 12)]
    assert ("scale_rows_last",) in ways


@pytest.mark.parametrize("case", PAPER, ids=lambda case: case.__name__)
def test_a_graph_is_the_same_after_json(case: Any):
    graph = case().graph
    assert from_json(graph.as_json()).key == graph.key
    assert from_json(graph.as_json()).symbols == graph.symbols


@pytest.mark.parametrize("name", ["add", "mul", "maximum", "minimum", "sub", "div", "pow"])
def test_a_graph_is_the_same_with_operands_exchanged_where_they_may_be(name: str):
    """It is found in the cache, and computed once where both are in a graph."""
    graph = mi.new_kernel_graph()
    x, y = (graph.new_input(dims=(16, 64)) for _ in range(2))
    one, other = getattr(graph, name)(x, y), getattr(graph, name)(y, x)
    same = name not in ("sub", "div", "pow")
    assert (one.key == other.key) == same
    graph.mark_output(graph.matmul(one, graph.transpose(graph.exp(other))))
    assert [node.op for node in graph.graph.nodes].count(name) == (1 if same else 2)
    values = [torch.rand(node.shape).double() + 0.5 for node in graph.graph.inputs]
    f = getattr(torch, {"div": "divide"}.get(name, name))
    right = f(*values) @ f(*values[::-1]).exp().mT
    assert torch.allclose(graph.graph.evaluate(values)[0], right)
