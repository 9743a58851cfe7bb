"""A graph of tensors: nodes with an operation, a shape and a type, and what they mean in f64.

Nodes never change. Their key names what they compute, so that equal ones are one node wherever they
come from. Sizes are symbols: sizes that an operation makes equal have one name, and everything but
them stays as it is when a graph is resized.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ..diff.formats import TYPES, name_of
from . import errors
from .errors import Inexact
from .operations import TABLE, Attributes, Operation

FLOATS = (torch.float16, torch.bfloat16, torch.float32)
Sizes = dict[str, int]
COMMUTING = ("add", "mul", "maximum", "minimum")
"""Operations whose operands may be exchanged."""


@dataclass(frozen=True, eq=False)
class Node:
    """One tensor of a graph."""

    op: str
    inputs: tuple[Node, ...]
    attributes: Attributes
    shape: tuple[int, ...]
    dtype: Any

    @functools.cached_property
    def key(self) -> str:
        """What it computes, as a digest: a + b is b + a, which rounds in the same way."""
        words = (self.op, self.attributes, self.shape, name_of(self.dtype))
        digest = hashlib.sha256(repr(words).encode())
        keys = [operand.key for operand in self.inputs]
        for key in sorted(keys) if self.op in COMMUTING else keys:
            digest.update(key.encode())
        return digest.hexdigest()[:24]

    @property
    def row(self) -> Operation:
        """Its row of the table of operations."""
        return TABLE[self.op]

    @property
    def kind(self) -> str:
        """The kind of its operation."""
        return self.row.kind

    @property
    def named(self) -> dict[str, Any]:
        """Its attributes by name."""
        return dict(self.attributes)

    def with_inputs(self, inputs: Sequence[Node]) -> Node:
        """The same operation on other tensors, of whatever shapes these have."""
        return make(self.op, tuple(inputs), **self.named)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return f"{self.op}{list(self.shape)}"


class GraphError(ValueError):
    """A graph that cannot be: shapes that do not fit, or a type that is not known."""


def new_input(index: int, shape: Sequence[int], dtype: Any) -> Node:
    """The input with this number."""
    if dtype not in FLOATS:
        known = ", ".join(name_of(kind) for kind in FLOATS)
        raise GraphError(f"tensors are of type {known}, not {dtype}: convert them before the graph")
    if any(type(n) is not int or n < 1 for n in shape):
        raise GraphError(f"sizes are whole numbers from 1 on, not {tuple(shape)}")
    return Node("input", (), (("index", index),), tuple(shape), dtype)


def make(op: str, inputs: tuple[Node, ...], **attributes: Any) -> Node:
    """A node whose shape and type follow from its operands. Raises GraphError."""
    if op not in TABLE:
        raise GraphError(f"there is no operation '{op}': there are {', '.join(TABLE)}")
    kind = TABLE[op].kind
    if kind == "reduce" or op == "softmax":
        attributes["dim"] = _dimension(op, inputs[0], attributes["dim"])
    if kind == "view":
        shape = _view_shape(inputs[0], attributes["order"])
    elif kind == "dot":
        shape = _product_shape(*inputs)
    elif kind == "reduce":
        shape = list(inputs[0].shape)
        shape[attributes["dim"]] = 1
    else:
        shape = _broadcast(op, inputs)
    dtype = functools.reduce(torch.promote_types, (operand.dtype for operand in inputs))
    return Node(op, inputs, tuple(sorted(attributes.items())), tuple(shape), dtype)


def _dimension(op: str, operand: Node, dim: int) -> int:
    """Counted from the end: that stays right whatever comes in front."""
    rank = len(operand.shape)
    if not -rank <= dim < rank:
        raise GraphError(f"{op} over dimension {dim} of {operand}, which has {rank}")
    return dim - rank if dim >= 0 else dim


def _broadcast(op: str, inputs: Sequence[Node]) -> Sequence[int]:
    shapes = [operand.shape for operand in inputs]
    try:
        return tuple(torch.broadcast_shapes(*shapes))
    except RuntimeError:
        raise GraphError(f"{op} of shapes {' and '.join(map(str, shapes))}") from None


def _product_shape(a: Node, b: Node) -> Sequence[int]:
    if len(a.shape) < 2 or len(b.shape) < 2 or a.shape[-1] != b.shape[-2]:
        raise GraphError(f"matmul of shapes {a.shape} and {b.shape}: columns and rows must agree")
    try:
        batch = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except RuntimeError:
        raise GraphError(f"matmul of shapes {a.shape} and {b.shape}: batches differ") from None
    return (*batch, a.shape[-2], b.shape[-1])


def _view_shape(operand: Node, order: tuple[int | None, ...]) -> Sequence[int]:
    kept = [place for place in order if place is not None]
    rank = len(operand.shape)
    left = [operand.shape[place] for place in range(rank) if place not in kept]
    if sorted(set(kept)) != sorted(kept) or not set(kept) <= set(range(rank)) or set(left) - {1}:
        raise GraphError(f"a view of {operand} cannot have the dimensions {order}")
    return tuple(1 if place is None else operand.shape[place] for place in order)


@dataclass(frozen=True)
class Graph:
    """Inputs by number, and outputs in order."""

    inputs: tuple[Node, ...]
    outputs: tuple[Node, ...]

    @functools.cached_property
    def nodes(self) -> tuple[Node, ...]:
        """All nodes, operands before those that use them, inputs first."""
        found: dict[Node, None] = dict.fromkeys(self.inputs)

        def visit(node: Node) -> None:
            if node not in found:
                for operand in node.inputs:
                    visit(operand)
                found[node] = None

        for output in self.outputs:
            visit(output)
        return tuple(found)

    @functools.cached_property
    def key(self) -> str:
        """What it computes, as a digest."""
        words = [node.key for node in (*self.inputs, *self.outputs)]
        return hashlib.sha256(" ".join([str(len(self.inputs)), *words]).encode()).hexdigest()[:24]

    @functools.cached_property
    def symbols(self) -> dict[Node, tuple[str | None, ...]]:
        """Per dimension of each node the symbol of its size; None where it is 1."""
        return _symbols(self)

    @functools.cached_property
    def sizes(self) -> Sizes:
        """What each symbol is here."""
        return {
            symbol: n
            for node in self.nodes
            for symbol, n in zip(self.symbols[node], node.shape, strict=True)
            if symbol
        }

    def resized(self, sizes: Mapping[str, int]) -> Graph:
        """The same graph for other sizes; its nodes are in the same order."""
        made: dict[Node, Node] = {}
        for node in self.nodes:
            if node.op == "input":
                shape = tuple(sizes[s] if s else 1 for s in self.symbols[node])
                made[node] = dataclasses.replace(node, shape=shape)
            else:
                made[node] = node.with_inputs([made[operand] for operand in node.inputs])
        return Graph(
            tuple(made[node] for node in self.inputs), tuple(made[node] for node in self.outputs)
        )

    def evaluate(self, inputs: Sequence[Any]) -> list[Any]:
        """The outputs for these inputs, in f64."""
        values = {node: tensor.double() for node, tensor in zip(self.inputs, inputs, strict=True)}
        for node in self.nodes:
            if node.op != "input":
                values[node] = node.row.reference(*(values[o] for o in node.inputs), **node.named)
        return [values[node] for node in self.outputs]

    def expect(self, inputs: Sequence[Any]) -> list[Inexact]:
        """The outputs in f64, and how far off they may be if each node rounds to its type.

        Compound operations must have been expanded.
        """
        known: dict[Node, Inexact] = {}
        for node, tensor in zip(self.inputs, inputs, strict=True):
            known[node] = Inexact(tensor.double(), torch.zeros_like(tensor, dtype=torch.float64))
        for node in self.nodes:
            if node.op == "input":
                continue
            operands = [known[operand] for operand in node.inputs]
            value = node.row.reference(*(one.value for one in operands), **node.named)
            error = errors.or_infinite(node.row.error(operands, value, **node.named))
            if node.kind != "view":
                error = errors.rounded(value, error, node.dtype)
            known[node] = Inexact(value, error)
        return [known[node] for node in self.outputs]

    def as_json(self) -> dict[str, Any]:
        """As data; `from_json` reads it."""
        number = {node: place for place, node in enumerate(self.nodes)}
        return {
            "nodes": [
                {
                    "op": node.op,
                    "inputs": [number[operand] for operand in node.inputs],
                    "attributes": node.named,
                    "shape": node.shape,
                    "dtype": name_of(node.dtype),
                }
                for node in self.nodes
            ],
            "outputs": [number[node] for node in self.outputs],
        }

    def describe(self) -> str:
        """One line per node."""
        number = {node: place for place, node in enumerate(self.nodes)}
        lines = []
        for node, place in number.items():
            words = [f"%{number[operand]}" for operand in node.inputs]
            words += [f"{name}={value}" for name, value in node.attributes]
            kind = name_of(node.dtype)
            lines.append(f"%{place} = {node.op}({', '.join(words)}) : {list(node.shape)} {kind}")
        outputs = ", ".join(f"%{number[node]}" for node in self.outputs)
        return "\n".join([*lines, f"return {outputs}"])


def from_json(data: Mapping[str, Any]) -> Graph:
    """The graph that `as_json` wrote. Raises GraphError if it is none."""
    nodes: list[Node] = []
    for row in data["nodes"]:
        named = json.loads(json.dumps(row["attributes"]))
        if "order" in named:
            named["order"] = tuple(named["order"])
        if row["op"] == "input":
            nodes.append(new_input(named["index"], row["shape"], TYPES[row["dtype"]]))
        else:
            nodes.append(make(row["op"], tuple(nodes[i] for i in row["inputs"]), **named))
    inputs = sorted((n for n in nodes if n.op == "input"), key=lambda n: int(n.named["index"]))
    return Graph(tuple(inputs), tuple(nodes[i] for i in data["outputs"]))


def _symbols(graph: Graph) -> dict[Node, tuple[str | None, ...]]:
    places = [(node, dim) for node in graph.nodes for dim in range(len(node.shape))]
    parent = {place: place for place in places}

    def find(place: tuple[Node, int]) -> tuple[Node, int]:
        while parent[place] != place:
            place = parent[place]
        return place

    for node in graph.nodes:
        for one, other in _equal_sizes(node):
            a, b = find(one), find(other)
            # The earlier one names both, and inputs are first.
            first, second = sorted((a, b), key=places.index)
            parent[second] = first
    names: dict[tuple[Node, int], str] = {}
    for node, dim in places:
        if node.shape[dim] != 1:
            names.setdefault(find((node, dim)), f"d{len(names)}")
    return {
        node: tuple(
            names[find((node, dim))] if node.shape[dim] != 1 else None
            for dim in range(len(node.shape))
        )
        for node in graph.nodes
    }


def _equal_sizes(node: Node) -> Iterator[tuple[tuple[Node, int], tuple[Node, int]]]:
    """The dimensions that an operation makes equal."""
    rank = len(node.shape)
    if node.kind == "view":
        for place, source in enumerate(node.named["order"]):
            if source is not None:
                yield (node, place), (node.inputs[0], source)
        return
    for number, operand in enumerate(node.inputs):
        shift = rank - len(operand.shape)
        for dim, n in enumerate(operand.shape):
            if node.kind == "dot" and dim == len(operand.shape) - 1 - number:
                continue  # Along K.
            if n != 1 and node.shape[dim + shift] == n:
                yield (node, dim + shift), (operand, dim)
    if node.kind == "dot":
        a, b = node.inputs
        yield (a, len(a.shape) - 1), (b, len(b.shape) - 2)
