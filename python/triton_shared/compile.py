"""`python -m triton_shared.compile`: a kernel for C and C++ programs, made ahead of time.

The command line is that of Triton's own tool, with a choice of target and outputs. Works without a
GPU; on success it prints the files that it wrote.
"""

from __future__ import annotations

import argparse
import ast
import sys
from pathlib import Path
from typing import Any

from . import aot
from .errors import TritonSharedError
from .terminal import working


def parse(words: list[str]) -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(prog="python -m triton_shared.compile", description=__doc__)
    add = parser.add_argument
    add("path", type=Path, help="a Python file, which is run, or a file of TTIR")
    add("--kernel-name", "-n", required=True, help="the @triton.jit function in it")
    add(
        "--signature", "-s", required=True, metavar="TYPES",
        help='a type for each parameter, and a value for each tl.constexpr: "*fp32:16, i32, 64"; '
        ":16 promises a multiple of 16, :1 the value 1",
    )  # fmt: skip
    add("--grid", "-g", required=True, help="three C expressions over the parameters")
    add("--target", "-t", default="cpu", help="cpu (default) or cuda:<compute capability>")
    add("--num-warps", "-w", type=int, default=1, help="of a program on a GPU (default: 1)")
    add("--num-stages", "-ns", type=int, default=3, help="of loads in loops (default: 3)")
    add("--out-name", "-on", default="", help="name in C (default: that of the kernel)")
    add(
        "--out-path",
        "-o",
        type=Path,
        help="the files' name up to the hash; missing folders in it are made",
    )
    add(
        "--emit", default="", metavar="LIST",
        help=f"what to write, of {','.join(aot.EMITTABLE)} (default: c,h, on the CPU c,h,obj)",
    )  # fmt: skip
    add(
        "--option", action="append", default=[], metavar="NAME=VALUE", type=parse_option,
        help="another option of a launch line: mode=fast, precise=True; may be repeated",
    )  # fmt: skip
    return parser.parse_args(words)


def parse_option(text: str) -> tuple[str, Any]:
    """Reads `NAME=VALUE`, where the value is a literal of Python or a word."""
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=VALUE")
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value


def main(words: list[str]) -> int:
    """Compiles one variant; returns the exit code."""
    options = parse(words)
    name = options.out_name or options.kernel_name
    try:
        with working(f"compiling {options.kernel_name} for {options.target}"):
            kernel = aot.compile_kernel(
                options.path,
                options.kernel_name,
                options.signature,
                options.grid,
                target=options.target,
                num_warps=options.num_warps,
                num_stages=options.num_stages,
                out_name=options.out_name,
                options=dict(options.option),
            )
        emit = tuple(word.strip() for word in options.emit.split(",") if word.strip())
        for file in aot.write(kernel, options.out_path or Path(name), emit):
            print(file)
    except (TritonSharedError, ValueError) as error:
        print(f"triton_shared.compile: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
