"""The command line: `python -m triton_shared.blame`."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..diff import configurations, recording, report, run, workers
from ..diff.configurations import ConfigurationReport
from ..diff.recording import RecordingError
from ..diff.worker import RESULT
from ..errors import TritonSharedError
from ..repro import archive
from ..terminal import working
from ..written import writes
from . import ladder
from .ladder import SUSPECTS, Options
from .pipeline import Compiler
from .runs import REFERENCE, Runs
from .verdict import Report, Verdict, as_json

FAILED = 2
_EPILOG = """\
SOURCE is a Python file with a function case() or cases(), a recording that diff has kept, with what
a GPU elsewhere has left if it is there, or a reproducer (.ttrepro), of which nothing runs without
--run.

exit code: 0 nothing is wrong; 1 somebody is to blame; 2 it cannot be told, SOURCE does not run, or
a file could not be written

example: python -m triton_shared.blame kernel.py --expected reference
         python -m triton_shared.blame bug.ttrepro --run --suspect nvidia --ptxas 13.1.80
"""


def main(words: list[str] | None = None) -> int:
    """Climbs, tells, and returns the exit code."""
    given = _parser().parse_args(words)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(given.keep or scratch)
        try:
            options = _options(given)
            with workers.session(), working(f"looking who is to blame in {given.source.name}"):
                reports = list(_climb(given, options, folder))
            _keep(given, reports)
        except (RecordingError, TritonSharedError, OSError) as error:
            print(f"error: {error}", file=sys.stderr)
            return FAILED
    for one, _ in reports:
        print(one.as_text())
    if given.json and not writes(given.json, as_json([one for one, _ in reports]) + "\n"):
        return FAILED
    codes = {one.verdict.exit_code for one, _ in reports}
    return 1 if 1 in codes else max(codes)


def _options(given: argparse.Namespace) -> Options:
    behind = dict(given.behind)
    if behind and given.suspect not in ladder.OURS:
        raise RecordingError(
            f"--behind puts passes between ours for a GPU: --suspect {' or '.join(ladder.OURS)}"
        )
    # A name without a folder would be looked for elsewhere.
    plugins = tuple(plugin.resolve() for plugin in given.plugin)
    compiler = Compiler(plugins=plugins, behind=behind)
    other = Compiler(given.compiler) if given.compiler else None
    text = given.ptx.read_text() if given.ptx else ""
    return Options(
        given.suspect,
        given.expected,
        tuple(given.ptxas),
        text,
        given.timeout,
        tuple(given.scratch),
        compiler,
        other,
    )


def _climb(
    given: argparse.Namespace, options: Options, folder: Path
) -> Iterator[tuple[Report, Path]]:
    """A report per launch, and its folder."""
    if given.source.suffix == ".ttrepro":
        if not given.run:
            raise RecordingError(
                f"{given.source} is a reproducer, whose code may be anybody's\n"
                "blame runs what is in it: that takes --run"
            )
        found = archive.read(given.source)
        if found.stats is not None:
            raise RecordingError(f"{given.source} has no content of tensors")
        found.launch.save(folder / "0000")
        launches = [folder / "0000"]
    else:
        vary: dict[str, Any] | None = {} if given.configs else None
        launches = run.prepare(given.source, given.case, folder, vary, options.timeout)
        if given.source.is_dir():
            _adopt(given.source, launches, options.suspect)
    if given.configs:
        yield from _climb_configurations(launches, options)
        return
    for launch in launches:
        yield ladder.climb(Runs(launch, options.timeout), options), launch


def _adopt(source: Path, launches: list[Path], suspect: str) -> None:
    """What the suspect has left on another machine, if it is in the recordings."""
    sources = (
        [source]
        if (source / "launch.json").is_file()
        else sorted(path.parent for path in source.glob("*/launch.json"))
    )
    for kept, launch in zip(sources, launches, strict=True):
        if (kept / suspect / RESULT).is_file() and kept != launch:
            shutil.copytree(kept / suspect, launch / suspect, dirs_exist_ok=True)


def _climb_configurations(launches: list[Path], options: Options) -> Iterator[tuple[Report, Path]]:
    """The configurations that are wrong, of each kernel; on the suspect alone, down the ladder."""
    targets = (REFERENCE, options.suspect)
    for sweep, members in zip(
        configurations.compare_sweeps(launches, targets, options.scratch, options.timeout),
        configurations.by_sweep(launches),
        strict=True,
    ):
        wrong = [
            (one, launch)
            for one, launch in zip(sweep.configurations, members, strict=True)
            if one.verdict in ("wrong", "failed")
        ]
        if not sweep.is_decided:
            said = "cannot tell, because as many configurations disagree as agree"
            yield (
                _told(sweep, options, Verdict("unknown", f"{said}: --expected says more")),
                members[0],
            )
        elif not wrong:
            said = f"nothing is wrong: {len(members)} configurations leave the same"
            yield _told(sweep, options, Verdict("nothing", said)), members[0]
        for one, launch in wrong if sweep.is_decided else []:
            if one.first.status == "equal" and one.verdict == "wrong":
                found = ladder.climb(Runs(launch, options.timeout), options)
                said = f"in configuration {one.configuration}, {found.verdict.sentence}"
                found.verdict = replace(found.verdict, sentence=said)
                yield found, launch
            else:
                yield _told(sweep, options, _wrong(sweep.kernel, one, targets)), launch


def _told(sweep: configurations.SweepReport, options: Options, verdict: Verdict) -> Report:
    return Report(sweep.label, sweep.kernel, options.suspect, [], verdict)


def _wrong(kernel: str, one: ConfigurationReport, targets: tuple[str, str]) -> Verdict:
    lines = list(report.configuration_lines(one, targets))
    if one.verdict == "failed":
        why = next(side.message for side in (one.first, one.second) if side.status == "failed")
        said = f"cannot tell, because {' '.join(lines[0].split())}: {why.partition(chr(10))[0]}"
        return Verdict("unknown", said)
    said = f"configuration {one.configuration} of kernel '{kernel}' is wrong, on the CPU, too"
    return Verdict("configuration", f"{said}: {lines[1].strip()}", (one.configuration,))


def _keep(given: argparse.Namespace, reports: list[tuple[Report, Path]]) -> None:
    """Writes the reproducer of the first launch that is wrong; drops what only a search used."""
    for _, launch in reports:
        for place in launch.glob("given-module-*"):
            shutil.rmtree(place)
    if not given.repro:
        return
    for one, launch in reports:
        if one.verdict.exit_code:
            evidence = {path.name: path.read_bytes() for path in (launch / "blame").glob("*")}
            told = as_json([one])
            archive.write(given.repro, recording.load(launch), told, evidence=evidence)
            return


def _behind(text: str) -> tuple[str, str]:
    name, equals, words = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"'{text}' is not PASS=WORDS")
    return name, words


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m triton_shared.blame",
        description="Says who is to blame for a wrong result.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("source", type=Path, metavar="SOURCE")
    add("--suspect", choices=SUSPECTS, default="emulated", help="what is wrong (default: emulated)")
    add("--expected", default="", metavar="[FILE:]FUNCTION", help="what torch computes instead")
    add("--case", default="", metavar="TEXT", help="only cases whose name has TEXT")
    add("--configs", action="store_true", help="every configuration of kernels that are autotuned")
    add(
        "--scratch", action="append", default=[], metavar="ARGUMENT",
        help="a tensor that each configuration fills in its own way; may be repeated",
    )  # fmt: skip
    add("--run", action="store_true", help="run code that is in a reproducer")
    add(
        "--ptxas", action="append", default=[], metavar="PATH|VERSION",
        help="another ptxas; a version is fetched from PyPI and kept; may be repeated",
    )  # fmt: skip
    add("--ptx", type=Path, metavar="FILE", help="PTX in the place of the suspect's own")
    add(
        "--compiler", type=Path, metavar="TOOL", help="triton-shared-opt of a version that is right"
    )
    add("--plugin", type=Path, action="append", default=[], help="passes of yours, for --behind")
    add(
        "--behind", type=_behind, action="append", default=[], metavar="PASS=WORDS",
        help="passes of a plugin, which run behind a pass of ours",
    )  # fmt: skip
    add("--keep", type=Path, metavar="FOLDER", help="keep everything there")
    add("--repro", type=Path, metavar="FILE", help="keep the first launch that is wrong (.ttrepro)")
    add("--json", type=Path, metavar="FILE", help="write everything there, for programs")
    add(
        "--timeout", type=float, default=120, metavar="SECONDS",
        help="of a launch, also while it is recorded (default: 120)",
    )  # fmt: skip
    return parser


if __name__ == "__main__":
    sys.exit(main())
