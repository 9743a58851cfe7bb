"""What cannot be written is said in a sentence, whatever else was found."""

from __future__ import annotations

from pathlib import Path

import pytest
from triton_shared import dumps, knobs
from triton_shared.check.__main__ import FAILED
from triton_shared.check.__main__ import main as check
from triton_shared.errors import TritonSharedError
from triton_shared.written import writes


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert writes(tmp_path / "there", "text")
    assert not writes(tmp_path / "there" / "below", "text")
    assert capsys.readouterr().err.startswith(f"error: cannot write '{tmp_path}/there/below': Not")


def test_a_clean_script_whose_report_cannot_be_written_is_no_finding(tmp_path: Path):
    script = tmp_path / "clean.py"
    script.write_text("")
    assert check(["--output", str(script / "report"), str(script)]) == FAILED


def test_a_folder_of_dumps_that_cannot_be_made_is_named_with_its_variable(tmp_path: Path):
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(
        TritonSharedError, match=f"below TRITON_SHARED_DUMP={file}: Not a directory"
    ):
        dumps.write("text", ("llir",), lambda phase: b"", file)


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("THREADS", "-3", "must be a number from 0 to 4294967295, got '-3'"),
        ("GRID_SEED", "-1", "must be a number from 0 to 18446744073709551615, got '-1'"),
        ("GRID_ORDER", "foo", "must be one of forward, reverse, random; got 'foo'"),
    ],
)
def test_a_variable_with_a_wrong_value_is_named(
    name: str, value: str, why: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(f"TRITON_SHARED_{name}", value)
    with pytest.raises(ValueError, match=f"TRITON_SHARED_{name} {why}"):
        knobs.launch_settings()
