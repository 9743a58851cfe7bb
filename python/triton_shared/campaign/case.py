"""One case of a campaign, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

CRASH, TIMEOUT, FAILED = "crash", "timeout", "failed"
"""How a case of any kind may end: its process died or was ended, or it could not run."""


@dataclass(frozen=True)
class Case:
    """What one process does."""

    kind: str
    """A word of `kinds.KINDS`."""
    name: str
    """What people call it; no two cases of a kind have the same."""
    facts: dict[str, Any]
    """All that a worker needs; what JSON can hold. Other facts make it another case."""


@dataclass
class Outcome:
    """What came of a case."""

    status: str
    """How it ended, in a word."""
    said: str = ""
    """For people: what is wrong."""
    result: dict[str, Any] = field(default_factory=dict)
    """For programs: what JSON can hold."""
    seconds: float = 0.0
    """By the clock."""
    cpu_seconds: float = 0.0
    """Of the process that did it, and of those that it has started."""
    host: str = ""
    versions: dict[str, str] = field(default_factory=dict)
    """Of what has run."""
