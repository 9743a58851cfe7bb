"""What is made of every seeded mistake, its twin, faults of a compiler, and kernels that are right.

`scripts/seeded` prints it as a table.
"""

from __future__ import annotations

import json
import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import triton_shared
from seeded import (
    bounds,
    faults,
    hints,
    numbers,
    public,
    public_bounds,
    races,
    results,
    tritonbench,
    unwritten,
)
from seeded.seed import Seed
from triton_shared import VerificationError
from triton_shared.check import Report
from triton_shared.diff import workers
from triton_shared.diff.recording import RecordingError

FILES = (bounds, hints, numbers, public, public_bounds, races, tritonbench, unwritten)
CHECKED = sorted(
    (seed for file in FILES for seed in file.SEEDS),
    key=lambda seed: seed.number,
)
"""Those that `check` finds."""
_FIRST_PUBLIC = 100
"""Seeds below have the numbers of the design; 129 is the other half of one of them."""


@dataclass(frozen=True)
class Judged:
    """One mistake: whether its class and its lines are named, and its twin is left alone."""

    name: str
    is_public: bool
    kind: bool
    line: bool
    twin: bool
    said: str = ""
    """The report, if something is not as it should be."""

    @property
    def is_right(self) -> bool:
        """Whether all is as it should be."""
        return self.kind and self.line and self.twin


@dataclass(frozen=True)
class Part:
    """A line of the table."""

    name: str
    right: int
    of: int
    least: int
    """How many have to be right."""
    seconds: float
    """CPU time, of processes that were started for it, too."""
    wrong: tuple[str, ...] = ()

    @property
    def is_met(self) -> bool:
        """Whether enough are right."""
        return self.right >= self.least


def named_lines(report: Report, seed: Seed) -> list[int]:
    """The lines of the seed's file that a report names for its class, in order."""
    named = []
    for found in report.findings:
        if found.kind == seed.kind and found.argument == seed.tensor:
            named += [found.places[0], *(found.other.places[:1] if found.other else [])]
    return sorted({place.line for place in named if Path(place.file).resolve() == seed.file})


def judge(seed: Seed) -> Judged:
    """What `check` makes of a mistake and its twin."""
    with triton_shared.check() as report:
        seed.bug()
    kinds = {found.kind for found in report.findings if found.severity != "info"} - {seed.follows}
    kind = kinds <= {seed.kind} and any(found.kind == seed.kind for found in report.findings)
    line = named_lines(report, seed) == seed.lines
    with triton_shared.check() as other:
        seed.twin()
    twin = other.is_clean and other.launches > 0
    said = "" if kind and line and twin else f"{report.as_text()}\n{other.as_text()}"
    return Judged(str(seed), seed.number >= _FIRST_PUBLIC, kind, line, twin, said)


def judge_result(seed: Seed) -> Judged:
    """What `verify` makes of a kernel whose result alone is wrong."""
    kind, line, twin, said = False, False, True, "nothing was refused"
    with triton_shared.device("cpu"):
        try:
            seed.bug()
        except VerificationError as error:
            said, kind = str(error), str(error).startswith(seed.kind)
            blame = error.blame
            line = blame is not None and [blame.line] == seed.lines
        try:
            seed.twin()
        except VerificationError as error:
            said, twin = f"{said}\n{error}", False
    return Judged(str(seed), False, kind, line, twin, "" if kind and line and twin else said)


def judge_fault(launch: Any, fault: tuple[str, str, int, str], folder: Path) -> Judged:
    """Whether the operation that a compiler makes wrong is named, with its line."""
    try:
        found = faults.find(launch, fault, "cpu-fast", folder)
    except RecordingError as error:
        return Judged("-".join(map(str, fault)), False, False, False, True, str(error))
    op = found is not None and found.site.op == fault[1]
    line = found is not None and found.site.line == faults.line_of(fault[3])
    return Judged(
        "-".join(map(str, fault)), False, op, line, True, "" if op and line else f"{found}"
    )


