"""A script that is run for its kernels: what they are compiled from, and how they are launched."""

from __future__ import annotations

import ast
import contextlib
import os
import runpy
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import device
from ..errors import TritonSharedError
from ..interception import intercepted_launches

if TYPE_CHECKING:
    from ..diff.recording import Recording


@dataclass(frozen=True)
class Ran:
    """What a script has done."""

    texts: tuple[str, ...]
    """The TTIR of all kernels, in the order in which they were compiled."""
    launches: Mapping[str, Recording] = field(default_factory=dict)
    """By kernel, the first launch."""
    problems: Mapping[str, str] = field(default_factory=dict)
    """By kernel, why nothing more can be said of its launch."""


def run(file: Path, arguments: Sequence[str], *, records: bool = False) -> Ran:
    """Runs a script on the CPU, and keeps its launches if it `records` them.

    Its own output goes to the standard error. Raises TritonSharedError if it compiles no kernel.
    """
    launches: dict[str, Recording] = {}
    problems: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        with _recorded(file, launches, problems) if records else contextlib.nullcontext():
            _run(file, arguments, folder)
        kept = sorted(Path(folder).glob("*/input.mlir"), key=lambda path: path.stat().st_mtime_ns)
        if not kept:
            raise TritonSharedError(f"'{file}' has compiled no kernel; it must launch one")
        return Ran(tuple(path.read_text() for path in kept), launches, problems)


@contextlib.contextmanager
def _recorded(
    script: Path, launches: dict[str, Recording], problems: dict[str, str]
) -> Iterator[None]:
    from ..diff import recorder

    def run(launch: Callable[..., Any], kernel: Any, *args: Any, **named: Any) -> Any:
        name = kernel.fn.__name__
        if named["warmup"] or name in {**launches, **problems}:
            return launch(kernel, *args, **named)
        options = {n: value for n, value in named.items() if n not in ("grid", "warmup")}
        try:
            if why := _why_not(script, kernel):
                raise TritonSharedError(why)
            recorded, _ = recorder.record_launch(kernel, args, named["grid"], options, "explain")
        except (TritonSharedError, TypeError) as error:
            problems[name] = str(error)
            return launch(kernel, *args, **named)
        compiled = launch(kernel, *args, **named)
        recorder.keep_text(recorded, compiled)
        launches[name] = recorded
        return compiled

    with intercepted_launches(run):
        yield


def _why_not(script: Path, kernel: Any) -> str:
    """Why a launch cannot be repeated, if it cannot: processes that do so import its file."""
    file = Path(kernel.fn.__code__.co_filename)
    if not file.is_file() or file.resolve() != script.resolve() or _has_guard(file):
        return ""
    return (
        f"what is launched at the top level of {script.name} cannot be repeated alone\n"
        "put it under 'if __name__ == \"__main__\":'"
    )


def _has_guard(file: Path) -> bool:
    """Whether importing a script leaves out what it is run for."""
    statements = ast.parse(file.read_text()).body
    tests = [ast.unparse(one.test) for one in statements if isinstance(one, ast.If)]
    return any("__name__" in test and "__main__" in test for test in tests)


def _run(file: Path, arguments: Sequence[str], folder: str) -> None:
    """Runs a script that keeps what it compiles; nothing of it stays."""
    variables, words, paths = dict(os.environ), sys.argv, list(sys.path)
    # In the user's cache the same kernel may be there from another file, which is dumped as well.
    cache = str(Path(folder, "cache"))
    os.environ |= {"TRITON_SHARED_DUMP": folder, "TRITON_ALWAYS_COMPILE": "1"}
    os.environ["TRITON_CACHE_DIR"] = cache
    sys.argv = [str(file), *arguments]
    sys.path.insert(0, str(file.resolve().parent))
    try:
        with device("cpu"), contextlib.redirect_stdout(sys.stderr):
            runpy.run_path(str(file), run_name="__main__")
    finally:
        os.environ.clear()
        os.environ.update(variables)
        sys.argv, sys.path[:] = words, paths
