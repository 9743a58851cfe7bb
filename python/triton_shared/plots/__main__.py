"""`python -m triton_shared.plots speed|error|coverage FILE -o FIGURE`: a figure of results.

FILE is a result of benchmarks, the file of a campaign, or a report of `diff --json`; the ending of
FIGURE says what it becomes: svg, png, pdf.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence, Sized
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ..errors import TritonSharedError
from . import coverage, errors, read_coverage, read_errors, read_speed, speed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Found = TypeVar("Found", bound=Sized)


def main(words: Sequence[str]) -> int:
    """Draws one figure; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m triton_shared.plots", description=__doc__)
    parser.add_argument("kind", choices=("speed", "error", "coverage"))
    parser.add_argument("file", type=Path, help="what is drawn")
    parser.add_argument("--output", "-o", type=Path, required=True, help="the figure's file")
    parser.add_argument("--only", metavar="TEXT", default="", help="rows whose name has TEXT in it")
    parser.add_argument("--peer", default="its peer", help="of speeds: what 1 stands for")
    options = parser.parse_args(words)
    try:
        figure = _draw(options)
        figure.savefig(options.output, metadata=_metadata(options.output))
    except (TritonSharedError, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    print(options.output)
    return 0


def _draw(options: argparse.Namespace) -> Figure:
    if options.kind == "speed":
        bars = {bar.name: bar for bar in read_speed(options.file) if options.only in bar.name}
        return speed([*_some(bars, options.only).values()], options.peer)
    if options.kind == "error":
        found = [one for one in read_errors(options.file) if options.only in one.name]
        return errors(_some(found, options.only))
    cells = {at: ends for at, ends in read_coverage(options.file).items() if options.only in at[0]}
    return coverage(_some(cells, options.only))


def _some(found: Found, text: str) -> Found:
    if not found:
        raise TritonSharedError(f"no row has '{text}' in its name")
    return found


def _metadata(path: Path) -> dict[str, None] | None:
    """Without the date, the same numbers make the same file."""
    return {"Date": None} if path.suffix == ".svg" else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
