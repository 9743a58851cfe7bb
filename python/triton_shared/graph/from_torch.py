"""A function of torch as a graph: `torch.export` says what it computes.

Operations that graphs have are taken over. Where a function does anything else, it is cut: parts
that are graphs, and between them what torch computes as before.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from .ir import GraphError, Node, make, new_input
from .kernel_graph import KernelGraph

_UNARY = {
    "exp": "exp", "sqrt": "sqrt", "rsqrt": "rsqrt", "log": "log", "neg": "neg", "abs": "abs",
    "relu": "relu", "tanh": "tanh", "sigmoid": "sigmoid", "silu": "silu", "square": "square",
}  # fmt: skip
_BINARY = {"add": "add", "sub": "sub", "mul": "mul", "div": "div", "maximum": "maximum",
           "minimum": "minimum"}  # fmt: skip
_SUMS = {"sum": "sum", "mean": "mean", "amax": "max", "amin": "min"}


def from_torch(function: Callable[..., Any], example_inputs: Sequence[Any]) -> KernelGraph | Mixed:
    """The graph of a function of tensors; the examples say shapes and types, and the device.

    The function gives a tensor or several. What graphs do not have is left to torch: then the
    result is a `Mixed` of several graphs. Raises GraphError if nothing is left of the function, or
    if it holds tensors of its own.
    """

    class Module(torch.nn.Module):  # type: ignore[misc]
        def forward(self, *inputs: Any) -> Any:
            return function(*inputs)

    with torch.no_grad():
        exported = torch.export.export(Module(), tuple(example_inputs), strict=False)
    module = exported.graph_module
    given = [node for node in module.graph.nodes if node.op == "placeholder"]
    if len(given) != len(example_inputs):
        raise GraphError(
            f"{_place(function)} holds {len(given) - len(example_inputs)} tensors of its own: "
            "make them inputs"
        )
    device = example_inputs[0].device.type if example_inputs else ""
    try:
        return graph_of(module.graph, device)
    except GraphError as error:
        mixed = split(module, device)
        if not mixed.graphs:
            told = f"{error}\nin {_place(function)}: nothing is left for a graph"
            raise GraphError(told) from None
        return mixed


def _place(function: Any) -> str:
    code = getattr(function, "__code__", None)
    where = f", {code.co_filename}:{code.co_firstlineno}" if code else ""
    return f"{getattr(function, '__name__', function)}{where}"


def graph_of(traced: Any, device: str = "") -> KernelGraph:
    """The graph of a graph of `torch.fx`. Raises GraphError that names what graphs do not have."""
    graph = KernelGraph()
    graph.device = device
    known: dict[Any, Node] = {}
    for node in traced.nodes:
        if node.op == "placeholder":
            tensor = node.meta["val"]
            known[node] = graph.new_input(tuple(tensor.shape), dtype=tensor.dtype)
        elif node.op == "call_function":
            known[node] = translate(node, known)
        elif node.op == "output":
            results = node.args[0]
            for result in results if isinstance(results, (tuple, list)) else [results]:
                graph.mark_output(known[result])
    return graph


class Mixed:
    """A function of torch of which some parts are graphs; sizes are those of the examples.

    Called as a graph is, or by `function`, which takes and gives what the original does, without
    gradients.
    """

    def __init__(self, module: Any, graphs: Mapping[str, KernelGraph], left: Sequence[str]) -> None:
        self._module = module
        self.graphs = dict(graphs)
        """By the names of their parts."""
        self.left = tuple(left)
        """Operations that torch computes."""
        self.shapes = [
            tuple(node.meta["val"].shape) for node in module.graph.nodes if node.op == "placeholder"
        ]

    def superoptimize(self, **options: Any) -> Mixed:
        """The same with each graph searched; options are those of a graph."""
        found = {name: graph.superoptimize(**options) for name, graph in self.graphs.items()}
        return Mixed(self._module, found, self.left)

    def __call__(self, inputs: Sequence[Any]) -> list[Any]:
        """The results, a list. Raises GraphError for other shapes than those of the examples."""
        shapes = [tuple(tensor.shape) for tensor in inputs]
        if shapes != self.shapes:
            raise GraphError(
                f"parts are left to torch, so shapes are those of the examples: {self.shapes}, "
                f"not {shapes}"
            )
        with torch.no_grad():
            return list(_Runs(self._module, self.graphs).run(*inputs))

    def function(self, *inputs: Any) -> Any:
        """The result, or a tuple of several."""
        found = self(inputs)
        return found[0] if len(found) == 1 else tuple(found)


class _Runs(torch.fx.Interpreter):  # type: ignore[misc]
    """Calls graphs where the module has their parts."""

    def __init__(self, module: Any, graphs: Mapping[str, KernelGraph]) -> None:
        super().__init__(module)
        self._graphs = graphs

    def call_module(self, target: Any, args: Any, kwargs: Any) -> Any:
        found = self._graphs[target](args)
        return found[0] if len(found) == 1 else tuple(found)


def split(module: Any, device: str) -> Mixed:
    """Cuts a traced function into parts that are graphs and operations that torch computes."""
    from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
    from torch.fx.passes.operator_support import OperatorSupportBase

    left: dict[str, None] = {}

    class Support(OperatorSupportBase):  # type: ignore[misc]
        def is_node_supported(self, submodules: Any, node: Any) -> bool:
            if node.op != "call_function":
                return False
            try:
                operands = [
                    new_input(place, tuple(one.meta["val"].shape), one.meta["val"].dtype)
                    for place, one in enumerate(node.all_input_nodes)
                ]
                translate(node, dict(zip(node.all_input_nodes, operands, strict=True)))
            except (GraphError, AttributeError):
                left[_name(node)] = None
                return False
            return True

    partitioner = CapabilityBasedPartitioner(module, Support(), allows_single_node_partition=True)
    fused = partitioner.fuse_partitions(partitioner.propose_partitions())
    graphs = {
        node.target: graph_of(getattr(fused, node.target).graph, device)
        for node in fused.graph.nodes
        if node.op == "call_module"
    }
    return Mixed(fused, graphs, tuple(left))


def _name(node: Any) -> str:
    word = getattr(node.target, "_schema", None)
    return word.name.removeprefix("aten::").rstrip("_") if word else str(node.target)


def translate(node: Any, known: Mapping[Any, Node]) -> Node:
    """A node of `torch.fx` as one of a graph. Raises GraphError if there is none."""
    name = _name(node)
    arguments = [known.get(one, one) if isinstance(one, torch.fx.Node) else one
                 for one in node.args]  # fmt: skip
    try:
        made = _call(name, arguments, dict(node.kwargs))
    except (KeyError, IndexError, TypeError, ValueError) as error:
        if isinstance(error, GraphError):
            raise
        made = None
    if made is None:
        raise GraphError(
            f"graphs have nothing for 'aten.{name}' with {node.args[1:]} {node.kwargs}"
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
