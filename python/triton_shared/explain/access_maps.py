"""Which elements chosen programs of a launch access: counted, and as small pictures."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..diff import workers
from ..diff.recording import Recording, RecordingError

if TYPE_CHECKING:
    from .map_worker import Notes, Program

SECTOR = 32
"""Bytes that a GPU's memory moves at least."""
LINE = 64
"""Bytes of a CPU's cache line; GPUs have two in one."""
_WARP = 32
_MOST_CELLS = 64
"""Of a picture, along each side."""
_TIMEOUT = 120


def choose_programs(grid: Sequence[int]) -> list[Program]:
    """The first program, its neighbours along each axis, and the last."""
    size = (*grid, 1, 1)[:3]
    first = (0, 0, 0)
    beside = [tuple(int(n == axis) for n in range(3)) for axis in range(3) if size[axis] > 1]
    last = tuple(n - 1 for n in size)
    return list(dict.fromkeys([first, *beside, last]))  # type: ignore[list-item]


def record(launch: Recording, programs: Sequence[Program]) -> dict[str, Any]:
    """What these programs access, as `schema.json` has it under "maps", as "programs".

    "lost" is an access to memory that is not the launch's, with how many elements, or None.
    Raises RecordingError with the reason if the interpreter does not run the launch.
    """
    with tempfile.TemporaryDirectory(prefix="triton-shared-") as folder:
        launch.save(Path(folder))
        answer = Path(folder, "maps.json")
        words = [folder, str(answer), json.dumps(programs)]
        command = [sys.executable, "-m", "triton_shared.explain.map_worker", *words]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=_TIMEOUT,
                env=workers.environment("interpreter"),
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise RecordingError(
                f"Triton's interpreter did not end within {_TIMEOUT} s: a smaller grid would do"
            ) from None
        if done.returncode:
            said = done.stderr.strip().splitlines() or ["it died"]
            raise RecordingError(f"Triton's interpreter does not run it: {said[-1]}")
        found: dict[str, Any] = json.loads(answer.read_text())
        return found


def describe(notes: Notes, spans: list[tuple[str, int, int]]) -> dict[str, Any]:
    """What the notes of the interpreter say; `spans` are where tensors begin and end."""
    programs = []
    for program in sorted(notes.wanted):
        others = [p for p in notes.wanted if p != program]
        accesses = [
            _describe_access(key, found, spans, [notes.accesses[p].get(key) for p in others])
            for key, found in notes.accesses[program].items()
        ]
        programs.append(
            {
                "program": list(program),
                "flops": notes.flops[program],
                "bytes": sum(one["bytes"] for one in accesses),
                "accesses": accesses,
            }
        )
    return {"programs": programs, "lost": _find_lost(notes, programs)}


