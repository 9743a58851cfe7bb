"""Whether a candidate computes its graph: what is asked before anybody times it.

Gates, in this order; the first one that a candidate does not pass names what is wrong with it:

    COMPILE   its kernels are written, and compile
    LAUNCH    they run
    EXACT     small integers come out bit for bit, of graphs that only add, multiply and compare
    BOUND     random numbers come out within what f64 and the graph's own rounding allow (`errors`)
    SHAPES    the same at sizes of 1, one less and one more than a block, and primes
    POISON    the same among NaN; nothing outside of the results is written; and nothing is found by
              `triton_shared.check`, such as lanes that no mask defines, and races
    FIELD     the compiled kernels, re-typed to a prime field, give what the graph gives there, of
              graphs that have a meaning in a field (`field`)
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ..errors import TritonSharedError
from . import field
from .errors import Inexact
from .guarded import GuardedMemory
from .ir import Graph, GraphError, Node, Sizes
from .program import Plan, Program
from .rules import expanded
from .tiles import Unsupported
from .voters import FAST, VOTERS, Voter

GATES = ("COMPILE", "LAUNCH", "EXACT", "BOUND", "SHAPES", "POISON", "FIELD")
SEEDS = 4
_PRIMES = (37, 13, 29, 61, 7, 19, 43, 3)


@dataclass(frozen=True)
class Verdict:
    """What verification says of a candidate."""

    gate: str = ""
    """The gate that it does not pass; empty if it is right."""
    message: str = ""
    margin: float = 0.0
    """The largest part of its bound that an error has used up."""
    launches: int = 0
    sizes: tuple[tuple[str, int], ...] = ()
    """Where it was wrong."""
    is_exact: bool = False
    """Whether integers could be compared bit for bit."""
    is_equal: bool = False
    """Whether it was found to be equal to the graph over a prime field."""

    @property
    def is_right(self) -> bool:
        """Whether all gates were passed."""
        return not self.gate


class Rejected(Exception):
    """A gate that was not passed."""

    def __init__(self, gate: str, message: str, sizes: Sizes) -> None:
        super().__init__(gate, message, sizes)
        self.gate, self.message, self.sizes = gate, message, sizes


@dataclass
class _Run:
    """One launch: where, of what, in which memory."""

    gate: str
    sizes: Sizes
    content: str
    """`integers` or `reals`."""
    seed: int = 0
    fill: float = 0.0
    checked: bool = False


def verify(graph: Graph, plan: Plan, voter: Voter = VOTERS[FAST]) -> Verdict:
    """Asks all gates, on the CPU, or of another who computes those that compare numbers.

    `plan` computes `graph`, which may have compound operations.
    """
    judge = Judge(graph, plan, voter)
    try:
        judge.compile()
        for run in judge.runs():
            judge.run(run)
        is_equal = judge.ask_field()
    except Rejected as error:
        sizes = tuple(sorted(error.sizes.items()))
        return Verdict(error.gate, error.message, judge.margin, judge.launches, sizes,
                       judge.is_exact)  # fmt: skip
    return Verdict("", "", judge.margin, judge.launches, (), judge.is_exact, is_equal)


class Judge:
    """A candidate under verification."""

    def __init__(self, graph: Graph, plan: Plan, voter: Voter = VOTERS[FAST]) -> None:
        self.plan = plan
        self.voter = voter
        self.flat = expanded(graph)
        self.program = Program(graph, plan, voter.target)
        self.margin = 0.0
        self.launches = 0
        both = (*self.flat.nodes, *plan.graph.nodes)
        self.is_exact = all(node.op == "input" or node.row.is_exact for node in both)
        self.rows = 1 + max(part.blocks.rows for part in plan.parts)
        for part in plan.parts:
            self.rows = max(self.rows, 1 + part.blocks.depth, 1 + part.blocks.inner)
        self.kept: tuple[Any, ...] = ()
        """Inputs, results if there were any, and what was expected, of the last launch."""

    def compile(self) -> None:
        """Whether the kernels can be written for the sizes of the graph."""
        sizes = self.plan.graph.sizes
        try:
            self.program.text(sizes)
        except Unsupported as error:
            raise Rejected("COMPILE", str(error), sizes) from error

    def runs(self) -> Iterator[_Run]:
        """What is launched, in the order of the gates."""
        like, *odd = self.settings()
        contents = ["integers", "reals"] if self.is_exact else ["reals"]
        if self.is_exact:
            yield _Run("EXACT", like, "integers")
        for seed in range(SEEDS):
            yield _Run("BOUND", like, "reals", seed)
        for number, sizes in enumerate(odd):
            for content in contents:
                yield _Run("SHAPES", sizes, content, number)
        if not self.voter.asks_all:
            return
        for number, sizes in enumerate((like, *odd[1:])):
            yield _Run("POISON", sizes, contents[0], number, math.nan)
        yield _Run("POISON", odd[-1], "reals", 0, math.nan, checked=True)

    def settings(self) -> list[Sizes]:
        """Sizes to try: like those of the graph but small, then odd ones.

        The first has the masks that the graph has: its sizes are the same modulo all blocks.
        """
        blocks: dict[str, int] = {}
        spans: dict[str, int] = {}
        whole: set[str] = set()
        batches: set[str] = set()
        for text in self.plan.texts():
            for axis in text.axes:
                if not axis.symbol:
                    continue
                if axis.is_batch:
                    batches.add(axis.symbol)
                elif axis.block:
                    # Of a split loop, some parts have two turns and some have none.
                    turns = 1 + text.blocks.split if axis == text.split_axis else 1
                    blocks[axis.symbol] = max(blocks.get(axis.symbol, 1), axis.block)
                    spans[axis.symbol] = max(spans.get(axis.symbol, 1), axis.block * turns)
                else:
                    whole.add(axis.symbol)
        like: Sizes = {}
        for symbol, n in self.plan.graph.sizes.items():
            block = blocks.get(symbol, 1)
            wanted = spans.get(symbol, 1) + n % block
            like[symbol] = min(n, wanted) if symbol not in whole else n
            if symbol in batches and symbol not in whole and symbol not in blocks:
                like[symbol] = min(n, 2)
        edges = [(1, 1, 1), (-1, 15, 2), (1, 17, 3)]
        odd = [
            {
                symbol: (extra if symbol in batches and symbol not in blocks and symbol not in whole
                         else small if symbol in whole
                         else max(1, spans.get(symbol, 16) + step))
                for symbol in like
            }
            for step, small, extra in edges[1:]
        ]  # fmt: skip
        ones = dict.fromkeys(like, 1)
        primes = {s: _PRIMES[place % len(_PRIMES)] for place, s in enumerate(sorted(like))}
        return [like, ones, *odd, primes]

    def run(self, run: _Run) -> None:
        """Launches once and compares. Raises Rejected."""
        made = self._inputs(run)
        if made is None:
            return
        given, expected = made
        self.kept = (given, [], expected)
        memory = GuardedMemory(run.fill, self.rows, is_padded=run.gate == "POISON")
        placed = [memory.holding(tensor.to(self.voter.device)) for tensor in given]
        found = [one.cpu() for one in self._launch(run, placed, memory)]
        if not run.checked and memory.is_touched():
            raise Rejected("POISON", "memory outside of the results was written", run.sizes)
        self.kept = (given, found, expected)
        self._compare(run, found, expected)

    def ask_field(self) -> bool:
        """Whether the kernels are equal to the graph over a prime field. Raises Rejected.

        Nothing is asked of a graph that has no meaning there, or if Triton keeps no linalg; then it
        is not said to be equal.
        """
        import triton

        is_kept = not triton.knobs.compilation.store_binary_only
        known = all(field.is_known(graph) for graph in (self.flat, self.plan.graph))
        if not (self.voter.asks_all and is_kept and known):
            return False
        sizes = self.settings()[0]
        graph = self.flat.resized(sizes)
        generator = torch.Generator().manual_seed(0)
        given = [field.Residues.random(node.shape, generator) for node in graph.inputs]
        expected = field.expected(graph, given)
        self.launches += 1
        self.kept = (given, [], expected)
        try:
            execute = self.program.module(sizes).execute_mugraph
            found = field.compute(execute, given, [node.dtype for node in graph.inputs])
        except Exception as error:
            raise Rejected("FIELD", _first_lines(error), sizes) from error
        self.kept = (given, found, expected)
        for place, (one, right) in enumerate(zip(found, expected, strict=True)):
            wrong = int((one.below != right.below).sum())
            if wrong:
                told = f"output {place}: {wrong} of {one.below.numel()} elements are not equal"
                raise Rejected("FIELD", f"{told} over a prime field", sizes)
        return True

    def _launch(self, run: _Run, inputs: Sequence[Any], memory: GuardedMemory) -> list[Any]:
        import triton

        from ..check import check

        self.launches += 1
        try:
            if not run.checked:
                with self.voter.launching(), memory.makes_all():
                    return self.program(inputs)
            with check() as report:
                found = self.program(inputs)
            wrong = [one for one in report.findings if one.severity != "info"]
            wrong = [one for one in wrong if one.kind != "not-finite"]
            if wrong:
                raise Rejected("POISON", f"check finds {wrong[0].kind}", run.sizes)
            return found
        except (GraphError, triton.errors.TritonError, SyntaxError, ImportError) as error:
            raise Rejected("COMPILE", _first_lines(error), run.sizes) from error
        except TritonSharedError as error:
            raise Rejected("COMPILE", _first_lines(error), run.sizes) from error
        except Rejected:
            raise
        except Exception as error:
            raise Rejected("LAUNCH", _first_lines(error), run.sizes) from error

    def _inputs(self, run: _Run) -> tuple[list[Any], list[Inexact]] | None:
        """Random inputs and what they give; None if integers would not stay exact."""
        generator = torch.Generator().manual_seed(1000 * run.seed + len(run.sizes))
        graph = self.flat.resized(run.sizes)
        mine = self.plan.graph.resized(run.sizes)
        if run.content == "integers":
            for largest, share in ((2, 1.0), (1, 1.0), (1, 0.2), (1, 0.05)):
                made = [_integers(node, largest, share, generator) for node in graph.inputs]
                if _stays_exact(graph, made) and _stays_exact(mine, made):
                    return made, graph.expect(made)
            return None
        for domain in ("normal", "positive", "small"):
            made = [_reals(node, domain, generator) for node in graph.inputs]
            expected = graph.expect(made)
            if _is_judged(expected):
                return made, expected
        raise Rejected(
            "BOUND", "the graph is so badly conditioned that nothing can be said of its results",
            run.sizes,
        )  # fmt: skip

    def _compare(self, run: _Run, found: list[Any], expected: list[Inexact]) -> None:
        for place, (one, right) in enumerate(zip(found, expected, strict=True)):
            if one.shape != right.value.shape:
                raise Rejected(run.gate, f"output {place} is {tuple(one.shape)}", run.sizes)
            if one.dtype != self.flat.outputs[place].dtype:
                raise Rejected(run.gate, f"output {place} is of {one.dtype}", run.sizes)
            values = one.double()
            off = torch.where(values == right.value, 0.0, (values - right.value).abs())
            if run.content == "integers":
                wrong = ~(values == right.value)
            else:
                known = right.error.isfinite() & right.value.isfinite()
                # What only moves has no error, and none is allowed.
                known &= off != 0
                part = torch.where(known, (off / right.error).nan_to_num(torch.inf), 0.0)
                wrong = part > 1
                self.margin = max(self.margin, float(part.max()))
            if bool(wrong.any()):
                raise Rejected(run.gate, _describe(place, values, right, wrong, off), run.sizes)


def _describe(place: int, values: Any, right: Any, wrong: Any, off: Any) -> str:
    worst = torch.where(wrong, off.nan_to_num(torch.inf), -1.0).argmax()
    index = tuple(int(i) for i in torch.unravel_index(worst, values.shape))
    return (
        f"output {place}: {int(wrong.sum())} of {values.numel()} elements are wrong, at "
        f"{list(index)} {values[index].item():.7g} instead of {right.value[index].item():.7g}, "
        f"allowed is {right.error[index].item():.3g}"
    )


def _first_lines(error: Exception) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {' | '.join(lines[-3:])}"[:500]


def _integers(node: Node, largest: int, share: float, generator: Any) -> Any:
    made = torch.randint(-largest, largest + 1, node.shape, generator=generator)
    keeps = torch.rand(node.shape, generator=generator) < share
    return torch.where(keeps, made, 0).to(node.dtype)


def _reals(node: Node, domain: str, generator: Any) -> Any:
    if domain in ("normal", "small"):
        made = torch.randn(node.shape, generator=generator)
        made *= 0.25 if domain == "small" else 1.0
    else:
        made = torch.rand(node.shape, generator=generator) * 1.5 + 0.5
    return made.to(node.dtype)


def _stays_exact(graph: Graph, inputs: Sequence[Any]) -> bool:
    """Whether no number on the way is too large to be an integer of its type."""
    values = {node: tensor.double() for node, tensor in zip(graph.inputs, inputs, strict=True)}
    for node in graph.nodes:
        if node.op == "input":
            continue
        operands = [values[operand] for operand in node.inputs]
        values[node] = node.row.reference(*operands, **node.named)
        largest = values[node].abs().max()
        if node.op in ("sum", "matmul"):
            # Partial sums, in any order.
            sizes = node.row.reference(*(one.abs() for one in operands), **node.named)
            if float(sizes.max()) > 2**24:
                return False
        if float(largest) > 2 / torch.finfo(node.dtype).eps:
            return False
    return True


def _is_judged(expected: Sequence[Any]) -> bool:
    """Whether most elements have a bound, and are numbers."""
    return all(
        float((one.error.isfinite() & one.value.isfinite()).double().mean()) >= 0.9
        for one in expected
    )
