"""Says how a kernel accesses memory: what is strided, what is not, and which value is to blame.

    triton_shared.explain(kernel, x, y, n, grid=(4,), BLOCK=128)

compiles as a launch would, prints a table, and returns the same as data, of which `.write(PAGE)`
makes one page with everything the compiler did. `python -m triton_shared.explain FILE` does so for
a script, or for a file of TTIR. The way to a page: `gathering` asks the compiler, `schema.json`
describes what it says, `page` draws it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import columns

if TYPE_CHECKING:
    from ..diff.recording import Recording
    from .report import Report

KINDS = (
    "scalar",
    "strided",
    "transposed",
    "broadcast",
    "wrapped",
    "partly gathered",
    "gathered",
    "atomic",
)
"""How a block lies in memory; what costs more comes later."""


@dataclass(frozen=True)
class Place:
    """A place in the kernel's source; lines and columns count from 1."""

    file: str
    line: int
    column: int

    @staticmethod
    def of(record: dict[str, Any]) -> Place | None:
        """The place that a line of JSON names, if it does."""
        if "file" not in record:
            return None
        return Place(record["file"], record["line"], record["column"])


@dataclass(frozen=True)
class Reason:
    """The value that is to blame, and what it does."""

    text: str
    name: str | None
    """What the kernel calls the value, if it has a name."""
    place: Place | None

    @staticmethod
    def of(record: dict[str, Any]) -> Reason:
        """The reason that a line of JSON gives."""
        return Reason(record["reason"], record.get("name"), Place.of(record))

    @property
    def culprit(self) -> str:
        """The value in words."""
        who = f"'{self.name}'" if self.name else "a value"
        return f"{who} in line {self.place.line}" if self.place else who

    def __str__(self) -> str:
        return f"{self.culprit} {self.text}"


@dataclass(frozen=True)
class Dimension:
    """One dimension of a block, in the names of the kernel; "?" is what has none."""

    size: int
    stride: str
    wrap: str | None
    """What the index is taken modulo."""
    by_index: bool
    """Whether the index is read from a list."""
    bounds: tuple[str, str] | None
    """The part that is accessed, from the first to before the last."""


@dataclass(frozen=True)
class Access:
    """One load, store or atomic update."""

    kernel: str
    noun: str
    kind: str
    """One of `KINDS`."""
    shape: tuple[int, ...]
    dimensions: tuple[Dimension, ...]
    place: Place | None
    why: Reason | None
    """Of what is gathered, in full or in part."""
    way_out: str | None
    masks: tuple[Reason, ...]
    """Why parts of the mask stay a tensor."""
    base: str | None = None
    """The parameter that memory is reached from, if it is one."""
    offset: str | None = None
    """Where the block begins, in elements from there, if that has a name."""

    @staticmethod
    def of(record: dict[str, Any]) -> Access:
        """The access that a line of JSON is about."""
        dimensions = tuple(
            Dimension(
                d["size"],
                d["stride"],
                d.get("wrap"),
                d.get("by_index", False),
                tuple(d["bounds"]) if "bounds" in d else None,
            )
            for d in record["dimensions"]
        )
        return Access(
            record["kernel"],
            record["access"],
            record["kind"],
            tuple(record["shape"]),
            dimensions,
            Place.of(record),
            Reason.of(record["why"]) if "why" in record else None,
            record.get("way_out"),
            tuple(Reason.of(mask) for mask in record.get("masks", ())),
            record.get("base"),
            record.get("offset"),
        )


