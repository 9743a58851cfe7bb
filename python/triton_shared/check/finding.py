"""What a kernel does wrong, in the words of its author."""

from __future__ import annotations

import itertools
import math
import struct
from dataclasses import asdict, dataclass, field
from typing import Any

KINDS = {
    "out-of-bounds": "error",
    "never-written": "error",
    "race": "error",
    "duplicate-lanes": "error",
    "misaligned": "error",
    "undefined-lanes": "error",
    "wrapped-address": "error",
    "false-hint": "error",
    "not-finite": "warning",
    "unknown-order": "warning",
    "read-back": "warning",
    "order-dependent": "info",
    "full-mask": "info",
    "empty-mask": "info",
}
"""Every class of finding and how bad it is."""


@dataclass(frozen=True)
class Place:
    """A place in a source; lines and columns count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Tensor:
    """A tensor argument as the kernel got it; sizes and strides are in elements."""

    argument: str
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    element_bytes: int
    before: int = 0
    """Bytes of the same allocation that lie before the tensor's first element."""
    after: int = 0
    """Bytes of the same allocation from the tensor's first element on."""

    @property
    def lowest(self) -> int:
        """The element that lies lowest in memory, counted from the first one."""
        if 0 in self.shape:
            return 0
        return sum(min(0, (n - 1) * s) for n, s in zip(self.shape, self.strides, strict=True))

    @property
    def highest(self) -> int:
        """The one that lies highest; less than `lowest` if there is none."""
        if 0 in self.shape:
            return -1
        return sum(max(0, (n - 1) * s) for n, s in zip(self.shape, self.strides, strict=True))

    def __str__(self) -> str:
        return f"{self.argument}: {self.dtype} {list(self.shape)}, strides {list(self.strides)}"


@dataclass(frozen=True)
class Element:
    """One element of an access."""

    lane: tuple[int, ...]
    """Its indices in the block."""
    offset: int
    """How many elements of the access it lies behind the first one of the tensor; 0 where the
    finding is about no access."""
    value: int | float | None = None
    """What is wrong about it, where a value is."""


@dataclass(frozen=True)
class Side:
    """The other access of a conflict."""

    access: str
    places: tuple[Place, ...]
    variable: str
    tensor: Tensor | None
    program: tuple[int, ...]


@dataclass(frozen=True)
class Finding:
    """One thing that a kernel does wrong at one place with one tensor."""

    kind: str
    """A word of `KINDS`."""
    kernel: str
    access: str
    """What does it, as a user of Triton knows it: `tl.load`, `the product`."""
    places: tuple[Place, ...]
    """Where; first the place itself, then those of the calls that lead there."""
    variable: str
    """What the result is assigned to; empty if to nothing."""
    tensor: Tensor | None
    """What is accessed; None where that is unknown, or nothing is."""
    element_bytes: int
    """Of an element of the access, in which offsets count."""
    grid: tuple[int, ...]
    program: tuple[int, ...]
    """The first program of the grid that does it."""
    elements: tuple[Element, ...]
    """The first ones of that program that are concerned."""
    outside: int
    """How many are concerned in that access of that program …"""
    accessed: int
    """… of how many that take part."""
    lowest: int
    """Smallest offset of all that are concerned, in all programs …"""
    highest: int
    """… and the largest."""
    programs: int
    """How many programs do it."""
    total: int
    """How many elements, in all programs."""
    other: Side | None = None
    """The other access, where it takes two; where a value is wrong, what it reaches."""
    hint: str = ""
    """Of a false hint, what it says; of an unknown order, what may have made one; of an integer
    that has wrapped, what has stored it, if it came from memory."""
    launches: int = field(default=1, compare=False)
    """How many launches of the kernel do it."""

    @property
    def place(self) -> Place | None:
        """Where; None if the kernel was compiled without line numbers."""
        return self.places[0] if self.places else None

    @property
    def severity(self) -> str:
        """`error`, `warning` or `info`."""
        return KINDS[self.kind]

    @property
    def key(self) -> tuple[Any, ...]:
        """What is the same for the same mistake in several launches."""
        this = Side(self.access, self.places, self.variable, self.tensor, ())
        sides = [this, self.other] if self.other else [this]
        return (
            self.kind,
            self.kernel,
            self.hint,
            *((side.access, side.places, side.tensor and side.tensor.argument) for side in sides),
        )

    @property
    def argument(self) -> str:
        """The name of the tensor, of either side; empty if there is none."""
        tensors = [self.tensor, self.other.tensor if self.other else None]
        return next((tensor.argument for tensor in tensors if tensor), "")

    def as_json(self) -> dict[str, Any]:
        """For a program that reads it; docs/check.md has the form."""
        return {"severity": self.severity, **_without_nan(asdict(self))}


