"""Runs chosen programs of a recorded launch in Triton's interpreter, and writes down what they
access and compute. A process of its own: whether kernels are interpreted is decided at import.

    python -m triton_shared.explain.map_worker FOLDER ANSWER '[[0, 0, 0], [1, 0, 0]]'
"""

from __future__ import annotations

import functools
import inspect
import json
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ..diff import recording as recordings
from ..diff import replay

Program = tuple[int, int, int]

_GAP = 1 << 26
"""Bytes on either side of each tensor's memory; the system gives none that is not touched."""
_LINE = 64

_KEPT_TIMES = 4
"""Of an access in a loop, so many turns are kept for drawings; all are counted."""


@dataclass
class _Access:
    """One line's loads or stores of one argument by one program."""

    kind: str
    file: str
    line: int
    bytes_each: int
    shape: tuple[int, ...]
    blocks: list[tuple[Any, Any]] = field(default_factory=list)
    """Addresses and masks of the first turns."""
    turns: int = 0
    addresses: list[Any] = field(default_factory=list)
    """Of all turns, those that the mask lets through."""
    masked: int = 0
    lost: int = 0
    """Lanes that lie in no memory of the launch."""


class Notes:
    """What the chosen programs have done so far."""

    def __init__(self, wanted: list[Program]) -> None:
        self.wanted = set(wanted)
        self.accesses: dict[Program, dict[Any, _Access]] = {p: {} for p in self.wanted}
        self.flops = dict.fromkeys(self.wanted, 0)
        self.now: Program | None = None
        self._triton = str(Path(inspect.getfile(__import__("triton"))).parent)
        self._memory: list[tuple[int, int]] = []

    def lend(self, memory: list[tuple[int, int]]) -> None:
        """Says where memory of the launch lies: from, to before."""
        self._memory = memory

    def access(self, kind: str, addresses: Any, mask: Any, bytes_each: int) -> Any:
        """Notes an access, and gives the mask without what lies outside of all tensors."""
        addresses, mask = np.asarray(addresses), np.broadcast_to(mask, np.shape(addresses))
        inside = np.zeros(addresses.shape, bool)
        for first, last in self._memory:
            inside |= (addresses >= first) & (addresses + bytes_each <= last)
        if self.now in self.wanted:
            file, line = self._place()
            key = (kind, file, line, addresses.shape)
            found = self.accesses[self.now].setdefault(
                key, _Access(kind, file, line, bytes_each, addresses.shape)
            )
            found.turns += 1
            found.addresses.append(addresses[mask.astype(bool)].ravel())
            found.masked += int(addresses.size - np.count_nonzero(mask))
            found.lost += int(np.count_nonzero(mask.astype(bool) & ~inside))
            if len(found.blocks) < _KEPT_TIMES:
                found.blocks.append((addresses.copy(), mask.astype(bool)))
        return mask.astype(bool) & inside

    def count(self, flops: int) -> None:
        """Notes floating-point operations."""
        if self.now in self.wanted:
            self.flops[self.now] += flops

    def _place(self) -> tuple[str, int]:
        frame = sys._getframe(2)
        while frame.f_back and (
            frame.f_code.co_filename.startswith(self._triton)
            or frame.f_code.co_filename == __file__
        ):
            frame = frame.f_back
        return frame.f_code.co_filename, frame.f_lineno


class _Memory:
    """Stands before the interpreter's memory functions."""

    def __init__(self, real: Any, notes: Notes) -> None:
        self._real, self._notes = real, notes

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def load(self, ptrs: Any, mask: Any, other: Any, dtype: Any) -> Any:
        size = np.dtype(dtype).itemsize
        return self._real.load(ptrs, self._notes.access("load", ptrs, mask, size), other, dtype)

    def store(self, ptrs: Any, value: Any, mask: Any) -> Any:
        return self._real.store(
            ptrs, value, self._notes.access("store", ptrs, mask, value.dtype.itemsize)
        )

    def atomic_rmw(self, op: Any, ptrs: Any, value: Any, mask: Any, sem: Any) -> Any:
        safe = self._notes.access("atomic", ptrs, mask, value.dtype.itemsize)
        return self._real.atomic_rmw(op, ptrs, value, safe, sem)

    def atomic_cas(self, ptrs: Any, compare: Any, value: Any, sem: Any) -> Any:
        everywhere = np.ones(np.shape(ptrs), bool)
        self._notes.access("atomic", ptrs, everywhere, value.dtype.itemsize)
        return self._real.atomic_cas(ptrs, compare, value, sem)


