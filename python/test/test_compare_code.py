"""scripts/compare-code: what it keeps of a build, and that it finds what another one makes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import recording
from tree import BUILD, ROOT
from triton_shared.cuda.options import CudaOptions
from triton_shared.options import Options

OPT = BUILD / "bin" / "triton-shared-opt"
KERNEL = "ttir/vec_add-3.6.0"
WAYS = ("memref", "reference", "fast", "object", "sm_80", "sm_90a")


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / "scripts" / "compare-code", *words]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.fixture
def record(tmp_path: Path) -> Path:
    done = run("record", tmp_path / "record", "--only", KERNEL, "--opt", OPT)
    assert done.returncode == 0, done.stderr
    return tmp_path / "record"


def change(record: Path, before: str, now: str) -> None:
    """As if another build made something else of the kernel."""
    file = record / "kernels" / f"{KERNEL}.mlir"
    assert before in file.read_text()
    file.write_text(file.read_text().replace(before, now))


def test_the_same_build_makes_the_same(record: Path):
    kept = sorted(file.name for file in (record / "code" / "ttir").iterdir())
    assert kept == sorted(f"vec_add-3.6.0.{way}.gz" for way in WAYS)
    done = run("compare", record, "--opt", OPT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 are the same, 0 differ\n" in done.stdout


def test_other_code_is_shown_and_kept(record: Path, tmp_path: Path):
    change(record, "arith.addf", "arith.subf")
    done = run("compare", record, "--opt", OPT, "--keep", tmp_path / "kept")
    assert done.returncode == 1
    assert "0 are the same, 6 differ (memref 1, reference 1, " in done.stdout
    assert f"--- {KERNEL} memref, before\n" in done.stdout
    assert "-      %13 = arith.addf" in done.stdout
    assert "+      %13 = arith.subf" in done.stdout
    before, now = (tmp_path / "kept" / word / f"{KERNEL}.sm_80" for word in ("before", "now"))
    assert before.read_text().replace("add.f32", "sub.f32") == now.read_text()


def test_an_error_is_what_was_made(record: Path):
    change(record, "arith.addf", "arith.add")
    done = run("compare", record, "--opt", OPT, "--ways", "reference")
    assert done.returncode == 1
    said = f"{KERNEL}.mlir:19:11: error: custom op 'arith.add' is unknown"
    assert f"    {KERNEL} reference is refused, {said}\n" in done.stdout


def test_instructions_are_counted_where_ptx_differs(record: Path):
    change(record, "arith.addf", "arith.subf")
    # Both are additions.
    done = run("compare", record, "--opt", OPT, "--ways", "sm_80,sm_90a", "--sass")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 are the same, 2 differ (sm_80 1, sm_90a 1)" in done.stdout
    assert "2 of them become as many instructions of each kind" in done.stdout
    change(record, "arith.subf", "arith.mulf")
    done = run("compare", record, "--opt", OPT, "--ways", "sm_80", "--sass")
    assert done.returncode == 1
    assert "-8 FADD, +8 FMUL" in done.stdout


def test_a_kernel_of_the_tests_brings_its_options(record: Path, tmp_path: Path):
    texts = tmp_path / "texts"
    texts.mkdir()
    line = recording.gpu_options(CudaOptions(num_warps=8, num_stages=0, precise=True))
    assert line == "// options: --num-warps=8 --num-stages=1 --precise=true\n"
    assert recording.gpu_options(Options()) == ""
    text = (record / "kernels" / f"{KERNEL}.mlir").read_text()
    (texts / "eight.mlir").write_text(line + text)
    assert run("record", record, "--kernels", texts, "--opt", OPT).returncode == 0
    done = run("compare", record, "--opt", OPT)
    assert "12 are the same, 0 differ\n" in done.stdout
    (record / "kernels" / "texts" / "eight.mlir").write_text(text)
    done = run("compare", record, "--opt", OPT)
    assert "10 are the same, 2 differ (sm_80 1, sm_90a 1)" in done.stdout


def test_tests_leave_their_kernels(tmp_path: Path):
    name = "python/test/test_cases_loops.py"
    done = run("collect", "--jobs", "0", tmp_path, name, "-k", "test_while")
    assert done.returncode == 0, done.stdout
    found = [file.read_text() for file in tmp_path.glob("*.mlir")]
    assert found
    assert all("tt.func" in text and "loc(" not in text for text in found)
