"""`python -m triton_shared.diff`: right kernels are equal, wrong ones are found, and where."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import diff_cases
import pytest
import torch
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor
from triton_shared.diff import (
    census,
    comparison,
    formats,
    recorder,
    recording,
    tolerances,
    worker,
    workers,
)
from triton_shared.diff.__main__ import main
from triton_shared.diff.recording import Recording, RecordingError, Storages, encode_argument
from triton_shared.diff.tolerances import Reference

CASES = str(Path(diff_cases.__file__))


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, dict[str, Any], str]:
    """Exit code, launches by label, and text of one run over all cases."""
    folder = tmp_path_factory.mktemp("diff")
    found = folder / "report.json"
    words = [CASES, "--targets", "cpu,interpreter", "--json", str(found), "--keep", str(folder)]
    code = main(words)
    whole = json.loads(found.read_text())
    assert whole["targets"] == ["cpu", "interpreter"]
    return code, {launch["label"]: launch for launch in whole["launches"]}, whole["status"]


def tensor(compared: tuple[int, dict[str, Any], str], label: str, name: str) -> dict[str, Any]:
    (found,) = [t for t in compared[1][label]["tensors"] if t["argument"] == name]
    return dict(found)


class TestComparison:
    @pytest.mark.every(2)
    @pytest.mark.parametrize(
        ("label", "policy"),
        [("right_copy", "exact"), ("right_sums", "accumulated"), ("right_softmax", "reference")],
    )
    def test_right_kernels_are_equal(self, compared: Any, label: str, policy: str):
        assert compared[1][label]["status"] == "equal"
        assert tensor(compared, label, "out")["policy"] == policy
        assert tensor(compared, label, "out")["margin"] <= 1

    def test_the_exit_code_says_that_some_differ(self, compared: Any):
        assert compared[0] == 1
        assert compared[2] == "different"

    def test_a_value_that_is_slightly_off_is_found(self, compared: Any):
        found = tensor(compared, "wrong_factor", "out")
        assert found["wrong"] == 100
        worst = found["worst"]
        assert 8 < worst["ulp"] < 64
        assert found["program"] == [worst["index"][0] // 32, 0, 0]

    def test_a_store_beyond_the_mask_is_found_with_its_program(self, compared: Any):
        found = tensor(compared, "wrong_mask", "out")
        assert found["policy"] == "exact"
        assert found["wrong"] == 4
        worst = found["worst"]
        assert worst["index"][1] == 70
        assert (worst["left"], worst["right"]) == (0.0, 7.0)

    def test_a_dot_that_skips_its_tail_is_found(self, compared: Any):
        found = tensor(compared, "wrong_dot", "c")
        assert found["policy"] == "accumulated"
        assert found["wrong"] > 200
        assert found["program"] == [0, 0, 0]

    def test_inputs_are_compared_too(self, compared: Any):
        assert tensor(compared, "wrong_dot", "a")["wrong"] == 0


NOISY = """
import os, torch, triton, triton.language as tl
print("the module is loaded")
IN_INTERPRETER = os.environ.get("TRITON_INTERPRET") == "1"
FACTOR = tl.constexpr({factor})

