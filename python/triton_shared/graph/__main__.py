"""Random graphs, all candidates verified.

`fuzz` is `python -m triton_shared.campaign fuzz`, which keeps what came of each graph in a file and
goes on where it has stopped. `repeat` does one graph again, makes smaller what is wrong, and
writes a reproducer.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from . import fuzz
from .voters import FAST


def main(words: list[str]) -> int:
    """Exit code 1 if a candidate is wrong."""
    parser = argparse.ArgumentParser(
        prog="python -m triton_shared.graph",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND", dest="command")
    commands.add_parser("fuzz", add_help=False, help="many random graphs: --graphs FIRST:COUNT")
    repeat = commands.add_parser("repeat", help="one random graph")
    repeat.add_argument("number", type=int, help="of the graph")
    repeat.add_argument("--candidates", type=int, default=3, metavar="N", help="as in the campaign")
    repeat.add_argument("--output", type=Path, default=Path("graph-fuzz"), help="for reproducers")
    options, others = parser.parse_known_args(words)
    if options.command == "fuzz":
        from ..campaign.__main__ import main as run

        return run(["fuzz", *others])
    if others:
        parser.error(f"unrecognized arguments: {' '.join(others)}")
    return _repeat(options)


def _repeat(options: argparse.Namespace) -> int:
    """One graph, computed by the compiler for CPUs."""
    done = fuzz.run(options.number, options.candidates, FAST)
    for one in map(fuzz.smaller, done.wrong):
        print(one.describe(), f"\nrepeat with: python {fuzz.write(one, options.output)}")
    print(
        f"{done.right} right, {done.inexact} rounded elsewhere, "
        f"{done.hopeless} of which nothing can be said, {len(done.wrong)} wrong"
    )
    return 1 if done.wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
