"""Tells what a comparison found, as text and as JSON."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

from ..source_lines import with_source_lines
from .comparison import Finding, LaunchReport, TensorReport, Worst
from .configurations import ConfigurationReport, SweepReport
from .exact import Exactly
from .recording import shown
from .widening import Widened, Widening, Widenings

SCHEMA = 1


def as_json(
    reports: Sequence[LaunchReport],
    targets: tuple[str, str],
    widenings: Widenings | None = None,
) -> str:
    """Everything, for programs. Numbers that JSON does not have are words."""
    content = {"launches": [asdict(r) for r in reports], **_unused(widenings)}
    return _as_json(targets, status(reports), content)


def _unused(widenings: Widenings | None) -> dict[str, Any]:
    return {"unused": [asdict(one) for one in widenings.unused()]} if widenings else {}


def sweeps_as_json(
    reports: Sequence[SweepReport],
    targets: tuple[str, str],
    widenings: Widenings | None = None,
) -> str:
    """Everything about configurations, for programs."""
    sweeps = []
    for report in reports:
        facts = asdict(report) | {"status": report.status}
        for told, one in zip(facts["configurations"], report.configurations, strict=True):
            told["verdict"] = one.verdict
        sweeps.append(facts)
    return _as_json(targets, status(reports), {"sweeps": sweeps, **_unused(widenings)})


def _as_json(targets: tuple[str, str], found: str, content: dict[str, Any]) -> str:
    whole = {"schema": SCHEMA, "targets": list(targets), "status": found, **content}
    return json.dumps(_plain(whole), indent=1)


def without_folder(report: LaunchReport) -> LaunchReport:
    """For a launch whose folder will be gone."""
    return replace(report, folder=None)


def status(reports: Sequence[LaunchReport | SweepReport]) -> str:
    """`equal`, `different` if a result is, else `failed` if a target could not run something."""
    found = {report.status for report in reports}
    return next((s for s in ("different", "failed") if s in found), "equal")


def as_text(
    reports: Sequence[LaunchReport],
    targets: tuple[str, str],
    widenings: Widenings | None = None,
) -> str:
    """For people: a line per launch that is equal, the details of the others, a summary."""
    lines = [line for report in reports for line in _launch_lines(report, targets)]
    lines += widenings.unused_lines() if widenings else []
    counts = {s: sum(r.status == s for r in reports) for s in ("equal", "different", "failed")}
    told = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
    return "\n".join([*lines, f"{targets[0]} and {targets[1]}, {len(reports)} launches: {told}"])


def _launch_lines(report: LaunchReport, targets: tuple[str, str]) -> Iterator[str]:
    grid = "x".join(str(n) for n in report.grid)
    title = f"{report.label or report.kernel}: kernel '{report.kernel}', grid {grid}"
    if report.status == "equal":
        tightest = max(report.tensors, key=lambda tensor: tensor.margin, default=None)
        used = ""
        if tightest and tightest.margin:
            used = f", {tightest.margin:.0%} of the bound '{tightest.policy}' used"
        yield f"equal      {title}{used}"
        yield from _underived_lines(report)
        yield from widened_lines(report)
        yield from _exact_lines(report, targets)
        return
    yield f"{report.status:<10} {title}"
    if report.message:
        yield from (f"    {line}" for line in report.message.splitlines()[-12:])
    for tensor in report.tensors:
        if not tensor.is_equal:
            yield from (f"    {line}" for line in _tensor_lines(tensor, targets))
    yield from _underived_lines(report)
    yield from widened_lines(report)
    yield from _exact_lines(report, targets)
    if report.culprit:
        yield from (f"    {line}" for line in _finding_lines(report.culprit, targets))
    if report.folder:
        yield f"    kept in {report.folder}"


def _underived_lines(report: LaunchReport) -> Iterator[str]:
    """What the kernel says nothing about, where it was asked how far off it may be."""
    if report.underived:
        yield f"    not derived: {report.underived}"
    for tensor in report.tensors:
        if tensor.underived:
            yield f"    {tensor.argument}: {tensor.underived}"


def _exact_lines(report: LaunchReport, targets: tuple[str, str]) -> Iterator[str]:
    """What is said of a launch with integers for floats."""
    found: Exactly | None = report.exact
    if found is None:
        return
    if found.verdict == "not done":
        first, *more = found.said.splitlines() or [""]
        yield f"    exact: not done: {first}"
        yield from (f"        {line}" for line in more[-12:])
    elif found.verdict == "equal":
        is_rounding = report.status == "different"
        yield "    exact: equal" + (": what differs is rounding" if is_rounding else "")
    else:
        for one in found.differences:
            wrote = f", written by program {one.program}" if one.program else ""
            yield (
                f"    exact: different at {one.argument}{list(one.index)}{wrote}: {one.wrong} of "
                f"{math.prod(one.shape)} elements; algorithm, address or mask"
            )
        if found.culprit:
            yield from (f"    {line}" for line in _finding_lines(found.culprit, targets))


def widened_lines(*reports: LaunchReport) -> Iterator[str]:
    """Which bounds are not those of everybody, and what for."""
    used: dict[tuple[Widening, str], Widened] = {}
    for report in reports:
        found = [one.widened for one in report.tensors if one.widened]
        for one in (*found, *(report.culprit.widened if report.culprit else ())):
            known = used.get((one.widening, one.what))
            if known is None or known.margin < one.margin:
                used[one.widening, one.what] = one
    yield from (f"    {one.describe()}" for one in used.values())


def _finding_lines(finding: Finding, targets: tuple[str, str]) -> Iterator[str]:
    culprit = finding.culprit
    if culprit is None:
        yield f"no operation is to blame: {finding.said}"
        return
    site = culprit.site
    variable = f" (variable '{site.variable}')" if site.variable else ""
    place = f"{shown(site.file)}:{site.line}:{site.column}: error: " if site.file else ""
    said = f"{place}on {targets[1]}, {site.op}{variable} {culprit.why}"
    yield from with_source_lines(said).splitlines()
    yield f"in program {culprit.program}, computed {culprit.iteration} times before"
    if culprit.worst:
        sides = (f"its operands on {targets[0]}", targets[1])
        yield from _worst_lines(culprit.worst, sides, f", bound '{culprit.worst.bound}'")


def sweeps_as_text(
    reports: Sequence[SweepReport],
    targets: tuple[str, str],
    widenings: Widenings | None = None,
) -> str:
    """For people: a table of each kernel's configurations, the details of those that are wrong."""
    lines = [line for report in reports for line in _sweep_lines(report, targets)]
    lines += widenings.unused_lines() if widenings else []
    verdicts = [one.verdict for report in reports for one in report.configurations]
    counts = {v: verdicts.count(v) for v in ("right", "wrong", "passed over", "failed")}
    told = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
    return "\n".join([*lines, f"{len(verdicts)} configurations: {told}"])


