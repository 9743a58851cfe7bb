"""Inline assembly: packs of elements, memory, and what has no portable meaning."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from inline_assembly import assembled
from triton_shared import CompilationError
from values import assert_same, given, numbers, room

# ---------------------------------------------------------------------------------------------
# Packs
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["int8", "uint8"])
def test_four_bytes_in_one_register(name: str):
    x = np.arange(256, dtype=np.uint8).view(name)
    text = "and.b32 $0, $1, 0x1F1F1F1F; shl.b32 $0, $0, 3;"
    actual = assembled(text, x, result=name, pack=4)
    assert_same(actual, ((x.view(np.uint8) & 0x1F) << 3).view(name), x)


@triton.jit
def two_results(x_ptr, y_ptr, sum_ptr, difference_ptr, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x, y = tl.load(x_ptr + at), tl.load(y_ptr + at)
    a, b = tl.inline_asm_elementwise(
        """
        add.s32 $0, $2, $3;  // the sum
        sub.s32 $1, $2, $3;  /* the
                                difference */
        """,
        "=r,=r,r,r",
        [x, y],
        (tl.int32, tl.int32),
        False,
        1,
    )
    tl.store(sum_ptr + at, a)
    tl.store(difference_ptr + at, b)


def test_several_results_of_two_dimensions():
    x, y = torch.randint(-1000, 1000, (2, 8, 16), dtype=torch.int32)
    a, b = torch.empty_like(x), torch.empty_like(x)
    two_results[(1,)](x, y, a, b, M=8, N=16)
    assert torch.equal(a, x + y)
    assert torch.equal(b, x - y)


@triton.jit
def bytes_and_floats(a_ptr, b_ptr, c_ptr, d_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    c, d = tl.inline_asm_elementwise(
        """
        {
            .reg .b8 part<4>;
            mov.b32 {part0, part1, part2, part3}, $8;
            cvt.u32.u8 $0, part0;
            cvt.u32.u8 $1, part1;
            cvt.u32.u8 $2, part2;
            cvt.u32.u8 $3, part3;
        }
        {
            .reg .f32 value;
            cvt.rn.f32.s32 value, $0;
            min.f32 $4, value, $9;
            cvt.rn.f32.s32 value, $1;
            min.f32 $5, value, $10;
            cvt.rn.f32.s32 value, $2;
            min.f32 $6, value, $11;
            cvt.rn.f32.s32 value, $3;
            min.f32 $7, value, $12;
        }
        """,
        "=r,=r,=r,=r,=r,=r,=r,=r,r,r,r,r,r",
        [tl.load(a_ptr + at), tl.load(b_ptr + at)],
        (tl.int32, tl.float32),
        True,
        4,
    )
    tl.store(c_ptr + at, c)
    tl.store(d_ptr + at, d)


def test_packs_of_different_widths():
    a = torch.randint(0, 256, (64,), dtype=torch.uint8)
    b = torch.rand(64) * 256
    c, d = torch.empty(64, dtype=torch.int32), torch.empty(64)
    bytes_and_floats[(1,)](a, b, c, d, N=64)
    assert torch.equal(c, a.int())
    assert torch.equal(d, torch.minimum(a.float(), b))


@triton.jit
def of_a_scalar(x_ptr, out_ptr):
    x = tl.load(x_ptr)
    tl.store(out_ptr, tl.inline_asm_elementwise("popc.b32 $0, $1;", "=r,r", [x], tl.int32, True, 1))


def test_a_scalar():
    x, out = torch.tensor([0x0F0F], dtype=torch.int32), torch.zeros(1, dtype=torch.int32)
    of_a_scalar[(1,)](x, out)
    assert out.item() == 8


@triton.jit
def broadcast_operands(x_ptr, out_ptr, SHIFT: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    text: tl.constexpr = "shf.l.wrap.b32 $0, $1, $2, $3;"
    y = tl.inline_asm_elementwise(text, "=r,r, r, n", [x, x, SHIFT], tl.int32, True, 1)
    tl.store(out_ptr + at, y)


def test_a_constant_operand():
    x = torch.randint(-(2**31), 2**31 - 1, (128,), dtype=torch.int32)
    out = torch.empty_like(x)
    broadcast_operands[(1,)](x, out, SHIFT=17, N=128)
    wide = x.long() & 0xFFFFFFFF
    assert torch.equal(out, (((wide << 17) | (wide >> 15)) & 0xFFFFFFFF).to(torch.int32))


@triton.jit
def e4b15_by_assembly(x_ptr, half_ptr, back_ptr, MIN: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    half = tl.extra.cuda.utils.convert_fp8e4b15_to_float16(x)
    tl.store(half_ptr + at, half)
    tl.store(back_ptr + at, tl.extra.cuda.utils.convert_float16_to_fp8e4b15(half, MIN))


@pytest.mark.parametrize("has_minimum", [False, True])
def test_the_assembly_of_tritons_own_conversions(has_minimum: bool):
    """Triton converts fp8e4b15 by permutations of bytes, ternary logic and packed comparisons."""
    patterns = np.arange(256, dtype=np.uint8)
    half, read_half = room(256, "float16")
    back, read_back = room(256, "uint8")
    e4b15_by_assembly[(1,)](
        triton.reinterpret(given(patterns, "uint8"), tl.float8e4b15),
        half,
        triton.reinterpret(back, tl.float8e4b15),
        MIN=has_minimum,
        N=256,
    )
    exponent, mantissa = (patterns >> 3) & 15, patterns & 7
    size = np.where(
        exponent == 0, mantissa / 8 * 2.0**-14, (1 + mantissa / 8) * 2.0 ** (exponent - 15.0)
    )
    expected = np.where(patterns & 0x80, -size, size).astype(np.float16)
    assert_same(read_half(), expected, patterns)
    np.testing.assert_array_equal(read_back(), np.minimum(patterns & 0x7F, 0x7E) | patterns & 0x80)


# ---------------------------------------------------------------------------------------------
# Memory
# ---------------------------------------------------------------------------------------------


@triton.jit
def shift_in_memory(x_ptr, y_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.inline_asm_elementwise(
        "ld.global.b8 $0, [$1]; shl.b32 $0, $0, 2; st.global.b8 [$2], $0;",
        "=r,l,l",
        [x_ptr + at, y_ptr + N - 1 - at],
        tl.int8,
        False,
        1,
    )


def test_loads_and_stores_through_pointers():
    """Its result is not used; the stores stay."""
    x = torch.randint(0, 64, (128,), dtype=torch.uint8)
    y = torch.zeros_like(x)
    shift_in_memory[(1,)](x, y, N=128)
    assert torch.equal(y, (x << 2).flip(0))


@triton.jit
def swap_neighbours(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * 2 * N + tl.arange(0, N)[None, :] * 2
    first, second = tl.inline_asm_elementwise(
        """{
            ld.global.f32 $0, [$2];
            ld.global.f32 $1, [$2+4];
            st.global.f32 [$2+4], $0;
            st.global.f32 [$2], $1;
        }""",
        "=f,=f,l",
        [x_ptr + at],
        (tl.float32, tl.float32),
        False,
        1,
    )
    tl.store(out_ptr + at, first)
    tl.store(out_ptr + at + 1, tl.load(x_ptr + at) - second)


def test_accesses_happen_in_the_order_of_the_kernel():
    x = torch.randn(4, 16)
    before, out = x.clone(), torch.full_like(x, 9.0)
    swap_neighbours[(1,)](x, out, M=4, N=8)
    pairs_of_x = before.view(-1, 2)
    assert torch.equal(x.view(-1, 2), pairs_of_x.flip(1))
    assert torch.equal(out.view(-1, 2)[:, 0], pairs_of_x[:, 0])
    assert torch.equal(out.view(-1, 2)[:, 1], torch.zeros(32))


@triton.jit
def load_signed(x_ptr, out_ptr):
    p = x_ptr + tl.program_id(0)
    y = tl.inline_asm_elementwise("ld.global.s8 $0, [$1];", "=r,l", [p], tl.int32, False, 1)
    tl.store(out_ptr + tl.program_id(0), y)


def test_a_scalar_address():
    x = torch.tensor([-1, 5, -128], dtype=torch.int8)
    out = torch.zeros(3, dtype=torch.int32)
    load_signed[(3,)](x, out)
    assert torch.equal(out, x.int())


# ---------------------------------------------------------------------------------------------
# What has no portable meaning says so
# ---------------------------------------------------------------------------------------------

REFUSED = {
    "mov.u32 $0, %envreg3;": "is a register of the GPU that is not known",
    "mov.u32 $0, %tid;": "is a register of the GPU that is not known",
    "mov.u32 $0, %clock64;": "reads a register of another width",
    "ld.shared.b32 $0, [$1];": "is an instruction without a portable meaning",
    "ld.global.b32 $0, [$1];": "reads a register of another width",
    "ld.global.b32 $0, [name];": "is no address in a register",
    "shfl.sync.bfly.b32 $0, $1, 1, 0x1f, -1;": "is an instruction without a portable meaning",
    "cvt.rs.f16.f32 $0, $1, $1;": "is an instruction without a portable meaning",
    "cvt.rs.e4m3x4.f32 $0, {$1, $1, $1, $1}, $1;": "is an instruction without a portable meaning",
    "cvt.rs.satfinite.e4m3x4.f32 $0, $1, $1;": "takes 4 numbers in braces",
    "cvt.rs.satfinite.e4m3x4.f32 $0, {$1, $1}, $1;": "takes 4 numbers in braces",
    "cvt.rs.satfinite.e4m3x4.f32 $0, {$1, $1, $1, 1}, $1;": "takes a float, not an integer",
    "cvt.rs.satfinite.e4m3x4.f32 $0, {$1, $1, $1, $1};": "has another number of operands",
    "cvt.rs.satfinite.e2m1x4.f32 $0, {$1, $1, $1, $1}, $1;": "writes a register of another width",
    "cvt.rp.satfinite.ue8m0x2.f32 $0, 0.0, $1;": "writes a register of another width",
    "cvt.rn.satfinite.ue8m0x2.f32 $0, 0.0, $1;": "is an instruction without a portable meaning",
    "cvt.rn.satfinite.s2f6x2.f32 $0, $1, $1;": "is an instruction without a portable meaning",
    "fma.rn.oob.f16x2 $0, $1, $1, $1;": "is an instruction without a portable meaning",
    "vabsdiff4.u32.u32.u32 $0, $1, $1, $1;": "is an instruction without a portable meaning",
    "vote.sync.ballot.b32 $0, 1, -1;": "is an instruction without a portable meaning",
    "redux.sync.add.s32 $0, $1, -1;": "is an instruction without a portable meaning",
    "bar.sync 1;": "is a barrier of some threads of a program",
    "bar.sync 0, 64;": "is a barrier of some threads of a program",
    "mov.b32 $0, $1; bar.sync 0;": "lets threads meet for each element",
    "bar.arrive 0, 64;": "is an instruction without a portable meaning",
    "fence.mbarrier_init.release.cluster;": "is an instruction without a portable meaning",
    "addc.u32 $0, $1, $1;": "reads a register that nothing has written",
    "add.cc.u16 $0, $1, $1;": "is an instruction without a portable meaning",
    "setp.lt.s32 $0|$0, $1, 0;": "writes a register of another width",
    "{ .reg .pred p; setp.lt.f16x2 p, $1, $1; }": "writes two registers",
    "{ .reg .pred p; lop3.or.b32 $0, $1, $1, $1, 1, p; }": "reads a register that nothing has",
    "slct.s32.s32 $0, $1, $1, !$1;": "negates what is no predicate",
    "cvt.rn.satfinite.bf16x2.e4m3x2 $0, $1;": "reads a register of another width",
    "{ .reg .b128 t; and.b128 t, t, t; }": "is an instruction without a portable meaning",
    "{ .reg .b8 t; cvt.rn.e2m1x2.f32 t, $1, $1; cvt.u32.u8 $0, t; }": "is an instruction without",
    "add.s32 $0, $1;": "has another number of operands",
    "add.s64 $0, $1, $1;": "reads a register of another width",
    "add.s32 $0, $0, $1;": "reads a register that nothing has written",
    "add.s32 $0, $1, nobody;": "is no register that the text declares",
    "again: add.s32 $0, $1, $1;": "is a place to jump to",
    "{ .reg .b32 t; mov.b32 t, $1; }": "is a result that nothing writes",
    "{ add.s32 $0, $1, $1;": "opens a block without an end",
}


@pytest.mark.parametrize("text", REFUSED)
def test_refusals_name_the_instruction(text: str):
    x = numbers("int32")
    with pytest.raises(CompilationError) as caught:
        assembled(text, x, result="int32")
    message = str(caught.value)
    assert "holds assembly that has a meaning on one kind of GPU only" in message
    assert REFUSED[text] in message
    assert "write it with operations of triton.language" in message
    assert "inline_assembly.py" in message


@pytest.mark.parametrize(
    ("constraints", "reason"),
    [
        ("=r,x", "is a constraint that is not known"),
        ("=r,0", "ties an operand to a result"),
        ("=h,r", "does not fit the constraints"),
        ("=r,r,r", "has fewer registers than the constraints"),
    ],
)
def test_refused_constraints(constraints: str, reason: str):
    with pytest.raises(CompilationError, match=reason):
        assembled("mov.b32 $0, $1;", numbers("int32"), result="int32", constraints=constraints)


THREAD_REGISTERS = ["tid.x", "ntid.x", "laneid", "warpid", "nwarpid", "lanemask_lt"]


@pytest.mark.parametrize("name", THREAD_REGISTERS)
def test_a_cpu_has_no_threads_of_a_program(name: str):
    with pytest.raises(CompilationError) as caught:
        assembled(f"mov.u32 $0, %{name};", numbers("int32"), result="int32")
    message = str(caught.value)
    assert f'kernel reads "%{name}", which tells the threads of a program on a GPU apart' in message
    assert "number elements by tl.arange" in message
    assert "inline_assembly.py" in message


# ---------------------------------------------------------------------------------------------
# Special registers
# ---------------------------------------------------------------------------------------------


@triton.jit
def where_it_runs(out_ptr):
    number = tl.inline_asm_elementwise(
        """{
        .reg .b32 t;
        mad.lo.u32 t, %ctaid.y, %nctaid.x, %ctaid.x;
        mad.lo.u32 t, %cluster_ctarank, 1000, t;
        mul.lo.u32 $0, t, %cluster_nctarank;
        }""",
        "=r",
        [],
        dtype=tl.int32,
        is_pure=True,
        pack=1,
    )
    tl.store(out_ptr + number, tl.program_id(1) * 100 + tl.program_id(0) + 1)


def test_programs_know_their_place():
    out = torch.zeros(2, 5, dtype=torch.int32)
    where_it_runs[(5, 2)](out)
    assert out.tolist() == [[1, 2, 3, 4, 5], [101, 102, 103, 104, 105]]


@triton.jit
def add_program(x_ptr, out_ptr, N: tl.constexpr, PACK: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    x = tl.load(x_ptr + at)
    y = tl.inline_asm_elementwise(
        "add.u32 $0, $1, %ctaid.x;", "=r,r", [x], dtype=x.dtype, is_pure=True, pack=PACK
    )
    tl.store(out_ptr + at, y)


@pytest.mark.parametrize(("dtype", "pack"), [(torch.int32, 1), (torch.int8, 4), (torch.int16, 2)])
def test_registers_meet_elements(dtype: torch.dtype, pack: int):
    x = torch.zeros(3, 16, dtype=dtype)
    out = torch.ones_like(x)
    add_program[(3,)](x, out, N=16, PACK=pack)
    for program in range(3):
        # The register is added to that of the pack, whose first element is lowest.
        want = torch.zeros(16, dtype=dtype)
        want[::pack] = program
        assert torch.equal(out[program], want)


@triton.jit
def time_passes(counts_ptr, out_ptr, CLOCK: tl.constexpr, N: tl.constexpr):
    start = tl.inline_asm_elementwise(CLOCK, "=l", [], dtype=tl.int64, is_pure=False, pack=1)
    for _ in range(1000):
        tl.store(counts_ptr + tl.arange(0, N), tl.load(counts_ptr + tl.arange(0, N)) + 1)
    end = tl.inline_asm_elementwise(CLOCK, "=l", [], dtype=tl.int64, is_pure=False, pack=1)
    tl.store(out_ptr, (end > start).to(tl.int32))


@pytest.mark.parametrize("name", ["globaltimer", "clock64"])
def test_clocks_go_on(name: str):
    counts, out = torch.zeros(128, dtype=torch.int32), torch.zeros(1, dtype=torch.int32)
    time_passes[(1,)](counts, out, CLOCK=f"mov.u64 $0, %{name};", N=128)
    assert counts.tolist() == [1000] * 128
    assert out.item() == 1


@triton.jit
def of_the_machine(out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    count = tl.inline_asm_elementwise(
        "mov.u32 $0, %nsmid;", "=r", [], dtype=tl.int32, is_pure=True, pack=1
    )
    low = tl.inline_asm_elementwise(
        "mov.u32 $0, %clock; sub.u32 $0, $0, $0;", "=r", [], dtype=tl.int32, is_pure=False, pack=1
    )
    number = tl.extra.cuda.smid()
    fine = (number >= 0) & (number < count) & (low == 0)
    tl.store(out_ptr + tl.program_id(0) * N + at, tl.full((N,), 1, tl.int32) * fine.to(tl.int32))
    tl.static_assert(tl.extra.cuda.num_threads() == 32 * tl.extra.cuda.num_warps())


def test_a_program_runs_on_one_of_the_processors():
    out = torch.zeros(64, 16, dtype=torch.int32)
    of_the_machine[(64,)](out, N=16)
    assert out.all()
