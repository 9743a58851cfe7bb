"""Inline assembly that means something to a GPU only: it stays what it is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch
import triton
import triton.language as tl
from gpu_kernels import compile_kernel, emulated
from triton_shared import emulate
from triton_shared.errors import CompilationError

N = 256


@triton.jit
def _exchange(x, out, N: tl.constexpr):
    """Each element gets that of the neighbouring lane, which holds two as well."""
    at = tl.arange(0, N)
    v = tl.inline_asm_elementwise(
        "shfl.sync.bfly.b32 $0, $1, 1, 0x1f, 0xffffffff;",
        "=r,r",
        [tl.load(x + at)],
        dtype=tl.int32,
        is_pure=False,
        pack=1,
    )
    tl.store(out + at, v)


@triton.jit
def _halves(x, out, N: tl.constexpr):
    """The same of pairs in one register, and their sums."""
    at = tl.arange(0, N)
    other, total = tl.inline_asm_elementwise(
        "{ .reg .b32 t; shfl.sync.bfly.b32 t, $2, 1, 0x1f, 0xffffffff; mov.b32 $0, t; "
        "add.f16x2 $1, $2, t; }",
        "=r,=r,r",
        [tl.load(x + at)],
        dtype=(tl.float16, tl.float16),
        is_pure=False,
        pack=2,
    )
    tl.store(out + at, total - other)


@triton.jit
def _video(x, out, N: tl.constexpr):
    at = tl.arange(0, N)
    v = tl.load(x + at)
    tl.store(
        out + at,
        tl.inline_asm_elementwise(
            "vabsdiff4.u32.u32.u32.add $0, $1, $1, $1;", "=r,r", [v], tl.int32, True, 1
        ),
    )


@triton.jit
def _unread(x, out, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.inline_asm_elementwise(
        "red.global.add.u32 [$1], 1; mov.u32 $0, 0;", "=r,l", [out + at], tl.int32, False, 1
    )
    tl.inline_asm_elementwise("nanosleep.u32 100; mov.u32 $0, 0;", "=r", [], tl.int32, False, 1)


@triton.jit
def _misspelt(x, out, N: tl.constexpr):
    at = tl.arange(0, N)
    v = tl.load(x + at)
    tl.store(
        out + at, tl.inline_asm_elementwise("ad.s32 $0, $1, $1;", "=r,r", [v], tl.int32, True, 1)
    )


@triton.jit
def _misfit(x, out, N: tl.constexpr):
    at = tl.arange(0, N)
    v = tl.load(x + at)
    tl.store(out + at, tl.inline_asm_elementwise("vote $0, $1;", "=h,r", [v], tl.int32, True, 1))


TYPES = {"x": "*i32", "out": "*i32"}
HALVES = dict.fromkeys(TYPES, "*fp16")


@pytest.mark.parametrize("arch", [80, 90])
@pytest.mark.parametrize("warps", [1, 4])
@pytest.mark.parametrize(
    ("kernel", "types", "word", "per_pack"),
    [
        (_exchange, TYPES, "shfl.sync.bfly", 1),
        (_halves, HALVES, "shfl.sync.bfly", 2),
        (_video, TYPES, "vabsdiff4", 1),
    ],
    ids=["exchange", "halves", "video"],
)
def test_it_is_assembled_once_for_each_pack_that_a_thread_holds(
    kernel: triton.JITFunction,
    types: dict[str, str],
    word: str,
    per_pack: int,
    warps: int,
    arch: int,
):
    compiled = compile_kernel(kernel, types, {"N": N}, warps, arch, divisible=True)
    assert len(re.findall(word, compiled.asm["ptx"])) == N // (32 * warps) // per_pack
    assert compiled.asm["cubin"]
    # The author's warps, where a kernel as small as this one would get along with one.
    assert compiled.metadata.block == [32 * warps, 1]


@pytest.mark.parametrize(("kernel", "types"), [(_exchange, TYPES), (_halves, HALVES)])
def test_threads_ask_each_other(kernel: triton.JITFunction, types: dict[str, str], tmp_path: Path):
    compiled = compile_kernel(kernel, types, {"N": N}, 4, divisible=True)
    x = torch.arange(N).to(torch.int32 if kernel is _exchange else torch.float16)
    out = torch.zeros_like(x)
    emulate.launch(emulated(compiled, tmp_path), (x, out), (1,))
    pairs = x.reshape(-1, 2, 2)
    assert out.equal((pairs.flip(1) if kernel is _exchange else pairs).reshape(-1))


def test_what_it_does_is_done_if_nobody_reads_the_result():
    text = compile_kernel(_unread, TYPES, {"N": 128}, 4).asm["ptx"]
    assert len(re.findall(r"red\.global\.add\.u32 \[%rd\d+\], 1;", text)) == 1
    assert text.count("nanosleep.u32 100;") == 1


def test_the_cpu_names_the_instruction():
    x = torch.arange(N, dtype=torch.int32)
    with pytest.raises(CompilationError) as caught:
        _video[(1,)](x, x, N=N)
    assert "vabsdiff4" in str(caught.value)
    assert "is an instruction without a portable meaning" in str(caught.value)


def test_what_ptxas_refuses_stands_at_its_line():
    with pytest.raises(CompilationError) as caught:
        compile_kernel(_misspelt, TYPES, {"N": N}, 4)
    message = str(caught.value)
    assert "Not a name of any known instruction: 'ad'" in message
    assert "goes to ptxas as it is" in message
    assert 'tl.inline_asm_elementwise("ad.s32 $0, $1, $1;"' in message


def test_registers_that_do_not_fit_are_refused_for_a_gpu_as_well():
    with pytest.raises(CompilationError) as caught:
        compile_kernel(_misfit, TYPES, {"N": N}, 4)
    assert "does not fit the constraints" in str(caught.value)
