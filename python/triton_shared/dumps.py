"""TRITON_SHARED_DUMP: the phases of a compilation as files, in a folder named after its input."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path

_SUFFIXES = {"llir": "ll", "obj": "o", "ptx": "ptx", "cubin": "cubin"}


def folder_of(text: str, root: Path) -> Path:
    """Where the phases that begin with `text` go."""
    return root / hashlib.sha256(text.encode()).hexdigest()[:12]


def write(
    text: str,
    phases: tuple[str, ...],
    made: Callable[[str], bytes],
    root: Path,
    diagnostics: str = "",
) -> None:
    """Writes the input, what `made` has of each phase, and what the compiler said."""
    folder = folder_of(text, root)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "input.mlir").write_text(text)
    for number, phase in enumerate(phases, start=1):
        content = made(phase)
        if content:
            name = f"{number:02}.{phase}.{_SUFFIXES.get(phase, 'mlir')}"
            (folder / name).write_bytes(content)
    if diagnostics:
        (folder / "diagnostics.txt").write_text(diagnostics)


def write_cached(files: Mapping[str, str], phases: tuple[str, ...], root: Path) -> bool:
    """The same of a cache entry; False if it has binaries only, and says nothing of the others."""
    places = {Path(name).suffix[1:]: Path(path) for name, path in files.items()}
    if not set(phases) <= set(places):
        return False
    contents = {phase: places[phase].read_bytes() for phase in phases}
    write(contents["ttir"].decode(), phases, contents.__getitem__, root)
    return True
