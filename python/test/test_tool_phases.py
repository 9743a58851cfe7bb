"""triton-shared-opt from every phase to every other, for every target: a result or one sentence."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tree import BUILD, ROOT
from triton_shared import library
from triton_shared.cuda import tools

OPT = BUILD / "bin" / "triton-shared-opt"
SOURCE = ROOT / "test" / "corpus" / "ttir" / "vec_add-3.6.0.mlir"

WAYS = {"cpu": library.phases("cpu"), "cuda:90a": library.phases("cuda")}
PHASES = sorted(set().union(*WAYS.values()))
MAGIC = {"obj": b"\x7fELF", "cubin": b"\x7fELF", "ptx": b"//"}


def run(*words: str | Path) -> subprocess.CompletedProcess[bytes]:
    environment = dict(os.environ)
    environment["TRITON_PTXAS_PATH"] = str(tools.find_ptxas())
    environment["TRITON_LIBDEVICE_PATH"] = str(tools.find_libdevice())
    return subprocess.run([OPT, *words], env=environment, capture_output=True)


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Path]:
    """The same kernel in every MLIR phase, by target and phase."""
    found = {}
    for target in WAYS:
        folder = tmp_path_factory.mktemp("phases")
        done = run(SOURCE, f"--target={target}", "--to-phase=llir", f"--dump-phases-to={folder}")
        assert done.returncode == 0, done.stderr
        for path in folder.iterdir():
            found[target, path.name.split(".")[1]] = path
    return found


def is_sentence(said: str) -> bool:
    """Whether it is one line without a module in it; a place shows the line that it names."""
    lines = [line for line in said.splitlines() if "error:" in line or "triton-shared-opt:" in line]
    return len(lines) == 1 and len(said.splitlines()) <= 3


@pytest.mark.parametrize("target", WAYS)
@pytest.mark.parametrize("phase", PHASES)
def test_from_the_source(target: str, phase: str):
    done = run(SOURCE, f"--target={target}", f"--to-phase={phase}")
    said = done.stderr.decode()
    if phase in WAYS[target]:
        assert done.returncode == 0, said
        assert done.stdout.startswith(MAGIC.get(phase, b""))
        assert phase == "cubin" or said == ""
    else:
        assert done.returncode == 1
        assert said.startswith(
            f"triton-shared-opt: phase '{phase}' is not on the way to '{target}'"
        )
        assert len(said.splitlines()) == 1


def jumps() -> Iterator[tuple[str, str, str, str]]:
    """Which way an input comes from, its phase, the target, and the phase to go to."""
    for way, phases in WAYS.items():
        for start in phases[: phases.index("llir") + 1]:
            for target, ends in WAYS.items():
                yield from ((way, start, target, end) for end in ends)


def leads(way: str, start: str, target: str, end: str) -> bool:
    """Whether there is a way: forwards, and not from one device's phases to the other's."""
    phases = WAYS[target]
    parting = phases.index("linalg")
    if start not in phases or (phases.index(start) > parting and way != target):
        # What stands in the last phase in MLIR is looked at no further.
        return start == "llir" and end == "llir"
    return phases.index(start) <= phases.index(end)


@pytest.mark.every(2)
@pytest.mark.parametrize(("way", "start"), sorted({(way, start) for way, start, *_ in jumps()}))
def test_from_any_phase_to_any_other(way: str, start: str, inputs: dict[tuple[str, str], Path]):
    for w, s, target, end in jumps():
        if (w, s) != (way, start):
            continue
        done = run(inputs[way, start], f"--target={target}", f"--to-phase={end}")
        said = done.stderr.decode()
        if leads(way, start, target, end):
            assert done.returncode == 0, (target, end, said)
            assert done.stdout
        else:
            assert done.returncode == 1, (target, end, said)
            assert is_sentence(said), (target, end, said)
            assert "see current operation" not in said


@pytest.mark.parametrize("target", ["cuda:81", "cuda:", "cuda", "tpu", "cpu:", "cpu:z80", "gpu"])
def test_an_unknown_target_is_one_sentence(target: str):
    for phase in ("ttir", "llir", "obj", "cubin"):
        done = run(SOURCE, f"--target={target}", f"--to-phase={phase}")
        assert done.returncode == 1
        said = done.stderr.decode()
        assert said.startswith("triton-shared-opt: unknown target '")
        assert len(said.splitlines()) == 1
