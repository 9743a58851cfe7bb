"""What mutants are made of: the texts of test/corpus in several phases, also as bytecode.

A later phase is in it for the operations of `tts`. They and the bytecode come from the tool and
are kept in the build folder as long as the tool is older than they are. On a machine without the
tool, they have to be there (scripts/gpu-check packs them).
"""

from __future__ import annotations

import functools
import hashlib
import os
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "test" / "corpus"
BUILD = ROOT / os.environ.get("TRITON_SHARED_TEST_BUILD", "build")
TOOL = BUILD / "bin" / "triton-shared-opt"
KEPT = BUILD / "fuzz"
LONGEST = 12_000
"""Characters of a text that is quick to compile."""


@functools.cache
def texts() -> tuple[str, ...]:
    """The TTIR of the corpus."""
    files = sorted(CORPUS.rglob("*.mlir"))
    return tuple(text for file in files if len(text := file.read_text()) < LONGEST)


def make_all() -> Path:
    """Makes what the tool makes; gives the folder where that is kept."""
    later_texts()
    bytecodes()
    return KEPT


@functools.cache
def later_texts() -> tuple[str, ...]:
    """The corpus in the phase that has our operations beside Triton's."""
    return tuple(text.decode() for text in _make("structured") if len(text) < LONGEST)


@functools.cache
def bytecodes() -> tuple[bytes, ...]:
    """The corpus as bytecode, before and in the phase `structured`."""
    return _make("ttir", "--emit-bytecode") + _make("structured", "--emit-bytecode")


def _make(phase: str, *options: str) -> tuple[bytes, ...]:
    """What the tool makes of every text; nothing where that is an error."""
    KEPT.mkdir(exist_ok=True)
    with ThreadPoolExecutor() as pool:
        made = pool.map(lambda text: _make_one(text, phase, *options), texts())
    return tuple(content for content in made if content)


def _make_one(text: str, phase: str, *options: str) -> bytes:
    name = hashlib.sha256("\0".join((text, phase, *options)).encode()).hexdigest()[:16]
    kept = KEPT / name
    if not kept.exists() or (TOOL.exists() and kept.stat().st_mtime < TOOL.stat().st_mtime):
        command = [str(TOOL), f"--to-phase={phase}", *options]
        made = subprocess.run(command, input=text.encode(), capture_output=True, timeout=120)
        if made.returncode not in (0, 1):
            raise RuntimeError(f"{' '.join(command)} fails: {made.stderr.decode()}")
        # Renamed when complete: threads and tests run side by side.
        with tempfile.NamedTemporaryFile(dir=KEPT, delete=False) as part:
            part.write(made.stdout if made.returncode == 0 else b"")
        Path(part.name).replace(kept)
    return kept.read_bytes()