HINTS = ("full-mask", "empty-mask")
"""Classes that are told on request only: nothing is wrong."""

ACCESSES = {
    "load": "tl.load",
    "gather": "tl.load",
    "store": "tl.store",
    "scatter": "tl.store",
    "atomic_rmw": "an atomic update",
    "atomic_cas": "tl.atomic_cas",
    "atomic_poll": "an atomic wait",
}
"""The operations of `tts` that access memory, as a kernel's author knows them."""

OPERATIONS = {
    "argument": "the argument",
    "arith.addf": "the sum",
    "arith.addi": "the sum",
    "arith.divf": "the quotient",
    "arith.mulf": "the product",
    "arith.muli": "the product",
    "arith.shli": "the left shift",
    "arith.subf": "the difference",
    "arith.sitofp": "the conversion",
    "arith.subi": "the difference",
    "arith.truncf": "the conversion",
    "arith.trunci": "the conversion",
    "scf.condition": "the condition of a loop",
    "scf.for": "the range of a loop",
    "scf.if": "a branch",
    "tt.atomic_rmw": "an atomic update",
    "tt.extern_elementwise": "a function of libdevice",
    "tt.fp_to_fp": "the conversion",
    "tt.make_tensor_ptr": "tl.make_block_ptr",
    "tt.reduce": "the reduction",
    "tt.scan": "the scan",
}
"""Those that compute, where the name of a function of `tl` says too little."""


def from_native(
    found: dict[str, Any], kernel: str, grid: tuple[int, ...], tensors: list[Tensor | None]
) -> Finding:
    """Makes a finding of what the runtime has noted about one launch."""
    site, first, other = found["site"], found["first"], found.get("other")
    # A note about values says of which operation its lanes are; its causes have other ones.
    is_note = "class" in (other["site"] if other else site)
    lanes_of = other["site"] if is_note and other else site
    shape = tuple(lanes_of["shape"])
    this = _side(found, first["program"], tensors)
    return Finding(
        kind=found["class"],
        kernel=kernel,
        access=this.access,
        places=this.places,
        variable=this.variable,
        tensor=this.tensor,
        element_bytes=site.get("bytes", 1),
        grid=grid,
        program=this.program,
        elements=tuple(_element(e, shape, lanes_of, is_note) for e in first["elements"]),
        outside=first["outside"],
        accessed=math.prod(shape) if is_note else first["accessed"],
        lowest=0 if is_note else found["lowest"],
        highest=0 if is_note else found["highest"],
        programs=found["programs"],
        total=found["elements"],
        other=_side(other, other["program"], tensors) if other else None,
        hint=site.get("hint", "") or _excuse(found.get("by")),
    )


def _element(
    noted: dict[str, int], shape: tuple[int, ...], site: dict[str, Any], is_note: bool
) -> Element:
    lane = _lane(noted["number"], shape)
    if not is_note:
        return Element(lane, noted["offset"])
    shows = site.get("shows")
    if shows == "floats":
        (value,) = struct.unpack("<d", struct.pack("<q", noted["offset"]))
        return Element(lane, 0, value)
    return Element(lane, 0, noted["offset"] if shows else None)


def _excuse(site: dict[str, Any] | None) -> str:
    """The access that may have ordered two others, and where it is; empty for none."""
    if site is None:
        return ""
    places = [Place(p["file"], p["line"], p["column"]) for p in site["places"][:1]]
    return " at ".join([_access(site["kind"]), *map(str, places)])


def _side(found: dict[str, Any], program: list[int], tensors: list[Tensor | None]) -> Side:
    site, argument = found["site"], found["argument"]
    tensor = tensors[argument] if argument >= 0 else None
    if argument >= 0 and not tensor:
        tensor = Tensor(f"argument {argument}", "unknown", (0,), (1,), 1)
    places = tuple(Place(p["file"], p["line"], p["column"]) for p in site["places"])
    return Side(_access(site["kind"]), places, site["name"], tensor, tuple(program))


def _access(kind: str) -> str:
    name = kind.partition(".")[2]
    return ACCESSES.get(kind) or OPERATIONS.get(kind) or f"tl.{name}"


def _without_nan(value: Any) -> Any:
    """JSON has no word for what is no finite number: those become text."""
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def _lane(number: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The indices of element `number` of a block, row-major."""
    sizes = [math.prod(shape[d + 1 :]) for d in range(len(shape))]
    return tuple(number // size % n for size, n in zip(sizes, shape, strict=True))


def ranges(numbers: list[int]) -> str:
    """`4 to 31, 40`: numbers in order, neighbours together."""
    parts = []
    for _, group in itertools.groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        run = [number for _, number in group]
        parts.append(str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}")
    return ", ".join(parts)
