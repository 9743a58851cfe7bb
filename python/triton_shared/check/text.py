"""Findings as text for a person, by rich."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..errors import TritonSharedError
from ..source_lines import marked_line
from .finding import Element, Finding, Place, Tensor, ranges

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_COLOURS = {"error": "bold red", "warning": "bold yellow", "info": "bold blue"}
_MOST_LANES = 8


def title(finding: Finding) -> str:
    """What is wrong, in one line."""
    return _TITLES[finding.kind](finding)


def as_text(findings: list[Finding], launches: int, ended_early: list[str]) -> str:
    """All of it without colours."""
    stream = io.StringIO()
    _write(_console(file=stream, color_system=None, width=100), findings, launches, ended_early)
    return stream.getvalue()


def show(findings: list[Finding], launches: int, ended_early: list[str]) -> None:
    """Writes all of it to standard error, with colours if that is a terminal."""
    _write(_console(file=sys.stderr), findings, launches, ended_early)


def _console(**settings: object) -> Console:
    try:
        from rich.console import Console
    except ImportError as error:
        raise TritonSharedError(
            "reports as text need the package 'rich': pip install 'triton-shared[check]'"
        ) from error
    return Console(highlight=False, soft_wrap=True, **settings)


def _write(
    console: Console, findings: list[Finding], launches: int, ended_early: list[str]
) -> None:
    from rich.text import Text

    for finding in findings:
        console.print(_describe(finding), end="\n\n")
    for reason in ended_early:
        console.print(Text.assemble(("note: ", "bold"), f"a launch ended early: {reason}"))
    count = len(findings)
    what = "1 finding" if count == 1 else f"{count or 'no'} findings"
    runs = "1 launch" if launches == 1 else f"{launches} launches"
    console.print(f"{what} in {runs}")


def _describe(finding: Finding) -> Text:
    from rich.text import Text

    text = Text()
    text.append(f"{finding.severity}: ", _COLOURS[finding.severity])
    text.append(f"{title(finding)}\n")
    _add_places(text, "  --> ", finding.places)
    if finding.other:
        _add_places(text, "  and ", finding.other.places)
    for name, tell in _FACTS.get(finding.kind, _FACTS_OF_CONFLICTS).items():
        if fact := tell(finding):
            text.append(f"  {name:<9}", "dim")
            text.append(f"{fact}\n")
    text.rstrip()
    return text


def _add_places(text: Text, lead: str, places: tuple[Place, ...]) -> None:
    for number, place in enumerate(places):
        text.append("  called from " if number else lead, "blue")
        text.append(f"{place}\n")
        for line in marked_line(place.file, place.line, place.column):
            text.append(f"{line}\n")


def _variable(finding: Finding) -> str:
    return f", variable '{finding.variable}'" if finding.variable else ""


def _accessed(finding: Finding) -> Tensor:
    """What is accessed by a finding that is about an access."""
    assert finding.tensor
    return finding.tensor


def _reach(finding: Finding) -> tuple[int, int]:
    """The first and the last element of the tensor, counted in elements of the access."""
    tensor = _accessed(finding)
    first = tensor.lowest * tensor.element_bytes // finding.element_bytes
    return first, (tensor.highest + 1) * tensor.element_bytes // finding.element_bytes - 1


def _leaves(finding: Finding) -> str:
    return f"out of bounds: {finding.access} {_where(finding)} '{finding.argument}'"


def _race(finding: Finding) -> str:
    assert finding.other
    return (
        f"race: nothing orders {finding.access} and {finding.other.access} of two programs "
        f"at one element of '{finding.argument}'"
    )


def _unknown_order(finding: Finding) -> str:
    assert finding.other
    return (
        f"unknown: {finding.access} and {finding.other.access} of two programs meet at one element "
        f"of '{finding.argument}', and nobody knows whether a block of {finding.hint} orders them"
    )


def _duplicates(finding: Finding) -> str:
    return (
        f"duplicate lanes: {finding.access} stores different values to one element of "
        f"'{finding.argument}'"
    )


def _never_written(finding: Finding) -> str:
    verb = "reads" if finding.access == "tl.load" else "updates"
    return (
        f"never written: {finding.access} {verb} memory of '{finding.argument}' that "
        "nobody has written"
    )


def _read_back(finding: Finding) -> str:
    return (
        f"read-back: {finding.access} reads what another lane of the program has stored to "
        f"'{finding.argument}', without a barrier (tl.debug_barrier) on a GPU"
    )


def _where(finding: Finding) -> str:
    verb = "reads" if finding.access in ("tl.load", "an atomic wait") else "writes"
    first, last = _reach(finding)
    if finding.lowest > last:
        return f"{verb} behind the end of"
    if finding.highest < first:
        return f"{verb} before the start of"
    if first <= finding.lowest and finding.highest <= last:
        return f"{verb} between the elements of"
    return f"{verb} outside of"


def _conflict(finding: Finding) -> str:
    offsets = sorted({element.offset for element in finding.elements})
    shown = ranges(offsets).split(", ")
    return ", ".join(shown[:_MOST_LANES]) + (", …" if len(shown) > _MOST_LANES else "")


def _programs(finding: Finding) -> str:
    if not finding.other or finding.other.program == finding.program:
        return _program(finding)
    text = f"({', '.join(map(str, finding.program))}) and "
    text += f"({', '.join(map(str, finding.other.program))}) of a grid of "
    text += f"({', '.join(map(str, finding.grid))})"
    if finding.programs > 2:
        text += f"; {finding.programs} programs do it"
    return text + (f", in {finding.launches} launches" if finding.launches > 1 else "")


def _extent(finding: Finding) -> str:
    first, last = _reach(finding)
    if last < first:
        return "no elements"
    return f"elements {first} to {last} of its memory"


def _wanted(finding: Finding) -> str:
    wanted = ranges(sorted({finding.lowest, finding.highest}))
    if finding.lowest != finding.highest:
        wanted = f"{finding.lowest} to {finding.highest}"
    text = f"{'elements' if ' ' in wanted else 'element'} {wanted}"
    start, end = (
        finding.lowest * finding.element_bytes,
        (finding.highest + 1) * finding.element_bytes,
    )
    tensor = _accessed(finding)
    if -tensor.before <= start and end <= tensor.after:
        text += ", in the same allocation: memory of another tensor, or of nobody"
    return text


def _program(finding: Finding) -> str:
    text = f"({', '.join(map(str, finding.program))}) of a grid of "
    text += f"({', '.join(map(str, finding.grid))})"
    if finding.programs > 1:
        text += f"; {finding.programs} programs do it"
    if finding.launches > 1:
        text += f", in {finding.launches} launches"
    return text


def _lanes(finding: Finding) -> str:
    if not finding.elements or not finding.elements[0].lane:
        return ""
    text = f"{finding.outside} of the {finding.accessed} that take part: "
    lanes = [element.lane for element in finding.elements]
    is_all = len(lanes) == finding.outside
    if len(lanes[0]) == 1:
        shown = ranges([lane[0] for lane in lanes]).split(", ")
        text += ", ".join(shown[:_MOST_LANES])
        return text + ("" if is_all and len(shown) <= _MOST_LANES else ", …")
    text += ", ".join(_lane(element) for element in finding.elements[:4])
    return text + (", …" if finding.outside > 4 else "")


def _lane(element: Element) -> str:
    return f"({', '.join(map(str, element.lane))})"


def _name(finding: Finding) -> str:
    return finding.kernel + _variable(finding)


def _tensor(finding: Finding) -> str:
    this, other = finding.tensor, finding.other.tensor if finding.other else None
    if this and other and other.argument != this.argument:
        return f"{this}; the other one through {other}"
    return str(this or other or "")


def _undefined(finding: Finding) -> str:
    assert finding.other
    left = "has left out" if finding.access == "an atomic update" else "has no 'other' for"
    return f"undefined lanes: {finding.other.access} takes lanes that {finding.access} {left}"


def _wrapped(finding: Finding) -> str:
    assert finding.other
    # What one kernel stores, another one loads.
    way = f", stored by {finding.hint}," if finding.hint else ", and"
    return (
        f"wrapped address: {finding.access} leaves the range of its type{way} "
        f"{'and ' if finding.hint else ''}{finding.other.access} takes what is left for an address"
    )


def _not_finite(finding: Finding) -> str:
    assert finding.other
    value = finding.elements[0].value
    what = "no number" if value != value else "an infinite number"
    return f"not finite: {finding.other.access} writes {what}, which begins with {finding.access}"


def _false_hint(finding: Finding) -> str:
    if finding.access == "the argument":
        return f"false hint: argument '{finding.variable}' was taken for {finding.hint}"
    return f"false hint: {finding.hint} is not so"


def _misaligned(finding: Finding) -> str:
    return (
        f"misaligned: {finding.access} of elements of {finding.element_bytes} bytes, but "
        f"'{finding.argument}' is accessed at no multiple of that"
    )


def _order_dependent(finding: Finding) -> str:
    return (
        f"order-dependent: programs add floats to '{finding.argument}' in any order, so the last "
        "bits of the sum differ from run to run"
    )


def _full_mask(finding: Finding) -> str:
    return f"full mask: nothing of {finding.access} is left out in this launch"


def _empty_mask(finding: Finding) -> str:
    return f"empty mask: all of {finding.access} is left out in this launch"


def _values(finding: Finding) -> str:
    values = [element.value for element in finding.elements if element.value is not None]
    shown = [f"{value:g}" if isinstance(value, float) else str(value) for value in values[:4]]
    return ", ".join(shown) + (", …" if len(values) > 4 else "")


_TITLES: dict[str, Callable[[Finding], str]] = {
    "out-of-bounds": _leaves,
    "race": _race,
    "duplicate-lanes": _duplicates,
    "read-back": _read_back,
    "unknown-order": _unknown_order,
    "never-written": _never_written,
    "misaligned": _misaligned,
    "undefined-lanes": _undefined,
    "wrapped-address": _wrapped,
    "false-hint": _false_hint,
    "not-finite": _not_finite,
    "order-dependent": _order_dependent,
    "full-mask": _full_mask,
    "empty-mask": _empty_mask,
}

_FACTS_OF_BOUNDS: dict[str, Callable[[Finding], str]] = {
    "kernel": _name,
    "tensor": _tensor,
    "has": _extent,
    "wants": _wanted,
    "program": _program,
    "lanes": _lanes,
}

_FACTS_OF_VALUES: dict[str, Callable[[Finding], str]] = {
    "kernel": _name,
    "tensor": _tensor,
    "values": _values,
    "program": _program,
    "lanes": _lanes,
}

_FACTS_OF_CONFLICTS: dict[str, Callable[[Finding], str]] = {
    "kernel": _name,
    "tensor": _tensor,
    "elements": _conflict,
    "programs": _programs,
    "lanes": _lanes,
}

_FACTS_OF_MASKS: dict[str, Callable[[Finding], str]] = {"kernel": _name, "tensor": _tensor}

_FACTS = {
    "out-of-bounds": _FACTS_OF_BOUNDS,
    "undefined-lanes": _FACTS_OF_VALUES,
    "wrapped-address": _FACTS_OF_VALUES,
    "false-hint": _FACTS_OF_VALUES,
    "not-finite": _FACTS_OF_VALUES,
    "full-mask": _FACTS_OF_MASKS,
    "empty-mask": _FACTS_OF_MASKS,
}
"""What is told of each class; of all others, `_FACTS_OF_CONFLICTS`."""
