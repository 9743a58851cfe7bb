"""Special registers and exact functions on a GPU, run by the emulator and read off the PTX."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from gpu_kernels import compile_kernel
from triton.backends.compiler import GPUTarget
from triton.language.extra import libdevice
from triton_shared import emulate


@triton.jit
def _lanes(x, o, N: tl.constexpr):
    at = tl.arange(0, N)
    lane = tl.inline_asm_elementwise(
        "add.u32 $0, $1, %laneid;", "=r,r", [tl.load(x + at)], tl.int32, True, 1
    )
    thread = tl.inline_asm_elementwise(
        "{ .reg .b32 t; mul.lo.u32 t, %warpid, 32; sub.u32 $0, %tid.x, t; add.u32 $0, $0, $1; }",
        "=r,r",
        [tl.load(x + at)],
        tl.int32,
        True,
        1,
    )
    tl.store(o + at, lane)
    tl.store(o + N + at, thread)


def text_of(fn: Any, signature: dict[str, str], **constants: Any) -> str:
    """The kernel as TTIR."""
    types = {**signature, **dict.fromkeys(constants, "constexpr")}
    source = triton.compiler.ASTSource(fn, types, constexprs=constants)
    return str(triton.compile(source, target=GPUTarget("shared_cuda", 90, 32)).asm["ttir"])


@pytest.mark.parametrize("warps", [1, 4])
def test_elements_know_a_lane_that_holds_them(warps: int, tmp_path: Path):
    kernel = emulate.compile_kernel(
        text_of(_lanes, {"x": "*i32", "o": "*i32"}, N=256), warps, tmp_path
    )
    x, out = torch.zeros(256, dtype=torch.int32), torch.zeros(2, 256, dtype=torch.int32)
    emulate.launch(kernel, (x, out), (1,))
    assert torch.equal(out[0], out[1])
    assert out[0].bincount(minlength=32).tolist() == [8] * 32


def ptx_of(fn: Any, signature: dict[str, str], arch: int, **options: Any) -> str:
    source = triton.compiler.ASTSource(fn, signature)
    target = GPUTarget("shared_cuda", arch, 32)
    return str(triton.compile(source, target=target, options=options).asm["ptx"])


@triton.jit
def _timer(o):
    start = tl.extra.cuda.globaltimer()
    tl.store(o, start)
    tl.store(o + 1, tl.extra.cuda.globaltimer() - start)
    tl.store(o + 2, tl.extra.cuda.smid().to(tl.int64))


@pytest.mark.parametrize("arch", [80, 90])
def test_each_read_is_one_instruction(arch: int):
    ptx = ptx_of(_timer, {"o": "*i64"}, arch)
    assert ptx.count("%globaltimer") == 2
    assert ptx.count("%smid") == 1


@triton.jit
def _exact(x, o):
    at = tl.arange(0, 128)
    a, b = tl.load(x + at), tl.load(x + 128 + at)
    tl.store(o + at, tl.math.sqrt_rn(a) + tl.math.div_rn(a, b))


@triton.jit
def _exact_functions(x, o):
    at = tl.arange(0, 128)
    a, b = tl.load(x + at), tl.load(x + 128 + at)
    tl.store(o + at, libdevice.sqrt_rn(a) + libdevice.div_rn(a, b))


@triton.jit
def _usual(x, o):
    at = tl.arange(0, 128)
    a, b = tl.load(x + at), tl.load(x + 128 + at)
    tl.store(o + at, tl.sqrt(a) + a / b)


def roots_and_quotients(ptx: str) -> set[str]:
    return set(re.findall(r"\b(?:sqrt|div)\.[\w.]+", ptx))


@pytest.mark.parametrize("arch", [80, 90])
@pytest.mark.parametrize(
    ("fn", "kind", "options", "found"),
    [
        (_exact, "*fp32", {}, {"sqrt.rn.f32", "div.rn.f32"}),
        (_exact_functions, "*fp32", {}, {"sqrt.rn.f32", "div.rn.f32"}),
        (_exact_functions, "*fp64", {}, {"sqrt.rn.f64", "div.rn.f64"}),
        (_usual, "*fp32", {}, {"sqrt.approx.f32", "div.full.f32"}),
        (_usual, "*fp32", {"precise": True}, {"sqrt.rn.f32", "div.rn.f32"}),
        (_usual, "*fp64", {}, {"sqrt.rn.f64", "div.rn.f64"}),
    ],
)
def test_what_is_to_be_exact_is_no_approximation(
    fn: Any, kind: str, options: dict[str, Any], found: set[str], arch: int
):
    assert roots_and_quotients(ptx_of(fn, {"x": kind, "o": kind}, arch, **options)) == found


@triton.jit
def _powers(x, o):
    at = tl.arange(0, 128)
    tl.store(o + at, tl.exp2(tl.load(x + at)))
    tl.store(o + 128 + at, tl.exp(tl.load(x + at)))


def test_powers_below_the_smallest_normal_number_are_zero(tmp_path: Path):
    text = text_of(_powers, {"x": "*fp32", "o": "*fp32"})
    kernel = emulate.compile_kernel(text, 4, tmp_path)
    x, out = torch.linspace(-148, 2, 128), torch.empty(256)
    emulate.launch(kernel, (x, out), (1,))
    expected = torch.cat([x.double().exp2(), x.double().exp()])
    expected[expected < 2.0**-126] = 0
    torch.testing.assert_close(out.double(), expected, rtol=3e-5, atol=0)


@triton.jit
def _add(x, y, o, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o + at, tl.load(x + at, at < n) + tl.load(y + at, at < n), at < n)


@triton.jit
def _dropout(x, o, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o + at, tl.where(tl.rand(1, at) > 0.5, tl.load(x + at, at < n), 0), at < n)


@triton.jit
def _gather_rows(x, at, factors, o, n, row, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows, columns = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    inside = rows < n
    rows = rows % n
    source = tl.load(at + rows, inside, other=0)
    factor = tl.load(factors + source, inside)
    places = x + (source // 64)[:, None] * row + columns[None, :]
    values = tl.load(places, inside[:, None])
    tl.store(o + rows[:, None] * row + columns[None, :], values * factor[:, None], inside[:, None])


def test_registers_are_not_kept_free_for_more_warps_by_spilling():
    types = {
        **dict.fromkeys(("x", "factors", "o"), "*fp32"),
        "at": "*i32",
        "n": "i32",
        "row": "i32",
    }
    made = compile_kernel(_gather_rows, types, {"ROWS": 256, "COLUMNS": 128}, 4)
    (registers,) = re.findall(r"Used (\d+) registers", made.metadata.ptxas_log)
    assert int(registers) > 64
    assert ".minnctapersm 1" in made.asm["ptx"]


@pytest.mark.parametrize(
    ("fn", "arrays", "options", "limits"),
    [
        (_add, "xyo", {}, []),  # It would spill with the limit of 64.
        (_dropout, "xo", {}, ["64"]),
        (_add, "xyo", {"maxnreg": 40}, ["40"]),  # The user's, whether it spills or not.
    ],
)
def test_a_limit_of_registers_is_kept_unless_it_makes_ptxas_spill(
    fn: Any, arrays: str, options: dict[str, Any], limits: list[str]
):
    types = {**dict.fromkeys(arrays, "*fp32"), "n": "i32", "BLOCK": "constexpr"}
    aligned = {(number,): [["tt.divisibility", 16]] for number in range(len(arrays))}
    source = triton.compiler.ASTSource(fn, types, {"BLOCK": 4096}, aligned)
    target = GPUTarget("shared_cuda", 90, 32)
    made = triton.compile(source, target=target, options={"num_warps": 4, **options})
    assert re.findall(r"\.maxnreg (\d+)", made.asm["ptx"]) == limits
    assert (", 0 bytes spill stores" in made.metadata.ptxas_log) == (not options)
