"""Packs what a machine without LLVM needs: the static library, and what the module is built from.

Launches of kernels by a Triton that it does not have go along (newest_triton.py).

All else is in the working tree, which travels along.
"""

from __future__ import annotations

import hashlib
import importlib.util
import io
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACK = ROOT / ".gpu-pack"
ARCHIVE = PACK / "library.tar.gz"
PIPELINE = "pipeline.txt"
"""Our passes for a GPU: the library lists none."""
LARGEST = 58 << 20
"""Bytes that the pack and the working tree may have together."""


def main(build: bool) -> None:
    """Builds, packs, and says how large it is."""
    if build:
        command = ["nice", "ninja", "-C", str(ROOT / "build"), "-j2"]
        command += ["TritonSharedStatic", "TritonSharedPython", "triton-shared-opt"]
        subprocess.run(command, check=True, stdout=sys.stderr)
    library = ROOT / "build" / "static" / "libTritonShared.so"
    if not library.is_file():
        sys.exit(f"gpu-check: there is no {library}; run without --no-build")
    PACK.mkdir(exist_ok=True)
    with tarfile.open(ARCHIVE, "w:gz", compresslevel=6) as archive:
        archive.add(library, library.name)
        for extra in _other_libraries(library):
            archive.add(extra.resolve(), extra.name)
        archive.add(_nanobind(), "nanobind", filter=_only(".h", ".hpp", ".cpp"))
        archive.add(_sources_of_mutants(), "fuzz")
        for package in _clients():
            archive.add(package, f"clients/{package.name}", filter=_only(".py"))
        for file, name in _files_of_vllm():
            archive.add(file, f"clients/{name}")
        newest = _launches_of_newest()
        archive.add(newest, newest.name)
        _add_text(archive, PIPELINE, _pipeline())
    digest = hashlib.sha256(ARCHIVE.read_bytes()).hexdigest()
    (PACK / "sha256").write_text(digest + "\n")
    total = ARCHIVE.stat().st_size + _size_of_tree()
    print(f"packed {ARCHIVE.stat().st_size >> 20} MiB; with the working tree {total >> 20} MiB")
    if total > LARGEST:
        sys.exit(f"gpu-check: that is more than {LARGEST >> 20} MiB: it would not travel")


def _other_libraries(library: Path) -> list[Path]:
    """Shared libraries that a machine without Debian's packages lacks."""
    said = subprocess.run(["ldd", library], capture_output=True, text=True, check=True).stdout
    words = [line.split() for line in said.splitlines() if "libtbb" in line]
    return [Path(line[2]) for line in words]


def _clients() -> list[Path]:
    """Packages whose kernels are timed, if they were fetched: all of them are Python alone."""
    from clients import packages

    if not packages.there():
        print("gpu-check: without kernels of packages (python -m clients.packages fetches them)")
        return []
    packages.use()
    found = [importlib.util.find_spec(name) for name in ("einops", "fla", "liger_kernel")]
    return [Path(spec.origin).parent for spec in found if spec and spec.origin]


def _files_of_vllm() -> list[tuple[Path, Path]]:
    """Those of its files that its kernels need, and their names."""
    sys.path.append(str(ROOT / "python" / "test"))
    import vllm_modules

    return [(file, file.relative_to(vllm_modules.FOLDER)) for file in vllm_modules.real_files()]


def _sources_of_mutants() -> Path:
    """What scripts/fuzz damages: the tool makes it."""
    sys.path.insert(0, str(ROOT / "python"))
    from fuzz import sources

    return sources.make_all()


def _launches_of_newest() -> Path:
    from . import launches, newest_triton

    place = ROOT / "build" / launches.NEWEST
    shutil.rmtree(place, ignore_errors=True)
    newest_triton.record(place)
    return place


def _pipeline() -> str:
    tool = ROOT / "build" / "bin" / "triton-shared-opt"
    words = ["--print-pipeline", "--target=cuda:90a", "--num-warps=4", "--num-stages=3"]
    command = [tool, *words, "--to-phase=gpu"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _add_text(archive: tarfile.TarFile, name: str, text: str) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(text.encode())
    archive.addfile(entry, io.BytesIO(text.encode()))


def _nanobind() -> Path:
    spec = importlib.util.find_spec("nanobind")
    if not spec or not spec.origin:
        sys.exit(f"gpu-check: {sys.executable} has no nanobind; run it with .venv/bin/python")
    return Path(spec.origin).parent


def _only(*endings: str) -> Callable[[tarfile.TarInfo], tarfile.TarInfo | None]:
    """Sources, without byte code and without what belongs to a version of Python."""

    def keep(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
        wanted = entry.isdir() or entry.name.endswith(endings)
        return entry if wanted and "__pycache__" not in entry.name else None

    return keep


def _size_of_tree() -> int:
    command = ["git", "-C", str(ROOT), "ls-files", "-z", "-co", "--exclude-standard"]
    names = subprocess.run(command, capture_output=True, check=True).stdout.split(b"\0")
    paths = [ROOT / os.fsdecode(name) for name in names if name]
    return sum(path.stat().st_size for path in paths if path.is_file())
