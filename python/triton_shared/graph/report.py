"""What a search has tried: a table of candidates, each with its time, or where it died."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

STAGES = ("CUT", "PRUNED", "COMPILE", "SHARED", "LAUNCH", "EXACT", "BOUND", "SHAPES", "POISON",
          "FIELD", "BUDGET", "ESTIMATED", "PROFILED", "BEST")  # fmt: skip
"""Where a candidate can end, in the order of the search; the gates of `verify` are among them."""


@dataclass
class Row:
    """One candidate."""

    number: int
    rules: tuple[str, ...]
    """That lead to its graph."""
    kernels: tuple[str, ...]
    """What each computes, with its blocks."""
    stage: str = ""
    why: str = ""
    estimate: float = 0.0
    """Seconds by the model of the machine, never measured."""
    bound: float = 0.0
    """Seconds that it takes at least."""
    time: float | None = None
    """Seconds measured, the mean of `iterations`."""
    target: str = ""
    """Whose compiler made the kernels that were timed, on a GPU."""
    iterations: int = 0
    margin: float = 0.0
    launches: int = 0
    is_equal: bool = False
    """Over a prime field, with no tolerance."""
    reproducer: str = ""
    form: str = ""
    """The rewritten graph, as a digest."""
    parts: list[dict[str, Any]] = field(default_factory=list)
    """Its cut, kernel by kernel, with all blocks (`Plan.as_json`)."""


@dataclass
class Report:
    """All candidates of a search."""

    graph: str
    machine: str
    device: str
    rows: list[Row] = field(default_factory=list)
    seconds: float = 0.0
    is_cached: bool = False
    """Whether the search was made by an earlier process."""

    @property
    def best(self) -> Row | None:
        """The candidate that was chosen."""
        return next((row for row in self.rows if row.stage == "BEST"), None)

    def alike(self) -> list[Row]:
        """Candidates that were right and cut the same form as the best does, the fastest first."""
        best = self.best
        if best is None:
            return []
        right = [row for row in self.rows if row.stage in ("ESTIMATED", "PROFILED")]
        right.sort(key=lambda row: row.estimate if row.time is None else row.time)
        return [best, *(row for row in right if _cut(row) == _cut(best))]

    @property
    def place(self) -> str:
        """The machine that candidates are for, and whether they were timed on it."""
        is_timed = self.device != "estimate"
        return self.machine if is_timed else f"{self.machine}, by estimates, none of them timed"

    def counts(self) -> dict[str, int]:
        """How many candidates ended at each stage."""
        found = Counter(row.stage for row in self.rows)
        return {stage: found[stage] for stage in STAGES if found[stage]}

    def as_json(self) -> dict[str, Any]:
        """As data."""
        return {**asdict(self), "counts": self.counts()}

    @staticmethod
    def from_json(data: dict[str, Any]) -> Report:
        """The report that `as_json` gave."""
        rows = [
            Row(**{**row, "rules": tuple(row["rules"]), "kernels": tuple(row["kernels"])})
            for row in data["rows"]
        ]
        words = {k: v for k, v in data.items() if k not in ("rows", "counts")}
        return Report(rows=rows, **words)

    def _cells(self) -> list[list[str]]:
        rows = sorted(
            self.rows, key=lambda r: (r.stage != "BEST", r.time is None, r.time or 0.0, r.number)
        )
        return [
            [
                str(row.number),
                row.stage,
                "" if row.time is None else f"{row.time * 1e6:.1f}",
                f"{row.estimate * 1e6:.1f}",
                " | ".join(row.kernels),
                ", ".join(row.rules) or "as given",
                row.why,
            ]
            for row in rows
        ]

    def as_text(self) -> str:
        """For a person: candidates by time, then how many ended where."""
        head = ["no", "stage", "us", "estimated us", "kernels", "rules", "why"]
        cells = self._cells()
        widths = [
            min(60, max(len(row[place]) for row in (head, *cells))) for place in range(len(head))
        ]
        lines = [
            "  ".join(cell[:width].ljust(width) for cell, width in zip(row, widths, strict=True))
            for row in (head, *cells)
        ]
        ended = ", ".join(f"{count} {stage}" for stage, count in self.counts().items())
        lines.append(f"{len(self.rows)} candidates for {self.place}: {ended}")
        return "\n".join(line.rstrip() for line in lines)

    def as_html(self) -> str:
        """One page that needs nothing else."""
        from .program import render

        return render(
            "report.html.j2",
            graph=self.graph,
            machine=self.place,
            counts=self.counts(),
            cells=self._cells(),
        )

    def dumps(self) -> str:
        """As JSON."""
        return json.dumps(self.as_json(), indent=1)


def _cut(row: Row) -> tuple[str, list[Any]]:
    return row.form, [part["roots"] for part in row.parts]
