"""Rewriting: graphs that compute the same in real numbers, and may be faster.

A rule looks at one node and gives another one in its place, or None. What a rule may do to rounding
is not its business: every candidate is verified with what the original graph allows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from .ir import Graph, Node, make

Rule = Callable[[Node], Node | None]


def expand_compound(node: Node) -> Node | None:
    """rms_norm(x) = x / sqrt(mean(x^2) + eps), and likewise layer_norm and softmax."""
    if node.kind != "compound":
        return None
    (x,) = node.inputs
    if node.op == "softmax":
        return _softmax(x, node.named["dim"])
    if node.op == "layer_norm":
        x = make("sub", (x, make("mean", (x,), dim=-1)))
    mean = make("mean", (make("square", (x,)),), dim=-1)
    if node.named["eps"]:
        mean = make("add_scalar", (mean,), value=node.named["eps"])
    return make("div", (x, make("sqrt", (mean,))))


def _softmax(x: Node, dim: int) -> Node:
    powers = make("exp", (make("sub", (x, make("max", (x,), dim=dim))),))
    return make("div", (powers, make("sum", (powers,), dim=dim)))


def _scaled_rows(node: Node) -> tuple[Node, Node] | None:
    """x and s of x * s or x / s, where s has one number for each row."""
    if node.op not in ("mul", "div"):
        return None
    x, s = node.inputs
    if node.op == "mul" and _is_column(x, node):
        x, s = s, x
    return (x, s) if _is_column(s, node) and x.shape == node.shape else None


def _is_column(s: Node, whole: Node) -> bool:
    return (s.shape or (1,))[-1] == 1 and whole.shape[-1] != 1


def scale_rows_last(node: Node) -> Node | None:
    """(x / s) @ w = (x @ w) / s, where s has one number for each row; so for products."""
    if node.op != "matmul":
        return None
    left, right = node.inputs
    found = _scaled_rows(left)
    if not found:
        return None
    return make(left.op, (make("matmul", (found[0], right)), found[1]))


def scale_by_constant_last(node: Node) -> Node | None:
    """(x c) @ w = x @ (w c) = (x @ w) c."""
    if node.op != "matmul":
        return None
    for place, operand in enumerate(node.inputs):
        if operand.op == "mul_scalar":
            plain = list(node.inputs)
            plain[place] = operand.inputs[0]
            return make("mul_scalar", (make("matmul", (plain[0], plain[1])),), **operand.named)
    return None


def multiply_right_first(node: Node) -> Node | None:
    """(a @ b) @ c = a @ (b @ c)."""
    if node.op != "matmul" or node.inputs[0].op != "matmul":
        return None
    (a, b), c = node.inputs[0].inputs, node.inputs[1]
    return make("matmul", (a, make("matmul", (b, c))))


def multiply_left_first(node: Node) -> Node | None:
    """a @ (b @ c) = (a @ b) @ c."""
    if node.op != "matmul" or node.inputs[1].op != "matmul":
        return None
    a, (b, c) = node.inputs[0], node.inputs[1].inputs
    return make("matmul", (make("matmul", (a, b)), c))


def factor_product(node: Node) -> Node | None:
    """x @ a + x @ b = x @ (a + b), and likewise a @ x + b @ x and differences."""
    if node.op not in ("add", "sub") or any(one.op != "matmul" for one in node.inputs):
        return None
    (a, b), (c, d) = node.inputs[0].inputs, node.inputs[1].inputs
    if a == c and b.shape == d.shape:
        return make("matmul", (a, make(node.op, (b, d))))
    if b == d and a.shape == c.shape:
        return make("matmul", (make(node.op, (a, c)), b))
    return None


def multiply_by_reciprocal(node: Node) -> Node | None:
    """x / sqrt(y) = x * rsqrt(y): one division for each row instead of each element."""
    if node.op != "div" or node.inputs[1].op != "sqrt":
        return None
    x, root = node.inputs
    if math.prod(root.shape) >= math.prod(x.shape):
        return None
    return make("mul", (x, make("rsqrt", root.inputs)))


RULES: tuple[Rule, ...] = (
    scale_rows_last,
    scale_by_constant_last,
    multiply_right_first,
    multiply_left_first,
    factor_product,
    multiply_by_reciprocal,
)
"""Those that the search applies; what is compound has been expanded before."""


def expanded(graph: Graph) -> Graph:
    """The graph without compound operations."""
    return _mapped(graph, lambda node: expand_compound(node) or node)


def _mapped(graph: Graph, change: Callable[[Node], Node]) -> Graph:
    made: dict[Node, Node] = {node: node for node in graph.inputs}

    def visit(node: Node) -> Node:
        if node not in made:
            made[node] = change(node.with_inputs([visit(operand) for operand in node.inputs]))
        return made[node]

    return Graph(graph.inputs, tuple(visit(node) for node in graph.outputs))


def neighbours(graph: Graph) -> Iterator[tuple[str, Graph]]:
    """Each graph that one use of one rule makes of this one, with the name of the rule."""
    for rule in RULES:
        for node in graph.nodes:
            made = rule(node)
            if made is None or made.shape != node.shape or made.dtype != node.dtype:
                continue
            yield rule.__name__, _replaced(graph, node, made)


def _replaced(graph: Graph, old: Node, new: Node) -> Graph:
    made: dict[Node, Node] = {**{node: node for node in graph.inputs}, old: new}

    def visit(node: Node) -> Node:
        if node not in made:
            made[node] = node.with_inputs([visit(operand) for operand in node.inputs])
        return made[node]

    return Graph(graph.inputs, tuple(visit(node) for node in graph.outputs))


def rewritten(graph: Graph, limit: int) -> list[tuple[tuple[str, ...], Graph]]:
    """At most `limit` graphs, the expanded one first, each with the rules that lead to it."""
    first = expanded(graph)
    found: dict[str, tuple[tuple[str, ...], Graph]] = {first.key: ((), first)}
    waiting = [first.key]
    while waiting and len(found) < limit:
        way, current = found[waiting.pop(0)]
        for name, other in neighbours(current):
            if other.key not in found and len(found) < limit:
                found[other.key] = ((*way, name), other)
                waiting.append(other.key)
    return list(found.values())