@dataclass(frozen=True)
class Explanation:
    """What is known of all accesses of one or more kernels."""

    accesses: tuple[Access, ...]
    kernels: tuple[str, ...]
    lines: tuple[str, ...]
    """The same as JSON: a line per access, and a line of counts after each kernel."""
    texts: tuple[str | bytes, ...] = field(default=(), repr=False)
    """The TTIR of the kernels."""
    printed_by_triton: bool = False
    launches: tuple[Callable[[], Recording], ...] = field(default=(), repr=False)
    """Make the recording of a launch of each kernel; empty where arguments are not known."""
    search: Mapping[str, Any] | None = field(default=None, repr=False)
    """Of a graph's kernels, what the search for them has tried."""

    def report(self, number: int = 0, *, target: str = "cpu", **options: Any) -> Report:
        """Everything about one of the texts: a page, data, a cell of a notebook.

        `target` is `cpu` or `cuda:90`, `options` are those of a launch line. No GPU is needed.
        """
        from ..terminal import working
        from .gathering import Question
        from .report import Report

        text = self.texts[number]
        text = text.decode() if isinstance(text, bytes) else text
        launch = self.launches[number]() if self.launches else None
        question = Question(
            text, target, options, self.printed_by_triton, launch, search=self.search
        )
        with working(f"looking at {self.kernels[number]}") as say:
            return Report.of(question, say)

    def write(self, path: str | Path) -> Path:
        """Writes the page of the first text, or its data if the name ends with `.json`."""
        return self.report().write(path)

    def _repr_html_(self) -> str:
        return self.report()._repr_html_()

    def counts(self, kernel: str | None = None) -> dict[str, int]:
        """How many accesses are of each kind, of one kernel or of all."""
        chosen = [a.kind for a in self.accesses if kernel in (None, a.kernel)]
        return {kind: chosen.count(kind) for kind in KINDS}

    def __iter__(self) -> Iterator[Access]:
        return iter(self.accesses)

    def __len__(self) -> int:
        return len(self.accesses)

    def __str__(self) -> str:
        from .table import plain

        return plain(self)


def explain(kernel: Any, *args: Any, grid: Any = (1,), **keywords: Any) -> Explanation:
    """Prints and returns how `kernel` accesses memory when it is launched with these arguments.

    Nothing is launched. `kernel` is anything that `@triton.jit`, `@triton.autotune` or
    `@triton.heuristics` made; the keywords are those of a launch. What a launch has returned will
    do as well, without arguments. The page is `explain(...).write("kernel.html")`.
    """
    from .table import show

    compiled = _compiled(kernel, args, grid, keywords)
    found = explain_texts([columns.ttir_of(each) for each in compiled], printed_by_triton=True)
    if type(kernel).__name__ == "JITFunction":
        from .launches import record, with_text

        (one,) = compiled
        found = replace(
            found,
            launches=(
                lambda: with_text(
                    record(kernel, args, grid, keywords), columns.ttir_of(one), one.src.signature
                ),
            ),
        )
    show(found)
    return found


def _compiled(kernel: Any, args: tuple[Any, ...], grid: Any, keywords: dict[str, Any]) -> list[Any]:
    from ..device import device

    if hasattr(kernel, "asm"):
        return [kernel]
    if not hasattr(kernel, "warmup"):
        raise TypeError(
            f"explain needs a kernel, got '{type(kernel).__name__}'; "
            "decorate the function with @triton.jit"
        )
    with device("cpu"):
        compiled = kernel.warmup(*args, grid=grid, **keywords)
    return compiled if isinstance(compiled, list) else [compiled]


def explain_texts(texts: Sequence[str | bytes], *, printed_by_triton: bool = False) -> Explanation:
    """How the kernels in these modules of TTIR access memory."""
    from .. import library
    from ..errors import CompilationError
    from .loop_variables import read_accesses

    records: list[dict[str, Any]] = []
    for text in texts:
        made = library.compile_text(text, "explain=accesses", printed_by_triton=printed_by_triton)
        if not made.succeeded:
            raise CompilationError("?", "structured", made.diagnostics)
        records += read_accesses(made.artefact("accesses"))
    return Explanation(
        tuple(Access.of(record) for record in records if "kind" in record),
        tuple(record["counts"]["kernel"] for record in records if "counts" in record),
        tuple(map(json.dumps, records)),
        tuple(texts),
        printed_by_triton,
    )
