"""Which configurations of a launch are wrong, against one reference on the CPU.

All configurations of a kernel are to leave the same, within the bounds of a comparison. So each
runs on the first target, the CPU, where nothing but the kernel itself can differ between them: the
result that most of them agree on is the reference. Then each runs on the second target, and is
compared with that.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from . import comparison, recording, workers
from .census import take
from .comparison import LaunchReport
from .replay import REFERENCES
from .sweeps import PASSED_OVER
from .widening import Widenings


@dataclass(frozen=True)
class ConfigurationReport:
    """One configuration on both targets, each compared with the reference."""

    configuration: str
    first: LaunchReport
    second: LaunchReport
    is_reference: bool = False

    @property
    def verdict(self) -> str:
        """`right`, `wrong`, `passed over` if it does not fit, or `failed`."""
        if "different" in (self.first.status, self.second.status):
            return "wrong"
        if "failed" not in (self.first.status, self.second.status):
            return "right"
        if self.first.status == "equal" and self.second.has_faulted:
            return "wrong"
        failed = next(r for r in (self.first, self.second) if r.status == "failed")
        is_known = failed.message.partition(":")[0] in PASSED_OVER
        return "passed over" if is_known else "failed"


@dataclass(frozen=True)
class SweepReport:
    """All configurations of one launch."""

    label: str
    kernel: str
    configurations: tuple[ConfigurationReport, ...]
    agree: int = 0
    """How many configurations the reference stands for, itself included."""
    is_decided: bool = True
    """Whether something says which configurations are right, where they disagree."""

    @property
    def status(self) -> str:
        """`equal`, `different` if a configuration is wrong, else `failed` if one does not run."""
        verdicts = {report.verdict for report in self.configurations}
        if "wrong" in verdicts:
            return "different"
        return "equal" if "right" in verdicts and "failed" not in verdicts else "failed"


def compare_sweep(
    launches: Sequence[Path],
    targets: tuple[str, str],
    scratch: Collection[str] = (),
    timeout: float = 120,
    widenings: Widenings | None = None,
) -> SweepReport:
    """Compares the configurations of one launch, whose results on both targets are there.

    What lies in tensors named in `scratch` may depend on the configuration.
    """
    how = _How(frozenset(scratch), timeout, widenings)
    groups = _group(launches, targets[0], how)
    loaded = recording.load(launches[0])
    largest = max(groups, key=len, default=[])
    reference = largest[0] if largest else launches[0]
    told: list[ConfigurationReport] = []
    for launch in launches:
        first = _compare(reference, launch, (targets[0], targets[0]), how)
        second = first
        if targets[1] != targets[0]:
            second = _compare(reference, launch, targets, how)
        name = recording.load(launch).configuration
        told.append(ConfigurationReport(name, first, second, launch in largest[:1]))
    is_decided = sum(len(group) == len(largest) for group in groups) <= 1 or bool(loaded.stated)
    return SweepReport(loaded.label, loaded.kernel, tuple(told), len(largest), is_decided)


@dataclass(frozen=True)
class _How:
    """How results are compared."""

    scratch: frozenset[str]
    timeout: float
    widenings: Widenings | None


def _group(launches: Sequence[Path], target: str, how: _How) -> list[list[Path]]:
    """Configurations that agree with each other.

    Those that do not run, or are wrong by what the case itself says, are in no group.
    """
    groups: list[list[Path]] = []
    both = (target, target)
    for launch in launches:
        if not workers.result(launch, target).succeeded:
            continue
        if recording.load(launch).stated and _compare(launch, launch, both, how).status != "equal":
            continue
        for group in groups:
            if _compare(group[0], launch, both, how).status == "equal":
                group.append(launch)
                break
        else:
            groups.append([launch])
    return groups


def _compare(reference: Path, launch: Path, targets: tuple[str, str], how: _How) -> LaunchReport:
    """What `launch` has left on the second target, against `reference` on the first one."""
    loaded = recording.load(reference)
    left, right = workers.result(reference, targets[0]), workers.result(launch, targets[1])
    if left.succeeded and right.succeeded and not take(left.ttir or right.ttir).is_exact:
        workers.replay_all([reference], REFERENCES, how.timeout)
    references = {name: workers.result(reference, name) for name in REFERENCES}
    report = comparison.compare(loaded, left, right, references, how.widenings)
    return _without(replace(report, folder=launch), how.scratch)


def _without(report: LaunchReport, scratch: Collection[str]) -> LaunchReport:
    """The report as if the tensors in `scratch` were equal."""
    if report.status == "failed":
        return report
    tensors = tuple(t for t in report.tensors if t.argument.partition(".")[0] not in scratch)
    equal = all(tensor.is_equal for tensor in tensors)
    return replace(report, tensors=tensors, status="equal" if equal else "different")


def by_sweep(launches: Sequence[Path]) -> list[list[Path]]:
    """The launches of each sweep, in order."""
    sweeps: dict[int, list[Path]] = {}
    for launch in launches:
        sweeps.setdefault(recording.load(launch).sweep, []).append(launch)
    return list(sweeps.values())


def compare_sweeps(
    launches: Sequence[Path],
    targets: tuple[str, str],
    scratch: Collection[str] = (),
    timeout: float = 120,
    widenings: Widenings | None = None,
) -> list[SweepReport]:
    """Replays every configuration on both targets and compares."""
    with workers.session():
        for target in dict.fromkeys(targets):
            workers.replay_all(list(launches), (target,), timeout)
        sweeps = by_sweep(launches)
        return [compare_sweep(sweep, targets, scratch, timeout, widenings) for sweep in sweeps]
