"""The C compiler and archiver of this machine, for outputs `a` and `so`."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from .. import knobs
from ..errors import TritonSharedError

LIBRARIES = ("-lm", "-ldl", "-pthread")


@contextmanager
def workshop() -> Iterator[Path]:
    """A folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="triton-shared-aot-") as folder:
        yield Path(folder)


def build(inputs: Sequence[Path], output: Path, include: Path | None = None) -> Path:
    """Makes a library, `.a` or `.so`, of C files and objects."""
    with workshop() as folder:
        objects = [
            _compile(path, folder, include) if path.suffix == ".c" else path for path in inputs
        ]
        names = [str(path) for path in objects]
        if output.suffix == ".so":
            # Else a program that is linked with the file's path looks for it there.
            name = f"-Wl,-soname,{output.name}"
            _run([*_compiler(), "-shared", name, "-o", str(output), *names, *LIBRARIES])
            return output
        # An archive is added to if it is there.
        output.unlink(missing_ok=True)
        _run(["ar", "rcsD", str(output), *names])
    return output


def _compile(path: Path, folder: Path, include: Path | None) -> Path:
    made = folder / f"{path.name}.o"
    flags = ["-std=c11", "-O2", "-fPIC", *([f"-I{include}"] if include else [])]
    _run([*_compiler(), *flags, "-c", str(path), "-o", str(made)])
    return made


def _compiler() -> list[str]:
    return shlex.split(knobs.c_compiler())


def _run(command: list[str]) -> None:
    if not shutil.which(command[0]):
        raise TritonSharedError(
            f"outputs 'a' and 'so' need '{command[0]}', which is not there\n"
            "install a C compiler, set CC, or emit c, h and obj and build elsewhere"
        )
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise TritonSharedError(f"'{shlex.join(command)}' failed:\n{done.stderr.strip()}")
