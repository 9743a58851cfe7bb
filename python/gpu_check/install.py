"""Makes the package usable on the other machine: unpacks, builds the module with g++, installs.

Done once for a pack and a tree; the folder is kept between calls.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .pack import ARCHIVE, PACK, ROOT

PLACE = Path("/tmp/triton-shared-there")
ENTRY_POINTS = """\
[triton.backends]
cpu = triton_shared.backend
shared_cuda = triton_shared.backend.gpu
"""


def install() -> dict[str, str]:
    """Installs what is not yet there; gives the environment of processes that use it."""
    if not ARCHIVE.is_file():
        sys.exit(f"gpu-check: {PACK} has not come along; name it in `carry`")
    digest = (PACK / "sha256").read_text().strip()
    unpacked = PLACE / digest[:12]
    if not (unpacked / "done").is_file():
        with tarfile.open(ARCHIVE) as archive:
            archive.extractall(unpacked, filter="data")
        (unpacked / "done").touch()
    module = _build_module(unpacked)
    site = _make_site(unpacked, module)
    paths = [str(site), str(ROOT / "python"), str(ROOT)]
    paths += filter(None, [os.environ.get("PYTHONPATH")])
    paths.append(str(unpacked / "clients"))
    return {
        "TRITON_F32_DEFAULT": "tf32",  # on the CPU, too: as on a GPU
        **os.environ,
        "PYTHONPATH": os.pathsep.join(paths),
        "PYTHONUNBUFFERED": "1",
        "TRITON_CACHE_DIR": str(PLACE / "cache"),
        "TRITON_SHARED_TEST_BUILD": str(unpacked),
    }


def _build_module(unpacked: Path) -> Path:
    sources = sorted((ROOT / "python" / "native").glob("*.cpp"))
    sources.append(unpacked / "nanobind" / "src" / "nb_combined.cpp")
    headers = [*(ROOT / "python" / "native").glob("*.h"), *(ROOT / "include").rglob("CAPI/*.h")]
    headers += (ROOT / "runtime" / "cuda").glob("*.h")
    state = hashlib.sha256()
    for path in sorted([*sources, *headers]):
        state.update(path.read_bytes())
    folder = unpacked / f"module-{state.hexdigest()[:12]}"
    made = folder / f"_native{sysconfig.get_config_var('EXT_SUFFIX')}"
    if made.is_file():
        return made
    folder.mkdir(exist_ok=True)
    includes = [
        ROOT / "include",
        unpacked / "nanobind" / "include",
        unpacked / "nanobind" / "ext" / "robin_map" / "include",
        Path(sysconfig.get_path("include")),
    ]
    flags = ["-std=c++17", "-O2", "-DNDEBUG", "-fPIC", "-fvisibility=hidden"]
    flags += ["-fno-strict-aliasing", "-DNB_DOMAIN=triton_shared"]
    flags += [f"-I{include}" for include in includes]

    def compile_one(source: Path) -> str:
        out = folder / f"{source.stem}.o"
        _run(["g++", *flags, "-c", str(source), "-o", str(out)])
        return str(out)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compile_one, sources))
    half = folder / "half.so"
    link = [f"-L{unpacked}", "-lTritonShared", "-Wl,-rpath,$ORIGIN"]
    link.append(f"-Wl,-rpath-link,{unpacked}")
    _run(["g++", "-shared", *objects, *link, "-o", str(half)])
    half.rename(made)
    return made


def _make_site(unpacked: Path, module: Path) -> Path:
    """A folder for PYTHONPATH, as `pip install` would fill it."""
    site = PLACE / "site"
    shutil.rmtree(site, ignore_errors=True)
    package = site / "triton_shared"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "python" / "triton_shared", package, ignore=ignored)
    shutil.copytree(ROOT / "backend", package / "backend", ignore=ignored)
    for part in ("kernel", "cuda"):
        shutil.copytree(ROOT / "runtime" / part, package / "runtime" / part)
    for library in [module, *unpacked.glob("lib*.so*")]:
        (package / library.name).symlink_to(library)
    # $ORIGIN is where a library really lies.
    for library in unpacked.glob("lib*.so*"):
        link = module.parent / library.name
        if not link.exists():
            link.symlink_to(library)
    facts = site / "triton_shared-0.1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: triton-shared\nVersion: 0.1.0\n")
    (facts / "entry_points.txt").write_text(ENTRY_POINTS)
    return site


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"gpu-check: {' '.join(command)}\n{done.stderr[-4000:]}")
