"""What a ladder has found: one sentence, and the steps that led to it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

RIGHT, WRONG, SILENT = "right", "wrong", "not run"

LEVELS = (
    "nothing", "kernel", "configuration", "our passes", "our CPU leg", "LLVM", "Triton's passes",
    "Triton's LLVM", "PTX", "ptxas", "hardware flags", "unknown",
)  # fmt: skip
"""Who may be to blame."""

_EXIT = {"nothing": 0, "unknown": 2}


@dataclass(frozen=True)
class Step:
    """One look at the launch."""

    name: str
    status: str
    """`right`, `wrong`, or `not run`."""
    said: str = ""
    """What is behind the status."""
    evidence: tuple[str, ...] = ()
    """Files in the folder that is kept."""


@dataclass(frozen=True)
class Verdict:
    """Who is to blame."""

    level: str
    """A word of `LEVELS`."""
    sentence: str
    culprits: tuple[str, ...] = ()
    """Passes, versions of ptxas or places, where they are known."""

    @property
    def exit_code(self) -> int:
        """0: nothing is wrong; 1: somebody is to blame; 2: nobody can tell who."""
        return _EXIT.get(self.level, 1)


@dataclass
class Report:
    """Everything about one launch."""

    label: str
    kernel: str
    suspect: str
    steps: list[Step] = field(default_factory=list)
    verdict: Verdict = field(default_factory=lambda: Verdict("unknown", "cannot tell"))

    def add(self, name: str, status: str, said: str = "", *evidence: Path) -> None:
        """One more step."""
        self.steps.append(Step(name, status, said, tuple(path.name for path in evidence)))

    def as_text(self) -> str:
        """For people."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"{self.label or self.kernel}: kernel '{self.kernel}' on {self.suspect}"
        width = max((len(step.name) for step in self.steps), default=0)
        for step in self.steps:
            said = step.said.splitlines()[0] if step.said else ""
            yield f"    {step.name:<{width}}  {step.status:<7}  {said}".rstrip()
        yield self.verdict.sentence

    def facts(self) -> dict[str, Any]:
        """For programs."""
        return {**asdict(self), "exit_code": self.verdict.exit_code}


def as_json(reports: list[Report]) -> str:
    """All launches, for programs."""
    return json.dumps({"schema": 1, "launches": [one.facts() for one in reports]}, indent=1)
