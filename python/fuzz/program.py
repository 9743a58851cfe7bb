"""A random TTIR program as it is built: its text, and beside every operation what it computes.

Blocks of operations are lists of steps; a step takes NumPy arrays from the environment and puts
others there. A pointer is an array of element numbers within the buffer that its type names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .numerics import STORED, TYPES, Array, from_memory, to_memory
from .small_floats import SMALL

REGION = 2048
"""Elements of a result buffer that belong to one program of the grid."""


@dataclass(frozen=True)
class Value:
    """An SSA value. `buffer` is set if its elements are pointers."""

    name: str
    element: str
    shape: tuple[int, ...] = ()
    buffer: str = ""
    spelled: str = ""
    """The type, if it is no block: a pointer to a block, or a descriptor."""

    @property
    def type(self) -> str:
        return self.spelled or type_of(self.element, self.shape, bool(self.buffer))

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=int))


def type_of(element: str, shape: tuple[int, ...], pointer: bool = False) -> str:
    scalar = f"!tt.ptr<{element}>" if pointer else element
    return f"tensor<{'x'.join(map(str, (*shape, scalar)))}>" if shape else scalar


@dataclass
class State:
    """One program of the grid while it is evaluated."""

    ids: tuple[int, int]
    memory: dict[str, Array]
    env: dict[str, Array] = field(default_factory=dict)
    is_ordered: bool = False
    """Whether the order matters in which elements of one access met at a place, or some were
    combined."""

    def write(self, buffer: str, places: Array, values: Array) -> None:
        """Writes one element after the other; the last one stays."""
        memory = self.memory[buffer].view(values.dtype)
        memory[places] = values
        self.is_ordered |= memory[places].tobytes() != values.tobytes()

    def run(self, steps: Sequence[Step]) -> None:
        for step in steps:
            results = step.compute(self, *(self.env[name] for name in step.operands))
            if len(step.results) == 1 and not isinstance(results, tuple):
                results = (results,)
            for name, result in zip(step.results, results or (), strict=True):
                self.env[name] = np.asarray(result)


@dataclass(frozen=True)
class Step:
    """What one operation computes."""

    results: tuple[str, ...]
    operands: tuple[str, ...]
    compute: Callable[..., Any]


@dataclass
class Block:
    """A block under construction: text, meaning, and the values it may use."""

    lines: list[str] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    pool: list[Value] = field(default_factory=list)


@dataclass(frozen=True)
class Buffer:
    """A pointer argument."""

    name: str
    element: str
    contents: Array
    """As it lies in memory, before the launch."""
    written: bool
    skew: int = 0
    """How many elements it begins behind a multiple of 64 bytes."""


class Program:
    """A kernel under construction, and afterwards its evaluator."""

    def __init__(self, grid: tuple[int, int]) -> None:
        self.grid = grid
        self.buffers: dict[str, Buffer] = {}
        self.scalars: dict[str, int] = {}
        self.functions: list[list[str]] = []
        """The lines of those that the kernel calls."""
        self.block = Block()
        self.loaded: set[str] = set()
        self.is_ordered = False
        """After `evaluate`: whether the result takes elements in row-major order."""
        self._names = 0

    def name(self) -> str:
        self._names += 1
        return f"%v{self._names}"

    def emit(
        self,
        text: str,
        operands: Sequence[Value],
        compute: Callable[..., Any],
        element: str,
        shape: tuple[int, ...] = (),
        buffer: str = "",
    ) -> Value:
        """Adds an operation of one result; `compute` takes the arrays of the operands."""
        value = Value(self.name(), element, shape, buffer)
        self.block.lines.append(f"{value.name} = {text}")
        self.step(text, (value,), operands, lambda state, *arrays: compute(*arrays))
        self.block.pool.append(value)
        return value

    def step(
        self,
        text: str,
        results: Sequence[Value],
        operands: Sequence[Value],
        compute: Callable[..., Any],
    ) -> None:
        """Adds only what an operation means; the text is up to the caller."""
        names = tuple(value.name for value in results)
        self.block.steps.append(Step(names, tuple(value.name for value in operands), compute))

    @contextmanager
    def region(self, *arguments: Value) -> Iterator[Block]:
        """Everything emitted within goes to a new block, which sees the values so far."""
        with self.isolated(*self.block.pool, *arguments) as inner:
            yield inner

    @contextmanager
    def isolated(self, *arguments: Value) -> Iterator[Block]:
        """The same for a block that sees nothing but its arguments."""
        outer, inner = self.block, Block(pool=list(arguments))
        self.block = inner
        try:
            yield inner
        finally:
            self.block = outer

    def text(self) -> str:
        parameters = [
            f"%{buffer.name}: !tt.ptr<{buffer.element}>" for buffer in self.buffers.values()
        ]
        parameters += [f"%{name}: i32" for name in self.scalars]
        lines = [f"  tt.func public @program({', '.join(parameters)}) {{"]
        lines += [f"    {line}" for line in (*self.block.lines, "tt.return")]
        lines.append("  }")
        lines += [f"  {line}" for function in self.functions for line in function]
        return "\n".join(["module {", *lines, "}", ""])

    def evaluate(self) -> dict[str, Array]:
        """The buffers that the program writes, after all programs of the grid."""
        memory = {buffer.name: buffer.contents.copy() for buffer in self.buffers.values()}
        with np.errstate(all="ignore"):
            for y in range(self.grid[1]):
                for x in range(self.grid[0]):
                    state = State((x, y), memory)
                    for name in self.buffers:
                        state.env[f"%{name}"] = np.asarray(0, np.int64)
                    for name, value in self.scalars.items():
                        state.env[f"%{name}"] = np.asarray(value, np.int32)
                    state.run(self.block.steps)
                    self.is_ordered |= state.is_ordered
        return {name: memory[name] for name, buffer in self.buffers.items() if buffer.written}

    #
    # Memory
    #

    def argument(self, buffer: Buffer) -> Value:
        self.buffers[buffer.name] = buffer
        return Value(f"%{buffer.name}", buffer.element, (), buffer.name)

    def load(self, pointer: Value, mask: Value | None, other: Value | None) -> Value:
        operands = [value for value in (pointer, mask, other) if value]
        text = f"tt.load {', '.join(value.name for value in operands)} : {pointer.type}"
        element, buffer = pointer.element, pointer.buffer

        def compute(state: State, at: Array, mask: Any = True, other: Any = 0) -> Array:
            stored = state.memory[buffer][np.where(mask, at, 0)]
            loaded = from_memory(np.asarray(stored), element)
            return np.where(mask, loaded, np.asarray(other).astype(TYPES[element]))

        result = Value(self.name(), element, pointer.shape)
        self.block.lines.append(f"{result.name} = {text}")
        self.step(text, (result,), operands, compute)
        self.block.pool.append(result)
        self.loaded.add(result.name)
        return result

    def store(self, pointer: Value, value: Value, mask: Value | None) -> None:
        operands = [value for value in (pointer, value, mask) if value]
        text = f"tt.store {', '.join(value.name for value in operands)} : {pointer.type}"
        element, buffer = pointer.element, pointer.buffer

        def compute(state: State, at: Array, values: Array, mask: Any = True) -> tuple[()]:
            chosen = np.broadcast_to(mask, at.shape)
            state.write(buffer, at[chosen], to_memory(values, element)[chosen])
            return ()

        self.block.lines.append(text)
        self.step(text, (), operands, compute)

    def atomic(
        self,
        kind: str,
        combine: Callable[[Array, Array], Array],
        pointer: Value,
        value: Value,
        mask: Value | None,
        is_read: bool = True,
    ) -> Value:
        """`tt.atomic_rmw`, element after element; masked off, the old value is zero.

        Unless its result `is_read`, all updates of the place are of this kind, and any order does.
        """
        operands = [operand for operand in (pointer, value, mask) if operand]
        result = Value(self.name(), value.element, value.shape)
        kinds = ", ".join(operand.type for operand in operands)
        names = ", ".join(operand.name for operand in operands)
        self.block.lines.append(
            f"{result.name} = tt.atomic_rmw {kind}, acq_rel, gpu, {names} : "
            f"({kinds}) -> {result.type}"
        )
        buffer = pointer.buffer

        def compute(state: State, at: Array, values: Array, mask: Any = True) -> Array:
            memory, old = state.memory[buffer], np.zeros_like(values)
            chosen = np.broadcast_to(mask, at.shape)
            state.is_ordered |= is_read and _has_equal(at[chosen])
            for index in np.ndindex(at.shape):
                if chosen[index]:
                    old[index] = memory[at[index]]
                    memory[at[index]] = combine(memory[at[index]], values[index])
            return old

        self.step("tt.atomic_rmw", (result,), operands, compute)
        self.block.pool.append(result)
        return result

    def compare_and_swap(self, pointer: Value, expected: Value, value: Value) -> Value:
        """`tt.atomic_cas`, element after element."""
        operands = (pointer, expected, value)
        result = Value(self.name(), value.element, value.shape)
        kinds = ", ".join(operand.type for operand in operands)
        names = ", ".join(operand.name for operand in operands)
        self.block.lines.append(
            f"{result.name} = tt.atomic_cas acq_rel, gpu, {names} : ({kinds}) -> {result.type}"
        )
        buffer = pointer.buffer

        def compute(state: State, at: Array, expected: Array, values: Array) -> Array:
            memory, old = state.memory[buffer], np.zeros_like(values)
            state.is_ordered |= _has_equal(at)
            for index in np.ndindex(at.shape):
                old[index] = memory[at[index]]
                if old[index] == expected[index]:
                    memory[at[index]] = values[index]
            return old

        self.step("tt.atomic_cas", (result,), operands, compute)
        self.block.pool.append(result)
        return result


def _has_equal(places: Array) -> bool:
    return np.unique(places).size < places.size


def random_contents(rng: np.random.Generator, element: str, count: int) -> Array:
    """Small numbers, any numbers, and for floats what is special about them."""
    if element in SMALL:
        return rng.integers(0, 256, count).astype(np.uint8)
    if element[0] == "i":
        if element == "i1":
            return rng.integers(0, 2, count).astype(np.uint8)
        info = np.iinfo(TYPES[element])
        wild = rng.integers(info.min, info.max, count, TYPES[element], endpoint=True)
        small: Array = rng.integers(-9, 10, count).astype(TYPES[element])
        extreme = rng.choice(np.array([info.min, info.max, -1, 0, 1], TYPES[element]), count)
        return np.choose(rng.choice(3, count, p=(0.5, 0.35, 0.15)), (small, wild, extreme))
    values = rng.integers(-32, 33, count) / 8.0
    wild = rng.normal(size=count) * np.exp(rng.normal(size=count) * 4)
    special = rng.choice([0.0, -0.0, np.inf, -np.inf, np.nan, 65504.0, 1e-7, 6e-5], count)
    mixed = np.choose(rng.choice(3, count, p=(0.6, 0.35, 0.05)), (values, wild, special))
    if element == "bf16":
        from .numerics import to_bf16

        return to_memory(to_bf16(mixed.astype(np.float32)), element)
    with np.errstate(over="ignore"):
        return mixed.astype(STORED[element])
