"""What one program computes, value by value: a kernel that writes it down, and its log.

The pass `triton-probe-values` adds a parameter to the kernel's TTIR, a pointer to the log. So the
same kernel runs wherever its text does. Of a log that is longer than the memory for it, a run keeps
a window; the kernel runs again for the next one.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch

from . import texts, workers
from .recording import Recording, RecordingError, View

_PARAMETER = "probes of triton_shared"
"""The name of the parameter; no kernel of Python has one with spaces."""
_HEAD = 8
_PROBES = re.compile(r'tt\.probes = "((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(rb"\\(?:([0-9A-Fa-f]{2})|(\\))")
_TYPE = re.compile(r"(?:tensor<((?:\d+x)*))?(\w+)>?")

_FIRST_WORDS = 1 << 21
"""Of the first window of a log."""

_DTYPES = {
    "i1": torch.bool, "i8": torch.int8, "i16": torch.int16, "i32": torch.int32,
    "i64": torch.int64, "f16": torch.float16, "bf16": torch.bfloat16,
    "f32": torch.float32, "f64": torch.float64, "f8E4M3FN": torch.float8_e4m3fn,
    "f8E5M2": torch.float8_e5m2, "f8E4M3FNUZ": torch.float8_e4m3fnuz,
    "f8E5M2FNUZ": torch.float8_e5m2fnuz,
}  # fmt: skip


@dataclass(frozen=True)
class Site:
    """An operation, where it stands in the source, and the values that it takes."""

    op: str
    operands: tuple[int, ...]
    """Numbers of values; -1 for one that has none."""
    behind: tuple[int, ...]
    """Values that those without a number are made of."""
    file: str = ""
    line: int = 0
    column: int = 0
    variable: str = ""


@dataclass(frozen=True)
class Value(Site):
    """A value of a kernel, by its number."""

    type: str = ""
    result: int = 0
    carried: bool = False
    """Whether a loop or a branch hands it on, and its operands are what it may be."""
    parameter: int = -1
    """Of what is read: which parameter's memory it is from; -1 if that is not known."""
    loop: Mapping[str, Any] | None = None
    """Of what is read: `file`, `line` and `column` of the loop round it."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Of a block; empty for a scalar."""
        found = _TYPE.fullmatch(self.type)
        assert found
        return tuple(int(size) for size in (found[1] or "").split("x") if size)

    @property
    def dtype(self) -> torch.dtype | None:
        """Of its elements; None for integers of other widths."""
        found = _TYPE.fullmatch(self.type)
        assert found
        return _DTYPES.get(found[2])


@dataclass(frozen=True)
class Store(Site):
    """A store of a kernel."""

    parameter: int = -1
    """Which parameter's memory it writes; -1 if that is not known."""


@dataclass(frozen=True)
class Entry:
    """A value at one time."""

    number: int
    occurrence: int
    """How often it was computed before."""
    value: torch.Tensor


@dataclass(frozen=True)
class Probed:
    """A kernel that writes down what one program computes."""

    ttir: str
    values: tuple[Value, ...]
    stores: tuple[Store, ...]


def probe(
    ttir: str,
    only: int = -1,
    before: Sequence[str] = (),
    after: Sequence[str] = (),
    plugins: Sequence[Path] = (),
) -> Probed:
    """Adds probes to a text, or one of that number.

    Other passes may run before and after; `plugins` has those that are not ours.
    """
    adding = f"triton-probe-values{{only={only}}}"
    made = texts.apply_passes(ttir, *texts.ONE_FUNCTION, *before, adding, *after, plugins=plugins)
    found = _PROBES.search(made)
    assert found
    escaped = found[1].encode()
    told = json.loads(
        _ESCAPE.sub(lambda m: bytes.fromhex(m[1].decode()) if m[1] else b"\\", escaped)
    )
    return Probed(
        # Other readers of the text need not take it.
        made.replace(found[0], 'tt.probes = ""'),
        tuple(
            Value(**_site(one, "type", "result", "carried", "parameter", "loop"))
            for one in told["values"]
        ),
        tuple(Store(**_site(one, "parameter")) for one in told["stores"]),
    )


def _site(one: dict[str, Any], *more: str) -> dict[str, Any]:
    names = ("op", "file", "line", "column", "variable", *more)
    lists = {name: tuple(one[name]) for name in ("operands", "behind")}
    return {**lists, **{name: one[name] for name in names if name in one}}


def with_log(
    launch: Recording, probed: Probed, program: tuple[int, int, int], first: int, words: int
) -> Recording:
    """The launch with memory for the words `first` to `first + words` of the log of a program."""
    assert launch.types is not None
    log = torch.zeros(_HEAD + words, dtype=torch.int32)
    log[1:6] = torch.tensor([first, first + words, *program], dtype=torch.int32)
    view = View(len(launch.storages), "int32", (log.numel(),), (1,), 0)
    return replace(
        launch,
        file="",
        ttir=probed.ttir,
        arguments={**launch.arguments, _PARAMETER: view},
        types={**launch.types, _PARAMETER: "*i32"},
        storages=[*launch.storages, log.view(torch.uint8)],
        addresses=[*launch.addresses, 0],
        stated=[],
    )


@dataclass
class Log:
    """The log of one program on one target, window by window."""

    launch: Recording
    probed: Probed
    program: tuple[int, int, int]
    target: str
    folder: Path
    most_words: int
    timeout: float
    buffers: list[torch.Tensor] = field(default_factory=list)
    """What the launch has left in its memory."""

    def entries(self) -> Iterator[Entry]:
        """All entries in the order of the program. Raises RecordingError if the target fails."""
        first, seen = 0, [0] * len(self.probed.values)
        words = min(_FIRST_WORDS, self.most_words)
        while True:
            memory = self._run(first, words)
            count = int(memory[0])
            at = 0
            for number, data in _split(memory[_HEAD:]):
                at += len(data) + 2
                value = _decode(self.probed.values[number], data)
                yield Entry(number, seen[number], value)
                seen[number] += 1
            if first + at >= count:
                return
            if at == 0 and words == self.most_words:
                raise RecordingError(
                    f"a value takes more than {words * 4} bytes: raise --max-probe-bytes"
                )
            first += at
            words = min(4 * words, self.most_words)

    def _run(self, first: int, words: int) -> torch.Tensor:
        place = self.folder / f"{self.target}-{first}"
        with_log(self.launch, self.probed, self.program, first, words).save(place)
        workers.replay_all([place], (self.target,), self.timeout)
        found = workers.result(place, self.target)
        if not found.succeeded:
            raise RecordingError(f"with probes, {self.target} does not run: {found.message}")
        self.buffers = found.buffers[:-1]
        return found.buffers[-1].view(torch.int32)


def _split(log: torch.Tensor) -> Iterator[tuple[int, torch.Tensor]]:
    """The number and the words of each entry that is whole."""
    at = 0
    while at + 2 < len(log) and (size := int(log[at + 1])) > 2:
        yield int(log[at]), log[at + 2 : at + size]
        at += size


def _decode(value: Value, words: torch.Tensor) -> torch.Tensor:
    """The elements of an entry, as they were."""
    count = math.prod(value.shape)
    dtype = value.dtype or torch.int32
    if dtype == torch.bool:
        return (words != 0).view(value.shape)
    if dtype.itemsize == 8:
        return (
            torch.stack([words[:count], words[count:]], 1).flatten().view(dtype).view(value.shape)
        )
    narrow = {1: torch.int8, 2: torch.int16, 4: torch.int32}[dtype.itemsize]
    return words.to(narrow).view(dtype).view(value.shape)
