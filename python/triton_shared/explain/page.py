"""A report as one HTML file: templates filled with what `gathering` has found."""

from __future__ import annotations

import base64
import functools
import gzip
import json
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2

from . import drawings
from .highlight import Marks, highlight

_TEMPLATES = Path(__file__).with_name("templates")
_SAYS = {
    "source": "what you wrote",
    "ttir": "Triton's IR",
    "offsets": "accesses by offsets, and what values are for",
    "structured": "accesses with strides and bounds",
    "linalg": "computation on tensors",
    "memref": "loops' bodies on memory",
    "cta": "tiles with layouts",
    "ttgir": "Triton's tiles with layouts",
    "gpu": "what each thread does",
    "llir": "LLVM IR, optimised",
    "s": "machine code as assembly",
    "ptx": "assembly for ptxas",
    "sass": "the GPU's instructions",
}
_TARGETS = {
    "cpu-fast": "our fast code for this CPU",
    "interpreter": "Triton's interpreter",
    "shared_cuda": "our code on this machine's GPU",
    "emulated": "our code for the GPU, in an emulator",
}
_BOUNDS = {
    "exact": "no difference",
    "accumulated": "what rounding may add up to in a sum",
    "reference": "4 times the reference's own error, and 2 ulp",
    "steps": "one ulp for each rounding",
}
"""What `triton_shared.diff` calls them, in words."""
_MAIN = 6
"""Of a pass, so many kinds of operations are named without asking."""
_MOST_LETTERS = 80
"""Of an operation in a table."""
_SHOWN_FIRST = ("source", "ttir", "structured")
_UNPACKED = ("source", "ttir")
"""What can be read without JavaScript; all other panes lie compressed in the page."""
_CHUNK = 100
"""Lines that a browser lays out together, when they come into sight."""


def render(report: dict[str, Any]) -> str:
    """The page of a report, which needs nothing beside it."""
    numbers = _SourceNumbers(report["sources"])
    return fill(
        "page.html",
        title=report["kernel"],
        subtitle=_subtitle(report),
        diffs=pack(json.dumps([one["diff"] for one in report["passes"] if one["changed"]])),
        sections=list(_sections(report, numbers)),
    )


def fill(template: str, **values: Any) -> str:
    """A template with these values; a name that it lacks is an error."""
    return _environment().get_template(template).render(**values)


class _SourceNumbers:
    """Gives each shown line of the sources a number, by which rows of all panes are linked."""

    def __init__(self, sources: list[dict[str, Any]]) -> None:
        self._numbers: dict[tuple[str, int], int] = {}
        for source in sources:
            for number in range(len(source["lines"])):
                self._numbers[source["file"], source["first"] + number] = len(self._numbers)

    def of(self, places: Iterable[dict[str, Any]]) -> str:
        """The numbers of places that are shown, with blanks between."""
        found = (self._numbers.get((place["file"], place["line"])) for place in places)
        return _words(n for n in found if n is not None)


class _Expressions:
    """Gives each expression that places name a number, by which parts of lines are linked."""

    def __init__(self, texts: Iterable[dict[str, Any]]) -> None:
        self._numbers: dict[tuple[Any, ...], int] = {}
        for text in texts:
            for place in (place for one in text["operations"] for place in one["places"]):
                if "expression" in place:
                    key = (place["file"], *place["expression"])
                    self._numbers.setdefault(key, len(self._numbers))

    def of(self, places: Iterable[dict[str, Any]]) -> str:
        """The numbers of the expressions that places name, with blanks between."""
        return _words(
            self._numbers[(place["file"], *place["expression"])]
            for place in places
            if "expression" in place
        )

    def marks(self, source: dict[str, Any]) -> Marks:
        """Where expressions stand in a source, by its lines."""
        found: dict[int, list[tuple[int, int, int]]] = {}
        for (file, first, begin, last, end), number in self._numbers.items():
            if file != source["file"]:
                continue
            for line in range(first, last + 1):
                at = line - source["first"]
                if 0 <= at < len(source["lines"]):
                    text = source["lines"][at]
                    indent = len(text) - len(text.lstrip())
                    columns = (
                        begin - 1 if line == first else indent,
                        end - 1 if line == last else len(text),
                    )
                    if columns[0] < columns[1]:
                        found.setdefault(at + 1, []).append((*columns, number))
        return found


def _words(numbers: Iterable[int]) -> str:
    return " ".join(map(str, sorted({*numbers})))


@dataclass(frozen=True)
class _Links:
    """How rows of panes are linked."""

    lines: _SourceNumbers
    expressions: _Expressions


def _subtitle(report: dict[str, Any]) -> str:
    options = "".join(f", {name}={value}" for name, value in report["options"].items())
    return f"for {report['target']}{options} · {report['compiler']} {report['version']}"