def _sweep_lines(report: SweepReport, targets: tuple[str, str]) -> Iterator[str]:
    yield f"{report.label or report.kernel}: kernel '{report.kernel}'"
    rows = [("configuration", *dict.fromkeys(targets))]
    for one in report.configurations:
        first = "reference" if one.is_reference else _cell(one.first)
        rows.append((one.configuration, *[first, _cell(one.second)][: len(rows[0]) - 1]))
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        cells = (f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
        yield f"    {'  '.join(cells)}".rstrip()
    if not report.is_decided:
        yield "    as many agree with each other as with the reference: nothing says who is right"
    for one in report.configurations:
        if one.verdict != "right":
            yield from (f"    {line}" for line in configuration_lines(one, targets))
    both = ((one.first, one.second) for one in report.configurations)
    yield from widened_lines(*itertools.chain.from_iterable(both))


def _cell(report: LaunchReport) -> str:
    if report.status == "failed":
        return f"does not run: {report.message.partition(':')[0]}"
    used = max((tensor.margin for tensor in report.tensors), default=0.0)
    return report.status + (
        f", {used:.0%} of the bound" if used and report.status == "equal" else ""
    )


def configuration_lines(one: ConfigurationReport, targets: tuple[str, str]) -> Iterator[str]:
    """What is wrong with a configuration, where, and by how much."""
    on_first = one.first.status != "equal"
    report, target = (one.first, targets[0]) if on_first else (one.second, targets[1])
    why = {
        "wrong": f"wrong on {target}" + (", so the kernel itself is" if on_first else " alone"),
        "passed over": f"does not fit on {target}; an autotuner passes it over",
        "failed": f"does not run on {target}",
    }[one.verdict]
    yield f"{one.configuration}: {why}"
    if report.status == "failed":
        yield from (f"    {line}" for line in report.message.splitlines()[-12:])
    for tensor in report.tensors:
        if not tensor.is_equal:
            sides = ("the reference", one.configuration)
            yield from (f"    {line}" for line in _tensor_lines(tensor, sides))


def describe(tensor: TensorReport, targets: tuple[str, str]) -> str:
    """One tensor that differs, in a few lines."""
    return "\n".join(_tensor_lines(tensor, targets))


def _tensor_lines(tensor: TensorReport, targets: tuple[str, str]) -> Iterator[str]:
    shape = "x".join(str(n) for n in tensor.shape)
    count = math.prod(tensor.shape)
    yield (
        f"{tensor.argument} ({shape} {tensor.dtype}): {tensor.wrong} of {count} elements are "
        f"beyond the bound '{tensor.policy}'"
    )
    worst = tensor.worst
    if not worst:
        return
    wrote = f", written by program {tensor.program}" if tensor.program else ""
    is_exact = tensor.policy == "exact"
    yield from _worst_lines(worst, targets, None if is_exact else "", wrote)


def _worst_lines(
    worst: Worst, targets: tuple[str, str], bound: str | None, wrote: str = ""
) -> Iterator[str]:
    """Both sides, and what is expected with its bound, unless that is None."""
    yield f"  worst at {list(worst.index)}{wrote}"
    width = max(len(target) for target in (*targets, "expected"))
    yield f"    {targets[0]:<{width}} {_number(worst.left)}"
    yield f"    {targets[1]:<{width}} {_number(worst.right)}"
    if bound is not None:
        allowed = f"within {worst.allowed:.3g}{bound}"
        yield f"    {'expected':<{width}} {_number(worst.expected)} {allowed}"
    distance = f", {worst.ulp} ulp apart" if worst.ulp is not None else ""
    side = {"left": f"{targets[0]} is ", "right": f"{targets[1]} is "}.get(worst.off, "")
    yield f"    {side}off by {worst.error:.6g}{distance}"


def _number(value: float) -> str:
    return f"{value:.0f}" if value == int_of(value) else f"{value:.9g}"


def int_of(value: float) -> float:
    """The value without its fraction; NaN for what has none."""
    return float(int(value)) if math.isfinite(value) and abs(value) < 2**53 else math.nan


def _plain(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {key: _plain(member) for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(member) for member in value]
    return value if isinstance(value, (str, int, float, bool)) or value is None else str(value)
