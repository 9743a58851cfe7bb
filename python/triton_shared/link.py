"""`python -m triton_shared.link`: one C function that picks among variants of a kernel.

It reads headers of `python -m triton_shared.compile` and writes `<out>.h`, `<out>.c` and the C++
header `<out>.hpp`; with --lib also libraries of everything, and what pkg-config and CMake find them
by: `<out>.pc` and `<out>Config.cmake`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from . import aot
from .errors import TritonSharedError


def parse(words: list[str]) -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(prog="python -m triton_shared.link", description=__doc__)
    add = parser.add_argument
    add("headers", type=Path, nargs="+", help="of the variants")
    add("--out", "-o", type=Path, required=True, help="the files' name, without ending")
    add("--prefix", default="", help="put before the function's name")
    add("--lib", default="", metavar="LIST", help="libraries to build: a, so or a,so")
    return parser.parse_args(words)


def main(words: list[str]) -> int:
    """Links the headers; returns the exit code."""
    options = parse(words)
    libraries = [word.strip() for word in options.lib.split(",") if word.strip()]
    try:
        unknown = sorted(set(libraries) - {"a", "so"})
        if unknown:
            raise TritonSharedError(f"unknown library '{unknown[0]}'; use a or so")
        made = aot.link_headers(
            options.headers, options.out, prefix=options.prefix, libraries=libraries
        )
    except TritonSharedError as error:
        print(f"triton_shared.link: error: {error}", file=sys.stderr)
        return 1
    for file in made:
        print(file)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
