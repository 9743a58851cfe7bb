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
from collections.abc import Sequence
from pathlib import Path

from .. import knobs
from ..errors import CudaError


def find_ptxas(target: str = "cuda:80") -> Path:
    """The assembler of PTX: the first that knows `target`, such as `cuda:90a`.

    Where none does, the first of all: that the target is too new for it is said where PTX is to be
    assembled, since PTX itself needs no ptxas.
    """
    chosen, variable = knobs.ptxas(), "TRITON_PTXAS_PATH"
    if _is_blackwell(target) and knobs.ptxas_blackwell():
        chosen, variable = knobs.ptxas_blackwell(), "TRITON_PTXAS_BLACKWELL_PATH"
    home = knobs.cuda_home()
    on_path = shutil.which("ptxas")
    places = [
        _wheel() / "bin" / "ptxas",
        _wheel() / "bin" / "ptxas-blackwell",
        home / "bin" / "ptxas" if home else None,
        Path(on_path) if on_path else None,
    ]
    found = _first("ptxas", variable, chosen, places)
    if chosen or not _is_blackwell(target):
        return found
    there = [place for place in places if place and place.is_file()]
    return next((place for place in there if _sm(target) in architectures(place)), found)


@functools.cache
def architectures(ptxas: Path) -> frozenset[str]:
    """The GPUs that a ptxas knows, such as `sm_90a`: its help lists them."""
    said = subprocess.run([ptxas, "--help"], capture_output=True, text=True, check=False)
    return frozenset(re.findall(r"'(sm_\w+)'", said.stdout))


def _sm(target: str) -> str:
    return target.replace("cuda:", "sm_")


def _is_blackwell(target: str) -> bool:
    """Whether it is a GPU that not every supported ptxas knows."""
    return int(re.sub(r"\D", "", target)) >= 100


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


def assemble(
    ptx: str,
    target: str,
    *,
    fuses: bool = True,
    words: Sequence[str] = (),
    ptxas: Path | None = None,
) -> tuple[bytes, str]:
    """The cubin of a text for `target`, such as `cuda:90a`, and what ptxas says about it.

    `fuses` allows a product and a sum to become one operation; `words` are more of ptxas's own.
    """
    ptxas = ptxas or find_ptxas(target)
    with tempfile.TemporaryDirectory(prefix="triton-shared-") as folder:
        source, cubin = Path(folder, "kernel.ptx"), Path(folder, "kernel.cubin")
        source.write_text(ptx)
        command = [str(ptxas), "-v", f"--gpu-name={_sm(target)}"]
        command += [*(["--fmad=false"] * (not fuses)), *words]
        command += [str(source), "-o", str(cubin)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode and _sm(target) not in architectures(ptxas):
            raise CudaError(
                f"the ptxas at {ptxas} is too old for {_sm(target)}\n"
                "a newer CUDA Toolkit holds one that knows it; point TRITON_PTXAS_PATH at it"
            )
        if done.returncode:
            raise CudaError(f"ptxas refuses the PTX:\n{(done.stdout + done.stderr).strip()}")
        return cubin.read_bytes(), done.stdout + done.stderr


def find_nvdisasm() -> Path:
    """NVIDIA's disassembler of cubins."""
    home = knobs.cuda_home()
    on_path = shutil.which("nvdisasm")
    places = [
        _wheel() / "bin" / "nvdisasm",
        home / "bin" / "nvdisasm" if home else None,
        Path(on_path) if on_path else None,
    ]
    return _first("nvdisasm", "CUDA_HOME", None, places)


def disassemble(cubin: bytes) -> str:
    """The instructions of a cubin, with the source lines that it knows (ptxas's `-lineinfo`)."""
    with tempfile.TemporaryDirectory(prefix="triton-shared-") as folder:
        file = Path(folder, "kernel.cubin")
        file.write_bytes(cubin)
        command = [str(find_nvdisasm()), "-c", "--print-line-info-inline", str(file)]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise CudaError(f"nvdisasm refuses the cubin:\n{(done.stdout + done.stderr).strip()}")
    return done.stdout


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
