"""TRITON_KERNEL_DUMP and TRITON_KERNEL_OVERRIDE: every phase can be kept, and replaced.

For GPUs without one: what ptxas gets is written down by a script in its place, and the driver is a
fake.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fake_cuda
import pytest
import torch
import triton
import triton_shared
from fake_cuda import Array, FakeCuda
from kernels import scale
from triton.backends.compiler import GPUTarget
from triton_shared import DamagedObjectError, library, stages
from triton_shared.cuda import tools

MULTIPLY = re.compile(r"arith\.mulf|\bfmul\b|\bmul\.(?=(?:rn\.)?f32)")
SIGNATURE = {
    "x_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32", "factor": "fp32", "BLOCK": "constexpr",
}  # fmt: skip


@pytest.fixture
def texts(fresh_cache: Path, tmp_path: Path) -> Iterator[Path]:
    """The folder of dumps, which is also the one of overrides."""
    yield tmp_path / "texts"
    scale.device_caches.clear()  # What was put in its place is nothing for other tests.


def keep(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITON_KERNEL_DUMP", "1")
    monkeypatch.setenv("TRITON_DUMP_DIR", str(folder))


def replace(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRITON_KERNEL_DUMP")
    monkeypatch.setenv("TRITON_KERNEL_OVERRIDE", "1")
    monkeypatch.setenv("TRITON_OVERRIDE_DIR", str(folder))
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")


def leave_only(folder: Path, phase: str) -> Path:
    """Takes away the dumps of the other phases."""
    (file,) = folder.rglob(f"scale.{phase}")
    for other in file.parent.glob("scale.*"):
        if other != file:
            other.unlink()
    return file


def add_instead(file: Path) -> str:
    """Makes additions of the multiplications in a text; gives the new text."""
    text = file.read_text()
    changed = MULTIPLY.sub(lambda found: found[0].replace("mul", "add"), text)
    assert changed != text
    file.write_text(changed)
    return changed


# On the CPU.


def launch() -> torch.Tensor:
    """What the kernel makes of ones, as a new process would see it."""
    scale.device_caches.clear()
    out = torch.zeros(20)
    scale[(1,)](torch.ones(20), out, 20, 4.0, BLOCK=32)
    return out


@pytest.mark.parametrize("phase", library.phases("cpu")[:-1])
def test_every_text_on_the_way_to_the_cpu(phase: str, texts: Path, monkeypatch: pytest.MonkeyPatch):
    keep(texts, monkeypatch)
    assert launch().eq(4).all()
    add_instead(leave_only(texts, phase))
    replace(texts, monkeypatch)
    assert launch().eq(5).all()
    # Nobody who does not ask for it gets it.
    monkeypatch.delenv("TRITON_KERNEL_OVERRIDE")
    monkeypatch.delenv("TRITON_ALWAYS_COMPILE")
    assert launch().eq(4).all()


def test_an_object(texts: Path, monkeypatch: pytest.MonkeyPatch):
    keep(texts, monkeypatch)
    launch()
    (llir,) = texts.rglob("scale.llir")
    code = stages.llir_to_obj(add_instead(llir))
    leave_only(texts, "obj").write_bytes(code)
    replace(texts, monkeypatch)
    assert launch().eq(5).all()


def test_an_object_of_another_machine_is_refused(texts: Path, monkeypatch: pytest.MonkeyPatch):
    keep(texts, monkeypatch)
    launch()
    file = leave_only(texts, "obj")
    file.write_bytes(file.read_bytes()[:-16])  # As a C compiler would leave it.
    replace(texts, monkeypatch)
    with pytest.raises(
        DamagedObjectError, match=r"(?s)in the place of .*made by stages\.llir_to_obj"
    ):
        launch()


# For a GPU.


def compile_scale(arch: int = 90) -> Any:
    source = triton.compiler.ASTSource(scale, SIGNATURE, constexprs={"BLOCK": 128})
    return triton.compile(source, target=GPUTarget("shared_cuda", arch, 32))


@pytest.fixture
def ptxas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What ptxas was given last, and with which options."""
    script, given = tmp_path / "ptxas", tmp_path / "given.ptx"
    script.write_text(
        "#!/bin/sh\n"
        f'for word; do case "$word" in *.ptx) cp "$word" "{given}";; esac; done\n'
        f'echo "$@" >> "{tmp_path}/options"\n'
        f'exec "{tools.find_ptxas()}" "$@"\n'
    )
    script.chmod(0o755)
    monkeypatch.setenv("TRITON_PTXAS_PATH", str(script))
    return given


@pytest.mark.parametrize("phase", library.phases("cuda")[:-1])
@pytest.mark.parametrize("arch", [80, 90])
def test_every_text_on_the_way_to_a_gpu(
    arch: int, phase: str, texts: Path, ptxas: Path, monkeypatch: pytest.MonkeyPatch
):
    keep(texts, monkeypatch)
    assert "FMUL" in compile_scale(arch).asm["sass"]
    changed = add_instead(leave_only(texts, phase))
    replace(texts, monkeypatch)
    kernel = compile_scale(arch)
    assert kernel.asm[phase] == changed or phase == "ttir"  # The wheel prints that anew.
    assert ptxas.read_text().rstrip("\0") == kernel.asm["ptx"].rstrip("\0")
    assert "mul.f32" not in kernel.asm["ptx"]
    assert "FADD" in kernel.asm["sass"]
    assert "FMUL" not in kernel.asm["sass"]


def test_a_cubin(texts: Path, monkeypatch: pytest.MonkeyPatch):
    keep(texts, monkeypatch)
    original = compile_scale().asm["cubin"]
    (ptx,) = texts.rglob("scale.ptx")
    code = stages.ptx_to_cubin(add_instead(ptx))
    leave_only(texts, "cubin").write_bytes(code)
    replace(texts, monkeypatch)
    kernel = compile_scale()
    assert kernel.kernel == kernel.asm["cubin"] == code != original
    assert "FADD" in kernel.asm["sass"]
    fake_cuda.choose()
    with triton_shared.device("cuda"):
        fake = FakeCuda()
        kernel[(7, 1, 1)](Array(0x1000), Array(0x2000), 100, 2.5, 128)
        (line,) = fake.launches()
    assert line["kernel"] == "scale"


def test_a_text_that_ptxas_does_not_take(texts: Path, monkeypatch: pytest.MonkeyPatch):
    keep(texts, monkeypatch)
    compile_scale()
    leave_only(texts, "ptx").write_text(
        ".version 8.6\n.target sm_90a\n.address_size 64\nnonsense\n"
    )
    replace(texts, monkeypatch)
    with pytest.raises(triton_shared.CudaError, match=r"ptxas refuses the PTX:\n.*syntax error"):
        compile_scale()


def test_dumps_of_a_gpu_have_every_phase(texts: Path, monkeypatch: pytest.MonkeyPatch):
    keep(texts, monkeypatch)
    kernel = compile_scale()
    made = {path.suffix[1:]: path for path in texts.rglob("scale.*")}
    assert set(made) == {*library.phases("cuda"), "sass"}
    assert made["cubin"].read_bytes() == kernel.asm["cubin"]
