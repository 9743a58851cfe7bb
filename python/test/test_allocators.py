"""Applications replace the C library's allocator: kernels take and give back memory as they do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from fuzz import programs
from fuzz.generator import Generator
from tree import BUILD, ROOT

ALLOCATOR = Path(__file__).with_name("strict_allocator.c")
IS_SANITIZED = BUILD.name in ("build-asan", "build-tsan")


@pytest.fixture(scope="module")
def allocator(tmp_path_factory: pytest.TempPathFactory) -> Path:
    built = tmp_path_factory.mktemp("allocator") / "strict.so"
    command = ["clang-22", "-O1", "-fno-builtin", "-shared", "-fPIC", ALLOCATOR, "-o", built]
    subprocess.run(command, check=True)
    return built


@pytest.mark.skipif(IS_SANITIZED, reason="a sanitizer is an allocator itself")
def test_a_kernel_gives_back_memory_to_the_allocator_that_gave_it(allocator: Path):
    """LLVM makes `calloc` of `malloc` and zeros, and `free` belongs to both."""
    seed = next(seed for seed in range(40) if b"calloc" in machine_code(seed))
    done = subprocess.run(
        [sys.executable, "-m", "fuzz.programs", "--first", str(seed), "--count", "1"],
        env={**os.environ, "LD_PRELOAD": str(allocator)},
        cwd=ROOT / "python",
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "1 programs, 0 wrong\n", "")


def machine_code(seed: int) -> bytes:
    """Of a random program."""
    made = programs.compiled(Generator(seed).generate(), "mode=reference")
    return bytes(made.artefact("obj"))
