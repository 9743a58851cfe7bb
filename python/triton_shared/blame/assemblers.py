"""Other versions of ptxas: where they are, and how they come here.

NVIDIA publishes ptxas in wheels on PyPI: `nvidia-cuda-nvcc` since CUDA 13, `nvidia-cuda-nvcc-cu12`
and `-cu11` before. A version that somebody names is fetched with pip, once, and kept in the user's
folder for caches. Nothing is fetched unless it is named.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from ..cuda import tools
from ..errors import TritonSharedError

_VERSION = re.compile(r"(\d+)\.\d+\.\d+")
_MEMBER = re.compile(r"(?:^|/)bin/ptxas$")


@dataclass(frozen=True)
class Assembler:
    """A ptxas, and how it is called."""

    path: Path
    words: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join(("ptxas", tools.version_of(self.path), *self.words))

    def assemble(self, ptx: str) -> tuple[bytes, str]:
        """The cubin and what ptxas says. Raises CudaError."""
        match = re.search(r"^\s*\.target\s+(sm_\w+)", ptx, re.MULTILINE)
        if not match:
            raise TritonSharedError("the PTX does not say for which GPU it is")
        target = match[1].replace("sm_", "cuda:")
        return tools.assemble(ptx, target, words=self.words, ptxas=self.path)


def find(named: str) -> Assembler:
    """The ptxas of a path, or of a version as `13.1.80`, which is fetched if it is not here."""
    if _VERSION.fullmatch(named):
        return Assembler(_fetched(named))
    path = Path(named)
    if not path.is_file():
        raise TritonSharedError(
            f"there is no ptxas at {named}\nname a file, or a version with three numbers as 13.1.80"
        )
    return Assembler(path.resolve())


def package_of(version: str) -> str:
    """The package on PyPI that has this version of ptxas."""
    match = _VERSION.fullmatch(version)
    assert match
    major = int(match[1])
    return "nvidia-cuda-nvcc" if major >= 13 else f"nvidia-cuda-nvcc-cu{major}"


def folder() -> Path:
    """Where fetched versions are kept."""
    try:
        import platformdirs
    except ImportError as error:
        raise TritonSharedError(
            "fetching a ptxas needs platformdirs: pip install triton-shared[blame], or name the "
            "path of a ptxas instead of a version"
        ) from error
    return platformdirs.user_cache_path("triton-shared") / "ptxas"


def _fetched(version: str) -> Path:
    place = folder() / version / "ptxas"
    place.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(place.with_suffix(".lock")):
        if not place.is_file():
            _fetch(version, place)
    return place


def _fetch(version: str, place: Path) -> None:
    wanted = f"{package_of(version)}=={version}"
    with tempfile.TemporaryDirectory() as scratch:
        words = ["download", "--quiet", "--no-deps", "--only-binary=:all:", "-d", scratch, wanted]
        done = subprocess.run(
            [sys.executable, "-m", "pip", "--disable-pip-version-check", *words],
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise TritonSharedError(
                f"ptxas {version} cannot be fetched: pip finds no {wanted}\n"
                f"{done.stderr.strip()[-1000:]}"
            )
        (wheel,) = Path(scratch).glob("*.whl")
        with zipfile.ZipFile(wheel) as packed:
            members = [name for name in packed.namelist() if _MEMBER.search(name)]
            if len(members) != 1:
                raise TritonSharedError(f"{wheel.name} holds no ptxas")
            half = place.with_suffix(".part")
            half.write_bytes(packed.read(members[0]))
        half.chmod(0o755)
        found = tools.version_of(half)
        if found != version:
            raise TritonSharedError(f"{wheel.name} holds ptxas {found}, not {version}")
        half.rename(place)


def variants(own: Assembler, named: Sequence[str]) -> list[Assembler]:
    """A compiler's own, it without its words, without optimisation, then those that are named."""
    plain = [Assembler(own.path)] if own.words else []
    others = [Assembler(find(one).path, own.words) for one in named]
    return [own, *plain, Assembler(own.path, ("-O0",)), *others]
