"""The command line: `python -m triton_shared.diff`."""

from __future__ import annotations

import argparse
import ast
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import TritonSharedError
from ..repro import archive
from ..terminal import working
from ..written import writes
from . import configurations, culprit, derived, exact, replay, report, run, widening
from .comparison import LaunchReport
from .recording import RecordingError, load
from .replay import TARGETS

EQUAL, DIFFERENT, FAILED = 0, 1, 2

_EPILOG = """\
SOURCE is a Python file with a function case() or cases(), whose launches are compared one by one;
or a recording that an earlier call has kept: a folder or a zip of one.

exit code: 0 all results are equal within their bounds, 1 some differ, 2 a target could not run,
or a file could not be written

example: python -m triton_shared.diff examples/softmax.py --case f16 --targets cpu,shared_cuda
         python -m triton_shared.diff tuned.py --configs --targets cpu,emulated
"""


def main(words: list[str] | None = None) -> int:
    """Compares, tells, and returns the exit code."""
    options = _parser().parse_args(words)
    targets = tuple(options.targets.split(","))
    if len(targets) != 2 or not set(targets) <= set(TARGETS):
        _parser().error(f"--targets needs two of {', '.join(TARGETS)}, got '{options.targets}'")
    if options.exact and (options.configs or options.vary):
        _parser().error("--exact compares targets, not configurations: leave out --configs, --vary")
    if options.error_bound == "derived" and (options.configs or options.vary):
        _parser().error("--error-bound derived compares targets: leave out --configs, --vary")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(options.keep or scratch)
        compare = _compare_configurations if options.configs or options.vary else _compare
        try:
            with working(f"comparing {' and '.join(targets)}"):
                status, text, facts = compare(options, targets, folder)
        except (RecordingError, TritonSharedError, OSError) as error:
            print(f"error: {error}", file=sys.stderr)
            return FAILED
    print(text)
    if options.json and not writes(options.json, facts + "\n"):
        return FAILED
    return {"equal": EQUAL, "different": DIFFERENT}.get(status, FAILED)


def _compare(
    options: argparse.Namespace, targets: tuple[str, str], folder: Path
) -> tuple[str, str, str]:
    """Status, text and JSON of launches."""
    wider = widening.load(options.tolerances or widening.beside(options.source))
    run.prepare(options.source, options.case, folder, timeout=options.timeout)
    references = derived.REFERENCES if options.error_bound == "derived" else replay.REFERENCES
    reports = list(
        run.compare_all(folder, targets, options.timeout, widenings=wider, references=references)
    )
    if options.exact:
        reports = exact.add(reports, targets, options.timeout, options.locate)
    if options.locate:
        reports = run.locate(reports, targets, options.timeout, options.max_probe_bytes, wider)
    if options.repro:
        _keep_reproducer(options.repro, reports, targets, options.stats_only)
    if not options.keep:
        reports = [report.without_folder(r) for r in reports]
    told = (
        report.as_text(reports, targets, wider),
        report.as_json(reports, targets, wider),
    )
    return report.status(reports), *told


def _keep_reproducer(
    path: Path, reports: Sequence[LaunchReport], targets: tuple[str, str], stats_only: bool
) -> None:
    """Writes the first launch that is not equal, with its report."""
    for one in reports:
        if one.status != "equal" and one.folder:
            told = report.as_json([report.without_folder(one)], targets)
            archive.write(path, load(one.folder), told, stats_only=stats_only)
            return


def _compare_configurations(
    options: argparse.Namespace, targets: tuple[str, str], folder: Path
) -> tuple[str, str, str]:
    """Status, text and JSON of configurations."""
    wider = widening.load(options.tolerances or widening.beside(options.source))
    vary = dict(options.vary)
    launches = run.prepare(options.source, options.case, folder, vary, options.timeout)
    reports = configurations.compare_sweeps(
        launches, targets, options.scratch, options.timeout, wider
    )
    if options.repro:
        found = [one for sweep in reports for one in sweep.configurations]
        wrong = [one.second if one.first.status == "equal" else one.first for one in found]
        _keep_reproducer(options.repro, wrong, targets, options.stats_only)
    told = (
        report.sweeps_as_text(reports, targets, wider),
        report.sweeps_as_json(reports, targets, wider),
    )
    return report.status(reports), *told


def values(text: str) -> tuple[str, list[Any]]:
    """NAME=VALUE,… with numbers as such."""
    name, equals, listed = text.partition("=")
    if not equals or not name or not listed:
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=VALUE,…")
    return name, [_value(value) for value in listed.split(",")]


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m triton_shared.diff",
        description="Runs kernels on two targets and compares what they leave in memory.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("source", type=Path, metavar="SOURCE")
    parser.add_argument(
        "--targets",
        default="cpu,shared_cuda",
        metavar="A,B",
        help=f"two of {', '.join(TARGETS)} (default: cpu,shared_cuda); bounds are taken from A",
    )
    parser.add_argument("--case", default="", metavar="TEXT", help="only cases whose name has TEXT")
    _add_steps(parser)
    _add_keeping(parser)
    parser.add_argument(
        "--timeout",
        type=float,
        default=120,
        metavar="SECONDS",
        help="of a launch, also while it is recorded (default: 120)",
    )
    return parser


def _add_steps(parser: argparse.ArgumentParser) -> None:
    """What is done besides comparing launches."""
    parser.add_argument(
        "--configs",
        action="store_true",
        help="compare every configuration of kernels that are autotuned with one reference on A",
    )
    parser.add_argument(
        "--vary",
        type=values,
        action="append",
        default=[],
        metavar="NAME=VALUE,…",
        help="try these values of an option of the launch, or of a constant; may be repeated",
    )
    parser.add_argument(
        "--scratch",
        action="append",
        default=[],
        metavar="ARGUMENT",
        help="a tensor whose content may depend on the configuration; may be repeated",
    )
    parser.add_argument(
        "--tolerances",
        type=Path,
        metavar="FILE",
        help="widen bounds as this file says (default: tolerances.toml beside SOURCE)",
    )
    parser.add_argument(
        "--error-bound",
        choices=("chosen", "derived"),
        default="chosen",
        help="how far off results may be: what is chosen for the kind of kernel (default), or "
        "derived by the kernel itself, beside each number that it computes",
    )
    parser.add_argument(
        "--locate",
        action="store_true",
        help="look for the operation that is wrong on B; A and B run kernels from TTIR",
    )
    parser.add_argument(
        "--exact",
        action="store_true",
        help="compare without rounding, too, to tell that from a wrong algorithm: integers for "
        "floats, on targets that run kernels from TTIR",
    )


def _add_keeping(parser: argparse.ArgumentParser) -> None:
    """What is kept of a comparison: in memory while it runs, and in files."""
    parser.add_argument(
        "--max-probe-bytes",
        type=int,
        default=culprit.MOST_BYTES,
        metavar="BYTES",
        help="memory for the values of a program; more of them take more runs (default: 256 MiB)",
    )
    parser.add_argument(
        "--repro",
        type=Path,
        metavar="FILE.ttrepro",
        help="write the first launch that is not equal there: see python -m triton_shared.repro",
    )
    parser.add_argument(
        "--stats-only",
        action="store_true",
        help="of its tensors, keep a summary instead of the content",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything as JSON, too")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep recordings and results")


if __name__ == "__main__":
    sys.exit(main())
