"""Whether compiled kernels compute a graph exactly, over a prime field, with no tolerance.

Each kernel is compiled as it is, its linalg is re-typed (`field_text`), and goes on to machine code
from there. It runs on residues, and the results must be those that the graph has over the same
field. A sum of products that is wrong in one term, or a constant that is off by less than a bound
allows, is wrong here in nearly all elements.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy
import torch

from ..device import device
from ..interception import intercepted_launches
from .field_text import P, Q, W, residues, retyped
from .guarded import making
from .ir import Graph, Node
from .operations import view
from .program import folder

_BITS = 31


@dataclass(frozen=True)
class Residues:
    """A tensor of numbers modulo P and modulo Q, as int64."""

    below: Any
    above: Any

    @property
    def packed(self) -> Any:
        """One int64 for each number."""
        return self.below | self.above << 32

    @staticmethod
    def unpacked(numbers: Any) -> Residues:
        """Of what `packed` gave."""
        return Residues(numbers & 0xFFFFFFFF, numbers >> 32)

    @staticmethod
    def random(shape: Sequence[int], generator: Any) -> Residues:
        """Evenly distributed."""
        below, above = (
            torch.randint(m, tuple(shape), generator=generator, dtype=torch.int64) for m in (P, Q)
        )
        return Residues(below, above)


def power(base: Any, exponent: Any, modulus: int) -> Any:
    """Element by element; exponents are at least 0."""
    made = torch.ones_like(base + exponent)
    for _ in range(_BITS):
        made = torch.where(exponent & 1 == 1, made * base % modulus, made)
        base, exponent = base * base % modulus, exponent >> 1
    return made


def product(a: Any, b: Any, modulus: int) -> Any:
    """A product of matrices, in exact parts of 16 bits."""
    total: Any = 0
    for i, j in itertools.product((0, 16), (0, 16)):
        part = ((a >> i) & 0xFFFF).double() @ ((b >> j) & 0xFFFF).double()
        total = (total + part.long() % modulus * ((1 << i + j) % modulus)) % modulus
    return total


def _each(function: Callable[..., Any]) -> Callable[..., Residues]:
    """A function of tensors and a modulus, for both moduli."""

    def both(*operands: Residues, **named: Any) -> Residues:
        below = function(*(x.below for x in operands), P, **named)
        return Residues(below, function(*(x.above for x in operands), Q, **named))

    return both


def _of_packed(function: Callable[..., Any]) -> Callable[..., Residues]:
    """A function that takes one of some numbers, by the order of their packed form."""

    def chosen(*operands: Residues, **named: Any) -> Residues:
        return Residues.unpacked(function(*(x.packed for x in operands), **named))

    return chosen


def _with_rank(x: Any, _: int, *, rank: int) -> Any:
    """With leading sizes of 1."""
    return x.reshape([1] * (rank - x.dim()) + list(x.shape))


def _constant(value: float) -> Residues:
    """As a kernel has it: rounded to f32."""
    return Residues(*residues(float(numpy.float32(value))))


def _exp(x: Residues) -> Residues:
    base = torch.full_like(x.above, W)
    return Residues(power(base, x.above, P), torch.zeros_like(x.above))


_add = _each(lambda x, y, m: (x + y) % m)
_mul = _each(lambda x, y, m: x * y % m)
_neg = _each(lambda x, m: (m - x) % m)
_div = _each(lambda x, y, m: x * power(y, torch.full_like(y, m - 2), m) % m)
_sqrt = _each(lambda x, m: power(x, torch.full_like(x, (m + 1) // 4), m))
_sum = _each(lambda x, m, *, dim: x.sum(dim, keepdim=True) % m)
_ONE = Residues(torch.tensor(1), torch.tensor(1))


def _sigmoid(x: Residues) -> Residues:
    return _div(_ONE, _add(_ONE, _exp(_neg(x))))


def _silu(x: Residues) -> Residues:
    return _mul(x, _sigmoid(x))


def _mean(x: Residues, dim: int) -> Residues:
    return _mul(_sum(x, dim=dim), Residues(*residues(Fraction(1, x.below.shape[dim]))))


MEANING: dict[str, Callable[..., Residues]] = {
    "add": _add,
    "sub": lambda x, y: _add(x, _neg(y)),
    "mul": _mul,
    "div": _div,
    "neg": _neg,
    "square": lambda x: _mul(x, x),
    "add_scalar": lambda x, value: _add(x, _constant(value)),
    "mul_scalar": lambda x, value: _mul(x, _constant(value)),
    "sqrt": _sqrt,
    "rsqrt": lambda x: _div(_ONE, _sqrt(x)),
    "exp": _exp,
    "sigmoid": _sigmoid,
    "silu": _silu,
    "sum": _sum,
    "mean": _mean,
    "maximum": _of_packed(torch.maximum),
    "max": _of_packed(lambda x, *, dim: x.amax(dim, keepdim=True)),
    "matmul": _each(product),
    "view": _each(lambda x, _, *, order: view(x, order)),
}
"""What operations are over the field, for those that are something there."""
_POWERS = ("exp", "sigmoid", "silu")


def is_known(graph: Graph) -> bool:
    """Whether a graph of plain operations means something over the field.

    A power of what a power is in does not: exponents are modulo Q, powers modulo P.
    """
    after: set[Node] = set()
    for node in graph.nodes:
        if node.op == "input":
            continue
        if node.op not in MEANING:
            return False
        is_after = any(operand in after for operand in node.inputs)
        if is_after and node.op in _POWERS:
            return False
        if is_after or node.op in _POWERS:
            after.add(node)
    return True


def expected(graph: Graph, inputs: Sequence[Residues]) -> list[Residues]:
    """The outputs of a graph that `is_known`."""
    values = dict(zip(graph.inputs, inputs, strict=True))
    for node in graph.nodes:
        if node.op == "input":
            continue
        operands = [values[operand] for operand in node.inputs]
        rank = len(node.shape)
        if node.kind == "map":
            operands = [_each(_with_rank)(x, rank=rank) for x in operands]
        values[node] = MEANING[node.op](*operands, **node.named)
    return [values[node] for node in graph.outputs]


def compute(
    execute: Callable[..., list[Any]], inputs: Sequence[Residues], dtypes: Sequence[Any]
) -> list[Residues]:
    """What a program's `execute_mugraph` makes of inputs of these types, over the field.

    Its tensors have the types and shapes that it is used to, and eight bytes for an element. Raises
    OutsideOfTheField, and what compilers raise.
    """
    memories: dict[int, Any] = {}

    def empty(shape: Sequence[int], dtype: Any, _: Any) -> Any:
        memory = torch.zeros(max(1, math.prod(shape)), dtype=torch.int64)
        tensor = memory.view(dtype)[: math.prod(shape)].view(tuple(shape))
        memories[tensor.data_ptr()] = memory
        return tensor

    def holding(x: Residues, dtype: Any) -> Any:
        tensor = empty(x.below.shape, dtype, None)
        memories[tensor.data_ptr()].copy_(x.packed.flatten())
        return tensor

    given = [holding(x, dtype) for x, dtype in zip(inputs, dtypes, strict=True)]
    with device("cpu"), making(empty), _over_the_field():
        found = execute(*given)
    return [Residues.unpacked(memories[y.data_ptr()].reshape(y.shape)) for y in found]


@contextmanager
def _over_the_field() -> Iterator[None]:
    """Inside the block, kernels go on from their linalg as they are over the field."""

    def run(launch: Callable[..., Any], kernel: Any, *args: Any, **named: Any) -> Any:
        compiled = launch(kernel, *args, **{**named, "warmup": True})
        text = retyped(compiled.asm["linalg"])
        path = Path(folder().name) / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.linalg"
        path.write_text(text)
        return launch(kernel, *args, **named, ir_override=str(path), mode="reference")

    with intercepted_launches(run):
        yield