def _run_only_wanted(interpreter: Any, notes: Notes) -> None:
    """Has grids run the chosen programs, and skip the others."""
    begin = interpreter.GridExecutor.__init__

    @functools.wraps(begin)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        begin(self, *args, **kwargs)
        self.fn = _skipping(self.fn, interpreter.interpreter_builder, notes)

    interpreter.GridExecutor.__init__ = __init__


def _skipping(fn: Any, builder: Any, notes: Notes) -> Any:
    def program(**arguments: Any) -> Any:
        notes.now = tuple(builder.grid_idx)
        return fn(**arguments) if notes.now in notes.wanted else None

    # The interpreter looks into the function: its globals are where `tl` is found and changed.
    made = types.FunctionType(
        program.__code__, fn.__globals__, fn.__name__, None, program.__closure__
    )
    made.__signature__ = inspect.signature(fn)  # type: ignore[attr-defined]
    return made


def _count_flops(builder: Any, notes: Notes) -> None:
    """Counts what is computed on floats: products twice, all else element by element."""

    def counted(method: Callable[..., Any], count: Callable[..., int]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            made = method(*args, **kwargs)
            notes.count(count(made, *args))
            return made

        return call

    def of_dot(made: Any, a: Any, *_: Any) -> int:
        return 2 * int(np.asarray(made.data).size) * int(np.shape(a.data)[-1])

    def of_elements(made: Any, *_: Any) -> int:
        data = np.asarray(getattr(made, "data", 0))
        return int(data.size) if data.dtype.kind == "f" else 0

    builder.create_dot = counted(builder.create_dot, of_dot)
    for name in ("binary_op", "unary_op"):
        setattr(builder, name, counted(getattr(builder, name), of_elements))


def _alone(storage: torch.Tensor) -> torch.Tensor:
    """A copy with nothing beside it: what lies outside of one is not inside of another."""
    size = storage.numel()
    room = np.empty(size + 2 * _GAP, np.uint8)
    start = _GAP - room.ctypes.data % _LINE
    copy = torch.from_numpy(room[start : start + size])
    return copy.copy_(storage)


def _spans(launch: Any, memory: list[Any]) -> list[tuple[str, int, int]]:
    """Where each tensor of the launch begins and ends, and what addresses in them point to."""
    views = launch.views()
    named = {view.storage for view in views.values()}
    spans = [
        ("what an address points to", part.data_ptr(), part.data_ptr() + part.numel())
        for number, part in enumerate(memory)
        if number not in named
    ]
    for name, view in views.items():
        tensor = view.of(memory)
        reach = sum((n - 1) * abs(s) for n, s in zip(tensor.shape, tensor.stride(), strict=True))
        last = tensor.data_ptr() + (reach + 1) * tensor.element_size()
        spans.append((name, tensor.data_ptr(), last))
    return spans


def main(folder: str, answer: str, programs: str) -> int:
    """Replays the launch in `folder`; writes what is known to the file `answer`."""
    from triton.runtime import interpreter

    launch = recordings.load(Path(folder))
    notes = Notes([(x, y, z) for x, y, z in json.loads(programs)])
    interpreter._interpreter = _Memory(interpreter._interpreter, notes)
    _run_only_wanted(interpreter, notes)
    _count_flops(interpreter.interpreter_builder, notes)
    memory, given = replay.prepare(launch, copy=_alone)
    notes.lend([(m.data_ptr(), m.data_ptr() + m.numel() * m.element_size()) for m in memory])
    replay.run_kernel(launch, given, "interpreter")
    from .access_maps import describe

    Path(answer).write_text(json.dumps(describe(notes, _spans(launch, memory))))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
