"""The stages as functions, and the switches that show or replace what is between them."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import triton_shared
from kernels import scale
from triton_shared import CompilationError, CudaError, stages

TYPES = {"x_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32", "factor": "fp32"}


def ttir(**options: object) -> str:
    return stages.ast_to_ttir(scale, TYPES, {"BLOCK": 32}, ["x_ptr"], **options)


def launch() -> torch.Tensor:
    """What the kernel makes of ones, as a new process would see it."""
    scale.device_caches.clear()
    out = torch.zeros(20)
    scale[(1,)](torch.ones(20), out, 20, 4.0, BLOCK=32)
    return out


def test_the_way_to_the_cpu():
    text = ttir()
    assert "tt.divisibility = 16" in text
    structured = stages.ttir_to_structured(text)
    assert "tts.load" in structured
    linalg = stages.structured_to_linalg(structured)
    assert stages.ttir_to_linalg(text) == linalg
    memref = stages.linalg_to_memref(linalg)
    assert "memref.copy" in memref
    llir = stages.memref_to_llir(memref)
    assert "fmul" in llir
    assert stages.linalg_to_llir(linalg) == llir
    assert stages.llir_to_obj(llir).startswith(b"\x7fELF")
    assert stages.linalg_to_obj(linalg).startswith(b"\x7fELF")


def test_the_way_to_a_gpu():
    linalg = stages.ttir_to_linalg(ttir(target="cuda:80", num_warps=2))
    options = {"target": "cuda:80", "num_warps": 2}
    cta = stages.linalg_to_cta(linalg, **options)
    gpu = stages.cta_to_gpu(cta, **options)
    assert stages.linalg_to_gpu(linalg, **options) == gpu
    llir = stages.gpu_to_llir(gpu, **options)
    ptx = stages.gpu_to_ptx(gpu, **options)
    assert ".target sm_80" in ptx
    assert re.search(r"\bmul(?:\.rn)?\.f32\b", ptx)
    assert ".entry scale" in stages.llir_to_ptx(llir, **options)
    assert stages.ptx_to_cubin(ptx, target="cuda:80").startswith(b"\x7fELF")


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: stages.ttir_to_linalg("module {"), CompilationError, "the text did not compile"),
        (lambda: stages.llir_to_obj("define"), CompilationError, "LLVM IR does not compile"),
        (lambda: stages.llir_to_ptx("define"), CompilationError, "LLVM IR does not compile"),
        (lambda: stages.ptx_to_cubin(".version 1"), CudaError, "ptxas refuses the PTX"),
        (lambda: stages.run("module {}", "linalg", target="tpu"), ValueError, "unknown target"),
    ],
)
def test_a_text_that_is_wrong_is_an_error(call, error: type[Exception], message: str):
    with pytest.raises(error, match=message):
        call()


def test_llvm_ir_for_another_machine_is_refused():
    llir = stages.linalg_to_llir(stages.ttir_to_linalg(ttir()))
    with pytest.raises(CompilationError, match="the target is a GPU"):
        stages.llir_to_ptx(llir)


@pytest.mark.parametrize("phase", ["ttir", "structured", "linalg", "memref", "llir"])
def test_every_phase_can_be_overridden(
    phase: str, fresh_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("TRITON_KERNEL_DUMP", "1")
    monkeypatch.setenv("TRITON_DUMP_DIR", str(tmp_path / "texts"))
    assert launch().eq(4).all()
    monkeypatch.delenv("TRITON_KERNEL_DUMP")
    (file,) = (tmp_path / "texts").rglob(f"scale.{phase}")
    for other in file.parent.glob("scale.*"):
        if other != file:
            other.unlink()
    text = file.read_text()
    changed = re.sub(r"arith\.mulf|\bfmul\b", lambda m: m[0].replace("mul", "add"), text)
    assert changed != text
    file.write_text(changed)
    monkeypatch.setenv("TRITON_KERNEL_OVERRIDE", "1")
    monkeypatch.setenv("TRITON_OVERRIDE_DIR", str(tmp_path / "texts"))
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    assert launch().eq(5).all()
    monkeypatch.delenv("TRITON_KERNEL_OVERRIDE")
    monkeypatch.delenv("TRITON_ALWAYS_COMPILE")
    assert launch().eq(4).all()


def test_an_object_cannot_be_overridden(
    fresh_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("TRITON_KERNEL_DUMP", "1")
    monkeypatch.setenv("TRITON_DUMP_DIR", str(tmp_path))
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    launch()
    monkeypatch.setenv("TRITON_KERNEL_OVERRIDE", "1")
    monkeypatch.setenv("TRITON_OVERRIDE_DIR", str(tmp_path))
    with pytest.raises(triton_shared.TritonSharedError, match="override 'llir'"):
        launch()


# MLIR_ENABLE_DUMP.


def shown(text: str) -> list[str]:
    """The passes whose modules were shown."""
    return re.findall(r"IR Dump After \w+ \(([\w-]+)\)", text)


def test_the_modules_that_passes_have_changed_are_shown(
    fresh_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    file = tmp_path / "changes.mlir"
    monkeypatch.setenv("MLIR_ENABLE_DUMP", "1")
    monkeypatch.setenv("MLIR_DUMP_PATH", str(file))
    launch()
    passes = shown(file.read_text())
    assert "IR Dump Before" not in file.read_text()
    assert "triton-to-structured" in passes
    # What finds nothing to do is not shown.
    assert "triton-inline-calls" not in passes
    assert "verify-phase" not in passes
    modules = re.split(r"^// -----// IR Dump After .*$", file.read_text(), flags=re.MULTILINE)
    assert all(first != second for first, second in itertools.pairwise(modules))


@pytest.mark.parametrize(("name", "is_shown"), [("scale", True), ("other", False), ("0", False)])
def test_one_kernel_is_shown_by_its_name(
    name: str, is_shown: bool, fresh_cache: Path, monkeypatch: pytest.MonkeyPatch, capfd
):
    monkeypatch.setenv("MLIR_ENABLE_DUMP", name)
    launch()
    assert bool(shown(capfd.readouterr().err)) == is_shown


# Scripts that write every phase to a file, as tutorials about Triton's compiler do.

SCRIPT = """
import torch, triton, sys
sys.path.insert(0, sys.argv[1])
from aot.kernels import add_kernel