def _find_lost(notes: Notes, programs: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """The first access of which some lanes lie in no memory of the launch at all."""
    for program in programs:
        accesses = notes.accesses[tuple(program["program"])].values()
        for one, found in zip(program["accesses"], accesses, strict=True):
            if found.lost:
                return {**one, "program": program["program"], "elements": found.lost}
    return None


def _describe_access(
    key: Any, found: Any, spans: list[tuple[str, int, int]], others: list[Any]
) -> dict[str, Any]:
    size = found.bytes_each
    live = np.concatenate(found.addresses) if found.addresses else np.zeros(0, np.uint64)
    live = live.astype(np.int64)
    name, first, last = _tensor_of(live, found, spans)
    outside = live[(live < first) | (live + size > last)]
    shared = [
        other for other in others
        if other and np.isin(live, np.concatenate(other.addresses).astype(np.int64)).any()
    ]  # fmt: skip
    block, mask = found.blocks[0]
    return {
        "access": found.kind,
        "file": found.file,
        "line": found.line,
        "argument": name,
        "element_bytes": size,
        "shape": list(found.shape),
        "turns": found.turns,
        "elements": int(live.size),
        "masked": found.masked,
        "outside": int(outside.size),
        "first_outside": int((outside[0] - first) // size) if outside.size else None,
        "bytes": int(live.size) * size,
        "distinct_bytes": int(np.unique(live).size) * size,
        "cache_lines": _count_lines(live, size, LINE),
        "least_cache_lines": math.ceil(np.unique(live).size * size / LINE),
        **_coalescing(found, size),
        "shared_with": len(shared),
        "first": int((live.min() - first) // size) if live.size else None,
        "last": int((live.max() - first) // size) if live.size else None,
        "tensor_elements": (last - first) // size,
        "picture": _picture(block.astype(np.int64), mask, first, last, size),
        "strip": _strip(live, first, last),
    }


def _tensor_of(live: Any, found: Any, spans: list[tuple[str, int, int]]) -> tuple[str, int, int]:
    """The tensor that most addresses lie in, or else the nearest one."""
    every = live if live.size else found.blocks[0][0].astype(np.int64).ravel()
    inside = [int(((every >= a) & (every < b)).sum()) for _, a, b in spans]
    if not spans:
        return "?", int(every.min()), int(every.max()) + found.bytes_each
    if max(inside):
        return spans[inside.index(max(inside))]
    return min(spans, key=lambda span: abs(int(every.min()) - span[1]))


def _count_lines(addresses: Any, size: int, line: int) -> int:
    return int(np.unique(np.concatenate([addresses // line, (addresses + size - 1) // line])).size)


def _coalescing(found: Any, size: int) -> dict[str, int]:
    """Sectors that warps ask for, each for 32 neighbours of the block, and how few would do."""
    sectors = least = 0
    for block, mask in found.blocks:
        addresses, live = block.astype(np.int64).ravel(), mask.ravel()
        for at in range(0, addresses.size, _WARP):
            part = addresses[at : at + _WARP][live[at : at + _WARP]]
            if part.size:
                sectors += _count_lines(part, size, SECTOR)
                least += math.ceil(np.unique(part).size * size / SECTOR)
    return {"sectors": sectors, "least_sectors": least}


def _picture(block: Any, mask: Any, first: int, last: int, size: int) -> list[str]:
    """The block as rows of letters: # accessed, . masked, x outside of the tensor, + some of it.

    A block that is too large is shown in parts, of which each letter stands for several.
    """
    outside = mask & ((block < first) | (block + size > last))
    state = np.where(outside, 2, np.where(mask, 1, 0))
    if state.ndim == 0:
        state = state.reshape(1, 1)
    elif state.ndim == 1:
        width = min(_MOST_CELLS, state.size)
        state = state.reshape(-1, width) if state.size % width == 0 else state.reshape(1, -1)
    else:
        state = state.reshape(-1, state.shape[-1])
    steps = [math.ceil(n / _MOST_CELLS) for n in state.shape]
    rows = []
    for y in range(0, state.shape[0], steps[0]):
        cells = [
            state[y : y + steps[0], x : x + steps[1]] for x in range(0, state.shape[1], steps[1])
        ]
        rows.append("".join(map(_letter, cells)))
    return rows


def _letter(cell: Any) -> str:
    if (cell == 2).any():
        return "x"
    if (cell == 1).all():
        return "#"
    return "+" if (cell == 1).any() else "."


def _strip(live: Any, first: int, last: int) -> list[int]:
    """Of each of 128 equal parts of the tensor, how many percent of its bytes are touched."""
    parts = 128
    inside = np.unique(live[(live >= first) & (live < last)])
    if not inside.size:
        return [0] * parts
    at = ((inside - first) * parts // max(1, last - first)).astype(int)
    counts = np.bincount(at, minlength=parts)[:parts]
    step = int(np.gcd.reduce(np.diff(inside))) if inside.size > 1 else 1
    full = max(1.0, (last - first) / parts / max(1, min(step, 16)))
    return [min(100, math.ceil(100 * int(n) / full)) for n in counts]
