"""What was found in all launches of a block."""

from __future__ import annotations

import dataclasses
import json
import threading
from typing import Any

from . import sarif, text
from .finding import HINTS, Finding


class Report:
    """The findings of a block, one per mistake; several launches may make the same one."""

    def __init__(self, bounds_only: bool = False, hints: bool = False) -> None:
        self.bounds_only = bounds_only
        """Whether accesses are compared with their tensors alone, not with each other."""
        self.hints = hints
        """Whether classes of `HINTS` are wanted, too."""
        self._found: dict[tuple[Any, ...], Finding] = {}
        self._lock = threading.Lock()
        self.launches = 0
        """Launches of checked kernels so far."""
        self.ended_early: list[str] = []
        """Launches that could not go on after what was found in them, and why."""

    @property
    def findings(self) -> list[Finding]:
        """In the order in which they were found first."""
        return list(self._found.values())

    @property
    def is_clean(self) -> bool:
        """Whether nothing is wrong: no errors and no warnings."""
        return all(finding.severity == "info" for finding in self.findings)

    def add(self, findings: list[Finding]) -> None:
        """Takes in what one launch has found."""
        with self._lock:
            self.launches += 1
            for finding in findings:
                if finding.kind in HINTS and not self.hints:
                    continue
                known = self._found.get(finding.key)
                self._found[finding.key] = (
                    dataclasses.replace(known, launches=known.launches + 1) if known else finding
                )

    def as_text(self) -> str:
        """For a person, without colours."""
        return text.as_text(self.findings, self.launches, self.ended_early)

    def print(self) -> None:
        """Writes it to standard error, with colours if that is a terminal."""
        text.show(self.findings, self.launches, self.ended_early)

    def as_json(self) -> str:
        """For a program; docs/check.md has the form."""
        return json.dumps(
            {
                "version": 2,
                "launches": self.launches,
                "ended_early": self.ended_early,
                "findings": [finding.as_json() for finding in self.findings],
            },
            indent=2,
        )

    def as_sarif(self) -> str:
        """For tools that show what others find: SARIF 2.1.0."""
        return json.dumps(sarif.describe(self.findings), indent=2)
