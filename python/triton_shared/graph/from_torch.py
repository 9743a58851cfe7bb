"""A function of torch as a graph: `torch.export` says what it computes.

Operations that graphs have are taken over. Where a function does anything else, the error names
it: such a part stays with torch, outside of what is given to `from_torch`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import torch

from .ir import GraphError, Node, make
from .kernel_graph import KernelGraph

_UNARY = {
    "exp": "exp", "sqrt": "sqrt", "rsqrt": "rsqrt", "log": "log", "neg": "neg", "abs": "abs",
    "relu": "relu", "tanh": "tanh", "sigmoid": "sigmoid", "silu": "silu", "square": "square",
}  # fmt: skip
_BINARY = {"add": "add", "sub": "sub", "mul": "mul", "div": "div", "maximum": "maximum",
           "minimum": "minimum"}  # fmt: skip
_SUMS = {"sum": "sum", "mean": "mean", "amax": "max", "amin": "min"}


def from_torch(function: Callable[..., Any], example_inputs: Sequence[Any]) -> KernelGraph:
    """The graph of a function of tensors; the examples say shapes and types.

    The function gives a tensor or several. Raises GraphError that names what graphs do not have.
    """
    graph = KernelGraph()

    class Module(torch.nn.Module):  # type: ignore[misc]
        def forward(self, *inputs: Any) -> Any:
            return function(*inputs)

    with torch.no_grad():
        exported = torch.export.export(Module(), tuple(example_inputs), strict=False)
    known: dict[Any, Node] = {}
    for node in exported.graph.nodes:
        if node.op == "placeholder":
            tensor = node.meta["val"]
            known[node] = graph.new_input(tuple(tensor.shape), tensor.dtype)
        elif node.op == "call_function":
            known[node] = _translate(node, known, function)
        elif node.op == "output":
            for result in node.args[0]:
                graph.mark_output(known[result])
    return graph


def _translate(node: Any, known: dict[Any, Node], function: Any) -> Node:
    word = getattr(node.target, "_schema", None)
    name = word.name.removeprefix("aten::").rstrip("_") if word else str(node.target)
    arguments = [known.get(one, one) if isinstance(one, torch.fx.Node) else one
                 for one in node.args]  # fmt: skip
    try:
        made = _call(name, arguments, dict(node.kwargs))
    except (KeyError, IndexError, TypeError, ValueError) as error:
        if isinstance(error, GraphError):
            raise
        made = None
    if made is None:
        code = getattr(function, "__code__", None)
        where = f", {code.co_filename}:{code.co_firstlineno}" if code else ""
        raise GraphError(
            f"graphs have nothing for 'aten.{name}' with {node.args[1:]} {node.kwargs}\n"
            f"in {getattr(function, '__name__', function)}{where}\n"
            "leave it to torch, outside of the function that is given to from_torch"
        )
    expected = tuple(node.meta["val"].shape)
    if made.shape != expected:
        raise GraphError(f"'aten.{name}' gives {expected} in torch, {made.shape} in a graph")
    return made


def _call(name: str, given: list[Any], named: dict[str, Any]) -> Node | None:
    x = given[0]
    if name in _UNARY and not named:
        return make(_UNARY[name], (x,))
    if name in _BINARY and not named:
        return _binary(_BINARY[name], *given)
    if name in _SUMS and not named.get("dtype"):
        return _reduced(_SUMS[name], *given)
    if name in ("matmul", "mm", "bmm"):
        return make("matmul", (x, given[1]))
    if name == "linear":
        product = make("matmul", (x, _permuted(given[1], (1, 0))))
        return make("add", (product, given[2])) if len(given) > 2 and given[2] else product
    if name in ("transpose", "t", "permute", "numpy_T"):
        return _permuted(x, _order(name, x, given[1:]))
    if name == "unsqueeze":
        order: list[int | None] = list(range(len(x.shape)))
        order.insert(given[1] if given[1] >= 0 else len(order) + 1 + given[1], None)
        return make("view", (x,), order=tuple(order))
    if name == "pow":
        if given[1] == 2:
            return make("square", (x,))
        return make("pow_scalar", (x,), exponent=float(given[1]))
    if name == "clamp":
        return make("clamp", (x,), low=float(given[1]), high=float(given[2]))
    if name == "gelu" and named.get("approximate", "none") == "none":
        return make("gelu", (x,))
    if name in ("softmax", "_softmax") and not named.get("dtype"):
        return make("softmax", (x,), dim=given[1])
    if name == "rms_norm" and list(given[1]) == [x.shape[-1]]:
        eps = given[3] if len(given) > 3 and given[3] is not None else torch.finfo(x.dtype).eps
        made = make("rms_norm", (x,), eps=float(eps))
        return make("mul", (made, given[2])) if len(given) > 2 and given[2] else made
    return None


def _binary(op: str, a: Any, b: Any) -> Node | None:
    if isinstance(a, Node) and isinstance(b, Node):
        return make(op, (a, b))
    if not isinstance(a, Node) or isinstance(b, bool):
        return None
    scalar = {
        "add": lambda: make("add_scalar", (a,), value=float(b)),
        "sub": lambda: make("add_scalar", (a,), value=-float(b)),
        "mul": lambda: make("mul_scalar", (a,), value=float(b)),
        "div": lambda: make("mul_scalar", (a,), value=operator.truediv(1.0, b)),
    }
    return scalar[op]()


def _reduced(op: str, x: Node, dims: Any, keep: bool = False) -> Node:
    """A reduction over some dimensions; torch drops them if not told otherwise."""
    rank = len(x.shape)
    every = [dim % rank for dim in ([dims] if isinstance(dims, int) else dims)]
    made = x
    for dim in every:
        made = make(op, (made,), dim=dim)
    if keep:
        return made
    return make("view", (made,), order=tuple(dim for dim in range(rank) if dim not in every))


def _order(name: str, x: Node, given: list[Any]) -> tuple[int, ...]:
    rank = len(x.shape)
    if name == "permute":
        return tuple(dim % rank for dim in given[0])
    order = list(range(rank))
    a, b = given if name == "transpose" else (0, rank - 1)
    order[a], order[b] = order[b], order[a]
    return tuple(order)


def _permuted(x: Node, order: tuple[int, ...]) -> Node:
    return make("view", (x,), order=order)
