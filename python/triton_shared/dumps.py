"""What is kept of a compilation as files: with TRITON_SHARED_DUMP the phases, in a folder named
after its input; with TRITON_REPRODUCER_PATH what repeats it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path

from .errors import TritonSharedError

_TOOLS = ("ptxas", "libdevice")
"""Words of a compilation that are about what follows phase `llir`."""
_REPRODUCER = """{-#
  external_resources: {
    mlir_reproducer: {
      pipeline: "builtin.module(run-to-phase{%s})",
      disable_threading: true,
      verify_each: true
    }
  }
#-}
"""
"""How MLIR writes it."""
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
    files = {"input.mlir": text.encode()}
    for number, phase in enumerate(phases, start=1):
        files[f"{number:02}.{phase}.{_SUFFIXES.get(phase, 'mlir')}"] = made(phase)
    files["diagnostics.txt"] = diagnostics.encode()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            if content or name == "input.mlir":
                (folder / name).write_bytes(content)
    except OSError as error:
        raise TritonSharedError(
            f"cannot write below TRITON_SHARED_DUMP={root}: {error.strerror} ('{error.filename}')\n"
            "name a folder that can be made and written, or unset the variable"
        ) from None


def write_reproducer(text: str, words: str, beginning: str) -> None:
    """Writes what `triton-shared-opt --run-reproducer` repeats: the input, and its way to `llir`.

    `words` are those of the compilation. The file is `<beginning>.triton_shared.repro.mlir`.
    """
    kept = [word for word in words.split() if word.partition("=")[0] not in _TOOLS]
    resources = _REPRODUCER % " ".join(["phase=llir", *kept])
    Path(f"{beginning}.triton_shared.repro.mlir").write_text(f"{text}\n{resources}")


def write_cached(files: Mapping[str, str], phases: tuple[str, ...], root: Path) -> bool:
    """The same of a cache entry; False if it has binaries only, and says nothing of the others."""
    places = {Path(name).suffix[1:]: Path(path) for name, path in files.items()}
    if not set(phases) <= set(places):
        return False
    contents = {phase: places[phase].read_bytes() for phase in phases}
    write(contents["ttir"].decode(), phases, contents.__getitem__, root)
    return True
