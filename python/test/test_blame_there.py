"""The ladder on a machine without LLVM, as `scripts/gpu-check --there --blame` has it.

Here, the GPU is the emulator: a cubin is its PTX behind the mark of an ELF file.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from gpu_check import blamed
from gpu_check.blamed import faults
from triton_shared import emulate
from triton_shared.blame import assemblers, codes, ladder
from triton_shared.blame.ladder import Options
from triton_shared.blame.pipeline import Compiler
from triton_shared.blame.runs import Runs
from triton_shared.blame.verdict import Report
from triton_shared.diff.comparison import LaunchReport
from triton_shared.diff.given import Given

ELF = b"\x7fELF"
PRINTED = Compiler().printed(["--target=cuda:90a", "--num-warps=4", "--num-stages=3"], "gpu")


class Pretended(Runs):
    """What a GPU leaves is what the PTX leaves in the emulator."""

    def has_gpu(self) -> bool:
        return True

    def compare(self, target: str) -> LaunchReport:
        if target not in ladder.ON_GPU:
            return super().compare(target)
        make = codes.of_ours if target == "shared_cuda" else codes.of_triton
        return super().compare_given(make(self.recorded).given, f"gpu-{target}")

    def compare_given(self, given: Given, name: str) -> LaunchReport:
        if given.form == "cubin":
            given = replace(given, form="ptx", code=given.code.removeprefix(ELF))
        return super().compare_given(given, name)


def climb(runs: Runs, options: Options) -> Report:
    return ladder.climb(Pretended(runs.launch, runs.timeout), options)


@pytest.fixture(autouse=True)
def _no_llvm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emulate, "has_llvm", lambda: False)
    monkeypatch.setattr(
        assemblers.Assembler, "assemble", lambda _self, ptx: (ELF + ptx.encode(), "")
    )


@pytest.mark.nightly
def test_edited_ptx_and_a_pass_are_blamed(tmp_path: Path):
    names = {"edited PTX", "pass structured-recover-accesses"}
    found = blamed.blame_all(tmp_path, PRINTED, names.__contains__, climb, configurations=False)
    assert [(row.suspect, row.found, row.found_culprits) for row in found] == [
        ("shared_cuda", "our passes", ("structured-recover-accesses",)),
        ("nvidia", "PTX", ()),
        ("shared_cuda", "PTX", ()),
    ]
    assert [step["name"] for step in found[1].steps] == [
        "check", "given PTX", "its PTX, emulated", "the compiler's PTX, emulated",
    ]  # fmt: skip
    assert [step["name"] for step in found[0].steps][:3] == [
        "check", "shared_cuda", "our PTX, emulated",
    ]  # fmt: skip


@pytest.mark.nightly
def test_every_fault_is_blamed_on_who_has_it(tmp_path: Path):
    found = blamed.blame_all(tmp_path, PRINTED, bool, climb, configurations=False)
    assert len(found) == 4 + len(faults.our_passes(PRINTED))
    assert all(row.is_right for row in found), blamed.table(found)


def test_who_is_blamed_wrongly_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    right = blamed.Row("pass a", "shared_cuda", "our passes", ("a",), "our passes", ("a",), "it is")
    wrong = replace(right, name="pass b", culprits=("b",), sentence="our pass 'a' is wrong")
    monkeypatch.setattr(blamed, "blame_all", lambda *_: [right, wrong])
    monkeypatch.delenv("TRITON_SHARED_ACTIVE", raising=False)
    assert blamed.main(tmp_path / "out", PRINTED, "") == 1
    said = capsys.readouterr().out
    assert "WRONG  pass b" in said
    assert "our pass 'a' is wrong" in said
    assert "1 of 2 are blamed rightly" in said
    facts = json.loads((tmp_path / "out" / "blame.json").read_text())
    assert [row["is_right"] for row in facts["rows"]] == [True, False]


def test_ptx_runs_without_clang(monkeypatch: pytest.MonkeyPatch):
    """GCC is there wherever Triton builds its launchers."""

    def missing(name: str) -> str:
        raise FileNotFoundError(name)

    assert "clang" in emulate.c_compiler()
    monkeypatch.setattr(emulate, "tool", missing)
    assert shutil.which("gcc") == emulate.c_compiler()
    monkeypatch.undo()
    assert emulate.has_llvm()


def test_the_machine_is_built_by_gcc_too(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(emulate, "c_compiler", lambda: shutil.which("gcc"))
    folder, built = emulate._build_machine.__wrapped__()
    with folder:
        assert built.read_bytes()[:4] == ELF