def _sections(report: dict[str, Any], numbers: _SourceNumbers) -> Iterator[dict[str, str]]:
    def section(name: str, title: str, **values: Any) -> dict[str, str]:
        return {"id": name, "title": title, "body": fill(f"{name}.html", **values)}

    panes = list(_panes(report, numbers))
    yield section("panes", "From source to code", panes=panes, signature=report["signature"])
    accesses = [_access(one, numbers) for one in report["accesses"]]
    yield section("accesses", "Accesses to memory", accesses=accesses)
    if report["passes"]:
        yield section("passes", "Passes", **_passes(report["passes"]))
    if report["resources"]:
        yield section("resources", "What it takes of the GPU", r=report["resources"])
    if any("tiles" in one for text in report["phases"] for one in text["operations"]):
        yield section("layouts", "Layouts of tiles", **_layouts(report, numbers))
    if report["run"]:
        yield from _run_sections(report["run"], numbers, section)
    if report["search"]:
        rows = sorted(report["search"]["rows"], key=_by_time)
        yield section("search", "Candidates of the search", s=report["search"], rows=rows)
    ttir = report["commands"]["input"]
    yield section(
        "commands",
        "Repeat it",
        commands=report["commands"]["steps"],
        kernel=report["kernel"],
        ttir=ttir,
    )


def _by_time(candidate: dict[str, Any]) -> tuple[Any, ...]:
    """The fastest first, behind them those that were not timed."""
    return candidate["time"] is None, candidate["time"] or 0.0, candidate["number"]


def _panes(report: dict[str, Any], numbers: _SourceNumbers) -> Iterator[dict[str, Any]]:
    linked = _Links(numbers, _Expressions([report["offsets"], *report["phases"]]))
    yield _pane("source", list(_source_parts(report["sources"], linked)))
    texts = {one["phase"]: one for one in report["phases"]}
    names = list(texts)
    for name in (names[0], "offsets", *names[1:]):
        text = report["offsets"] if name == "offsets" else texts[name]
        places: dict[int, list[dict[str, Any]]] = {}
        uses: dict[int, str] = {}
        for operation in text["operations"]:
            places.setdefault(operation["line"], []).extend(operation["places"])
            if "use" in operation:
                uses[operation["line"]] = operation["use"]
        rows = _rows(text["text"], name, places, linked, uses)
        chunks = range(0, len(rows), _CHUNK)
        yield _pane(name, [_part(n + 1, rows[n : n + _CHUNK]) for n in chunks])


def _pane(name: str, parts: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": name,
        "says": _SAYS[name],
        "code": fill("code.html", parts=parts),
        "shown": name in _SHOWN_FIRST,
        "packed": name not in _UNPACKED,
    }


def _part(first: int, rows: list[dict[str, str]], file: str = "") -> dict[str, Any]:
    """What a browser lays out together; `file` is said above it."""
    return {"first": first, "rows": rows, "file": file}


def _source_parts(sources: list[dict[str, Any]], linked: _Links) -> Iterator[dict[str, Any]]:
    """Pieces of the source; where they are from several files, with these files' names."""
    are_many = len({source["file"] for source in sources}) > 1
    last = ""
    for source in sources:
        begins = are_many and source["file"] != last
        last = source["file"]
        yield _part(source["first"], _source_rows(source, linked), last if begins else "")


def _source_rows(source: dict[str, Any], linked: _Links) -> list[dict[str, str]]:
    """Lines that are their own places."""
    lines = highlight("\n".join(source["lines"]), "source", linked.expressions.marks(source))
    return [
        {
            "html": html,
            "sources": linked.lines.of([{"file": source["file"], "line": number}]),
            "expressions": "",
            "use": "",
        }
        for number, html in enumerate(lines, start=source["first"])
    ]


def _rows(
    text: str,
    language: str,
    places: dict[int, list[dict[str, Any]]],
    linked: _Links,
    uses: dict[int, str],
) -> list[dict[str, str]]:
    return [
        {
            "html": html,
            "sources": linked.lines.of(places.get(number, ())),
            "expressions": linked.expressions.of(places.get(number, ())),
            "use": uses.get(number, ""),
        }
        for number, html in enumerate(highlight(text, language), start=1)
    ]


_TONES = {"gathered": "bad", "partly gathered": "warn", "wrapped": "warn", "transposed": "warn"}


def _access(record: dict[str, Any], numbers: _SourceNumbers) -> dict[str, Any]:
    from . import Access

    access = Access.of(record)
    places = [access.place, access.why.place if access.why else None]
    return {
        "found": access,
        "tone": _TONES.get(access.kind, "good"),
        "sources": numbers.of({"file": p.file, "line": p.line} for p in places if p),
    }