@triton.jit
def noisy(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.device_print("i", i)
    tl.store(out + i, tl.load(x + i, mask=i < n) * FACTOR, mask=i < n)

def case():
    x, out = torch.arange(10.0), torch.empty(10)
    noisy[(2,)](x, out, 10, B=8)
"""
"""A file that prints, whose kernel prints, and that is wrong on one side."""


class TestWhatPrints:
    def compare(self, tmp_path: Path, factor: str) -> dict[str, Any]:
        file, found = tmp_path / "noisy.py", tmp_path / "report.json"
        file.write_text(NOISY.format(factor=factor))
        words = [str(file), "--targets", "cpu,interpreter", "--json", str(found)]
        assert main(words) == 1
        (launch,) = json.loads(found.read_text())["launches"]
        return next(t for t in launch["tensors"] if t["argument"] == "out")

    def test_a_file_and_a_kernel_that_print_spoil_no_report(
        self, tmp_path: Path, capfd: pytest.CaptureFixture[str]
    ):
        found = self.compare(tmp_path, "1.5 if IN_INTERPRETER else 3.0")
        assert (found["wrong"], found["program"]) == (9, [0, 0, 0])
        said = capfd.readouterr()
        assert said.out.startswith("different  case: kernel 'noisy', grid 2\n")
        assert "written by program (0, 0, 0)" in said.out
        assert "interpreter is off by 1.5, " in said.out
        assert "the module is loaded" not in said.out
        assert said.err.count("the module is loaded") == 1
        assert "pid (1, 0, 0) idx (7) i: 15" in said.err

    @pytest.mark.nightly
    def test_a_phase_that_is_overridden_spoils_no_report_and_its_side_is_named(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
    ):
        """Triton prints the name of every file that takes the place of a phase."""
        monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
        monkeypatch.setenv("TRITON_DUMP_DIR", str(tmp_path / "phases"))
        monkeypatch.setenv("TRITON_KERNEL_DUMP", "1")
        self.compare(tmp_path, "1.5 if IN_INTERPRETER else 3.0")
        monkeypatch.delenv("TRITON_KERNEL_DUMP")
        monkeypatch.setenv("TRITON_KERNEL_OVERRIDE", "1")
        monkeypatch.setenv("TRITON_OVERRIDE_DIR", str(tmp_path / "phases"))
        for kept in (tmp_path / "phases").glob("*/noisy.*"):
            if kept.suffix == ".ttir" and "f64" not in kept.read_text():
                kept.write_text(kept.read_text().replace("dense<3.0", "dense<300.0"))
            else:
                kept.unlink()
        found = self.compare(tmp_path, "3.0")
        assert (found["wrong"], found["program"]) == (9, [0, 0, 0])
        assert found["worst"]["off"] == "left"
        assert "cpu is off by 297, " in capfd.readouterr().out


class TestFailures:
    def test_a_file_without_cases(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
        file = tmp_path / "empty.py"
        file.write_text("x = 1\n")
        assert main([str(file), "--targets", "cpu,interpreter"]) == 2
        assert capsys.readouterr().err == (
            f"error: {file} has neither 'cases()' nor 'case()'\n"
            "write a function 'case' that launches the kernel\n"
        )

    @pytest.mark.parametrize("name", ["nofile.py", "nofolder", "nofile.zip"])
    def test_a_file_that_is_not_there(self, name: str, capsys: pytest.CaptureFixture[str]):
        assert main([name, "--targets", "cpu,interpreter"]) == 2
        said = capsys.readouterr().err
        assert said.startswith(f"error: there is no file or folder '{name}'\nname a Python file")
        assert len(said.splitlines()) == 2

    def test_targets_that_do_not_exist(self, capsys: pytest.CaptureFixture[str]):
        with pytest.raises(SystemExit) as caught:
            main([CASES, "--targets", "cpu,tpu"])
        assert caught.value.code == 2
        assert (
            "two of cpu, cpu-fast, emulated, shared_cuda, nvidia, interpreter, got 'cpu,tpu'"
            in capsys.readouterr().err
        )

    def test_a_target_that_is_not_there_says_what_is_missing(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ):
        monkeypatch.setenv("TRITON_SHARED_LIBCUDA", "/nowhere")
        x = torch.ones(1, dtype=torch.int32)
        launch = save(tmp_path / "0", "copy", {"x": x, "out": x, "n": 1, "BLOCK": 1})
        workers.replay_all([launch], ("shared_cuda",), timeout=60)
        result = workers.result(launch, "shared_cuda")
        assert result.error == "CudaError"
        assert "the CUDA driver does not load: /nowhere" in result.message

    def test_a_crash_and_a_hang_end_no_other_launch(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ):
        monkeypatch.setattr(workers, "STARTUP", 30.0)
        out = torch.ones(1, dtype=torch.int32)
        launches = [
            save(tmp_path / "0", "touches", {"address": torch.tensor([8]), "out": out}),
            save(tmp_path / "1", "never_ends", {"out": out}),
            save(tmp_path / "2", "copy", {"x": out, "out": out, "n": 1, "BLOCK": 1}),
        ]
        workers.replay_all(launches, ("cpu",), timeout=15)
        results = [workers.result(launch, "cpu") for launch in launches]
        assert [result.error for result in results] == ["crash", "timeout", ""]
        assert "SIGSEGV" in results[0].message
        assert results[2].succeeded

    def test_a_gpu_that_stopped_at_any_code_is_left_to_the_next_process(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ):
        """As at a cubin that `blame` gives: in the same process, all that follow would fail."""

        def stopped() -> None:
            raise RuntimeError("CUDA error: an illegal memory access was encountered")

        monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
        monkeypatch.setattr(torch.cuda, "synchronize", stopped)
        (tmp_path / "0").mkdir()
        with pytest.raises(SystemExit) as ended:
            worker.main(["given-ptxas", str(tmp_path / "0")])
        assert ended.value.code == worker.GPU_LOST
        assert not workers.result(tmp_path / "0", "given-ptxas").succeeded


def save(folder: Path, kernel: str, arguments: dict[str, Any]) -> Path:
    storages = Storages()
    encoded = {name: encode_argument(name, v, storages) for name, v in arguments.items()}
    Recording(CASES, kernel, (1,), encoded, storages=storages.copies).save(folder)
    return folder


class TestRecording:
    def test_every_argument_comes_back(self, tmp_path: Path):
        whole = torch.arange(48.0).view(6, 8)
        arguments = {
            "view": whole[1:, ::2],
            "alias": whole.view(-1)[3:],
            "half": torch.tensor([1.5, float("nan")], dtype=torch.bfloat16),
            "byte": torch.tensor([0.5, 2.0]).to(torch.float8_e4m3fn),
            "flag": torch.tensor([True, False]),
            "descriptor": TensorDescriptor.from_tensor(whole, [2, 8]),
            "nested": (1, (whole, 2.5), None),
            "dtype": tl.float16,
            "infinity": float("-inf"),
            "function": diff_cases.larger,
            "text": "word",
        }
        storages = Storages()
        encoded = {n: encode_argument(n, v, storages) for n, v in arguments.items()}
        assert len(storages.copies) == 4, "aliases share their memory"
        made = Recording("f.py", "k", (1, 2), encoded, {"num_warps": 8}, storages=storages.copies)
        made.save(tmp_path)
        found = recording.load(tmp_path)
        assert found.arguments == encoded
        assert found.options == {"num_warps": 8}
        assert found.grid == (1, 2)
        for name in ("view", "alias", "half", "byte", "flag"):
            back = encoded[name].of(found.storages)
            assert back.stride() == arguments[name].stride()
            assert torch.equal(formats.bits(back), formats.bits(arguments[name]))
        assert set(found.views()) >= {"view", "descriptor.base", "nested[1][0]"}

    def test_a_launch_with_a_function_is_replayed(self, tmp_path: Path):
        x = torch.tensor([3, 9, 2, 5], dtype=torch.int32)
        arguments = {"x": x, "out": torch.zeros(1, dtype=torch.int32), "COMBINE": diff_cases.larger}
        launch = save(tmp_path / "0", "combine", arguments)
        workers.replay_all([launch], ("cpu",), timeout=60)
        result = workers.result(launch, "cpu")
        assert result.succeeded, result.message
        assert result.buffers[1].view(torch.int32).tolist() == [9]

    def test_launches_that_fail_or_cannot_be_kept_are_left_out(self):
        caught: list[Any] = []
        with recorder.catching(caught, "label", skips=True):
            diff_cases.right_copy()
            with pytest.raises(TypeError):
                diff_cases.copy[(1,)](object(), object(), 1, BLOCK=1)
        assert [recording.kernel for recording, _ in caught] == ["copy"]

    def test_what_cannot_be_kept_is_named(self):
        with pytest.raises(RecordingError, match=r"argument 't\[1\]' is a 'object'"):
            encode_argument("t", (1, object()), Storages())

    def test_an_archive_unpacks_to_plain_names(self, tmp_path: Path):
        archive = tmp_path / "a.zip"
        with zipfile.ZipFile(archive, "w") as packed:
            packed.writestr("../../evil.json", "{}")
        recording.unpack(archive, tmp_path / "out")
        assert [p.name for p in (tmp_path / "out").iterdir()] == ["evil.json"]
        with zipfile.ZipFile(archive, "w") as packed:
            packed.writestr("launch.pkl", "")
        with pytest.raises(RecordingError, match=r"'launch\.pkl', which is no recording"):
            recording.unpack(archive, tmp_path / "out")


class TestTolerances:
    def sum_of_two(self) -> census.Census:
        return census.take("%c = arith.addf %a, %b : tensor<64xf32>")

    def test_the_census_counts_what_rounds(self):
        found = census.take(
            "%0 = arith.mulf %a, %b : tensor<8x8xf32>\n"
            "%1 = math.exp %0 : tensor<8x8xf32>\n"
            "%2 = tt.dot %a, %b, %1, inputPrecision = tf32 : tensor<8x8xf32> * tensor<8x8xf32>\n"
            "%3 = arith.addi %i, %j : i32\n"
            "%4 = arith.maxnumf %1, %2 : tensor<8x8xf32>\n"
        )
        assert found.counts == {"arith.mulf": 1, "math.exp": 1, "tt.dot": 1}
        assert found.has_tf32
        assert found.types == {"f32"}
        assert found.approximation == 4
        assert not found.is_sum_of_products

    def test_moves_and_comparisons_are_exact(self):
        found = census.take("%1 = arith.maxnumf %a, %b : f32\n%2 = arith.cmpf ogt, %a, %b : f32\n")
        assert found.is_exact

    def test_the_bound_of_a_sum_is_that_of_its_roundings(self):
        value = torch.tensor([0.0, 1.0], dtype=torch.float64)
        reference = Reference(
            value, torch.tensor([1.0, 2.0]).double(), torch.tensor([10.0, 2.0]).double()
        )
        bound = tolerances.choose(value, "float32", self.sum_of_two(), reference, None)
        assert bound.policy == "accumulated"
        assert bound.allowed[0].item() == pytest.approx(14 * 2.0**-24, rel=1e-6)
        assert bound.allowed[1].item() == pytest.approx((12 + 1) * 2.0**-24, rel=1e-6)

    def test_a_difference_is_no_sum_of_products(self):
        value = torch.tensor([5.0], dtype=torch.float64)
        reference = Reference(value, torch.tensor([1.0]).double(), torch.tensor([2.0]).double())
        bound = tolerances.choose(value, "float32", self.sum_of_two(), reference, None)
        assert bound.policy == "reference"

    def test_a_first_side_that_is_wrong_widens_no_bound(self):
        value = torch.linspace(1, 2, 50).double()
        close, wrong = value * (1 + 1e-7), value * 100
        rounds = census.take("%c = math.exp %a : tensor<64xf32>")
        reference = Reference(value)
        for sides in ((close, close), (wrong, wrong), (close, wrong)):
            bound = tolerances.choose(sides[0], "float32", rounds, reference, None, sides[1])
            assert not bound.is_for_both
        bound = tolerances.choose(wrong, "float32", rounds, reference, None, close)
        assert (bound.policy, bound.is_for_both) == ("reference", True)
        assert bound.allowed.max() < 1e-5
        found = comparison._judge("x", "float32", wrong.float(), close.float(), bound)
        assert (found.wrong, found.worst.off) == (50, "left")

    def test_integers_are_exact_whatever_the_kernel_does(self):
        bound = tolerances.choose(torch.ones(1).double(), "int32", self.sum_of_two(), None, None)
        assert bound.policy == "exact"

    def test_elements_of_one_size_share_their_error(self):
        value = torch.cat([torch.full((40,), 1.5), torch.full((40,), 100.0)]).double()
        error = torch.zeros(80).double()
        error[3], error[50] = 1e-7, 1e-3
        own = tolerances.largest_at_size(error, value)
        assert own[:40].tolist() == [1e-7] * 40
        assert own[40:].tolist() == [1e-3] * 40

    @pytest.mark.parametrize(
        ("dtype", "a", "b", "steps"),
        [
            (torch.float32, 1.0, 1 + 2.0**-22, 2),
            (torch.float16, 1.0, 1 - 2.0**-11, 1),
            (torch.float32, 2.0**-149, -(2.0**-149), 2),
            (torch.float64, 0.0, -0.0, 0),
        ],
    )
    def test_ulp_distance(self, dtype: torch.dtype, a: float, b: float, steps: int):
        assert (
            formats.ulp_distance(torch.tensor(a, dtype=dtype), torch.tensor(b, dtype=dtype))
            == steps
        )

    @pytest.mark.parametrize("value", [1.0, 1.5, 3.7, 1e-30, 65504.0 / 4, 0.0])
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
    def test_ulp_is_the_distance_to_the_neighbour(self, dtype: torch.dtype, value: float):
        exact = torch.tensor(value, dtype=dtype)
        step = torch.nextafter(exact, torch.tensor(torch.inf, dtype=dtype)) - exact
        assert formats.rounding(dtype).ulp(exact.double()).item() == step.item()


class TestJudgement:
    def judge(self, a: torch.Tensor, b: torch.Tensor, policy: str = "stated") -> Any:
        value = a.double().nan_to_num(0, 0, 0)
        bound = tolerances.Bound(policy, value, torch.full_like(value, 0.1), is_for_both=False)
        return comparison._judge("x", "float32", a, b, bound)

    def test_nan_must_meet_nan(self):
        a, b = torch.tensor([float("nan"), 1.0]), torch.tensor([float("nan"), float("nan")])
        found = self.judge(a, b)
        assert found.wrong == 1
        assert found.worst.index == (1,)

    def test_infinities_must_have_the_same_sign(self):
        a = torch.tensor([float("inf"), float("inf")])
        assert self.judge(a, torch.tensor([float("inf"), -float("inf")])).wrong == 1

    def test_zeros_are_equal(self):
        assert self.judge(torch.tensor([0.0]), torch.tensor([-0.0]), "exact").wrong == 0

    def test_a_margin_of_one_is_right(self):
        found = self.judge(torch.tensor([1.0]), torch.tensor([1.05]))
        assert found.wrong == 0
        assert found.margin == pytest.approx(0.5, rel=1e-5)