def cpu_seconds() -> float:
    """What this process and those that it has waited for have used."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def seeded(judges: Sequence[Callable[[], Judged]], label: str, most_wrong: int) -> Iterator[Part]:
    """Lines for mistakes of one kind: class, line, twins."""
    start = cpu_seconds()
    found = [one() for one in judges]
    seconds = cpu_seconds() - start
    for what, least in (("kind", 0), ("line", most_wrong), ("twin", 0)):
        wrong = tuple(f"{one.name}: {one.said}" for one in found if not getattr(one, what))
        name = {"kind": "class", "line": "line", "twin": "twin is not accused"}[what]
        total = len(found)
        yield Part(f"{label}: {name}", total - len(wrong), total, total - least, seconds, wrong)


def located() -> Iterator[Part]:
    """Lines for faults of a compiler: operation, and line."""
    start = cpu_seconds()
    with tempfile.TemporaryDirectory() as folder, workers.session():
        launch = faults.make_launch()
        found = [
            judge_fault(launch, fault, Path(folder) / str(number))
            for number, fault in enumerate(faults.FAULTS)
        ]
    seconds = cpu_seconds() - start
    for what, name in (("kind", "operation"), ("line", "line")):
        wrong = tuple(f"{one.name}: {one.said}" for one in found if not getattr(one, what))
        total = len(found)
        yield Part(f"compiler faults: {name}", total - len(wrong), total, total, seconds, wrong)


def clean(kernels: Sequence[tuple[str, Callable[[], Report]]]) -> Iterator[Part]:
    """A line for kernels that are right."""
    start = cpu_seconds()
    reports = [(name, run()) for name, run in kernels]
    wrong = tuple(f"{name}: {one.as_text()}" for name, one in reports if not one.is_clean)
    total = len(reports)
    seconds = cpu_seconds() - start
    yield Part("clean kernels: not accused", total - len(wrong), total, total, seconds, wrong)


def all_clean() -> list[Part]:
    """The line for all kernels that are right."""
    from seeded import clean_kernels

    return list(clean(clean_kernels.all_kernels()))


def parts(with_clean: bool) -> Iterator[Part]:
    """The whole table, line by line; kernels that are right have a process of their own."""
    if not with_clean:
        yield from wrong_parts()
        return
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as other:
        right = other.submit(all_clean)
        yield from wrong_parts()
        yield from right.result()


def wrong_parts() -> Iterator[Part]:
    """The lines for mistakes and faults."""
    ours = [seed for seed in CHECKED if seed.number < _FIRST_PUBLIC]
    others = [seed for seed in CHECKED if seed.number >= _FIRST_PUBLIC]
    own = [lambda seed=seed: judge(seed) for seed in ours]
    own += [lambda seed=seed: judge_result(seed) for seed in results.SEEDS if seed.number < 100]
    # The second half of 29 is no seed of its own.
    yield from seeded(own, "seeds", most_wrong=1)
    yield from seeded([lambda seed=seed: judge(seed) for seed in others], "public bugs", 0)
    yield from located()


def table(found: Sequence[Part]) -> str:
    """A line each; what is wrong below."""
    width = max(len(part.name) for part in found)
    lines = [f"{'':<{width}}   right      of     CPU s"]
    for part in found:
        mark = "" if part.is_met else f"  fewer than {part.least}"
        row = f"{part.name:<{width}}  {part.right:>6}  {part.of:>6}  {part.seconds:>8.1f}{mark}"
        lines.append(row)
    lines += [f"\n{part.name}: {one}" for part in found for one in part.wrong]
    return "\n".join(lines)


def main(words: list[str]) -> int:
    """Prints the table; gives 1 if something in it is not as it should be."""
    start = time.monotonic()
    found = list(parts(with_clean="--all" in words))
    print(table(found))
    # Lines of one group have their time together.
    groups = {part.name.partition(":")[0]: part.seconds for part in found}
    total = sum(groups.values())
    told = f"{total:.1f} s of CPU, {time.monotonic() - start:.1f} s by the clock"
    print(
        f"{told}; without the clean kernels {total - groups.get('clean kernels', 0.0):.1f} s of CPU"
    )
    if "--json" in words:
        facts = {"seconds": total, "parts": [asdict(part) for part in found]}
        Path(words[words.index("--json") + 1]).write_text(json.dumps(facts, indent=1) + "\n")
    return int(not all(part.is_met for part in found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
