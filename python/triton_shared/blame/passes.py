"""The rung of our passes: modules of a launch, run on from wherever that is possible."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .. import emulate
from ..errors import TritonSharedError
from . import codes
from .our_passes import Runner, Search, Suspects
from .pipeline import Compiler, gpu_options
from .runs import Runs

_COMMON = ("ttir", "structured", "linalg")
"""Phases from which the CPU goes on, too."""


def blame(
    runs: Runs,
    compiler: Compiler,
    other: Compiler | None,
    form: str,
    left_out: Sequence[str],
) -> Suspects:
    """The passes that make a launch wrong: those for a GPU (`gpu`), or of the CPU's fast mode."""
    launch = runs.recorded
    if not launch.ttir:
        raise TritonSharedError("the recording has no TTIR: record the launch again")
    if form == "gpu":
        options, last, judge = gpu_options(launch), "gpu", _judge_of_gpu(runs)
    else:
        options, last, judge = ["--target=cpu", "--mode=fast"], "llir", runs.judges(form)
    search = Search(launch.ttir, compiler, compiler.passes(options, last), judge)
    if other:
        return search.by_other_compiler(other, other.passes(options, last))
    if form == "cpu":
        phases = list(dict.fromkeys(one.phase for one in search.passes))
        found = search.by_modules(phases, runs.judges("cpu"), ends_wrong=True)
        assert found
        return found
    found = search.by_modules(_COMMON, runs.judges("cpu"))
    return found or search.by_leaving_out(left_out)


def _judge_of_gpu(runs: Runs) -> Runner:
    """Says whether a module in phase `gpu` is right: without LLVM here, its PTX is."""
    if emulate.has_llvm():
        return runs.judges("gpu")
    return lambda text: runs.judge_given(codes.of_ours(runs.recorded, text=text).given)


def everything(runs: Runs, compiler: Compiler) -> str:
    """The launch's kernel in phase `gpu`."""
    launch = runs.recorded
    return compiler.apply(launch.ttir, compiler.passes(gpu_options(launch), "gpu"))


def keep(runs: Runs, found: Suspects) -> list[Path]:
    """The modules around them."""
    modules = {"before.mlir": found.before, "after.mlir": found.after}
    return [runs.keep(name, text) for name, text in modules.items() if text]
