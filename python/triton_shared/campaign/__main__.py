"""The command line: `python -m triton_shared.campaign check|diff|fuzz|report`."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Any

from ..errors import TritonSharedError
from . import plan, progress, summary
from .campaign import Campaign
from .executors import Dask, Processes, Workers
from .results import Results, reading, writing
from .server import versions

_EPILOG = """\
Results are kept case by case in one SQLite file. The same command goes on where one has stopped,
and does again what has changed since: sources, options, versions.

exit code: 0 nothing is wrong, 1 something was found, 2 a case could not run, 130 interrupted

example: python -m triton_shared.campaign check kernels/*.py --results checks.sqlite
         python -m triton_shared.campaign diff tuned.py --targets cpu,emulated --vary BLOCK=32,64
         python -m triton_shared.campaign report checks.sqlite
"""
INTERRUPTED = 130


def main(words: list[str] | None = None) -> int:
    """Does what the command line says, and returns the exit code."""
    options = parser().parse_args(words)
    try:
        return int(options.does(options))
    except TritonSharedError as error:
        print(f"error: {error}", file=sys.stderr)
        return summary.NOT_RUN
    except KeyboardInterrupt:
        print("interrupted: the same command goes on", file=sys.stderr)
        return INTERRUPTED


def _run(options: argparse.Namespace) -> int:
    """Has all cases done that are not, and tells of all that are in the file."""
    started = time.monotonic()
    workers: Workers = Dask(options.dask) if options.dask else Processes(options.workers)
    with writing(options.results) as results:
        if options.kind == "fuzz":
            cases = plan.of_fuzzer(options)
        else:
            cases = plan.of_sources(options, workers)
        known = versions()
        wanted = results.want(cases, known)
        with progress.shown(len(cases), len(cases) - len(wanted)) as told:
            campaign = Campaign(results, workers, known, told, options.timeout)
            if options.minutes is not None:
                campaign.deadline = started + 60 * options.minutes
            campaign.run(wanted)
        if options.kind == "fuzz" and options.mutants:
            _judge(results, workers.slots)
    return _tell(options)


def _judge(results: Results, workers: int) -> None:
    """Says of crashes of mutants whose they are, where there is a tool to tell."""
    from .fuzzing import load

    load("judging").judge_results(results, workers)


def _tell(options: argparse.Namespace) -> int:
    with reading(options.results) as results:
        whole = summary.summarize(results.rows())
    print(summary.as_text(whole))
    if options.json:
        options.json.write_text(summary.as_json(whole) + "\n")
    return summary.exit_code(whole)


def parser() -> argparse.ArgumentParser:
    """Of the command line."""
    made = argparse.ArgumentParser(
        prog="python -m triton_shared.campaign",
        description="Has many cases done, by processes or by a cluster, and keeps the results.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = made.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, does: Any, told: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=told, description=told)
        command.set_defaults(does=does, kind=name)
        command.add_argument("--json", type=Path, metavar="FILE", help="write the summary, too")
        return command

    check = add("check", _run, "looks for what kernels do wrong (docs/check.md)")
    check.add_argument("--bounds-only", action="store_true", help="accesses outside of tensors")
    _add_sources(check)
    diff = add("diff", _run, "compares what kernels do on two targets (docs/diff.md)")
    diff.add_argument(
        "--targets", type=_targets, default=("cpu", "shared_cuda"), metavar="A,B",
        help="default: cpu,shared_cuda",
    )  # fmt: skip
    diff.add_argument("--locate", action="store_true", help="look for the operation that is wrong")
    diff.add_argument(
        "--launch-timeout", type=float, default=120, metavar="SECONDS", help="default: 120"
    )
    _add_sources(diff)
    fuzz = add(
        "fuzz", _run, "random programs, graphs, damaged texts and bytecode (CONTRIBUTING.md)"
    )
    add_fuzzing(fuzz)
    for command in (check, diff, fuzz):
        _add_workers(command)
    report = add("report", _tell, "tells what came of a campaign, also while it runs")
    report.add_argument("results", type=Path, metavar="FILE")
    return made


def _add_sources(command: argparse.ArgumentParser) -> None:
    command.add_argument("sources", nargs="+", type=Path, metavar="SOURCE")
    command.add_argument(
        "--case", default="", metavar="TEXT", help="only cases whose name has TEXT"
    )
    command.add_argument(
        "--vary",
        type=_values,
        action="append",
        default=[],
        metavar="NAME=VALUE,…",
        help="each case with each of these options of its launches, or constants; may be repeated",
    )
    command.add_argument(
        "--seeds", type=numbers, metavar="FIRST:COUNT", help="each case with each seed of torch"
    )
    command.add_argument("--run", action="store_true", help="run code that is in a reproducer")


def add_fuzzing(command: argparse.ArgumentParser) -> None:
    """What `fuzz` takes, of itself."""
    add = command.add_argument
    add("--programs", type=numbers, default=range(0), metavar="FIRST:COUNT")
    add("--modes", default="reference,fast", metavar="MODES", help="of programs; also gpu")
    add("--mutants", type=numbers, default=range(0), metavar="FIRST:COUNT")
    add("--damage", default="text,bytecode", metavar="KINDS", help="of mutants")
    add("--graphs", type=numbers, default=range(0), metavar="FIRST:COUNT", help="docs/graph.md")
    add("--candidates", type=_positive, default=3, metavar="N", help="of each graph (default: 3)")
    add(
        "--voters",
        default="fast",
        metavar="A,B",
        help="who computes graphs: fast (default), reference, interpreter; on a GPU triton, shared",
    )


def _add_workers(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add(
        "--results",
        type=Path,
        default=Path("campaign.sqlite"),
        metavar="FILE",
        help="where results are kept (default: campaign.sqlite)",
    )
    cores = len(os.sched_getaffinity(0))
    add("--workers", type=_positive, default=cores, metavar="N", help="processes at a time")
    add("--dask", metavar="ADDRESS", help="workers are those of the cluster with this scheduler")
    add("--timeout", type=float, metavar="SECONDS", help="of a case")
    add("--minutes", type=float, help="end in time: what is left is for the next call")


def numbers(text: str) -> range:
    """FIRST:COUNT."""
    first, _, count = text.partition(":")
    return range(int(first), int(first) + int(count))


def _positive(text: str) -> int:
    if int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is no number of processes")
    return int(text)


def _targets(text: str) -> tuple[str, ...]:
    from ..diff.replay import TARGETS

    targets = tuple(text.split(","))
    if len(targets) != 2 or not set(targets) <= set(TARGETS):
        raise argparse.ArgumentTypeError(f"takes two of {', '.join(TARGETS)}, got '{text}'")
    return targets


def _values(text: str) -> tuple[str, list[Any]]:
    from ..diff.__main__ import values

    return values(text)


if __name__ == "__main__":
    sys.exit(main())
