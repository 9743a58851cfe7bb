"""What the launchers in C pass for the hidden parameters of a kernel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..cuda import tensor_map
from ..launcher import hidden_kinds

_GRID = {
    "grid.x": ("uint32_t", "(uint32_t)gridX"),
    "grid.y": ("uint32_t", "(uint32_t)gridY"),
    "grid.z": ("uint32_t", "(uint32_t)gridZ"),
}
_PASSED = {
    "cuda": _GRID
    | {
        # What they hold is encoded once there are arguments.
        tensor_map.KIND: ("struct TritonSharedTensorMap", ""),
        tensor_map.MISSING: ("uint32_t", "0"),
    },
    # One call runs the whole grid.
    "cpu": _GRID
    | {
        "programs.first": ("int64_t", "0"),
        "programs.count": ("int64_t", "gridX * gridY * gridZ"),
        "programs.running": ("int64_t *", "&running"),
    },
}
"""By target and kind, the type and the value, in terms of the template."""


@dataclass(frozen=True)
class HiddenParameter:
    """A parameter that callers of the launcher do not see."""

    kind: str
    c_type: str
    c_value: str
    """Empty for a tensor map."""
    recipe: str = ""
    """Of a tensor map: the initializer of a `TritonSharedTensorMapRecipe`."""


def hidden_parameters(
    kernel: str,
    target: str,
    hidden: Sequence[Mapping[str, Any]],
    arguments: Sequence[tensor_map.Argument] = (),
) -> tuple[HiddenParameter, ...]:
    """Those that the kernel's metadata lists, in order."""
    passed = _PASSED[target]
    kinds = hidden_kinds(kernel, hidden, passed)
    may_be_missing = tensor_map.MISSING in kinds
    return tuple(
        HiddenParameter(kind, *passed[kind], _recipe(kernel, listed, arguments, may_be_missing))
        for kind, listed in zip(kinds, hidden, strict=True)
    )


def _recipe(
    kernel: str,
    hidden: Mapping[str, Any],
    arguments: Sequence[tensor_map.Argument],
    may_be_missing: bool,
) -> str:
    if hidden["kind"] != tensor_map.KIND:
        return ""
    _, element, base, sizes, strides, box, swizzle, fills, _ = tensor_map.as_plan(
        0, tensor_map.read(hidden), arguments, may_be_missing=may_be_missing
    )
    lists = [_braces(_number(one) for one in numbers) for numbers in (sizes, strides)]
    head = (f'"{kernel}"', f'"{element}"', str(len(box)), _number(base), *lists)
    tail = (_braces(map(str, box)), str(swizzle), _number(fills), _word(may_be_missing))
    return _braces([*head, *tail])


def _number(plan: tuple[int, int, int, bool, str]) -> str:
    argument, constant, size, is_unsigned, name = plan
    words = (str(argument), f"INT64_C({constant})", str(size), _word(is_unsigned), f'"{name}"')
    return _braces(words)


def _word(is_true: bool) -> str:
    return "true" if is_true else "false"


def _braces(words: Iterable[str]) -> str:
    return f"{{{', '.join(words)}}}"
