"""SVG of access maps, tile layouts and a roofline; colours are the page's."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Sequence
from typing import Any

_CELL = 7
_COLOURS = {"#": "var(--cell)", "+": "var(--both)", ".": "var(--masked)", "x": "var(--bad)"}


def draw_block(rows: Sequence[str], label: str) -> str:
    """The picture of a block: a square per element, or for several."""
    width, height = len(rows[0]) * _CELL, len(rows) * _CELL
    parts = [
        f'<rect x="{start * _CELL}" y="{y * _CELL}" width="{length * _CELL - 1}" '
        f'height="{_CELL - 1}" fill="{_COLOURS[letter]}"/>'
        for y, row in enumerate(rows)
        for start, length, letter in _runs(row)
    ]
    return _svg(width, height, label, parts)


def draw_strip(percents: Sequence[int], label: str) -> str:
    """A tensor from its first byte to its last: the darker, the more of it is touched."""
    width, height = len(percents) * 4, 14
    parts = [f'<rect width="{width}" height="{height}" fill="var(--masked)" opacity=".35"/>']
    parts += [
        f'<rect x="{n * 4}" width="4" height="{height}" fill="var(--cell)" '
        f'opacity="{0.25 + 0.75 * percent / 100:.2f}"/>'
        for n, percent in enumerate(percents)
        if percent
    ]
    return _svg(width, height, label, parts)


def draw_heat(rows: Sequence[Sequence[float]], label: str) -> str:
    """How much of its bound each part of a tensor's error uses up: 1 is red."""
    width, height = len(rows[0]) * _CELL, len(rows) * _CELL
    parts = [f'<rect width="{width}" height="{height}" fill="var(--masked)" opacity=".35"/>']
    parts += [
        f'<rect x="{x * _CELL}" y="{y * _CELL}" width="{_CELL - 1}" height="{_CELL - 1}" '
        f'fill="var(--{"bad" if value > 1 else "both"})" opacity="{min(1.0, 0.2 + value):.2f}"/>'
        for y, row in enumerate(rows)
        for x, value in enumerate(row)
        if value > 0
    ]
    return _svg(width, height, label, parts)


def draw_layout(tile: dict[str, Any], label: str) -> str:
    """Which thread holds each element of a tile: the colour is its warp, the number its lane."""
    shape = (1, 1, *tile["shape"])[-2:]
    rows, columns = min(shape[0], 16), min(shape[1], 32)
    owners = owners_of(tile)
    side = 22
    parts = []
    for y in range(rows):
        for x in range(columns):
            found = owners.get((y, x))
            if found is None:
                continue
            warp, lane, register = found
            hue = (warp * 67) % 360
            parts.append(
                f"<g><title>warp {warp}, lane {lane}, register {register}</title>"
                f'<rect x="{x * side}" y="{y * side}" width="{side - 1}" height="{side - 1}" '
                f'fill="hsl({hue} 60% 60% / {0.35 + 0.5 * (lane % 4) / 4:.2f})"/>'
                f'<text x="{x * side + side / 2 - 0.5}" y="{y * side + 15}" '
                f'text-anchor="middle">{lane}</text></g>'
            )
    return _svg(columns * side, rows * side, label, parts)


def owners_of(tile: dict[str, Any]) -> dict[tuple[int, int], tuple[int, int, int]]:
    """By the last two coordinates of an element: the first warp, lane and register that hold it."""
    found: dict[tuple[int, int], tuple[int, int, int]] = {}
    counts = [1 << len(tile[name]) for name in ("warps", "lanes", "registers")]
    for warp in range(counts[0]):
        for lane in range(counts[1]):
            for register in range(counts[2]):
                place = [0] * len(tile["shape"])
                for name, number in (("warps", warp), ("lanes", lane), ("registers", register)):
                    for bit, basis in enumerate(tile[name]):
                        if number >> bit & 1:
                            place = [a ^ b for a, b in zip(place, basis, strict=True)]
                if any(place[:-2]):
                    continue
                y, x = (0, 0, *place)[-2:]
                found.setdefault((y, x), (warp, lane, register))
    return found


def draw_roofline(roofline: dict[str, Any]) -> str:
    """Operations per second over operations per byte, both as powers of ten."""
    width, height, margin = 520, 260, 46
    bandwidth = roofline["bytes_per_second"]
    intensity = max(roofline["intensity"], 1e-3)
    x_range = (-2.0, 3.0)
    highest = max(*roofline["peaks"].values(), roofline["flops_per_second"])
    y_top = math.ceil(math.log10(highest))
    y_range = (y_top - 5.0, float(y_top))

    def at(x: float, y: float) -> tuple[float, float]:
        across = (math.log10(x) - x_range[0]) / (x_range[1] - x_range[0])
        up = (math.log10(max(y, 1e-9)) - y_range[0]) / (y_range[1] - y_range[0])
        return margin + across * (width - margin - 16), (1 - up) * (height - margin) + 6

    x, y = at(min(max(intensity, 1e-2), 1e3), roofline["flops_per_second"])
    y = min(max(y, 6), height - margin + 6)
    parts = [
        *(_draw_roof(at, name, flops, bandwidth) for name, flops in roofline["peaks"].items()),
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="var(--bad)"/>',
        f'<text x="{x + 8:.1f}" y="{y + 14:.1f}">this launch</text>',
        f'<text x="{width / 2}" y="{height - 4}" text-anchor="middle">operations per byte</text>',
    ]
    parts += list(_ticks(at, x_range, y_range, height, margin))
    label = f"roofline of {roofline['device']}, and where the launch lies"
    return _svg(width, height, html.escape(label), parts)


def _draw_roof(at: Any, name: str, flops: float, bandwidth: float) -> str:
    """The most operations per second of a kind, over operations per byte."""
    ends = [at(1e-2, bandwidth * 1e-2), at(flops / bandwidth, flops), at(1e3, flops)]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in ends)
    x, y = ends[-1]
    return (
        f'<polyline points="{path}" fill="none" stroke="var(--key)" stroke-width="2"/>'
        f'<text x="{x:.1f}" y="{y + 14:.1f}" text-anchor="end">{name}</text>'
    )


def _ticks(
    at: Any, x_range: tuple[float, float], y_range: tuple[float, float], height: int, margin: int
) -> Iterator[str]:
    for power in range(int(x_range[0]), int(x_range[1]) + 1):
        x, _ = at(10.0**power, 10 ** y_range[1])
        yield f'<text x="{x:.0f}" y="{height - 20}" text-anchor="middle">{10.0**power:g}</text>'
    for power in range(int(y_range[0]), int(y_range[1]) + 1):
        _, y = at(1, 10.0**power)
        yield f'<text x="2" y="{y + 4:.0f}">{10.0 ** (power - 9):g}</text>'
    yield f'<text x="{margin}" y="{height - 34}">Gflop/s</text>'


def _runs(row: str) -> Iterator[tuple[int, int, str]]:
    start = 0
    for at in range(1, len(row) + 1):
        if at == len(row) or row[at] != row[start]:
            yield start, at - start, row[start]
            start = at


def _svg(width: float, height: float, label: str, parts: Sequence[str]) -> str:
    return (
        f'<svg role="img" aria-label="{label}" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}">{"".join(parts)}</svg>'
    )
