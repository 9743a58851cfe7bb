"""What PTX in a kernel asks for as an approximation is that instruction in ours, with all that it
says; run in the emulator."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from narrow_forms import COUNT, FORMS, PLAIN
from ptx_registers import COUNT as COUNT64
from ptx_registers import check_all, given_registers, of_registers64
from test_inline_assembly_floats import FUNCTIONS
from test_inline_assembly_forms import BATCH, FAMILIES
from test_inline_assembly_narrow import of_registers, rows
from test_inline_assembly_texts import between_fences
from triton_shared import emulate, stages
from triton_shared.emulate import ptx
from triton_shared.frontend import ast_to_ttir

SIZE = 128
APPROXIMATE = sorted(name for name in FUNCTIONS if ".approx." in name)


@triton.jit
def _assembled(x, out, TEXT: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(
        out + at,
        tl.inline_asm_elementwise(
            TEXT, "=r,r", [tl.load(x + at)], dtype=tl.float32, is_pure=True, pack=1
        ),
    )


class Forms:
    """A kernel of one instruction: its PTX, and in the emulator its LLVM IR and that."""

    def __init__(self, instruction: str, folder: Path):
        ttir = ast_to_ttir(
            _assembled,
            {"x": "*fp32", "out": "*fp32", "TEXT": "constexpr", "N": "constexpr"},
            {"TEXT": f"{instruction} $0, $1;", "N": SIZE},
            ["x", "out"],
            target="cuda:90a",
            num_warps=1,
        )
        self.text = stages.run(ttir, "ptx", target="cuda:90a", num_warps=1).decode()
        (folder / "ptx").mkdir()
        self.kernels = (
            emulate.compile_kernel(ttir, 1, folder),
            ptx.compile_ptx(self.text, 0, folder / "ptx"),
        )

    def results(self, x: torch.Tensor) -> list[torch.Tensor]:
        results = []
        for kernel in self.kernels:
            results.append(torch.zeros(SIZE))
            emulate.launch(kernel, [x, results[-1]], (1,))
        return results


@pytest.mark.every(2)
@pytest.mark.parametrize("instruction", APPROXIMATE)
def test_approximations_are_their_instructions(instruction: str, tmp_path: Path):
    forms = Forms(instruction, tmp_path)
    # Powers flush in any case.
    said = instruction.replace("ex2.approx.f32", "ex2.approx.ftz.f32")
    made = re.findall(r"\b[a-z0-9]+\.approx[.a-z0-9]*", forms.text)
    assert made
    assert set(made) == {said}
    assert not re.search(r"\b(abs|setp|selp|copysign)\.", forms.text)
    generator = np.random.default_rng(9)
    x = torch.from_numpy(generator.uniform(0.1, 20, SIZE).astype(np.float32))
    for found in forms.results(x):
        np.testing.assert_allclose(found, FUNCTIONS[instruction](x.double().numpy()), rtol=1e-6)


@pytest.mark.parametrize("instruction", [name for name in APPROXIMATE if ".ftz." in name])
def test_what_is_flushed_once_is_flushed(instruction: str, tmp_path: Path):
    """Numbers below the smallest normal one are zeros of their sign."""
    forms = Forms(instruction, tmp_path)
    tiny = torch.tensor([1e-40, -1e-40, 0.0, -0.0]).repeat(SIZE // 4)
    zeros = torch.tensor([0.0, -0.0, 0.0, -0.0]).repeat(SIZE // 4)
    for found, expected in zip(forms.results(tiny), forms.results(zeros), strict=True):
        assert torch.equal(found.view(torch.int32), expected.view(torch.int32))


@pytest.mark.every(2)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.nightly] * (place % 3 > 0))
        for place, name in enumerate(PLAIN)
    ],
)
def test_conversions_of_few_bits(name: str, tmp_path: Path):
    """No GPU before sm_100a has most of them: what is compiled is what they mean."""
    form = FORMS[name]
    ttir = ast_to_ttir(
        of_registers,
        {"x": "*i32", "out": "*i32", "TEXT": "constexpr", "N": "constexpr"},
        {"TEXT": form.text, "N": COUNT},
        ["x", "out"],
        target="cuda:90a",
        num_warps=4,
    )
    text = stages.run(ttir, "ptx", target="cuda:90a", num_warps=4).decode()
    (tmp_path / "ptx").mkdir()
    for kernel in (
        emulate.compile_kernel(ttir, 4, tmp_path),
        ptx.compile_ptx(text, 0, tmp_path / "ptx"),
    ):
        out = torch.zeros(COUNT, dtype=torch.int32)
        emulate.launch(kernel, [rows(form.inputs), out], (1,))
        form.check(out.numpy())
    for target in ("cuda:80", "cuda:90a"):
        assert stages.run(ttir, "cubin", target=target, num_warps=4).startswith(b"\x7fELF")


@pytest.mark.every(2)
@pytest.mark.parametrize("family", FAMILIES)
def test_forms(family: str, tmp_path: Path):
    """PTX that is made of PTX means the same: of each family, forms from its start to its end."""
    forms = FAMILIES[family][:: len(FAMILIES[family]) // BATCH + 1]
    ttir = ast_to_ttir(
        of_registers64,
        {"x": "*i64", "out": "*i64", "TEXTS": "constexpr", "N": "constexpr"},
        {"TEXTS": tuple(form.text for form in forms), "N": COUNT64},
        ["x", "out"],
        target="cuda:90a",
        num_warps=4,
    )
    text = stages.run(ttir, "ptx", target="cuda:90a", num_warps=4).decode()
    kernel = ptx.compile_ptx(text, 0, tmp_path)
    out = torch.zeros(len(forms), COUNT64, dtype=torch.int64)
    emulate.launch(kernel, [given_registers(), out], (1,))
    check_all(forms, out)


def test_a_fence_is_one(tmp_path: Path):
    ttir = ast_to_ttir(
        between_fences,
        {"x": "*i32", "out": "*i32", "N": "constexpr"},
        {"N": 64},
        ["x", "out"],
        target="cuda:90a",
        num_warps=4,
    )
    text = stages.run(ttir, "ptx", target="cuda:90a", num_warps=4).decode()
    assert "fence.sc.sys;" in text
    assert "prefetch" not in text
    x = torch.arange(64, dtype=torch.int32)
    out = torch.zeros_like(x)
    emulate.launch(ptx.compile_ptx(text, 0, tmp_path), [x, out], (1,))
    assert torch.equal(out, (x + 1) * 2)


@triton.jit
def reversed_by_scratch(x, scratch, out, N: tl.constexpr):
    """Threads read what others have written, after they have met."""
    at = tl.arange(0, N)
    tl.store(scratch + at, tl.load(x + at))
    tl.inline_asm_elementwise("bar.sync 0;", "=r", [], tl.int32, is_pure=False, pack=1)
    tl.store(out + at, tl.load(scratch + (N - 1 - at)))


def test_a_barrier_is_one(tmp_path: Path):
    kinds = {**dict.fromkeys(("x", "scratch", "out"), "*i32"), "N": "constexpr"}
    ttir = ast_to_ttir(reversed_by_scratch, kinds, {"N": 512}, [], target="cuda:90a", num_warps=4)
    assert "gpu.barrier" in stages.run(ttir, "cta", target="cuda:90a", num_warps=4).decode()
    x = torch.arange(512, dtype=torch.int32)
    kernel = emulate.compile_kernel(ttir, 4, tmp_path)
    for seed in range(3):
        scratch, out = torch.zeros_like(x), torch.zeros_like(x)
        emulate.launch(kernel, [x, scratch, out], (1,), seed)
        assert torch.equal(out, x.flip(0))
    scratch, out = torch.zeros_like(x), torch.zeros_like(x)
    reversed_by_scratch[(1,)](x, scratch, out, N=512)
    assert torch.equal(out, x.flip(0))
