"""Reproducers: what is written is read again, and what strangers write does no harm."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import ordered
import pytest
import torch
import triton
import triton.language as tl
import triton_shared.repro
from triton_shared.diff.__main__ import main as diff
from triton_shared.diff.recording import RecordingError
from triton_shared.repro import archive, reduction
from triton_shared.repro.__main__ import main
from triton_shared.repro.archive import ReproducerError


@triton.jit
def scale(x, out, n, factor, KIND: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, (tl.load(x + i, mask=i < n) * factor).to(KIND), mask=i < n)


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    path = tmp_path / "scale.ttrepro"
    x = torch.arange(48.0).view(6, 8)[1:, ::2]
    with triton_shared.repro.recording(path):
        scale[(2,)](x, torch.zeros(40), 20, 0.5, KIND=tl.float32, BLOCK=16)
    return path


def rewrite(path: Path, change: Callable[[dict[str, bytes]], Any], sums: bool = True) -> Path:
    """Another file with changed members, whose checksums are right unless `sums` is false."""
    with zipfile.ZipFile(path) as packed:
        members = {name: packed.read(name) for name in packed.namelist()}
    change(members)
    if sums:
        manifest = json.loads(members["manifest.json"])
        manifest["sha256"] = {
            n: archive.hashlib.sha256(data).hexdigest()
            for n, data in members.items()
            if n != "manifest.json"
        }
        members["manifest.json"] = json.dumps(manifest).encode()
    changed = path.with_name("changed.ttrepro")
    with zipfile.ZipFile(changed, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in members.items():
            packed.writestr(name, data)
    return changed


class TestWhatIsKept:
    def test_a_launch_comes_back(self, kept: Path):
        found = archive.read(kept)
        launch = found.launch
        assert (launch.kernel, launch.grid, launch.file) == ("scale", (2,), "")
        assert launch.arguments["factor"] == 0.5
        view = launch.views()["x"]
        assert view.strides == (8, 2)
        assert torch.equal(view.of(launch.storages), torch.arange(48.0).view(6, 8)[1:, ::2])
        assert "def scale(" in found.source
        assert found.manifest["versions"]["triton"] == triton.__version__

    def test_a_text_names_no_folder_of_this_machine(self, kept: Path):
        text = archive.read(kept).launch.ttir
        assert '"test_repro.py"' in text
        assert str(Path(__file__).parent) not in text

    def test_stats_only_leaves_the_content_out(self, tmp_path: Path, capsys: Any):
        path = tmp_path / "private.ttrepro"
        with triton_shared.repro.recording(path, stats_only=True):
            x = torch.tensor([3.0, float("nan"), -123.25, float("inf")])
            scale[(1,)](x, torch.zeros(4), 4, 0.5, KIND=tl.float32, BLOCK=16)
        assert not [name for name in zipfile.ZipFile(path).namelist() if name.endswith(".npy")]
        assert main(["info", str(path)]) == 0
        expected = "x: 4 float32, content left out: min -123.25, max 3.0, nans 1, infinities 1"
        assert expected in capsys.readouterr().out
        assert main(["run", str(path), "--run"]) == 2
        assert "was made with --stats-only, and cannot be run" in capsys.readouterr().err

    def test_a_launch_that_raises_is_kept(self, tmp_path: Path):
        path = tmp_path / "raises.ttrepro"

        def launch() -> None:
            with triton_shared.repro.recording(path):
                scale[(1,)](torch.zeros(4), torch.zeros(4), 4, 0.5, KIND="nothing", BLOCK=16)

        with pytest.raises(triton.CompilationError):
            launch()
        assert archive.read(path).launch.ttir == ""

    def test_without_a_launch_there_is_nothing_to_keep(self, tmp_path: Path):
        with (
            pytest.raises(RecordingError, match="nothing was launched"),
            triton_shared.repro.recording(tmp_path / "x.ttrepro"),
        ):
            pass


class TestCommands:
    @pytest.mark.nightly
    def test_from_a_comparison_that_fails_to_one_that_fails_again(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ):
        file, kept = tmp_path / "ordered.py", tmp_path / "found.ttrepro"
        file.write_text(ordered.WITH_A_CASE)
        assert diff([str(file), "--targets", "cpu,emulated", "--repro", str(kept)]) == 1
        file.unlink()  # Runs without its source, anywhere.
        found = archive.read(kept)
        assert found.report["launches"][0]["tensors"][1]["wrong"] == 90
        capsys.readouterr()
        assert main(["run", str(kept)]) == 0
        assert "was not run: that takes --run" in capsys.readouterr().out
        assert main(["run", str(kept), "--run"]) == 1
        assert "out (90 int32): 90 of 90 elements" in capsys.readouterr().out
        assert diff([str(kept)]) == 2
        assert "is a reproducer, whose code may be anybody's" in capsys.readouterr().err

    @pytest.mark.nightly
    def test_a_kernel_is_reduced_to_what_differs(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ):
        file, kept = tmp_path / "ordered.py", tmp_path / "found.ttrepro"
        file.write_text(ordered.WITH_A_CASE)
        diff([str(file), "--targets", "cpu,emulated", "--repro", str(kept)])
        assert main(["reduce", str(kept), "--run"]) == 0
        text = archive.read(tmp_path / "found-reduced.ttrepro").launch.ttir
        assert "tt.reduce" in text
        assert "tt.get_program_id" not in text

    def test_equal_results_are_not_reduced(self, kept: Path, capsys: Any):
        assert main(["reduce", str(kept), "--run", "--targets", "cpu,cpu-fast"]) == 2
        assert "cpu and cpu-fast do not differ: nothing to reduce" in capsys.readouterr().err

    def test_what_is_taken_away_is_zero(self):
        text = (
            "%0 = ub.poison : i32\n%1 = ub.poison : tensor<4x2xf16>\n%2 = ub.poison : !tt.ptr<i8>"
        )
        assert reduction.with_zeros(text) == (
            "%0 = arith.constant 0 : i32\n"
            "%1 = arith.constant dense<0.0> : tensor<4x2xf16>\n%2 = ub.poison : !tt.ptr<i8>"
        )

    def test_to_python_unpacks_source_and_memory(self, kept: Path, tmp_path: Path, capsys: Any):
        out = tmp_path / "unpacked"
        assert main(["to-python", str(kept), "--out", str(out)]) == 0
        assert sorted(p.name for p in out.iterdir()) == ["kernel.py", "launch", "run.py"]
        assert "read " in capsys.readouterr().out
        compile((out / "run.py").read_text(), "run.py", "exec")

    def test_other_targets_need_the_source(self, kept: Path, capsys: Any):
        assert main(["run", str(kept), "--run", "--targets", "cpu,nvidia"]) == 2
        assert "--targets needs two of cpu, cpu-fast, emulated, got 'cpu,nvidia'" in (
            capsys.readouterr().err
        )


def _bomb() -> bytes:
    """An array of a terabyte, by what its header says."""
    made = io.BytesIO()
    header = {"descr": "|u1", "fortran_order": False, "shape": (1 << 40,)}
    np.lib.format.write_array_header_1_0(made, header)
    return made.getvalue()


def _pickled() -> bytes:
    made = io.BytesIO()
    np.save(made, np.array([object()]), allow_pickle=True)
    return made.getvalue()


def _view_elsewhere(members: dict[str, bytes]) -> None:
    launch = json.loads(members["launch.json"])
    launch["arguments"]["out"]["tensor"]["offset"] = 1 << 40
    members["launch.json"] = json.dumps(launch).encode()


class TestStrangers:
    """What is wrong with a file is an error in one line, and nothing of it has been used."""

    @pytest.mark.parametrize(
        ("change", "complaint"),
        [
            (lambda m: m.update({"../../evil.py": b""}), "holds '../../evil.py', which no repro"),
            (lambda m: m.update({"/etc/passwd": b""}), "holds '/etc/passwd', which no reproducer"),
            (lambda m: m.update({"a/kernel.py": b""}), "holds 'a/kernel.py', which no reproducer"),
            (lambda m: m.update({"launch.pkl": b""}), "holds 'launch.pkl', which no reproducer"),
            (lambda m: m.update({"storage-0.npy": _bomb()}), "is no array of the size that it"),
            (lambda m: m.update({"storage-0.npy": _pickled()}), "is no array of the size that it"),
            (lambda m: m.update({"storage-0.npy": b"\x93NUMPY"}), "is damaged"),
            (lambda m: m.pop("storage-0.npy"), "is damaged: KeyError: 'storage-0.npy'"),
            (lambda m: m.pop("launch.json"), "has no 'launch.json'"),
            (lambda m: m.update({"launch.json": b"[" * 100000}), "'launch.json' of"),
            (lambda m: m.update({"launch.json": b"[1]"}), "it is no object"),
            (lambda m: m.update({"launch.json": b"{}"}), "is a recording of version None"),
            (_view_elsewhere, "argument 'out' lies outside of its memory"),
            (lambda m: m.update({"kernel.ttir": b"\xff\xfe"}), "is damaged: UnicodeDecodeError"),
        ],
    )
    def test_content(self, kept: Path, capsys: Any, change: Any, complaint: str):
        path = rewrite(kept, change)
        assert main(["info", str(path)]) == 2
        said = capsys.readouterr().err
        assert complaint in said
        assert said.count("\n") == 1

    def test_an_edited_member_does_not_match_its_checksum(self, kept: Path):
        path = rewrite(kept, lambda m: m.update({"kernel.ttir": m["kernel.ttir"] + b" "}), False)
        with pytest.raises(ReproducerError, match=r"checksum of 'kernel\.ttir' does not match"):
            archive.read(path)

    def test_a_member_without_a_checksum(self, kept: Path):
        path = rewrite(kept, lambda m: m.update({"report.json": b"{}"}), False)
        with pytest.raises(ReproducerError, match="its checksums are not those of its content"):
            archive.read(path)

    def test_a_file_that_is_cut_off_anywhere(self, kept: Path):
        whole = kept.read_bytes()
        for length in range(0, len(whole), max(1, len(whole) // 40)):
            kept.write_bytes(whole[:length])
            with pytest.raises(ReproducerError):
                archive.read(kept)

    def test_a_file_with_any_byte_changed(self, kept: Path):
        """It is damaged, or the byte means nothing."""
        whole = kept.read_bytes()
        expected = archive.read(kept).launch
        for place in range(0, len(whole), max(1, len(whole) // 80)):
            changed = bytearray(whole)
            changed[place] ^= 0x55
            kept.write_bytes(changed)
            try:
                launch = archive.read(kept).launch
            except ReproducerError:
                continue
            assert (launch.ttir, launch.arguments) == (expected.ttir, expected.arguments)

    def test_a_zip_bomb_is_not_unpacked(self, kept: Path, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(archive, "_MOST", dict.fromkeys(archive._MOST, 1 << 20))
        path = rewrite(kept, lambda m: m.update({"storage-7.npy": bytes(2 << 20)}))
        assert path.stat().st_size < 1 << 20
        monkeypatch.setattr(zipfile.ZipFile, "read", None)
        with pytest.raises(ReproducerError, match=r"'storage-7\.npy' .* more than 1048576 bytes"):
            archive.read(path)
        monkeypatch.setattr(archive, "_MOST", dict.fromkeys(archive._MOST, 4 << 20))
        monkeypatch.setattr(archive, "MOST_BYTES", 1 << 20)
        with pytest.raises(ReproducerError, match="unpacks to more than"):
            archive.read(path)

    def test_too_many_members_and_a_name_twice(self, kept: Path, monkeypatch: pytest.MonkeyPatch):
        with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(kept, "a") as more:
            more.writestr("kernel.py", b"")
        with pytest.raises(ReproducerError, match=r"holds 'kernel\.py' twice"):
            archive.read(kept)
        monkeypatch.setattr(archive, "MOST_MEMBERS", 3)
        with pytest.raises(ReproducerError, match="members; a reproducer has few"):
            archive.read(kept)

    def test_a_function_among_the_arguments_is_never_imported(self, kept: Path, tmp_path: Path):
        evil = tmp_path / "evil.py"
        evil.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")

        def change(members: dict[str, bytes]) -> None:
            launch = json.loads(members["launch.json"])
            function = {"function": {"file": str(evil), "name": "f"}}
            launch["arguments"]["KIND"] = {"constant": {"tuple": [function]}}
            launch["file"] = str(evil)
            members["launch.json"] = json.dumps(launch).encode()

        path = rewrite(kept, change)
        assert main(["run", str(path), "--run", "--targets", "cpu,cpu-fast"]) == 0
        assert not (tmp_path / "ran").exists()

    def test_a_text_that_is_no_kernel_is_an_error_of_the_launch(self, kept: Path, capsys: Any):
        path = rewrite(kept, lambda m: m.update({"kernel.ttir": b"module { tt.func"}))
        assert main(["run", str(path), "--run", "--targets", "cpu,cpu-fast"]) == 2
        assert "CompilationError" in capsys.readouterr().out


@triton.jit
def copy_too_much(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i), mask=i < n)


def test_a_recorded_launch_is_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept, wrong = tmp_path / "right.ttrepro", tmp_path / "wrong.ttrepro"
    for path, size in ((kept, 32), (wrong, 20)):
        with triton_shared.repro.recording(path):
            copy_too_much[(2,)](torch.ones(64)[:size], torch.zeros(20), 20, BLOCK=16)
    assert main(["check", str(wrong)]) == 0
    assert "was not run: that takes --run" in capsys.readouterr().out
    assert main(["check", str(wrong), "--run"]) == 1
    said = capsys.readouterr().err
    assert "out of bounds: tl.load reads behind the end of 'x'" in said
    assert "wants    elements 20 to 31" in said
    assert main(["check", str(kept), "--run"]) == 0
    assert "no findings in 1 launch" in capsys.readouterr().err


def test_a_launch_recorded_on_a_gpu_is_checked_on_the_cpu(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Of Triton's own backend, by record_on_cuda.py on an H200."""
    recorded = Path(__file__).parent / "recordings" / "out_of_bounds_on_cuda.ttrepro"
    assert main(["check", str(recorded), "--run"]) == 1
    said = capsys.readouterr().err
    assert "out of bounds: tl.load reads behind the end of 'x'" in said
    assert "record_on_cuda.py:23:21\n    value = tl.load(x + i + 1, mask=mask)\n" in said
    assert "has      elements 0 to 39 of its memory" in said
    assert "wants    element 40" in said
