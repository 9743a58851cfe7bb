"""Where ptxas and libdevice are.

Triton's own wheel carries both, so no CUDA Toolkit is needed. The order: the environment, the
wheel, a toolkit, and for ptxas the search path.
"""

from __future__ import annotations

import functools
import importlib.util
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from .. import knobs
from ..errors import CudaError


def find_ptxas() -> Path:
    """The assembler of PTX."""
    home = knobs.cuda_home()
    on_path = shutil.which("ptxas")
    return _first(
        "ptxas",
        "TRITON_PTXAS_PATH",
        knobs.ptxas(),
        [
            _wheel() / "bin" / "ptxas",
            home / "bin" / "ptxas" if home else None,
            Path(on_path) if on_path else None,
        ],
    )


def find_libdevice() -> Path:
    """NVIDIA's library of mathematical functions, as LLVM bitcode."""
    home = knobs.cuda_home()
    return _first(
        "libdevice.10.bc",
        "TRITON_LIBDEVICE_PATH",
        knobs.libdevice(),
        [
            _wheel() / "lib" / "libdevice.10.bc",
            home / "nvvm" / "libdevice" / "libdevice.10.bc" if home else None,
        ],
    )


@functools.cache
def version_of(ptxas: Path) -> str:
    """What `ptxas --version` names, for example `12.8.93`: another one makes other cubins."""
    try:
        said = subprocess.run([ptxas, "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise CudaError(
            f"ptxas does not run: {error}\npoint TRITON_PTXAS_PATH at one that does"
        ) from error
    match = re.search(r"V(\d+(?:\.\d+)+)", said.stdout)
    return match[1] if match else said.stdout.strip()


def assemble(ptx: str, target: str, is_precise: bool) -> tuple[bytes, str]:
    """The cubin of a text for `target`, such as `cuda:90a`, and what ptxas says about it."""
    with tempfile.TemporaryDirectory(prefix="triton-shared-") as folder:
        source, cubin = Path(folder, "kernel.ptx"), Path(folder, "kernel.cubin")
        source.write_text(ptx)
        command = [str(find_ptxas()), "-v", target.replace("cuda:", "--gpu-name=sm_")]
        command += [*(["--fmad=false"] * is_precise), *knobs.ptxas_options()]
        command += [str(source), "-o", str(cubin)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise CudaError(f"ptxas refuses the PTX:\n{(done.stdout + done.stderr).strip()}")
        return cubin.read_bytes(), done.stdout + done.stderr


def _wheel() -> Path:
    """The folder of the NVIDIA backend of the Triton that is imported."""
    spec = importlib.util.find_spec("triton")
    assert spec
    assert spec.origin
    return Path(spec.origin).parent / "backends" / "nvidia"


def _first(what: str, variable: str, chosen: Path | None, places: list[Path | None]) -> Path:
    looked = [chosen] if chosen else [place for place in places if place]
    for place in looked:
        if place.is_file():
            # It becomes a word among the options of the compiler.
            if re.search(r"\s", str(place)):
                raise CudaError(
                    f"{what} lies in a folder whose name has spaces: {place}\n"
                    f"point {variable} at a copy or a link that has none"
                )
            return place
    raise CudaError(
        f"compiling for a GPU needs {what}; there is none at {' or '.join(map(str, looked))}\n"
        f"install the triton wheel for x86-64 Linux or a CUDA Toolkit (and set CUDA_HOME), or "
        f"point {variable} at it"
    )
