"""The files of one variant: launcher, header, machine code, libraries and phases."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

from ..errors import TritonSharedError
from . import runtime, toolchain
from .kernel import Kernel
from .signature import Parameter
from .templates import render

PHASES = {
    "ttir": "ttir", "linalg": "mlir", "llir": "ll", "ptx": "ptx", "cubin": "cubin",
    "obj": "kernel.o",
}  # fmt: skip
"""What is written as it is, and the suffix of its file. The object is not `X.o`: that is what a C
compiler makes of the launcher `X.c`."""

EMITTABLE = ("c", "h", "hpp", "a", "so", *PHASES)

_LARGEST_GRID_YZ = 65535
"""Of a GPU, and here of a CPU: one program serves both."""


def default_outputs(kernel: Kernel) -> tuple[str, ...]:
    """What a C program needs: on the CPU, machine code is a file of its own."""
    return ("c", "h", "obj") if kernel.target.kind == "cpu" else ("c", "h")


def write(kernel: Kernel, path: Path, emit: Iterable[str] = ()) -> list[Path]:
    """Writes `<path>.<hash>_<suffix>.<ending>` for each output; gives the files in order."""
    stem = path.with_name(path.name + kernel.file_suffix)
    make_folder(stem.parent)
    return [_write(kernel, stem, output) for output in tuple(emit) or default_outputs(kernel)]


def _write(kernel: Kernel, stem: Path, output: str) -> Path:
    if output in PHASES:
        content = kernel.artefacts.get(output)
        if not content:
            raise TritonSharedError(
                f"target {kernel.target} has no '{output}'; it has "
                f"{', '.join(phase for phase in PHASES if phase in kernel.artefacts)}"
            )
        return store(stem, PHASES[output], content)
    if output == "c":
        return store(stem, "c", _launcher_beside(kernel, stem))
    if output == "h":
        return store(stem, "h", header(kernel).encode())
    if output == "hpp":
        return store(stem, "hpp", _functor(kernel, f"{stem.name}.h").encode())
    if output not in EMITTABLE:
        raise TritonSharedError(f"unknown output '{output}'; use {', '.join(EMITTABLE)}")
    return _build(kernel, stem, output)


def store(stem: Path, ending: str, content: bytes) -> Path:
    """Writes the file `<stem>.<ending>`."""
    path = stem.with_name(f"{stem.name}.{ending}")
    try:
        path.write_bytes(content)
    except OSError as error:
        raise _not_written(path, error) from None
    return path


def make_folder(folder: Path) -> None:
    """Makes a folder for outputs, if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _not_written(folder, error) from None


def _not_written(path: Path, error: OSError) -> TritonSharedError:
    return TritonSharedError(
        f"cannot write '{path}': {error.strerror}\nname a place that can be written"
    )


def declare(parameters: Iterable[Parameter]) -> str:
    """The parameters of a launcher, as C writes them."""
    words = ["CUstream stream", *(f"{p.c_type} {p.name}" for p in parameters)]
    return ", ".join(words)


def header(kernel: Kernel) -> str:
    """The header, with the lines that linkers read."""
    facts = {
        "name": kernel.name,
        "symbol": kernel.symbol,
        "algorithm": kernel.algorithm,
        "target": kernel.target.kind,
        "parameters": [[p.name, p.c_type, p.hint] for p in kernel.linkable],
    }
    return render(
        "kernel.h.j2",
        kernel=kernel,
        target=str(kernel.target),
        description=_describe(kernel),
        signature=declare(kernel.passed),
        linkable=", ".join(f"{p.c_type} {p.name}" for p in kernel.linkable),
        facts=json.dumps(facts),
    )


def launcher(kernel: Kernel, object_name: str) -> str:
    """The C file with the launcher."""
    called = runtime.called_by(kernel.artefacts.get("obj", b""))
    return render(
        f"{kernel.target.kind}.c.j2",
        kernel=kernel,
        target=str(kernel.target),
        object=object_name,
        description=_describe(kernel),
        signature=declare(kernel.passed),
        constants={p.name: _as_constant(p) for p in kernel.parameters if not p.is_passed},
        most=_LARGEST_GRID_YZ,
        called=called,
        runtime=runtime.source_of(called),
        driver=runtime.driver_source(has_tensor_maps=bool(kernel.tensor_maps)),
        cubin=kernel.artefacts.get("cubin", b""),
    )


def _launcher_beside(kernel: Kernel, stem: Path) -> bytes:
    """The launcher of the object that lies at `<stem>.kernel.o`."""
    return launcher(kernel, f"{stem.name}.{PHASES['obj']}").encode()


def _functor(kernel: Kernel, header_name: str) -> str:
    return functor(kernel.symbol, kernel.symbol, header_name, kernel.passed)


def functor(name: str, launcher_name: str, header_name: str, passed: list[Parameter]) -> str:
    """The C++ header with a function object."""
    return render(
        "functor.hpp.j2",
        name=name,
        class_name="".join(word.capitalize() for word in re.split("_+", name)),
        launcher=launcher_name,
        header=header_name,
        signature=declare(passed),
        arguments=", ".join(["stream", *(p.name for p in passed)]),
    )


def _describe(kernel: Kernel) -> str:
    constants = [f"{p.name}={p.value}" for p in kernel.parameters if p.is_constant]
    ones = [f"{p.name}=1" for p in kernel.parameters if p.hint == 1]
    launch = [f"num_warps={kernel.num_warps}", f"num_stages={kernel.num_stages}"]
    return ", ".join([*constants, *ones, *launch])


def _as_constant(parameter: Parameter) -> str:
    """The definition of what is known, for the expressions of the grid."""
    if parameter.hint == 1:
        return f"const {parameter.c_type} {parameter.name} = 1"
    kind = "int64_t" if isinstance(parameter.value, int) else "double"
    return f"const {kind} {parameter.name} = {parameter.value}"


def _build(kernel: Kernel, stem: Path, output: str) -> Path:
    """An archive or a shared library of launcher and machine code."""
    with toolchain.workshop() as folder:
        inputs = [store(folder / stem.name, "c", _launcher_beside(kernel, stem))]
        if kernel.target.kind == "cpu":
            inputs.append(store(folder / stem.name, PHASES["obj"], kernel.artefacts["obj"]))
        return toolchain.build(inputs, stem.with_name(f"{stem.name}.{output}"))
