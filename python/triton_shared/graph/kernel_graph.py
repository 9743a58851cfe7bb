"""`KernelGraph`: how a graph is written, searched and run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch

from . import ir
from .ir import Graph, GraphError, Node
from .operations import TABLE
from .program import Part, Plan, Program, plan_from_json
from .rules import expanded
from .tiles import Blocks, Unsupported

if TYPE_CHECKING:
    from ..explain import Explanation
    from .report import Report
    from .threadblock import Parts, ThreadblockGraph

CONFIGS = ("mlp", "attention", "lora")
"""Names of searches that Mirage has; here the graph itself says what is worth trying."""
BACKENDS = ("triton",)
_OF_MIRAGE = (
    "imaps", "omaps", "griddims", "blockdims", "fmaps", "franges", "verbose", "previous_checkpoint"
)  # fmt: skip
"""What limits its search, or shows it: taken, so that its scripts run, and without effect."""


class KernelGraph:
    """A graph of tensors that is being written, or has been searched.

    Methods take and give `Node`s, which are the tensors of the graph. Operations follow numpy's
    rule for shapes; reductions keep their dimension, of size 1. Raises GraphError where shapes or
    types do not fit.
    """

    def __init__(
        self,
        graph: Graph | None = None,
        plan: Plan | None = None,
        target: str = "",
        report: Report | None = None,
    ) -> None:
        self._inputs = list(graph.inputs) if graph else []
        self._outputs = list(graph.outputs) if graph else []
        self.strides = [_of_rows(node.shape) for node in self._inputs]
        """Of the inputs, with which a search times it."""
        self._plan = plan
        self.target = target
        """Whose compiler makes its kernels for a GPU: `triton`, `shared`, or the active one."""
        self._program: Program | None = None
        self._error = ""
        self._by_hand: dict[Node, Blocks] = {}
        self.device = ""
        """Where a search times it, if it does not say so itself."""
        self._report = report

    # Writing.

    def new_input(
        self, dims: Sequence[int], strides: Sequence[int] | None = None, dtype: Any = torch.float16
    ) -> Node:
        """An input of this shape, of type float16, bfloat16 or float32.

        Sizes and strides, of rows if none are given, are what the search optimizes for; other
        tensors may come when the graph is called, but where a size is 1 it stays so.
        """
        self._changed()
        node = ir.new_input(len(self._inputs), dims, dtype)
        self.strides.append(_checked(dims, strides))
        self._inputs.append(node)
        return node

    def mark_output(self, tensor: Node, strides: Sequence[int] | None = None) -> None:
        """Makes a tensor one of the results, after those before; results have rows in order."""
        self._changed()
        if not isinstance(tensor, Node):
            raise GraphError("parts of a sum are no result: another thread block adds them up")
        if strides is not None and tuple(strides) != _of_rows(tensor.shape):
            raise GraphError(
                f"results of {tensor} have the strides {_of_rows(tensor.shape)}, not "
                f"{tuple(strides)}: mark its transpose"
            )
        if tensor in self._outputs:
            raise GraphError("this tensor is an output already")
        if tensor.op == "input":
            tensor = ir.make("view", (tensor,), order=tuple(range(len(tensor.shape))))
        self._outputs.append(tensor)

    def matmul(self, a: Node, b: Node) -> Node:
        """Products of the last two dimensions: (..., M, K) and (..., K, N) give (..., M, N)."""
        return ir.make("matmul", (a, b))

    def rms_norm(self, x: Node, normalized_shape: Sequence[int], eps: float = 0.0) -> Node:
        """x / sqrt(mean(x^2) + eps) over the last dimension."""
        return self._norm("rms_norm", x, normalized_shape, eps)

    def layer_norm(self, x: Node, normalized_shape: Sequence[int], eps: float = 1e-5) -> Node:
        """(x - mean(x)) / sqrt(var(x) + eps) over the last dimension."""
        return self._norm("layer_norm", x, normalized_shape, eps)

    def _norm(self, op: str, x: Node, normalized_shape: Sequence[int], eps: float) -> Node:
        if tuple(normalized_shape) != x.shape[-1:]:
            raise GraphError(
                f"{op} is over the last dimension, of {x.shape[-1]}, not {tuple(normalized_shape)}"
            )
        return ir.make(op, (x,), eps=float(eps))

    def softmax(self, x: Node, dim: int = -1) -> Node:
        """exp(x) / sum(exp(x)) over a dimension."""
        return ir.make("softmax", (x,), dim=dim)

    def reduction(self, x: Node, dim: int) -> Node:
        """The sum over a dimension."""
        return ir.make("sum", (x,), dim=dim)

    sum = reduction

    def mean(self, x: Node, dim: int) -> Node:
        """The mean over a dimension."""
        return ir.make("mean", (x,), dim=dim)

    def max(self, x: Node, dim: int) -> Node:
        """The largest element of a dimension."""
        return ir.make("max", (x,), dim=dim)

    reduction_max = max

    def min(self, x: Node, dim: int) -> Node:
        """The smallest element of a dimension."""
        return ir.make("min", (x,), dim=dim)

    def transpose(self, x: Node, a: int = -1, b: int = -2) -> Node:
        """The tensor with two dimensions exchanged; free."""
        order = list(range(len(x.shape)))
        order[a], order[b] = order[b], order[a]
        return ir.make("view", (x,), order=tuple(order))

    def unsqueeze(self, x: Node, dim: int) -> Node:
        """The tensor with a new dimension of size 1; free."""
        order: list[int | None] = list(range(len(x.shape)))
        order.insert(dim if dim >= 0 else len(order) + 1 + dim, None)
        return ir.make("view", (x,), order=tuple(order))

    def squeeze(self, x: Node, dim: int) -> Node:
        """The tensor without a dimension, which must be of size 1; free."""
        order = list(range(len(x.shape)))
        del order[dim]
        return ir.make("view", (x,), order=tuple(order))

    def clamp(self, x: Node, min_val: float, max_val: float) -> Node:
        """Elements no smaller and no larger than these."""
        return ir.make("clamp", (x,), low=float(min_val), high=float(max_val))

    def pow(self, x: Node, exponent: Node | float) -> Node:
        """Powers."""
        if isinstance(exponent, Node):
            return ir.make("pow", (x, exponent))
        if exponent == 2:
            return ir.make("square", (x,))
        return ir.make("pow_scalar", (x,), exponent=float(exponent))

    def add(self, a: Node, b: Node | float) -> Node:
        """Sums."""
        if isinstance(b, Node):
            return ir.make("add", (a, b))
        return ir.make("add_scalar", (a,), value=float(b))

    def sub(self, a: Node, b: Node | float) -> Node:
        """Differences."""
        return ir.make("sub", (a, b)) if isinstance(b, Node) else self.add(a, -b)

    def mul(self, a: Node, b: Node | float) -> Node:
        """Products of elements."""
        return ir.make("mul", (a, b)) if isinstance(b, Node) else self.mul_scalar(a, b)

    def mul_scalar(self, a: Node, value: float) -> Node:
        """Products with a number."""
        return ir.make("mul_scalar", (a,), value=float(value))

    def div(self, a: Node, b: Node | float) -> Node:
        """Quotients."""
        return ir.make("div", (a, b)) if isinstance(b, Node) else self.mul_scalar(a, 1 / b)

    def __getattr__(self, name: str) -> Any:
        # exp, silu, maximum, ...: operations without attributes go by the table.
        row = TABLE.get(name)
        if row is None or row.kind != "map":
            raise AttributeError(f"a graph has no '{name}'; docs/graph.md lists what it has")

        def build(*operands: Node) -> Node:
            if len(operands) != row.arity:
                raise GraphError(f"{name} takes {row.arity} tensors, not {len(operands)}")
            return ir.make(name, operands)

        return build

    def _changed(self) -> None:
        if self._plan:
            raise GraphError("a graph that was searched cannot be changed: write a new one")

    def customized(
        self, inputs: Sequence[Node | Parts], threadblock: ThreadblockGraph
    ) -> list[Node | Parts]:
        """The results of a thread block's graph: one kernel, with blocks as it says.

        Where blocks have only parts of a sum, these are for another thread block to add up.
        """
        if list(inputs) != threadblock.inputs or not threadblock.outputs:
            raise GraphError("the inputs are those of the thread block, in order; it has a result")
        made = threadblock.results()
        nodes = [one for one in made if isinstance(one, Node)]
        self._by_hand.update(dict.fromkeys(nodes, threadblock.blocks()))
        return made

    # Running.

    @property
    def graph(self) -> Graph:
        """The graph as it was written. Raises GraphError without outputs."""
        if not self._outputs:
            raise GraphError("the graph has no output: mark_output says what is one")
        return Graph(tuple(self._inputs), tuple(self._outputs))

    @property
    def cygraph(self) -> KernelGraph:
        """The graph itself, where Mirage has the one of its C++ library."""
        return self

    @property
    def plan(self) -> Plan:
        """How it is cut into kernels: as the search has found, or one kernel for each operation."""
        if self._plan is None:
            return one_by_one(self.graph, self._by_hand)
        return self._plan

    def plans(self, most: int) -> list[Plan]:
        """Verified plans that cut it as its own does, which is the first; the fastest, by order.

        A graph that was not searched has its own only.
        """
        rows = self._report.alike()[1:most] if self._report else []
        own = self.plan
        return [own, *(plan_from_json(own.graph, row.parts) for row in rows)]

    @property
    def program(self) -> Program:
        """What a call runs."""
        if self._program is None or self._plan is None:
            self._program = Program(self.graph, self.plan, self.target)
        return self._program

    def __call__(self, inputs: Sequence[Any], outputs: Sequence[Any] | None = None) -> list[Any]:
        """The outputs for these inputs: tensors of a CPU, or of a GPU, of any sizes that fit."""
        return self.program(inputs, outputs)

    def valid_kernels(self) -> bool:
        """Whether its kernels can be written, and nothing has shown that they do not run."""
        if not self._error:
            try:
                self.program.text()
            except Unsupported as error:
                self._error = str(error)
        return not self._error

    def get_error_message(self) -> str:
        """Why `valid_kernels` says no; empty if it does not."""
        self.valid_kernels()
        return self._error

    def invalidate(self, why: str) -> None:
        """Takes note that its kernels do not run."""
        self._error = why

    @property
    def is_searched(self) -> bool:
        """Whether a search has found it; then it has a report."""
        return self._report is not None

    def report(self) -> Report:
        """What the search has tried. Raises GraphError if there was none."""
        if self._report is None:
            raise GraphError("the graph was not searched: superoptimize gives one that was")
        return self._report

    def explain(self) -> Explanation:
        """How its kernels access memory; their pages have the candidates of the search, too."""
        from ..explain.searches import explain_graph

        return explain_graph(self)

    def superoptimize(
        self, config: str | None = None, backend: str = "triton", **options: Any
    ) -> KernelGraph:
        """The fastest verified graph of kernels that a search finds; `search.Options` has more.

        `config` is one of Mirage's names, and makes no difference; neither does what limits its
        search: imaps, omaps, griddims, blockdims, fmaps, franges, verbose, previous_checkpoint.
        Raises SearchError if no candidate is right, GraphError for other options.
        """
        from .search import superoptimize

        if config is not None and config not in CONFIGS:
            raise GraphError(f"config is one of {', '.join(CONFIGS)}, not '{config}'")
        if backend not in BACKENDS:
            raise GraphError(f"backend is one of {', '.join(BACKENDS)}, not '{backend}'")
        known = {name: value for name, value in options.items() if name not in _OF_MIRAGE}
        return superoptimize(self, **known)


def _of_rows(shape: Sequence[int]) -> tuple[int, ...]:
    """Strides of a tensor whose last dimension lies side by side."""
    return tuple(math.prod(shape[dim + 1 :]) for dim in range(len(shape)))


def _checked(shape: Sequence[int], strides: Sequence[int] | None) -> tuple[int, ...]:
    """These strides, if they are those of rows or of columns. Raises GraphError."""
    of_rows = _of_rows(shape)
    of_columns = _of_rows(shape[::-1])[::-1]
    if strides is None:
        return of_rows
    if not isinstance(strides, Sequence) or tuple(strides) not in (of_rows, of_columns):
        raise GraphError(
            f"strides of {tuple(shape)} are {of_rows} or, column by column, {of_columns}, not "
            f"{strides}"
        )
    return tuple(strides)


def one_by_one(graph: Graph, by_hand: Mapping[Node, Blocks] | None = None) -> Plan:
    """A kernel for each operation: what always works. What is cut by hand is one kernel."""
    flat = expanded(graph)
    hand = {
        expanded(Graph(graph.inputs, (node,))).outputs[0]: blocks
        for node, blocks in (by_hand or {}).items()
    }
    parts: dict[Node, Part] = {}

    def visit(node: Node, is_inside: bool) -> None:
        needed = node in flat.outputs or node in hand
        if node in parts or node.op == "input":
            return
        if needed or (node.kind != "view" and not is_inside):
            parts[node] = Part((flat.nodes.index(node),), hand.get(node, Blocks()))
        inside = node in hand or (is_inside and not needed)
        for operand in node.inputs:
            visit(operand, inside)

    for output in flat.outputs:
        visit(output, False)
    return Plan(flat, tuple(sorted(parts.values(), key=lambda part: part.roots)))