def _passes(passes: list[dict[str, Any]]) -> dict[str, Any]:
    changed = [one for one in passes if one["changed"]]
    shown = []
    for number, one in enumerate(changed):
        removed = sum(line.startswith("-") for line in one["diff"])
        added = sum(line.startswith("+") for line in one["diff"])
        counts = {"main": _main_counts(one["counts"]), "others": max(0, len(one["counts"]) - _MAIN)}
        shown.append({**one, **counts, "number": number, "removed": removed, "added": added})
    phases = [
        {
            "name": name,
            "total": sum(one["phase"] == name for one in passes),
            "milliseconds": 1e3 * sum(one["seconds"] for one in passes if one["phase"] == name),
            "changed": [one for one in shown if one["phase"] == name],
        }
        for name in dict.fromkeys(one["phase"] for one in passes)
    ]
    milliseconds = 1e3 * sum(one["seconds"] for one in passes)
    return {
        "changed": changed,
        "total": len(passes),
        "milliseconds": milliseconds,
        "phases": phases,
    }


def _main_counts(counts: dict[str, list[int]]) -> list[str]:
    """The kinds of operations of which most came or went."""
    by_change = sorted(counts.items(), key=lambda item: -abs(item[1][1] - item[1][0]))
    return [f"{name} {before}→{after}" for name, (before, after) in by_change[:_MAIN]]


def _layouts(report: dict[str, Any], numbers: _SourceNumbers) -> dict[str, Any]:
    """Each layout once, with the operations that have it; what goes through shared memory."""
    found: dict[str, dict[str, Any]] = {}
    moves = []
    for phase, operation in ((one, op) for one in report["phases"] for op in one["operations"]):
        for move in operation.get("shared", ()):
            moves.append({**move, **_whose(operation, phase["text"], numbers)})
        for tile in operation.get("tiles", ()):
            label = f"{'×'.join(map(str, tile['shape'])) or 'one'} of {tile['element']}"
            key = json.dumps(tile)
            entry = found.setdefault(key, {"label": label, "tile": tile, "of": []})
            entry["of"].append(operation["name"] or operation["op"])
    drawn = [
        {
            "label": one["label"],
            "of": ", ".join(dict.fromkeys(one["of"])),
            "svg": drawings.draw_layout(one["tile"], f"layout of {one['label']}"),
            "registers": 1 << len(one["tile"]["registers"]),
            "warps": 1 << len(one["tile"]["warps"]),
        }
        for one in found.values()
    ]
    return {"layouts": drawn, "moves": moves}


def _whose(operation: dict[str, Any], text: str, numbers: _SourceNumbers) -> dict[str, Any]:
    """What a row about an operation says of it; its line is the innermost that is shown."""
    shown = (place["line"] for place in operation["places"] if numbers.of([place]))
    written = text.splitlines()[operation["line"] - 1].strip().partition(" : ")[0]
    return {
        "op": textwrap.shorten(written, _MOST_LETTERS, placeholder=" …"),
        "line": next(shown, ""),
        "sources": numbers.of(operation["places"]),
    }


def _run_sections(
    run: dict[str, Any], numbers: _SourceNumbers, section: Any
) -> Iterator[dict[str, str]]:
    grid = "×".join(map(str, run["launch"]["grid"]))
    programs = [_program(one, numbers) for one in run["maps"] or ()]
    yield section(
        "maps",
        f"What programs of a launch of {grid} access",
        programs=programs,
        arguments=run["launch"]["arguments"],
        problems=run["problems"],
    )
    if run["validation"]:
        results = [
            {
                **one,
                "says": _TARGETS.get(one["target"], ""),
                "tensors": [_validated(tensor) for tensor in one["tensors"]],
            }
            for one in run["validation"]
        ]
        yield section("validation", "Is it right?", results=results)
    if run["roofline"]:
        svg = drawings.draw_roofline(run["roofline"])
        yield section("roofline", "Is it fast?", r=run["roofline"], svg=svg)


def _program(program: dict[str, Any], numbers: _SourceNumbers) -> dict[str, Any]:
    accesses = [
        {
            **one,
            "sources": numbers.of([one]),
            "block": drawings.draw_block(one["picture"], f"{one['access']} in line {one['line']}"),
            "strip_svg": drawings.draw_strip(one["strip"], f"where in {one['argument']}"),
            "coalesced": one["least_sectors"] / one["sectors"] if one["sectors"] else 1.0,
        }
        for one in program["accesses"]
    ]
    return {**program, "accesses": accesses, "label": ", ".join(map(str, program["program"]))}


def _validated(tensor: dict[str, Any]) -> dict[str, Any]:
    label = f"error of {tensor['argument']}"
    heat = drawings.draw_heat(tensor["heat"], label) if tensor["heat"] else ""
    return {**tensor, "heat_svg": heat, "may": _BOUNDS.get(tensor["bound"], "")}


def pack(text: str) -> str:
    """What only who looks unpacks: panes, drawings and diffs are long and repeat themselves."""
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


@functools.cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["pack"] = pack
    environment.globals["css"] = (_TEMPLATES / "page.css").read_text()
    environment.globals["js"] = (_TEMPLATES / "page.js").read_text()
    return environment
