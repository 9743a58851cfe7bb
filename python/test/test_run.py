"""Scripts that were written for a GPU, on the CPU: `python -m triton_shared.run`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch
import triton
from kernels import scale
from triton.backends.compiler import GPUTarget
from triton_shared.run import cuda_means_cpu

SCRIPT = """
import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    i = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    live = i < n_elements
    total = tl.load(x_ptr + i, mask=live) + tl.load(y_ptr + i, mask=live)
    tl.store(output_ptr + i, total, mask=live)


def add(x, y):
    output = torch.empty_like(x)
    assert x.is_cuda and y.is_cuda and output.is_cuda
    size = output.numel()
    kernel = add_kernel[lambda meta: (triton.cdiv(size, meta["BLOCK_SIZE"]),)](
        x, y, output, size, BLOCK_SIZE=1024
    )
    torch.cuda.synchronize()
    print(f"largest difference: {torch.max(torch.abs(x + y - output))}")
    for name, key in FILES.items():
        with open(name, "w") as file:
            print(kernel.asm[key], file=file)


FILES = {
    "triton_IR.txt": "ttir",
    "triton_TTGIR.txt": "ttgir",
    "triton_LLVMIR.txt": "llir",
    "triton_PTX.ptx": "ptx",
    "triton_cubin.txt": "cubin",
}
torch.manual_seed(0)
add(torch.rand(98432, device="cuda"), torch.rand(98432, device="cuda"))
"""
"""What a well-known walk through Triton's stages does, and how it does it."""


def run(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / "script.py").write_text(script)
    command = [sys.executable, "-m", "triton_shared.run", "script.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)


def test_a_script_that_writes_a_gpu_s_phases_runs_to_its_end(tmp_path: Path):
    done = run(SCRIPT, tmp_path)
    assert (done.stdout, done.returncode) == ("largest difference: 0.0\n", 0), done.stderr
    text = (tmp_path / "triton_IR.txt").read_text()
    assert "tt.func public @add_kernel(" in text
    assert text.count("tt.divisibility = 16 : i32") == 4
    assert "noinline = false" in text
    assert "#ttg.blocked<" in (tmp_path / "triton_TTGIR.txt").read_text()
    assert "fadd" in (tmp_path / "triton_LLVMIR.txt").read_text()
    assert ".visible .entry add_kernel(" in (tmp_path / "triton_PTX.ptx").read_text()
    assert (tmp_path / "triton_cubin.txt").read_text().startswith("b'\\x7fELF")


@pytest.mark.parametrize(
    ("key", "nearest"),
    [("ttsharedir", "memref"), ("hsaco", "obj"), ("amdgcn", "ptx"), ("lnalg", "linalg"),
     ("llvmir", "llir"), ("something", None)],
)  # fmt: skip
def test_a_missing_phase_of_the_cpu_names_the_nearest(key: str, nearest: str | None):
    out = torch.zeros(20)
    asm = scale[(1,)](torch.ones(20), out, 20, 4.0, BLOCK=32).asm
    with pytest.raises(KeyError) as caught:
        asm[key]
    has = "it has cubin, linalg, llir, memref, obj, ptx, s, sass, source, structured, ttgir, ttir"
    end = f"{has}; the nearest is '{nearest}'" if nearest else has
    assert caught.value.args[0] == f"a kernel compiled for the CPU has no '{key}'; {end}"
    assert key not in asm


@pytest.mark.parametrize(
    ("key", "nearest"), [("ttgir", "cta"), ("obj", "cubin"), ("memref", "gpu"), ("amdgcn", "ptx")]
)
def test_a_missing_phase_of_a_gpu_names_the_nearest(key: str, nearest: str):
    signature = {"x_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32", "factor": "fp32"}
    source = triton.compiler.ASTSource(
        scale, {**signature, "BLOCK": "constexpr"}, constexprs={"BLOCK": 32}
    )
    asm = triton.compile(source, target=GPUTarget("shared_cuda", 90, 32)).asm
    with pytest.raises(KeyError) as caught:
        asm[key]
    has = "cta, cubin, gpu, linalg, llir, ptx, sass, source, structured, ttir"
    assert caught.value.args[0] == (
        f"a kernel compiled for the GPU has no '{key}'; it has {has}; the nearest is '{nearest}'"
    )


def test_cuda_is_the_cpu_in_the_block_only():
    was_there = torch.cuda.is_available()
    with cuda_means_cpu():
        assert torch.cuda.is_available()
        made = [
            torch.ones(3, device="cuda"),
            torch.ones(3, device=torch.device("cuda", 0)),
            torch.ones(3).to("cuda:0"),
            torch.ones(3).cuda(),
            torch.empty_like(torch.ones(3), device="cuda").fill_(1),
        ]
        assert all(x.is_cuda for x in made)
        torch.cuda.synchronize()
    assert all(x.device.type == "cpu" and not x.is_cuda and x.eq(1).all() for x in made)
    assert torch.cuda.is_available() == was_there


def test_exit_codes_and_arguments_are_the_script_s(tmp_path: Path):
    (tmp_path / "helper.py").write_text("code = 3\n")
    script = "import sys, helper\nprint(sys.argv)\nsys.exit(helper.code)\n"
    done = run(script, tmp_path)
    assert (done.stdout, done.returncode) == ("['script.py']\n", 3)
