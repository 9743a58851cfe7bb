"""Configurations that are wrong are named, and never picked."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
import triton_shared
from triton_shared.diff import run as steps
from triton_shared.diff import sweeps
from triton_shared.diff.__main__ import main

TUNED = """
import torch, triton, triton.language as tl

CONFIGS = [
    triton.Config({{"BLOCK": block}}, num_warps=warps)
    for block in (32, 64, 128)
    for warps in (1, 4)
]

@triton.autotune(CONFIGS, key=["n"])
@triton.jit
def row_sums(x, out, used, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((BLOCK,), tl.float32)
    # Skips the tail where BLOCK does not divide n.
    for k in range(0, n // BLOCK):
        total += tl.load(x + row * n + k * BLOCK + tl.arange(0, BLOCK))
    tl.store(out + row, tl.sum(total, axis=0))
    tl.store(used + row, BLOCK)

@triton.jit
def scaled(x, out, FACTOR: tl.constexpr):
    i = tl.arange(0, 32)
    tl.store(out + i, tl.load(x + i) * FACTOR)

def rows():
    x = torch.rand(4, {columns}, generator=torch.Generator().manual_seed(1))
    row_sums[(4,)](x, torch.zeros(4), torch.zeros(4, dtype=torch.int32), {columns})

def factors():
    scaled[(1,)](torch.ones(32), torch.zeros(32), FACTOR=2.0)

def cases():
    return [rows, factors]
"""


def write(folder: Path, columns: int = 192) -> str:
    file = folder / "tuned.py"
    file.write_text(TUNED.format(columns=columns))
    return str(file)


class TestConfigurations:
    def test_the_wrong_ones_are_named(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
        found = tmp_path / "report.json"
        words = [write(tmp_path), "--case", "rows", "--configs", "--targets", "cpu,emulated"]
        assert main([*words, "--scratch", "used", "--json", str(found)]) == 1
        (sweep,) = json.loads(found.read_text())["sweeps"]
        verdicts = {one["configuration"]: one["verdict"] for one in sweep["configurations"]}
        assert verdicts == {
            f"BLOCK={block} num_warps={warps}": "wrong" if block == 128 else "right"
            for block in (32, 64, 128)
            for warps in (1, 4)
        }
        assert (sweep["agree"], sweep["is_decided"]) == (4, True)
        worst = sweep["configurations"][-1]["first"]["tensors"][1]["worst"]
        assert worst["off"] == "right"
        said = capsys.readouterr().out
        assert "BLOCK=128 num_warps=4: wrong on cpu, so the kernel itself is\n" in said
        assert "BLOCK=32 num_warps=1   reference" in said
        assert said.endswith("6 configurations: 4 right, 2 wrong\n")

    def test_constants_vary_on_the_command_line(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ):
        words = [write(tmp_path), "--case", "factors", "--targets", "cpu,cpu-fast"]
        assert main([*words, "--vary", "FACTOR=2.0,2.0,3.0", "--vary", "num_warps=2,4"]) == 1
        said = capsys.readouterr().out
        assert said.count("FACTOR=3.0 num_warps=2: wrong on cpu") == 1
        assert said.endswith("6 configurations: 4 right, 2 wrong\n")

    def test_options_of_a_recording_vary_and_constants_do_not(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ):
        kept = tmp_path / "kept"
        steps.prepare(Path(write(tmp_path)), "factors", kept)
        words = [str(kept), "--targets", "cpu,cpu-fast", "--vary"]
        assert main([*words, "num_warps=1,8"]) == 0
        assert "num_warps=8" in capsys.readouterr().out
        assert main([*words, "FACTOR=1.0,2.0"]) == 2
        assert (
            "'FACTOR' is a parameter of kernel 'scaled', and the grid of a recording is fixed"
            in (capsys.readouterr().err)
        )

    def test_what_is_no_list_of_values_is_an_error(self, capsys: pytest.CaptureFixture[str]):
        with pytest.raises(SystemExit):
            main(["x.py", "--vary", "BLOCK"])
        assert "'BLOCK' is not NAME=VALUE,…" in capsys.readouterr().err

    def test_configurations_are_told_apart_by_what_differs(self):
        words = [{"BLOCK": 1, "num_warps": 2, "num_stages": 3}, {"BLOCK": 1, "num_warps": 4}]
        told = [sweeps.describe(one) for one in sweeps.distinct(words)]
        assert told == ["num_warps=2 num_stages=3", "num_warps=4"]
        assert sweeps.describe(sweeps.distinct(words[:1])[0]) == "BLOCK=1 num_warps=2 num_stages=3"


CONFIGS = [triton.Config({"BLOCK": block}) for block in (32, 64, 128)]


@triton.jit
def sums(x, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((BLOCK,), tl.float32)
    for k in range(0, n // BLOCK):
        total += tl.load(x + row * n + k * BLOCK + tl.arange(0, BLOCK))
    tl.store(out + row, tl.load(out + row) + tl.sum(total, axis=0))


def tune(configs: list[Any], **more: Any) -> Any:
    sums.device_caches.clear()
    quick = {"do_bench": prefer_last(), **more}
    return triton_shared.verified_autotune(configs, key=["n"], reset_to_zero=["out"], **quick)(sums)


def prefer_last() -> Any:
    """A benchmark that finds each configuration faster than those before."""
    times = iter(range(100, 0, -1))

    def bench(run: Any, quantiles: Any) -> list[float]:
        run()
        return [float(next(times))] * 3

    return bench


def launch(tuned: Any, n: int = 192) -> torch.Tensor:
    x, out = torch.rand(4, n, generator=torch.Generator().manual_seed(1)), torch.zeros(4)
    tuned[(4,)](x, out, n)
    torch.testing.assert_close(out, x.sum(1))
    return out


class TestVerifiedAutotune:
    def test_a_wrong_configuration_is_not_picked_though_it_is_the_fastest(self):
        tuned = tune(CONFIGS)
        with pytest.warns(triton_shared.VerificationWarning) as caught:
            launch(tuned)
        assert tuned.best_config is CONFIGS[1]
        text = str(caught[0].message)
        assert text.startswith(
            "kernel 'sums': configurations that are wrong are not used\nBLOCK=128:"
        )
        assert "out (4 float32): 4 of 4 elements are beyond the bound" in text
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            launch(tuned)  # Verified already.

    def test_right_ones_are_all_timed(self):
        tuned = tune(CONFIGS)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            launch(tuned, 256)
        assert tuned.best_config is CONFIGS[2]

    def test_a_single_configuration_is_verified_too(self):
        tuned = tune(CONFIGS[2:])
        launch(tuned, 256)
        assert tuned.best_config is CONFIGS[2]
        assert len(tuned._right) == 1

    def test_configurations_that_disagree_one_to_one_are_an_error(self):
        with pytest.raises(triton_shared.VerificationError) as caught:
            launch(tune([CONFIGS[0], CONFIGS[2]]))
        assert "disagree, and nothing says which are right:\nBLOCK=128: wrong on the CPU" in str(
            caught.value
        )

    def test_if_none_is_left_that_is_an_error(self, monkeypatch: pytest.MonkeyPatch):
        """All are right in reference mode, and wrong on the device that is tuned for."""
        from triton_shared import verified

        original = verified._compare

        def compare(launches: list[Path], *rest: Any) -> Any:
            for place in launches:
                for kept in (place / "here").glob("storage-1.npy"):
                    kept.write_bytes(kept.read_bytes()[:-1] + b"\x7f")
            return original(launches, *rest)

        monkeypatch.setattr(verified, "_compare", compare)
        with pytest.raises(triton_shared.VerificationError, match="every configuration of kernel"):
            launch(tune(CONFIGS), 256)

    def test_kernels_in_functions_and_memory_are_as_before(self):
        @triton.jit
        def double(x, out, n, BLOCK: tl.constexpr):
            i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
            tl.store(
                out + i, tl.load(x + i, mask=i < n) * 2 + tl.load(out + i, mask=i < n), mask=i < n
            )

        configs = [triton.Config({"BLOCK": block}) for block in (16, 32)]
        tuned = triton_shared.verified_autotune(
            configs, key=["n"], restore_value=["out"], do_bench=prefer_last()
        )(double)
        x, out = torch.arange(40.0), torch.ones(40)
        tuned[lambda meta: (triton.cdiv(40, meta["BLOCK"]),)](x, out, 40)
        assert torch.equal(out, 2 * x + 1)

    def test_what_the_cpu_cannot_run_in_time_is_an_error(self):
        with pytest.raises(triton_shared.VerificationError, match="does not start \\(timeout\\)"):
            launch(tune(CONFIGS, timeout=-100.0), 256)
