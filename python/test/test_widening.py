"""`tolerances.toml`: bounds are widened by name and for a reason, and the report says so."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest
import torch
import triton
import triton.language as tl
import triton_shared
from triton_shared import VerificationError, VerificationWarning
from triton_shared.diff import widening
from triton_shared.diff.__main__ import main
from triton_shared.diff.recording import RecordingError
from triton_shared.diff.widening import Widening, Widenings

ENTRY = """
[[widen]]
kernel = "scaled_wrong"
output = "out"
factor = 1e9
reason = "a test of wide bounds"
"""


def read(folder: Path, text: str) -> Widenings:
    file = folder / widening.NAME
    file.write_text(text)
    return widening.load(file)


class TestFile:
    def test_an_entry_has_a_kernel_a_factor_and_a_reason(self, tmp_path: Path):
        (one,) = read(tmp_path, ENTRY).entries
        assert (one.kernel, one.output, one.op, one.factor) == ("scaled_wrong", "out", "", 1e9)
        assert one.reason == "a test of wide bounds"
        assert one.place.endswith("tolerances.toml:2")

    def test_without_a_file_nothing_is_widened(self, tmp_path: Path):
        assert widening.beside(tmp_path / "kernels.py") is None
        assert widening.load(None).entries == ()

    def test_an_entry_for_an_output_comes_before_one_for_all(self):
        some = Widening("a:1", "k", 2.0, "r"), Widening("a:2", "k", 3.0, "r", output="y")
        found = Widenings(some)
        assert found.of_output("k", "y") == some[1]
        assert found.of_output("other", "y") is None
        assert found.unused() == [some[0]]
        assert found.of_output("k", "x") == some[0]
        assert found.unused() == []

    def test_an_operation_widens_no_output(self):
        one = Widening("a:1", "k", 2.0, "r", op="math.exp")
        found = Widenings((one,))
        assert found.of_output("k", "x") is None
        assert found.unused_lines() == ["a:1: not used: kernel 'k', operation 'math.exp'"]
        assert found.unused_lines(["other"]) == []
        assert found.of_operation("k", "math.exp") == one

    @pytest.mark.parametrize(
        ("text", "line", "why"),
        [
            ("[[widen]\n", 1, "Expected"),
            ("[other]\nx = 1\n", 1, "'other' is not known; write [[widen]]"),
            ("\nwiden = 3\n", 2, "'widen' is not known; write [[widen]]"),
            (ENTRY + "color = 1\n", 7, "'color' is not known; an entry has kernel, reason, output"),
            (ENTRY + '\n[[widen]]\nfactor = 2\nreason = "r"\n', 8, "this entry has no 'kernel'"),
            (ENTRY.replace("reason", "#"), 2, "this entry has no 'reason'"),
            (ENTRY.replace("a test of wide bounds", " "), 6, "'reason' must be a text that is not"),
            (ENTRY.replace("1e9", "1"), 5, "'factor' must be a number above 1, not 1"),
            (ENTRY.replace("1e9", "inf"), 5, "'factor' must be a number above 1, not inf"),
            (ENTRY.replace("1e9", "true"), 5, "'factor' must be a number above 1, not True"),
            (ENTRY.replace("factor", "#"), 2, "this entry has no 'factor'"),
            (ENTRY + 'op = "math.exp"\n', 7, "about an output or an operation, not both"),
            (ENTRY + ENTRY, 8, "is widened at"),
        ],
    )
    def test_what_is_wrong_is_told_with_its_line(
        self, tmp_path: Path, text: str, line: int, why: str
    ):
        with pytest.raises(RecordingError) as caught:
            read(tmp_path, text)
        assert f"tolerances.toml:{line}: error: " in str(caught.value)
        assert why in str(caught.value)

    def test_a_file_that_is_not_there(self, tmp_path: Path):
        with pytest.raises(RecordingError, match=r"none\.toml cannot be read: No such file"):
            widening.load(tmp_path / "none.toml")


APART = """
import os, torch, triton, triton.language as tl

FACTOR = tl.constexpr(1.0 + 2.0**-18 if os.environ.get("TRITON_INTERPRET") == "1" else 1.0)

@triton.jit
def scaled_wrong(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) * 3.0 * FACTOR, mask=at < n)

def case():
    x = 1 + torch.rand(100, generator=torch.Generator().manual_seed(2))
    scaled_wrong[(4,)](x, torch.zeros(100), 100, BLOCK=32)
