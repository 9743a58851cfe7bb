"""Views of a random program: the same elements in a block of another shape."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .program import Value, type_of

if TYPE_CHECKING:
    from .generator import Generator

SIZES = (1, 2, 4, 8, 16, 32)
LARGEST = 128
"""Elements of a block."""


class Shapes:
    """Writes them into the program of a generator."""

    def __init__(self, g: Generator) -> None:
        self.g = g

    def reshaped(self) -> Value:
        value = self.g.anything()
        choice = self.g.rng.randrange(6)
        if not value.shape:
            return self.g.addresses.splat(value, self.g.shape())
        if choice == 0 and len(value.shape) < 5:
            return self.g.addresses.expand(value, self.g.rng.randint(0, len(value.shape)))
        sizes = [size for size in SIZES if size * value.size <= LARGEST]
        if choice == 1 and 1 in value.shape and sizes:
            axis = self.g.rng.choice([a for a, size in enumerate(value.shape) if size == 1])
            wide = (*value.shape[:axis], self.g.rng.choice(sizes), *value.shape[axis + 1 :])
            return self.g.addresses.broadcast(value, wide)
        if choice == 2 and len(value.shape) < 5:
            return self.g.collectives.join(value, self.g._partner(value))
        if choice == 3 and value.shape[-1] == 2 and len(value.shape) > 1:
            return self.g.collectives.split(value)
        if choice == 4:
            return self._transposed(value)
        return self._regrouped(value)

    def _transposed(self, value: Value) -> Value:
        order = list(range(len(value.shape)))
        self.g.rng.shuffle(order)
        shape = tuple(value.shape[axis] for axis in order)
        text = (
            f"tt.trans {value.name} {{order = array<i32: {', '.join(map(str, order))}>}} : "
            f"{value.type} -> {type_of(value.element, shape)}"
        )
        return self.g.program.emit(
            text, (value,), lambda x: np.transpose(x, order), value.element, shape
        )

    def _regrouped(self, value: Value) -> Value:
        rest, shape = value.size, list[int]()
        while rest > 1 and len(shape) < 3 and self.g.rng.random() < 0.7:
            size = self.g.rng.choice([s for s in (1, 2, 4, 8, 16, 32, 64, 128) if s <= rest])
            shape.append(size)
            rest //= size
        new = (*shape, rest)
        text = f"tt.reshape {value.name} : {value.type} -> {type_of(value.element, new)}"
        return self.g.program.emit(text, (value,), lambda x: np.reshape(x, new), value.element, new)
