"""Random graphs, whose candidates must all compute what the graph does.

    python -m triton_shared.graph fuzz --graphs 0:200
    python -m triton_shared.graph repeat 17

Each graph has a few operations, odd sizes and one of the types. Some cuts and blocks of it are
drawn, and verified like those of a search; `fuzz` does so as a campaign. `repeat` makes smaller
what is wrong: outputs are replaced by what they are made of, as long as a candidate stays wrong;
then it is written as a reproducer.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from .cost import machine
from .ir import FLOATS, Graph, GraphError, Node, make, new_input
from .partition import cuts
from .program import Plan
from .reproducer import write_reproducer
from .rules import expanded, rewritten
from .space import Choices, plans
from .verify import Verdict, verify
from .voters import FAST, Voter, voter_of

_SIZES = (1, 2, 3, 5, 16, 17, 31, 48, 64)
_UNARY = ("exp", "relu", "square", "neg", "abs", "tanh", "sigmoid", "silu", "gelu")
_BINARY = ("add", "sub", "mul", "maximum", "minimum")
_SUMS = ("sum", "mean", "max", "min")


@dataclass(frozen=True)
class Found:
    """A candidate that is wrong."""

    seed: int
    graph: Graph
    plan: Plan
    verdict: Verdict

    def describe(self) -> str:
        """What it is, and where it was wrong."""
        where = ", ".join(f"{name}={size}" for name, size in self.verdict.sizes)
        kernels = "\n".join(str(part) for part in self.plan.parts)
        return (
            f"seed {self.seed}: {self.verdict.gate}: {self.verdict.message}\nsizes {where}\n"
            f"{self.plan.graph.describe()}\n{kernels}"
        )


def random_graph(seed: int, operations: int = 6) -> Graph:
    """A graph with at most that many operations; the same for the same seed."""
    draw = random.Random(seed)
    dtype = draw.choice(FLOATS)
    sizes = [draw.choice(_SIZES) for _ in range(3)]
    inputs: list[Node] = []

    def new(shape: Sequence[int]) -> Node:
        inputs.append(new_input(len(inputs), shape, dtype))
        return inputs[-1]

    batch = [draw.choice((2, 3))] if draw.random() < 0.25 else []
    node = new([*batch, sizes[0], sizes[1]])
    for _ in range(draw.randint(1, operations)):
        node = _grown(draw, node, inputs, new)
    return Graph(tuple(inputs), (node,))


def _grown(draw: random.Random, node: Node, inputs: list[Node], new: Any) -> Node:
    """One operation more."""
    kind = draw.choice(
        ("unary", "unary", "binary", "sum", "scale", "matmul", "matmul", "norm", "view")
    )
    if kind == "unary":
        return make(draw.choice(_UNARY), (node,))
    if kind == "binary":
        other = draw.choice((*inputs, node))
        shape = list(node.shape)
        shape[draw.randrange(len(shape))] = 1
        if other.shape != node.shape or draw.random() < 0.3:
            other = new(shape if draw.random() < 0.5 else node.shape)
        return make(draw.choice(_BINARY), (node, other))
    if kind == "sum":
        dim = draw.randrange(len(node.shape))
        reduced = make(draw.choice(_SUMS), (node,), dim=dim)
        return make("sub", (node, reduced)) if draw.random() < 0.7 else reduced
    if kind == "scale":
        return make("mul_scalar", (node,), value=draw.choice((0.5, -2.0, 0.3)))
    if kind == "matmul":
        return make("matmul", (node, new([node.shape[-1], draw.choice(_SIZES)])))
    if kind == "norm":
        named = (
            {"dim": -1}
            if (op := draw.choice(("softmax", "rms_norm"))) == "softmax"
            else {"eps": 0.5}
        )
        return make(op, (node,), **named)
    order = list(range(len(node.shape)))
    order[-1], order[-2] = order[-2], order[-1]
    return make("view", (node,), order=tuple(order))


def candidates(graph: Graph, seed: int, count: int) -> Iterator[Plan]:
    """Some plans of a graph: of several rewritten forms, cuts and blocks."""
    draw = random.Random(seed)
    every: list[Plan] = []
    choices = Choices(machine(None))
    for _, form in rewritten(graph, 4):
        for cut, why in cuts(form, 6):
            if not why:
                made = [plan for plan, _, _ in plans(form, cut, choices)]
                every += draw.sample(made, min(2, len(made)))
    yield from draw.sample(every, min(count, len(every)))


@dataclass(frozen=True)
class Verified:
    """What came of the candidates of a random graph."""

    right: int = 0
    hopeless: int = 0
    """Of which nothing can be said, because of the graph, or of functions that a voter lacks."""
    inexact: int = 0
    """Right by the bound of the form into which their graph was rewritten, but not by its own."""
    wrong: tuple[Found, ...] = ()

    @property
    def status(self) -> str:
        """In a word."""
        if self.wrong:
            return "wrong"
        return "right" if self.right else "inexact" if self.inexact else "hopeless"


def run(seed: int, each: int = 3, voter: str = FAST) -> Verified:
    """Verifies candidates of a random graph, as one of `voters` computes them."""
    graph = random_graph(seed)
    chosen = voter_of(voter)
    right, hopeless, inexact, wrong = 0, 0, 0, []
    for plan in candidates(graph, seed, each):
        if not chosen.knows(plan):
            hopeless += 1
            continue
        verdict = verify(graph, plan, chosen)
        if verdict.is_right:
            right += 1
        elif _is_hopeless(verdict):
            hopeless += 1
        elif _rounds_elsewhere(graph, plan, chosen):
            inexact += 1
        else:
            wrong.append(Found(seed, graph, plan, verdict))
    return Verified(right, hopeless, inexact, tuple(wrong))


def _is_hopeless(verdict: Verdict) -> bool:
    """Whether it is the graph that nothing can be said of."""
    return "badly conditioned" in verdict.message


def _rounds_elsewhere(graph: Graph, plan: Plan, voter: Voter) -> bool:
    """Whether the graph was rewritten into what is equal in f64, and that is computed right.

    A product that associates otherwise rounds another one on its way; where sums cancel, a search
    rejects it, and nobody has made a mistake.
    """
    if plan.graph.key == expanded(graph).key or not verify(plan.graph, plan, voter).is_right:
        return False
    generator = torch.Generator().manual_seed(0)
    given = [torch.randn(node.shape, generator=generator) for node in graph.inputs]
    both = zip(graph.evaluate(given), plan.graph.evaluate(given), strict=True)
    return all(
        torch.allclose(one, other, 1e-9, 1e-9 * float(one.abs().max())) for one, other in both
    )


def smaller(found: Found) -> Found:
    """The same fault in a part of the graph, as far as one kernel for each result shows it."""
    from .program import Part

    blocks = [part.blocks for part in found.plan.parts]
    for node in found.plan.graph.nodes:
        if node.kind in ("input", "view"):
            continue
        graph = Graph(found.plan.graph.inputs, (node,))
        plan = Plan(graph, (Part((len(graph.nodes) - 1,), blocks[-1]),))
        try:
            verdict = verify(graph, plan)
        except GraphError:
            continue
        if not verdict.is_right and not _is_hopeless(verdict) and verdict.gate != "COMPILE":
            return Found(found.seed, graph, plan, verdict)
    return found


def write(found: Found, folder: Path) -> Path:
    """A reproducer in a folder named after the seed."""
    return write_reproducer(folder / f"seed_{found.seed}", found.graph, found.plan, found.verdict)
