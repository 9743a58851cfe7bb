"""What figures are drawn of: results of benchmarks, reports of `diff` and campaigns."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import TritonSharedError

_SQLITE = b"SQLite format 3\x00"
_NOT_RUN = "not run"

Cells = dict[tuple[str, str], Counter[str]]
"""How many results of a row and a column end how: `right`, `wrong`, or `not run`."""


@dataclass(frozen=True)
class Bar:
    """How fast one kernel is, as a ratio to its peer: above 1 is faster than that."""

    name: str
    ratio: float
    low: float | None = None
    """The lower quartile, if it was kept."""
    high: float | None = None


@dataclass(frozen=True)
class Error:
    """One result that was compared."""

    name: str
    dtype: str
    used: float
    """The largest part of its bound that an error uses up; wrong above 1."""


def read_speed(path: Path) -> list[Bar]:
    """The bars of a file of `benchmarks/results`. Raises TritonSharedError for any other."""
    whole = _json(path)
    rows: list[Any] = []
    if isinstance(whole, dict):
        rows = whole.get("rows") or whole.get("results") or []
    bars = [bar for row in rows for bar in _bars(row)]
    if not bars:
        raise TritonSharedError(
            f"{path} has no ratios: 'rows' with 'name' and 'ratio', or 'results' with 'kernel' and "
            "'eager'\nfiles of benchmarks/results have them"
        )
    return bars


def _bars(row: dict[str, Any]) -> Iterator[Bar]:
    nothing = (None, None)
    if row.get("ratio") is not None and "name" in row:
        low, high = row.get("ratio_spread") or nothing
        yield Bar(row["name"], row["ratio"], low, high)
    elif row.get("eager") is not None and "kernel" in row:
        low, high = row.get("eager_spread") or nothing
        yield Bar(f"{row['kernel']} {row['size']}", row["eager"], low, high)


def read_errors(path: Path) -> list[Error]:
    """The results of a campaign of `diff`, of a report of `diff --json`, or of `gpu-check.json`.

    Raises TritonSharedError where nothing was compared.
    """
    if not _is_campaign(path):
        found = list(_errors_of(_json(path)))
    else:
        found = [one for _, result in _done(path, "diff") for one in _errors_of(result or {})]
    if not found:
        raise TritonSharedError(
            f"{path} has no result that was compared\n"
            "'python -m triton_shared.campaign diff' and 'python -m triton_shared.diff --json' "
            "leave some"
        )
    return found


def _errors_of(report: dict[str, Any]) -> Iterator[Error]:
    for launch in _launches(report):
        for tensor in launch["tensors"]:
            name = f"{launch['label'] or launch['kernel']}: {tensor['argument']}"
            yield Error(name, tensor["dtype"], _number(tensor["margin"]))
    for row in report.get("rows", ()):
        if row.get("margin") is not None and "kernel" in row:
            yield Error(row["name"], ", ".join(row.get("policies", ())), _number(row["margin"]))


def _launches(report: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from report.get("launches", ())
    for sweep in report.get("sweeps", ()):
        for one in sweep["configurations"]:
            yield from (one[side] for side in ("first", "second") if one.get(side))


def read_coverage(path: Path) -> Cells:
    """Rows and columns of a figure of coverage.

    Of a campaign of `diff`, kernels by the type of what they leave; of one of `check`, files by
    class of finding; of `docs/executed-operations.json`, operations by type of element, which are
    `right` where they ran on both targets and `not run` on the one where they did not.
    """
    if _is_campaign(path):
        cells = _of_campaign(path)
    else:
        cells = _of_operations(_json(path))
    if not cells:
        raise TritonSharedError(
            f"{path} covers nothing: it is no campaign of diff or check that has done a case, and "
            "no list of operations"
        )
    return cells


def _of_campaign(path: Path) -> Cells:
    cells: Cells = {}
    for (name, _), result in _done(path, "diff"):
        for launch in _launches(result or {}):
            if launch["status"] == "failed":
                cells.setdefault((launch["kernel"], "?"), Counter())[_NOT_RUN] += 1
            for tensor in launch["tensors"]:
                end = "wrong" if tensor["wrong"] else "right"
                cells.setdefault((launch["kernel"], tensor["dtype"]), Counter())[end] += 1
        if not result:
            cells.setdefault((name, "?"), Counter())[_NOT_RUN] += 1
    for (name, status), result in _done(path, "check"):
        row = name.partition("::")[0]
        found = [one["kind"] for one in (result or {}).get("findings", ())]
        for kind in found:
            cells.setdefault((row, kind), Counter())["wrong"] += 1
        if not found:
            end = "right" if status == "clean" else _NOT_RUN
            cells.setdefault((row, status), Counter())[end] += 1
    return cells


def _of_operations(targets: Any) -> Cells:
    if not isinstance(targets, dict) or not all(isinstance(one, dict) for one in targets.values()):
        return {}
    cells: Cells = {}
    places = {
        (op, kind)
        for ops in targets.values()
        for op, kinds in ops.items()
        if isinstance(kinds, dict)
        for kind in kinds
    }
    for op, kind in sorted(places):
        for ops in targets.values():
            end = "right" if kind in ops.get(op, {}) else _NOT_RUN
            cells.setdefault((op, kind), Counter())[end] += 1
    return cells


def _is_campaign(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE


def _done(path: Path, kind: str) -> Iterator[tuple[tuple[str, str], dict[str, Any] | None]]:
    """The name, the end and the result of each case of a kind that is done."""
    from ..campaign.results import reading

    with reading(path) as results:
        for row in results.rows():
            if row.case.kind == kind and row.outcome:
                yield (row.case.name, row.outcome.status), row.outcome.result


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text())
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise TritonSharedError(f"{path} is neither a campaign nor JSON: {error}") from None


def _number(value: float | str) -> float:
    """JSON has no infinity: `diff` writes a word."""
    return float(value) if not isinstance(value, str) else math.inf
