"""The stages as functions, and the switches that show or replace what is between them."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest
import torch
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


def test_machine_code_can_be_read():
    out = torch.zeros(20)
    asm = scale[(1,)](torch.ones(20), out, 20, 4.0, BLOCK=32).asm
    assert "scale.entry:" in asm["s"]
    assert asm["s"] == stages.llir_to_s(asm["llir"])
    gpu = stages.linalg_to_llir(stages.ttir_to_linalg(ttir()), target="cuda:90")
    with pytest.raises(CompilationError, match="the target is the CPU"):
        stages.llir_to_s(gpu)


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
    assert "triton-pointers-to-structured" in passes
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


def test_a_text_that_is_in_a_phase_already_is_its_own_result():
    """A kernel that does nothing is in a later phase than it was written in."""
    linalg = stages.ttir_to_linalg("tt.func public @k(%p: !tt.ptr<f32>) { tt.return }")
    memref = stages.linalg_to_memref(linalg)
    assert "func.func @k" in memref
    assert "func.func @k" in stages.run(memref, "memref").decode()


def test_ttir_of_triton_2_says_what_is_understood():
    old = "tt.func @k(%p: f32) { %0 = tt.splat %p : (f32) -> tensor<8xf32> tt.return }"
    with pytest.raises(CompilationError, match=r"understood is that of Triton 3\.5 to 3\.9"):
        stages.ttir_to_linalg(old)
