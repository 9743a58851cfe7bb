"""Explanations as tables: with colours where `rich` is installed, else as plain text."""

from __future__ import annotations

import linecache
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import Access, Dimension, Explanation

_HEAD = ("line", "source", "access", "dimensions", "why not strided, and the way out")
_WIDE = 100
"""Columns of a terminal that are enough for all of a table."""
_COLOURS = {"gathered": "red", "partly gathered": "yellow"}


def show(explanation: Explanation) -> None:
    """Prints a table per kernel to the standard output."""
    try:
        from rich.console import Console
        from rich.table import Table
    except ImportError:
        print(plain(explanation))
        return
    console = Console()
    for kernel in explanation.kernels:
        # Where there is little room, the line's number has to do for its text.
        shown = [n for n, name in enumerate(_HEAD) if name != "source" or console.width >= _WIDE]
        head = [_HEAD[n] for n in shown]
        table = Table(*head, title=kernel, caption=summary(explanation, kernel))
        for access in explanation:
            if access.kernel == kernel:
                cells = _cells(access)
                table.add_row(*(cells[n] for n in shown), style=_COLOURS.get(access.kind))
        console.print(table)


def show_table(head: Sequence[str], rows: Sequence[Sequence[str]], title: str) -> None:
    """Prints rows of text to the standard output."""
    try:
        from rich.console import Console
        from rich.table import Table
    except ImportError:
        print(title, *("\t".join(row) for row in (head, *rows)), sep="\n")
        return
    table = Table(*head, title=title)
    for row in rows:
        table.add_row(*row)
    Console().print(table)


def plain(explanation: Explanation) -> str:
    """The same as lines of text."""
    return "\n".join(line for kernel in explanation.kernels for line in _lines(explanation, kernel))


def summary(explanation: Explanation, kernel: str) -> str:
    """ "3 strided, 1 gathered"."""
    counts = explanation.counts(kernel)
    return ", ".join(f"{n} {kind}" for kind, n in counts.items() if n) or "no access to memory"


def _lines(explanation: Explanation, kernel: str) -> Iterator[str]:
    yield f"{kernel}: {summary(explanation, kernel)}"
    for access in explanation:
        if access.kernel != kernel:
            continue
        line, source, what, dimensions, why = _cells(access)
        where = f"line {line}: " if line else ""
        yield f"  {where}{what}{'; ' if dimensions else ''}{dimensions.replace(chr(10), '; ')}"
        if source:
            yield f"    {source}"
        for reason in why.splitlines():
            yield f"    {reason}"


def _cells(access: Access) -> tuple[str, str, str, str, str]:
    place = access.place
    source = linecache.getline(place.file, place.line).strip() if place else ""
    size = f" of {'x'.join(map(str, access.shape))}" if access.shape else ""
    why = [str(access.why)] if access.why else []
    why += [access.way_out] if access.way_out else []
    why += [f"the mask stays a tensor: {mask}" for mask in access.masks]
    return (
        str(place.line) if place else "",
        source,
        f"{access.kind} {access.noun}{size}",
        "\n".join(_describe(dimension) for dimension in access.dimensions),
        "\n".join(why),
    )


def _describe(dimension: Dimension) -> str:
    text = f"stride {dimension.stride}"
    if dimension.wrap:
        text += ", wrapped" if dimension.wrap == "?" else f", wrapped at {dimension.wrap}"
    if dimension.by_index:
        text += ", by index"
    if dimension.bounds:
        low, high = dimension.bounds
        text += ", bounded" if high == "?" else f", from {low} to {high}"
    return text
