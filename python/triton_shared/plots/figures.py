"""Draws figures; who calls chooses where they go (`figure.savefig`)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import TritonSharedError
from .reading import Bar, Error

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_GOOD, _BAD, _NONE = "#4878a8", "#c44e52", "#b0b0b0"
_TYPES = ("#4878a8", "#ee854a", "#6acc64", "#956cb4", "#8c613c", "#dc7ec0", "#797979", "#d5bb67")
_EXACT = 1e-4
"""Errors of nothing lie here: a scale of powers has no zero."""
_FAR = 1e4
"""What is beyond this lies here."""


def speed(bars: Sequence[Bar], peer: str = "its peer") -> Figure:
    """A bar for each kernel, from its peer's speed (1) on, with the quartiles where they are known.

    The scale has powers of two, so that twice as fast and half as fast are as long.
    """
    figure, axes = _figure(len(bars))
    places = range(len(bars))
    widths = [bar.ratio - 1 for bar in bars]
    colours = [_GOOD if bar.ratio >= 1 else _BAD for bar in bars]
    axes.set_xscale("log", base=2)
    axes.barh(places, widths, left=1, height=0.6, color=colours)
    known = [
        (at, bar.ratio, bar.low, bar.high)
        for at, bar in enumerate(bars)
        if bar.low is not None and bar.high is not None
    ]
    if known:
        ats, ratios, lows, highs = zip(*known, strict=True)
        below = [max(0.0, ratio - low) for ratio, low in zip(ratios, lows, strict=True)]
        above = [max(0.0, high - ratio) for ratio, high in zip(ratios, highs, strict=True)]
        axes.errorbar(ratios, ats, xerr=(below, above), fmt="none", ecolor="black", capsize=2)
    axes.axvline(1.0, color="grey", linewidth=0.8)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    _name_rows(axes, [bar.name for bar in bars])
    axes.set_xlabel(f"speed as a multiple of {peer}; whiskers are quartiles")
    return _done(figure)


def errors(found: Sequence[Error]) -> Figure:
    """A mark for each result: the part of its bound that the largest error uses up."""
    names = list(dict.fromkeys(one.name for one in found))
    figure, axes = _figure(len(names))
    for number, dtype in enumerate(dict.fromkeys(one.dtype for one in found)):
        chosen = [one for one in found if one.dtype == dtype]
        axes.plot(
            [_shown(one.used) for one in chosen],
            [names.index(one.name) for one in chosen],
            "o",
            color=_TYPES[number % len(_TYPES)],
            label=dtype,
            markersize=5,
        )
    axes.set_xscale("log")
    axes.set_xlim(_EXACT / 2, _FAR * 2 if any(one.used > 1 for one in found) else 2)
    axes.axvline(1.0, color=_BAD, linewidth=1.2)
    axes.axvspan(1.0, axes.get_xlim()[1], color=_BAD, alpha=0.08)
    axes.xaxis.set_major_formatter(lambda value, _: "exact" if value == _EXACT else f"{value:g}")
    _name_rows(axes, names)
    axes.set_xlabel("largest error / its bound; right of the line is wrong")
    axes.legend(fontsize=7, loc="lower left")
    return _done(figure)


def coverage(cells: Mapping[tuple[str, str], Counter[str]]) -> Figure:
    """A square for each row and column that something is known of, with how many results it has.

    It is blue as far as they are right, red as far as they are wrong, grey where they did not run.
    """
    rows = sorted({row for row, _ in cells})
    columns = sorted({column for _, column in cells})
    figure, axes = _figure(len(rows), width=4 + 0.55 * len(columns))
    for (row, column), ends in cells.items():
        x, y, start = columns.index(column), rows.index(row), 0.0
        for end, colour in (("right", _GOOD), ("wrong", _BAD), ("not run", _NONE)):
            share = ends[end] / ends.total()
            axes.barh(y, 0.9 * share, left=x - 0.45 + 0.9 * start, height=0.9, color=colour)
            start += share
        axes.text(x, y, str(ends.total()), ha="center", va="center", fontsize=6, color="white")
    axes.set_xticks(range(len(columns)), columns, fontsize=7, rotation=45, ha="left")
    axes.xaxis.tick_top()
    axes.set_xlim(-0.5, len(columns) - 0.5)
    _name_rows(axes, rows)
    return _done(figure)


def _shown(used: float) -> float:
    return min(max(used, _EXACT), _FAR) if not math.isnan(used) else _FAR


def _figure(rows: int, width: float = 9.0) -> tuple[Figure, Any]:
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise TritonSharedError(
            "figures need matplotlib\ninstall it: pip install 'triton-shared[plots]'"
        ) from None
    matplotlib.rcParams["svg.hashsalt"] = "triton-shared"  # The same picture for the same numbers.
    figure = Figure(figsize=(width, 0.26 * rows + 1.4))
    return figure, figure.subplots()


def _name_rows(axes: Any, names: Sequence[str]) -> None:
    axes.set_yticks(range(len(names)), names, fontsize=7)
    axes.set_ylim(-0.6, len(names) - 0.4)
    axes.invert_yaxis()


def _done(figure: Figure) -> Figure:
    figure.tight_layout()
    return figure
