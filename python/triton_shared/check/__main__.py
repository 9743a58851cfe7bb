"""The command line: `python -m triton_shared.check`."""

from __future__ import annotations

import argparse
import sys
import traceback
from pathlib import Path

from .. import run
from ..written import writes
from .session import check

CLEAN, FOUND, FAILED = 0, 1, 2

_EPILOG = """\
The script needs no change. Its tensors are on the CPU, also those that it makes on "cuda".

exit code: 0 nothing is wrong, 1 something was found, 2 the script could not run, or FILE could
not be written

example: python -m triton_shared.check examples/softmax.py
"""


def main(words: list[str] | None = None) -> int:
    """Runs a script, tells what its kernels do wrong, and returns the exit code."""
    options = _parser().parse_args(words)
    if not options.module and not Path(options.script).is_file():
        _parser().error(f"there is no file '{options.script}'")
    sys.argv = [options.script, *options.arguments]
    with (
        run.cuda_means_cpu(),
        check(bounds_only=options.bounds_only, hints=options.hints) as report,
    ):
        succeeded = _succeeds(options.script, options.module)
    report.print()
    if options.output:
        written = report.as_sarif() if options.format == "sarif" else report.as_json()
        succeeded &= writes(options.output, written + "\n")
    if not succeeded:
        return FAILED
    return CLEAN if report.is_clean else FOUND


def _succeeds(script: str, is_module: bool) -> bool:
    """Whether a script ends without an error; its errors are shown."""
    try:
        run.run_script(script, is_module)
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        return not end.code
    except Exception:
        traceback.print_exc()
        return False
    return True


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m triton_shared.check",
        description="Runs a script on the CPU and checks every kernel that it launches.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--output", type=Path, metavar="FILE", help="write everything there, too")
    parser.add_argument(
        "--format",
        choices=("json", "sarif"),
        default="json",
        help="how FILE is written: JSON of our own, or SARIF 2.1.0 for other tools",
    )
    parser.add_argument(
        "--bounds-only",
        action="store_true",
        help="look for accesses outside of their tensors alone, which is much faster",
    )
    parser.add_argument(
        "--hints", action="store_true", help="tell masks that leave out nothing or everything, too"
    )
    parser.add_argument("-m", dest="module", action="store_true", help="SCRIPT is a module")
    parser.add_argument("script", metavar="SCRIPT", help="a Python script, or with -m a module")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="of the script")
    return parser


if __name__ == "__main__":
    sys.exit(main())
