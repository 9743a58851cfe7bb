"""Atomic updates of two bytes by the word around them: a GPU has all of that word, if a buffer has
a byte of it."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from triton_shared import emulate
from triton_shared.emulate import ptx

TEXT = """
.version 8.7
.target sm_80
.address_size 64
.visible .entry sums(.param .u64 out, .param .u32 first)
.reqntid 32
{
  .reg .pred %p<2>; .reg .b16 %h<3>; .reg .b32 %r<12>; .reg .b64 %d<5>;
  ld.param.b64 %d1, [out];
  ld.param.b32 %r1, [first];
  mul.wide.u32 %d2, %r1, 2;
  add.s64 %d3, %d1, %d2;
  and.b64 %d4, %d3, -4;
  cvt.u32.u64 %r2, %d3;
  and.b32 %r3, %r2, 3;
  shl.b32 %r3, %r3, 3;
  mov.b32 %r4, 65535;
  shl.b32 %r4, %r4, %r3;
  not.b32 %r4, %r4;
  ld.global.b32 %r5, [%d4];
again:
  shr.u32 %r6, %r5, %r3;
  cvt.u16.u32 %h1, %r6;
  mov.b16 %h2, 0x3F80;
  fma.rn.bf16 %h1, %h1, %h2, %h2;
  cvt.u32.u16 %r7, %h1;
  shl.b32 %r7, %r7, %r3;
  and.b32 %r8, %r5, %r4;
  or.b32 %r9, %r8, %r7;
  atom.relaxed.gpu.global.cas.b32 %r10, [%d4], %r5, %r9;
  setp.ne.b32 %p1, %r10, %r5;
  mov.b32 %r5, %r10;
  @%p1 bra again;
  ret;
}
"""
"""As LLVM adds 1 to a bf16 for a target without an instruction for it."""


def add_one(whole: torch.Tensor, size: int, at: int, folder: Path, text: str = TEXT) -> None:
    """To an element of a buffer that is the first part of what lies in memory."""
    held = torch.frombuffer(memoryview(whole.numpy())[:size], dtype=whole.dtype)
    emulate.launch(ptx.compile_ptx(text, 0, folder), (held.view(torch.bfloat16), at), (1,))


@pytest.mark.parametrize(("size", "at"), [(1, 0), (2, 0), (2, 1), (3, 2)])
@pytest.mark.parametrize("generic", [False, True])
def test_an_update_of_two_bytes_goes_through_the_word_around_them(
    tmp_path: Path, size: int, at: int, generic: bool
):
    text = TEXT.replace(".global", "") if generic else TEXT
    whole = torch.full((8,), 0x4000, dtype=torch.int16)
    add_one(whole, size, at, tmp_path, text)
    want = torch.full((8,), 2.0)
    want[at] = 34.0
    assert torch.equal(whole.view(torch.bfloat16).float(), want)


@pytest.mark.parametrize(
    ("at", "said"),
    [(1, "writes 1 bytes outside of every buffer"), (2, "reads 4 bytes outside of every buffer")],
)
def test_an_update_beyond_the_buffer_is_found(tmp_path: Path, at: int, said: str):
    whole = torch.full((8,), 0x4000, dtype=torch.int16)
    with pytest.raises(emulate.EmulationError, match=said):
        add_one(whole, 1, at, tmp_path)
    assert (whole == 0x4000).all()


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("and.b64 %d4, %d3, -4;", "add.s64 %d4, %d3, 2;", "no multiple of 4"),
        ("ld.global.b32 %r5, [%d4];", "", "writes 4 bytes outside of every buffer"),
        ("[%d4], %r5, %r9", "[%d3], %r5, %r9", "reads 4 bytes outside of every buffer"),
        (
            "relaxed.gpu.global.cas.b32 %r10, [%d4], %r5, %r9",
            "global.add.u32 %r10, [%d4], %r9",
            "reads 4 bytes outside of every buffer",
        ),
    ],
)
def test_a_word_that_is_not_read_to_be_swapped_must_be_of_a_buffer(
    tmp_path: Path, before: str, after: str, said: str
):
    whole = torch.full((8,), 0x4000, dtype=torch.int16)
    with pytest.raises(emulate.EmulationError, match=said):
        add_one(whole, 1, 0, tmp_path, TEXT.replace(before, after, 1))


def test_a_float_for_a_parameter_without_a_type_of_its_own_is_not_cut_to_an_integer(tmp_path: Path):
    kernel = ptx.compile_ptx(TEXT, 0, tmp_path)
    out = torch.zeros(2, dtype=torch.bfloat16)
    with pytest.raises(TypeError, match="a parameter that is an integer in the code"):
        emulate.launch(kernel, [out, 0.1], (1,))
