"""Runs a kernel from its TTIR, without its Python source: on the CPU, and in the emulator."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch

from .. import launcher, library
from ..errors import CompilationError
from ..frontend import Target, parse_options
from ..launcher import Parameter, parameters

ONE_FUNCTION = ("triton-structure-control-flow", "triton-inline-calls")
"""The passes after which a kernel has neither calls nor branches between blocks."""
_FLOATS = re.compile(r"(?:\b|(?<=\*k))(?:fp8\w+|fp16|bf16|fp32|fp64|f16|f32|f64|f8E\w+)\b")


Launch = Callable[[Sequence[Any], tuple[int, ...]], None]
"""A kernel that is ready, which takes its arguments and a grid."""


def run_on_cpu(
    ttir: str,
    types: dict[str, Any],
    arguments: Sequence[Any],
    grid: tuple[int, ...],
    mode: str = "",
) -> None:
    """Launches the kernel of a text on the CPU: see `compile_for_cpu`."""
    compile_for_cpu(ttir, types, mode)(arguments, grid)


def compile_for_cpu(ttir: str, types: dict[str, Any], mode: str = "") -> Launch:
    """Compiles the kernel of a text for the CPU, in `mode` or as the environment says.

    `types` has Triton's word for the type of each argument, `constexpr` for one that the text does
    without. In a block of `check` it is checked. Raises CompilationError.
    """
    from triton import knobs

    options = {"instrumentation_mode": knobs.compilation.instrumentation_mode or ""}
    if mode:
        options["mode"] = mode
    done = library.compile_text(ttir, parse_options(Target.parse("cpu"), options).words())
    obj = done.artefact("obj")
    if not done.succeeded or not obj:
        raise CompilationError("", "obj", done.diagnostics)
    facts = json.loads(done.metadata)
    digest = hashlib.sha256(obj).hexdigest()
    known = {"obj_sha256": digest, "hash": "", **options}
    metadata = SimpleNamespace(**{**facts, **known})
    launch = launcher.make_launcher(SimpleNamespace(signature=types), metadata)
    binary = launcher.Binary(metadata.name, obj)

    def run(arguments: Sequence[Any], grid: tuple[int, ...]) -> None:
        x, y, z = (*grid, 1, 1)[:3]
        launch(x, y, z, 0, binary, (), None, None, None, *arguments)

    return run


def run_in_emulator(
    ttir: str,
    types: dict[str, Any],
    arguments: Sequence[Any],
    grid: tuple[int, ...],
    options: dict[str, Any],
    memory: Sequence[torch.Tensor],
) -> None:
    """Launches the kernel of a text as a GPU would, in the emulator; `memory` is all that it has.

    Raises `emulate.CompileError` and `emulate.EmulationError`.
    """
    from .. import emulate

    plan = parameters(types)
    flat = [
        part for top, value in zip(plan, arguments, strict=True) for part in flatten(top, value)
    ]
    warps = min(32, int(options.get("num_warps") or 4) * int(options.get("num_ctas") or 1))
    stages = max(1, int(options.get("num_stages") or 3))
    with tempfile.TemporaryDirectory() as folder:
        kernel = emulate.compile_kernel(ttir, warps, Path(folder), stages, keeps_warps=False)
        emulate.launch(kernel, flat, grid, memory=memory)


def in_f64(types: dict[str, Any]) -> dict[str, Any]:
    """The types of the same kernel where every float is f64."""
    return {name: _in_f64(kind) for name, kind in types.items()}


def _in_f64(kind: Any) -> Any:
    if isinstance(kind, (tuple, list)):
        return tuple(_in_f64(member) for member in kind)
    return with_number(kind, "fp64")


def with_number(kind: str, number: str) -> str:
    """A type in Triton's words with `number` for the float in it."""
    return _FLOATS.sub(number, kind)


def apply_passes(ttir: str, *passes: str, plugins: Sequence[Path] = ()) -> str:
    """What passes of the compiler leave of a text.

    They are words of a pipeline, as `triton-probe-values{only=3}`. Those of `plugins` run in the
    compiler's tool: a plugin stays loaded for as long as a process lives. Raises CompilationError.
    """
    pipeline = ",".join(passes)
    if plugins:
        return _apply_with_plugins(ttir, pipeline, plugins)
    done = library.compile_text(ttir, f"passes={pipeline}")
    if not done.succeeded:
        raise CompilationError("", "ttir", done.diagnostics)
    return done.artefact("module").decode()


def _apply_with_plugins(ttir: str, pipeline: str, plugins: Sequence[Path]) -> str:
    loaded = [f"--load-pass-plugin={plugin}" for plugin in plugins]
    pipeline = f"--pass-pipeline=builtin.module({pipeline})"
    done = subprocess.run(
        [library.tool(), "-", "--mlir-print-debuginfo", *loaded, pipeline],
        input=ttir,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise CompilationError("", "ttir", done.stderr)
    return done.stdout


def flatten(parameter: Parameter, value: Any) -> Iterator[Any]:
    """The C values that an argument becomes, as `launcher.Parameter.kinds` lists them."""
    if parameter.form == "tuple":
        for member, part in zip(parameter.members, value, strict=True):
            yield from flatten(member, part)
    elif parameter.form == "descriptor":
        sizes, strides = list(value.shape), list(value.strides)
        is_nan = getattr(value, "padding", "zero") == "nan"
        rounds = bool(getattr(value, "round_f32_to_tf32", False))
        whole = [value.base, *sizes, *strides, is_nan, rounds, *sizes, *strides]
        yield from whole[: len(parameter.kinds)]
    elif parameter.form != "skip":
        # Memory that is taken for another type is behind a wrapper.
        yield value if isinstance(value, torch.Tensor) else getattr(value, "base", value)
