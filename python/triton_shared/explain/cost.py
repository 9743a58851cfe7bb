"""What a launch computes and moves.

Both are counted in phase `linalg`, turn by turn with the launch's numbers: operations of linalg's
bodies, and bytes that accesses let through. Where data decide how often something is done, what
Triton's interpreter has seen takes the place of that.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from .. import library
from ..diff.recording import Recording

IR, INTERPRETER = "linalg", "interpreter"
"""Who has counted."""


def count(launch: Recording, programs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The "flops", "bytes" and "counted" of `schema.json` under "roofline".

    They are those of `programs`, which are those of the access maps, taken for the whole grid.
    """
    costs = [_count_one(launch, one["program"]) for one in programs]
    seen = {
        "flops": [one["flops"] for one in programs],
        "bytes": [sum(a["distinct_bytes"] for a in one["accesses"]) for one in programs],
    }
    found: dict[str, Any] = {"counted": {"why": _reason(costs)}}
    for what, by_interpreter in seen.items():
        numbers = [one[what] for one in costs]
        is_known = None not in numbers
        found["counted"][what] = IR if is_known else INTERPRETER
        numbers = numbers if is_known else by_interpreter
        found[what] = sum(numbers) / len(numbers) * math.prod(launch.grid)
    return found


def _count_one(launch: Recording, program: Sequence[int]) -> dict[str, Any]:
    """The compiler's count for one program: "flops" and "bytes", null with "why" if unknown."""
    if not launch.ttir:
        return _unknown("the launch has no TTIR")
    words = f"explain=cost launch={{{' '.join(_numbers(launch, program))}}}"
    made = library.compile_text(launch.ttir, words, printed_by_triton=True)
    if not made.succeeded:
        return _unknown(f"it does not compile for the CPU: {made.diagnostics.splitlines()[0]}")
    cost: dict[str, Any] = json.loads(made.artefact("cost"))
    return cost


def _unknown(reason: str) -> dict[str, Any]:
    return {"flops": None, "bytes": None, "why": {"reason": reason, "op": "", "places": []}}


def _numbers(launch: Recording, program: Sequence[int]) -> list[str]:
    """What the program knows, by the names of the kernel's parameters and of hidden ones."""
    given = {n: int(v) for n, v in launch.arguments.items() if isinstance(v, int)}
    for axis, size, place in zip("xyz", (*launch.grid, 1, 1), program, strict=False):
        given |= {f"grid.{axis}": size, f"program.{axis}": place}
    return [f"{name}={value}" for name, value in given.items()]


def _reason(costs: Sequence[dict[str, Any]]) -> str | None:
    why = next((one["why"] for one in costs if "why" in one), None)
    if why is None:
        return None
    where = f"in line {why['places'][0]['line']}, " if why["places"] else ""
    return f"{where}{why['op']} {why['reason']}".strip()