"""
UNUSED = '[[widen]]\nkernel = "other"\nfactor = 2\nreason = "r"\n'


class TestDiff:
    def run(self, folder: Path, *words: str, factor: str = "1e9") -> tuple[int, dict[str, object]]:
        file, told = folder / "apart.py", folder / "report.json"
        file.write_text(APART)
        (folder / widening.NAME).write_text(ENTRY.replace("1e9", factor) + UNUSED)
        targets = ["--targets", "cpu,interpreter", "--json", str(told), *words]
        return main([str(file), *targets]), json.loads(told.read_text())

    @pytest.mark.nightly
    def test_a_file_beside_the_kernels_is_used_and_named(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ):
        status, told = self.run(tmp_path)
        assert status == 0
        said = capsys.readouterr().out
        assert "out: bound 'accumulated' widened 1e+09 times by " in said
        assert "tolerances.toml:2 ('a test of wide bounds'): " in said
        assert "tolerances.toml:7: not used: kernel 'other'" in said
        (widened,) = [t["widened"] for t in told["launches"][0]["tensors"] if t["widened"]]
        assert widened["margin"] > 1
        assert widened["widening"]["reason"] == "a test of wide bounds"
        assert [one["kernel"] for one in told["unused"]] == ["other"]

    @pytest.mark.nightly
    def test_a_bound_is_no_wider_than_it_says(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ):
        status, _ = self.run(tmp_path, factor="1.5")
        assert status == 1
        said = capsys.readouterr().out
        assert "100 of 100 elements are beyond the bound" in said
        assert "widened 1.5 times by" in said

    @pytest.mark.nightly
    def test_a_file_by_name_comes_before_the_one_beside(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ):
        other = tmp_path / "mine.toml"
        other.write_text(ENTRY.replace("scaled_wrong", "nothing"))
        status, told = self.run(tmp_path, "--tolerances", str(other))
        assert status == 1
        assert [one["kernel"] for one in told["unused"]] == ["nothing"]

    def test_an_error_in_the_file_ends_the_comparison(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ):
        file = tmp_path / "apart.py"
        file.write_text(APART)
        (tmp_path / widening.NAME).write_text("[[widen]]\nfactor = 3\n")
        assert main([str(file), "--targets", "cpu,interpreter"]) == 2
        assert "tolerances.toml:1: error: this entry has no 'kernel'" in capsys.readouterr().err


@triton.jit
def times_three(x, out, n, FACTOR: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) * FACTOR, mask=at < n)


def run_times_three(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    times_three[(1,)](x, out, x.numel(), FACTOR=3.0 + 2.0**-17, BLOCK=128)
    return out


class TestVerify:
    X = torch.rand(100, generator=torch.Generator().manual_seed(1))

    def verify(self, folder: Path, text: str) -> object:
        file = folder / "mine.toml"
        file.write_text(text)
        with triton_shared.device("cpu"):
            return triton_shared.verify(
                run_times_three, lambda x: 3 * x, (self.X,), cases=0, tolerances=file
            )

    def test_a_result_by_its_number(self, tmp_path: Path):
        entry = ENTRY.replace("scaled_wrong", "times_three")
        done = self.verify(tmp_path, entry.replace('"out"', '"0"'))
        (used,) = done.widened
        assert used.margin > 1
        assert done.margin < 1
        assert "result 0 of kernel 'times_three': its bound widened" in done.told
        with pytest.raises(VerificationError, match=r"down-cast|wrong result"):
            self.verify(tmp_path, entry.replace('"out"', '"1"'))

    def test_an_autotuner_warns_of_wide_bounds(self, tmp_path: Path):
        file = tmp_path / "mine.toml"
        file.write_text(ENTRY.replace("scaled_wrong", "times_three"))
        configs = [triton.Config({"FACTOR": f}) for f in (3.0, 3.0 + 2.0**-17)]
        tuned = triton_shared.verified_autotune(
            configs, key=["n"], tolerances=file, do_bench=lambda call, quantiles: [1.0] * 3
        )(times_three)
        with (
            triton_shared.device("cpu"),
            warnings.catch_warnings(record=True) as told,
        ):
            warnings.simplefilter("always")
            tuned[(1,)](self.X, torch.zeros(100), 100, BLOCK=128)
        (said,) = [str(w.message) for w in told if w.category is VerificationWarning]
        assert said.startswith("kernel 'times_three': bounds are wider than those of others")
        assert "out: bound 'accumulated' widened" in said or "out: bound 'reference'" in said
        assert "mine.toml:2 ('a test of wide bounds')" in said
