"""The first pass after which a kernel's result changes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import triton
from fuzz.sources import TOOL
from kernels import scale
from tree import BUILD
from triton_shared import bisect, library, stages
from triton_shared.bisect import Snapshot, find_first, read_changes
from triton_shared.terminal import Say, Told

SCRIPT = """
import sys
sys.path.insert(0, {folder!r})
import numpy as np
from kernels import scale


class Array:
    def __init__(self, content):
        self.content, self.dtype = np.array(content, np.float32), "float32"

    def data_ptr(self):
        return self.content.ctypes.data


out = Array([0.0] * 20)
scale[(1,)](Array(range(20)), out, 20, 4.0, BLOCK=32)
print(out.content.tolist())
"""
"""Without torch, which takes longer to import than the rest takes to run."""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "script.py"
    path.write_text(SCRIPT.format(folder=str(Path(__file__).parent)))
    return path


def changes(mode: str = "reference") -> str:
    """What the passes of a mode change."""
    types = {"x_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32", "factor": "fp32"}
    ttir = stages.ast_to_ttir(scale, types, {"BLOCK": 32})
    return library.compile_text(ttir, f"mode={mode} keep=changes").artefact("changes").decode()


@pytest.fixture(autouse=True)
def _active(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITON_SHARED_ACTIVE", "1")


def run(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "triton_shared.bisect", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=200)


def test_changes_are_read_by_pass():
    snapshots = read_changes(changes())
    names = [snapshot.name for snapshot in snapshots]
    assert names[0] == "triton-pointers-to-structured"
    assert "structured-to-memref" in names
    assert all("@scale" in snapshot.text for snapshot in snapshots)
    found = {snapshot.name: bisect.go_on(snapshot) for snapshot in snapshots}
    phases = {name: one.phase for name, one in found.items() if one}
    assert phases["triton-pointers-to-structured"] == "structured"
    assert phases["triton-tensors-to-linalg"] == "linalg"
    assert phases["one-shot-bufferize"] == "memref"
    assert "upstream-to-llvm" not in phases


class Recorded(bisect.Script):
    """A script that notes what it was run with."""

    def run_with(self, snapshot: Snapshot, phase: str, place: Path) -> bisect.Result:
        with (self.folder / "runs").open("a") as file:
            file.write(f"{snapshot.name}\n")
        return bisect.Result(0, "wrong" if "arith.addf" in snapshot.text else "right")


def test_of_modules_that_become_the_same_code_one_is_run(tmp_path: Path):
    text = changes()
    at = text.index("(structured-to-memref)")
    broken = text[:at] + text[at:].replace("arith.mulf", "arith.addf")
    found = {one: bisect.go_on(one) for one in read_changes(broken)}
    assert len([one for one in found.values() if one]) > 10
    script = Recorded(("script.py",), tmp_path)
    first = bisect._search(script, found, tmp_path, bisect.Result(0, "right"))
    assert first
    assert first.name == "structured-to-memref"
    # One of each code: before accesses have their structure, behind that, and the wrong one.
    assert len((tmp_path / "runs").read_text().split()) <= 3


def test_what_goes_on_has_the_options_of_the_launch():
    header = "// -----// Compilation with dot=gpu-exact:sm_90a mode=fast num-warps=4 //----- //\n"
    assert bisect.read_options(header) == "mode=reference dot=gpu-exact:sm_90a num-warps=4"
    assert bisect.read_options("") == "mode=reference"


def test_late_modules_of_fast_mode_have_the_kernel_s_arguments():
    """They have scratch memory, too, which is nothing that a launch passes."""
    made = [
        library.compile_text(one.text, "mode=reference") for one in read_changes(changes("fast"))
    ]
    arguments = [json.loads(one.metadata)["args"] for one in made if one.succeeded]
    assert arguments == [["ptr", "ptr", "i32", "f32"]] * len(arguments)
    assert len(arguments) > 20


@pytest.mark.parametrize("wrong_from", [0, 1, 3, 6, 7])
def test_the_first_wrong_one_is_found(wrong_from: int):
    snapshots = [Snapshot(number, str(number), "") for number in range(7)]
    found = find_first(snapshots, lambda snapshot: snapshot.number < wrong_from)
    assert (found.number if found else 7) == wrong_from


def test_between_modules_that_nothing_goes_on_from_no_pass_is_blamed():
    first, second, third, fourth = (Snapshot(n, f"p{n}", "") for n in (1, 2, 3, 4))
    everything = [first, second, third, fourth]
    assert bisect.describe(second, first, everything) == "pass 'p2' (change 2) changes the result"
    assert bisect.describe(first, None, everything) == "pass 'p1' (change 1) changes the result"
    assert bisect.describe(fourth, first, everything) == (
        "one of the 3 passes between 'p2' (change 2) and 'p4' (change 4) changes the result: "
        "reference mode cannot go on from the modules between them"
    )
    assert bisect.describe(second, None, everything).startswith(
        "one of the 2 passes between 'p1' (change 1) and 'p2' (change 2)"
    )


@pytest.mark.parametrize("checked_first", [True, False])
def test_what_becomes_of_a_kernel_with_checks_is_left_out(checked_first: bool):
    header = "// -----// Compilation with mode=fast check={0} check-values={0} //----- //\n"
    dump = "// -----// IR Dump After Own (own-{0}) //----- //\nmodule {{}}\n"
    texts = [header.format(word) + dump.format(word) for word in ("true", "false")]
    found = read_changes("".join(texts if checked_first else reversed(texts)))
    assert [one.name for one in found] == ["own-false"]


@pytest.mark.nightly
def test_a_kernel_that_is_launched_with_checks_too_is_bisected(tmp_path: Path):
    checked = "import triton_shared\nwith triton_shared.check():\n    scale[(1,)]("
    plain = SCRIPT.format(folder=str(Path(__file__).parent))
    again = plain.replace("scale[(1,)](", checked).partition("import triton_shared")[2]
    path = tmp_path / "script.py"
    path.write_text(f"{plain}\nimport triton_shared{again}")
    done = run("--mode", "fast", str(path))
    assert done.returncode == bisect.UNCHANGED, done.stdout + done.stderr


@pytest.mark.nightly
def test_a_pass_that_makes_a_kernel_wrong_is_named(script: Path, tmp_path: Path):
    text = changes()
    at = text.index("(triton-tensors-to-linalg)")
    broken = tmp_path / "broken.mlir"
    broken.write_text(text[:at] + text[at:].replace("arith.mulf", "arith.addf"))
    done = run("--mode", "reference", "--changes", str(broken), str(script))
    assert done.returncode == bisect.CHANGED, done.stderr
    assert "pass 'triton-tensors-to-linalg' (change " in done.stdout
    folder = Path(re.search(r"are in (\S+)$", done.stdout.strip())[1])
    assert "arith.mulf" in (folder / "before.mlir").read_text()
    assert "arith.addf" in (folder / "after.mlir").read_text()


def changes_with_plugin(ttir: str, after: str, folder: Path) -> Path:
    """What fast mode does with a wrong pass in it, by the script of docs/triage.md."""
    page = (BUILD.parent / "docs" / "triage.md").read_text()
    script = re.search(r"^```sh with-plugin.sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (folder / "with-plugin.sh").write_text(script[1])
    (folder / "kernel.ttir").write_text(ttir)
    plugin = str(BUILD / "lib" / "libTritonSharedWrongPass.so")
    subprocess.run(
        ["sh", "with-plugin.sh", plugin, "wrong-multiplications", after, "kernel.ttir"],
        cwd=folder,
        env={**os.environ, "PATH": f"{TOOL.parent}:{os.environ['PATH']}"},
        check=True,
    )
    file = folder / "changes.mlir"
    assert file.read_text().count("(wrong-multiplications)") == 1
    return file


@pytest.mark.skipif(
    not triton.__version__.startswith("3.6."), reason="passes are those of the pinned version, too"
)
@pytest.mark.parametrize(
    "after",
    ["cpu-fuse-elementwise", pytest.param("structured-to-memref", marks=pytest.mark.nightly)],
)
def test_a_wrong_pass_of_a_plugin_is_found_in_fast_mode(after: str, script: Path, tmp_path: Path):
    types = {"x_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32", "factor": "fp32"}
    ttir = stages.ast_to_ttir(scale, types, {"BLOCK": 32})
    file = changes_with_plugin(ttir, after, tmp_path)
    done = run("--mode", "fast", "--changes", str(file), str(script))
    assert done.returncode == bisect.CHANGED, done.stdout + done.stderr
    assert "pass 'wrong-multiplications' (change " in done.stdout
    folder = Path(re.search(r"are in (\S+)$", done.stdout.strip())[1])
    assert "arith.mulf" in (folder / "before.mlir").read_text()
    assert "arith.mulf" not in (folder / "after.mlir").read_text()


@pytest.mark.nightly
def test_fast_mode_s_own_passes_change_nothing(script: Path):
    done = run("--mode", "fast", str(script))
    assert done.returncode == bisect.UNCHANGED, done.stdout + done.stderr
    assert re.match(r"[1-9]\d* modules from which reference mode can go on\n", done.stdout)


@pytest.mark.nightly
def test_right_passes_change_nothing(script: Path):
    done = run("--mode", "reference", str(script))
    assert done.returncode == bisect.UNCHANGED, done.stdout + done.stderr
    assert re.fullmatch(
        r"\d+ modules from which .* can go on\nno pass changes the result\n", done.stdout
    )


def test_a_script_without_a_kernel_is_told_so(tmp_path: Path):
    path = tmp_path / "nothing.py"
    path.write_text("print(1)\n")
    done = run("--mode", "reference", str(path))
    assert done.returncode == bisect.FAILED
    assert "the script must compile one kernel once; it has compiled none" in done.stderr


@pytest.mark.nightly
def test_who_waits_is_told_what_runs(
    script: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    told: list[str] = []

    @contextmanager
    def working(what: str) -> Iterator[Say]:
        told.append(what)
        yield told.append

    @contextmanager
    def counting(what: str, total: int) -> Iterator[Told]:
        steps: list[int] = []
        yield lambda done, what: (steps.append(done), told.append(what))[0]
        assert steps == sorted(steps)
        assert 0 < len(steps) <= total
        assert steps[-1] <= total

    monkeypatch.setattr(bisect, "working", working)
    monkeypatch.setattr(bisect, "counting", counting)
    assert bisect.main([str(script)]) == bisect.UNCHANGED
    assert told[:2] == ["running script.py in reference mode", "running script.py in mode fast"]
    assert "compiling what passes have left" in told
    assert re.fullmatch(r"running script.py with what '[\w-]+' has left", told[-1])
    assert capsys.readouterr().err == ""