torch.manual_seed(0)
size = 98432
x, y = torch.rand(size), torch.rand(size)
out = torch.empty_like(x)
kernel = add_kernel[(triton.cdiv(size, 1024),)](x, y, out, size, BLOCK_SIZE=1024)
print("The maximum difference is", torch.max(torch.abs(x + y - out)).item())
for phase in sys.argv[2:]:
    with open(f"{phase}.txt", "w") as file:
        print(kernel.asm[phase], file=file)
"""


def run_script(folder: Path, *phases: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", SCRIPT, str(Path(__file__).parent), *phases]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)


def test_a_script_writes_the_phases_of_an_addition(tmp_path: Path):
    done = run_script(tmp_path, "ttir", "linalg", "memref", "llir")
    assert (done.stdout, done.returncode) == ("The maximum difference is 0.0\n", 0), done.stderr
    text = (tmp_path / "ttir.txt").read_text()
    assert "tt.func public @add_kernel(" in text
    assert text.count("tt.divisibility = 16 : i32") == 4
    assert "noinline = false" in text
    assert "fadd" in (tmp_path / "llir.txt").read_text()


def test_a_script_that_asks_for_another_compiler_s_phase_is_told_what_there_is(tmp_path: Path):
    done = run_script(tmp_path, "ttir", "ttgir")
    assert done.stdout == "The maximum difference is 0.0\n"
    assert (
        "a kernel compiled for the CPU has no 'ttgir'; it has linalg, llir, memref, obj, source, "
        "structured, ttir"
    ) in done.stderr
