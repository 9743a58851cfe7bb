"""Bounds that somebody has widened, by name and for a reason: the file `tolerances.toml`.

    [[widen]]
    kernel = "softmax"          # whose bounds
    output = "out"              # of this tensor alone; or op = "math.exp", which --locate looks at
    factor = 3                  # how many times as wide
    reason = "the argument is a sum of 4096 terms"

Nothing else widens a bound. What a widening was needed for is told with the result, as is one that
nothing has used.
"""

from __future__ import annotations

import importlib
import math
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .recording import RecordingError, shown

NAME = "tolerances.toml"
"""The file that is read if it lies beside the kernels."""

_HEADER = re.compile(r"\s*\[\[\s*widen\s*\]\]")
_WORDS = {"kernel": "required", "reason": "required", "output": "", "op": ""}


@dataclass(frozen=True)
class Widening:
    """One entry of the file."""

    place: str
    """File and line."""
    kernel: str
    factor: float
    reason: str
    output: str = ""
    op: str = ""

    def describe(self) -> str:
        """What it widens."""
        what = f", output '{self.output}'" if self.output else ""
        what += f", operation '{self.op}'" if self.op else ""
        return f"kernel '{self.kernel}'{what}"


@dataclass(frozen=True)
class Widened:
    """A bound that was widened."""

    widening: Widening
    what: str
    """The output or the operation, and its bound."""
    margin: float
    """The largest part of the bound as it was that an error uses up."""

    def describe(self) -> str:
        """One line of a report."""
        by = self.widening
        told = f"{self.what} widened {by.factor:g} times by {by.place} ('{by.reason}'): "
        if not self.margin > 1:
            return f"{told}not needed, {self.margin:.0%} of the bound used"
        return f"{told}{self.margin:.0%} of the bound used, {self.margin / by.factor:.0%} of that"


@dataclass
class Widenings:
    """All entries of a file, and which of them have met something."""

    entries: tuple[Widening, ...] = ()
    _met: set[Widening] = field(default_factory=set)

    def of_output(self, kernel: str, output: str) -> Widening | None:
        """What widens the bound of an output of a kernel."""
        return self._find(kernel, lambda one: not one.op and one.output in ("", output))

    def of_operation(self, kernel: str, op: str) -> Widening | None:
        """What widens the bound of an operation of a kernel."""
        return self._find(kernel, lambda one: one.op == op)

    def _find(self, kernel: str, fits: Any) -> Widening | None:
        found = [one for one in self.entries if one.kernel == kernel and fits(one)]
        # One that names an output comes before one for all of them.
        chosen = max(found, key=lambda one: bool(one.output), default=None)
        if chosen:
            self._met.add(chosen)
        return chosen

    def unused(self) -> list[Widening]:
        """Entries that have met no output and no operation."""
        return [one for one in self.entries if one not in self._met]

    def unused_lines(self, kernels: Collection[str] | None = None) -> list[str]:
        """A line of a report for each of them; or for those about `kernels` alone."""
        return [
            f"{one.place}: not used: {one.describe()}"
            for one in self.unused()
            if kernels is None or one.kernel in kernels
        ]


def beside(source: Path) -> Path | None:
    """The file that goes with a file of kernels, or lies in a folder of recordings."""
    folder = source if source.is_dir() else source.parent
    found = folder / NAME
    return found if found.is_file() else None


def load(path: Path | None) -> Widenings:
    """Reads a file; without one, nothing is widened. Raises RecordingError with the line."""
    if path is None:
        return Widenings()
    try:
        text = path.read_text()
    except OSError as error:
        raise RecordingError(f"{path} cannot be read: {error.strerror}") from error
    name = shown(str(path))
    try:
        toml = importlib.import_module("tomllib")
    except ModuleNotFoundError as error:
        raise RecordingError(f"{name} takes Python 3.11 or later to read") from error
    try:
        content = toml.loads(text)
    except toml.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        raise RecordingError(f"{name}:{line[1] if line else 1}: error: {error}") from error
    for key, value in content.items():
        if key != "widen" or not isinstance(value, list):
            line_number = _line_of(text, rf"\s*\[*\s*{re.escape(key)}\b")
            raise RecordingError(
                f"{name}:{line_number}: error: '{key}' is not known; "
                "write [[widen]] before each entry"
            )
    return Widenings(tuple(_entries(content.get("widen", []), text, name)))


def _entries(tables: list[Any], text: str, name: str) -> Iterator[Widening]:
    lines = text.splitlines()
    starts = [number for number, line in enumerate(lines) if _HEADER.match(line)]
    starts += [0] * (len(tables) - len(starts))
    seen: dict[tuple[str, str, str], str] = {}
    for table, start in zip(tables, starts, strict=False):

        def fail(key: str, why: str, start: int = start) -> RecordingError:
            found = _line_of(text, rf"\s*{key}\s*=", start) if key else start + 1
            return RecordingError(f"{name}:{found}: error: {why}")

        one = _entry(table, f"{name}:{start + 1}", fail)
        key = (one.kernel, one.output, one.op)
        if key in seen:
            raise fail("", f"{one.describe()} is widened at {seen[key]} already")
        seen[key] = one.place
        yield one


def _entry(table: dict[str, Any], place: str, fail: Any) -> Widening:
    for key in table:
        if key not in (*_WORDS, "factor"):
            known = ", ".join([*_WORDS, "factor"])
            raise fail(key, f"'{key}' is not known; an entry has {known}")
    for key, required in _WORDS.items():
        value = table.get(key)
        if value is None and required:
            raise fail("", f"this entry has no '{key}'")
        if value is not None and (not isinstance(value, str) or not value.strip()):
            raise fail(key, f"'{key}' must be a text that is not empty")
    factor = table.get("factor")
    if factor is None:
        raise fail("", "this entry has no 'factor'")
    is_number = isinstance(factor, (int, float)) and not isinstance(factor, bool)
    if not is_number or not math.isfinite(factor) or factor <= 1:
        raise fail("factor", f"'factor' must be a number above 1, not {factor!r}")
    if "output" in table and "op" in table:
        raise fail("op", "an entry is about an output or an operation, not both")
    words = {key: table[key] for key in _WORDS if key in table}
    return Widening(place, factor=float(factor), **words)


def _line_of(text: str, pattern: str, start: int = 0) -> int:
    """The number of the first line that begins so; that of `start` if there is none."""
    for number, line in enumerate(text.splitlines()[start:], start + 1):
        if re.match(pattern, line):
            return number
    return start + 1
