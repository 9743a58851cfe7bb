"""`python -m triton_shared.explain [--json] FILE [arguments of the script]`.

A Python script is run as it is, on the CPU, and every kernel that it compiles is explained; any
other file is read as TTIR.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import runpy
import sys
import tempfile
from pathlib import Path

from .. import TritonSharedError, device
from . import Explanation, explain_texts
from .table import show


def main(words: list[str]) -> int:
    """Explains one file; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m triton_shared.explain", description=__doc__)
    parser.add_argument("--json", action="store_true", help="a line of JSON per access")
    parser.add_argument("file", type=Path, help="a Python script, or a file of TTIR")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="of the script")
    options = parser.parse_args(words)
    if not options.file.is_file():
        parser.error(f"there is no file '{options.file}'")
    try:
        found = _explain(options.file, options.arguments)
    except TritonSharedError as error:
        print(error, file=sys.stderr)
        return 1
    if options.json:
        print("\n".join(found.lines))
    else:
        show(found)
    return 0


def _explain(file: Path, arguments: list[str]) -> Explanation:
    if file.suffix != ".py":
        return explain_texts([file.read_bytes()])
    with tempfile.TemporaryDirectory() as folder:
        _run(file, arguments, folder)
        kept = sorted(Path(folder).glob("*/input.mlir"), key=lambda path: path.stat().st_mtime_ns)
        if not kept:
            raise TritonSharedError(f"'{file}' has compiled no kernel; it must launch one")
        return explain_texts([path.read_text() for path in kept], printed_by_triton=True)


def _run(file: Path, arguments: list[str], folder: str) -> None:
    """Runs a script that keeps what it compiles; its own output goes to the standard error."""
    os.environ["TRITON_SHARED_DUMP"] = folder
    os.environ["TRITON_ALWAYS_COMPILE"] = "1"
    sys.argv = [str(file), *arguments]
    sys.path.insert(0, str(file.resolve().parent))
    with device("cpu"), contextlib.redirect_stdout(sys.stderr):
        runpy.run_path(str(file), run_name="__main__")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
