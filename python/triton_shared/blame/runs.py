"""Runs one launch in many ways and compares each with the CPU's reference mode."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import torch

from ..diff import comparison, recording, report, run, workers
from ..diff.comparison import LaunchReport
from ..diff.given import Given
from ..diff.recording import Recording
from ..diff.replay import REFERENCES
from .verdict import RIGHT, SILENT, WRONG

REFERENCE = "cpu"


@dataclass
class Runs:
    """A launch, what is known of it, and the folder in which everything about it lies."""

    launch: Path
    timeout: float = 120
    evidence: Path = field(init=False)
    """Where modules, PTX, cubins and logs are kept."""
    _modules: int = 0

    def __post_init__(self) -> None:
        self.evidence = self.launch / "blame"
        self.evidence.mkdir(exist_ok=True)

    @property
    def recorded(self) -> Recording:
        """The launch."""
        return recording.load(self.launch)

    def compare(self, target: str) -> LaunchReport:
        """What `target` leaves, against the reference."""
        workers.replay_all([self.launch], (target,), self.timeout)
        if run.needs_reference(self.launch, (REFERENCE, target)):
            workers.replay_all([self.launch], REFERENCES, self.timeout)
        references = {name: workers.result(self.launch, name) for name in REFERENCES}
        left, right = (workers.result(self.launch, side) for side in (REFERENCE, target))
        return comparison.compare(self.recorded, left, right, references)

    def compare_given(self, given: Given, name: str) -> LaunchReport:
        """The same for code that is not the launch's own."""
        return self.compare(given.save(self.launch, name))

    def judge(self, text: str, form: str) -> bool | None:
        """Whether a module is right; None if it does not run."""
        return self.judge_given(Given(form, text.encode()))

    def judge_given(self, given: Given) -> bool | None:
        """The same for any code."""
        self._modules += 1
        found = self.compare_given(given, f"module-{self._modules:03}")
        return {"equal": True, "different": False}.get(found.status)

    def judges(self, form: str) -> Callable[[str], bool | None]:
        """`judge` for one form."""
        return lambda text: self.judge(text, form)

    def has_gpu(self) -> bool:
        """Whether a GPU is here that torch sees."""
        return bool(torch.cuda.is_available())

    def keep(self, name: str, content: str | bytes) -> Path:
        """A file among the evidence."""
        path = self.evidence / name
        data = content.encode() if isinstance(content, str) else content
        path.write_bytes(data)
        return path


def status_of(found: LaunchReport) -> str:
    """In the words of a step: code that makes a GPU stop is wrong."""
    if found.has_faulted:
        return WRONG
    return {"equal": RIGHT, "different": WRONG}.get(found.status, SILENT)


def describe(found: LaunchReport, target: str) -> str:
    """How it compares, from the first line on."""
    if found.status == "failed":
        return found.message
    if found.status == "equal":
        margin = max((tensor.margin for tensor in found.tensors), default=0.0)
        return f"{margin:.0%} of the bound used" if margin else "equal"
    wrong = next(tensor for tensor in found.tensors if not tensor.is_equal)
    return report.describe(wrong, (REFERENCE, target))
