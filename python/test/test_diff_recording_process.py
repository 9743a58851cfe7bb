"""The process that records launches for diff and blame: it may die, hang, or say nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from triton_shared.blame.__main__ import main as blame
from triton_shared.diff import recording, worker, workers
from triton_shared.diff.recording import RecordingError

BEHIND_THE_END = """
import torch, triton, triton.language as tl

@triton.jit
def doubled(x, out, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i) * 2)

def case():
    doubled[(2,)](torch.arange(40.0)[:20], torch.zeros(20), B=16)
"""
"""Twelve floats are stored behind a tensor of twenty: often, the process dies of it. What is read
is behind a view alone."""

DIES = "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """What stands for a process that records, by its first word; it is given the others."""
    programs: dict[str, str] = {}

    def start(
        words: list[str], environment: dict[str, str], errors: Any, **_: Any
    ) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-S", "-c", programs[words[0]], *words[1:]]
        return subprocess.Popen(command, stderr=errors)

    monkeypatch.setattr(workers, "_start", start)
    return programs


def record(folder: Path, **words: Any) -> str:
    with pytest.raises(RecordingError) as caught:
        workers.record("case.py", "", folder, **words)
    return str(caught.value)


def test_a_process_that_dies_twice_is_told_with_its_signal_and_a_way_out(
    tmp_path: Path, program: dict[str, str]
):
    program["record"] = program["record-checked"] = DIES
    said = record(tmp_path)
    assert "case.py does not run on the CPU: its process died of SIGSEGV while it was" in said
    assert "a store outside of a tensor is the usual cause" in said
    assert "python -m triton_shared.check case.py" in said


def test_what_a_kernel_does_outside_is_told_when_it_is_recorded_without(
    tmp_path: Path, program: dict[str, str], capsys: pytest.CaptureFixture[str]
):
    program["record"] = DIES
    program["record-checked"] = "import sys; open(sys.argv[3] + '/outside', 'w').write('line 7')"
    workers.record("case.py", "", tmp_path)
    said = capsys.readouterr().err
    assert said.startswith("note: the process of case.py died of SIGSEGV while it was recorded")
    assert said.endswith("line 7\n")
    assert not list(tmp_path.iterdir())


def test_a_process_that_ends_without_a_word_is_told_with_its_code(
    tmp_path: Path, program: dict[str, str]
):
    program["record"] = "raise SystemExit(3)"
    assert record(tmp_path).endswith("it ended with exit code 3, and said nothing")


def test_the_time_of_a_launch_holds_while_it_is_recorded(tmp_path: Path, program: dict[str, str]):
    program["record"] = (
        "import sys, time; open(sys.argv[3] + '/launching', 'w').write('spin'); time.sleep(60)"
    )
    assert record(tmp_path, timeout=0.2).startswith(
        "case.py did not end in 0.2 s while it was recorded on the CPU, "
        "in a launch of kernel 'spin' or behind it\n"
    )


def test_a_kernel_that_leaves_its_tensors_is_recorded_with_checks(tmp_path: Path):
    file = tmp_path / "case.py"
    file.write_text(BEHIND_THE_END)
    plain, checked = tmp_path / "plain", tmp_path / "checked"
    for folder, word in ((plain, "record"), (checked, "record-checked")):
        folder.mkdir()
        if word == "record":
            # With room behind the tensor, nothing dies.
            file.write_text(BEHIND_THE_END.replace("zeros(20)", "zeros(40)[:20]"))
        assert worker.main([word, str(file), "", str(folder), json.dumps(None)]) == 0
        file.write_text(BEHIND_THE_END)
    told = (checked / worker.OUTSIDE).read_text().splitlines()
    assert (
        f"{file}:7:23: out of bounds: tl.store writes behind the end of 'out', in kernel "
        in (told[-1])
    )
    one, other = (recording.load(folder / "0000") for folder in (plain, checked))
    assert one.ttir.partition("#loc")[0] == other.ttir.partition("#loc")[0]
    assert one.options == other.options


@pytest.mark.nightly
def test_a_kernel_that_leaves_its_tensors_is_to_blame(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "case.py"
    file.write_text(BEHIND_THE_END)
    assert blame([str(file)]) == 1
    assert f"the kernel is wrong: {file}:7:31: out of bounds: tl.load" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("choice", "words"),
    [("num_warps=1,3", "num_warps=3: num_warps must be a power"), ("B=16,12", "B=12: at 2:31:")],
)
def test_a_configuration_that_cannot_be_is_said_without_a_trace(
    choice: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "case.py"
    file.write_text(BEHIND_THE_END.replace("20", "32"))
    name, _, values = choice.partition("=")
    vary = json.dumps({name: [int(value) for value in values.split(",")]})
    assert worker.main(["record", str(file), "", str(tmp_path), vary]) == worker.NOT_RECORDED
    said = capsys.readouterr().err
    assert said.startswith("kernel 'doubled' cannot be launched in configuration ")
    assert words in said


def test_a_worker_that_dies_between_two_launches_has_a_successor(tmp_path: Path):
    place = tmp_path / "emulated"
    place.mkdir()
    assert workers._blame([place], "SIGABRT", "", has_replayed=True)
    with pytest.raises(RecordingError, match=r"'emulated' does not start \(SIGABRT\)"):
        workers._blame([place], "SIGABRT", "", has_replayed=False)
