"""`brx.idx` in the PTX emulator: threads branch by a table of labels, and meet again behind it."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from triton_shared import emulate
from triton_shared.emulate import ptx

TEXT = """
.version 8.7
.target sm_90a
.address_size 64
.visible .entry ways(.param .u64 out, .param .u32 count)
.reqntid 64
{
  .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %d<3>;
  ld.param.b64 %d1, [out];
  ld.param.b32 %r6, [count];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %d2, %r1, 4;
  add.s64 %d1, %d1, %d2;
  rem.u32 %r2, %r1, %r6;
  setp.lt.u32 %p1, %r1, 48;
  mov.u32 %r3, 7;
$L_brx_0: .branchtargets
    $way0,
    $way1,
    $way0,
    $way2;
  @%p1 brx.idx %r2, $L_brx_0;
  bra.uni $join;
$way0:
  mov.u32 %r3, 10;
  bra.uni $join;
$way1:
  mov.u32 %r3, 11;
  bra.uni $join;
$way2:
  mov.u32 %r3, 12;
$join:
  bar.warp.sync -1;
  shfl.sync.idx.b32 %r4, %r3, 1, 31, -1;
  add.s32 %r5, %r3, %r4;
  st.global.b32 [%d1], %r5;
  ret;
}
"""


def run(text: str, folder: Path, count: int = 4) -> list[int]:
    out = torch.zeros(64, dtype=torch.int32)
    emulate.launch(ptx.compile_ptx(text, 0, folder), (out, count), (1,))
    return [int(value) for value in out]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", ""),
        ("@%p1 brx.idx ", "@%p1 brx.idx.uni "),
        ("$way0,\n    $way1,\n    $way0,\n    $way2;", "$way0, $way1, $way0, $way2;"),
        ("@%p1 brx.idx %r2, $L_brx_0;", "@!%p1 bra $join; brx.idx %r2, $L_brx_0;"),
        ("@%p1 brx.idx %r2, $L_brx_0;", "{ @%p1 brx.idx %r2, $L_brx_0; }"),
    ],
)
def test_threads_branch_by_a_table_and_meet_again(tmp_path: Path, before: str, after: str):
    assert before in TEXT
    values = [[10, 11, 10, 12][i % 4] if i < 48 else 7 for i in range(64)]
    want = [value + 11 for value in values]
    assert run(TEXT.replace(before, after, 1) if before else TEXT, tmp_path) == want


def test_a_table_counts_labels_in_angle_brackets(tmp_path: Path):
    text = TEXT.replace("$way0,\n    $way1,\n    $way0,\n    $way2;", "$way<3>;")
    values = [10 + i % 3 if i < 48 else 7 for i in range(64)]
    assert run(text, tmp_path, 3) == [v + values[i // 32 * 32 + 1] for i, v in enumerate(values)]


def test_an_index_beyond_the_table_ends_the_launch(tmp_path: Path):
    with pytest.raises(emulate.EmulationError, match="by index 4 into a table of 4 labels"):
        run(TEXT, tmp_path, 5)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("%r2, $L_brx_0", "%r2, $L_brx_1", "the table '$L_brx_1': @%p1 brx.idx"),
        ("$way2;", "$way3;", "where it leads: @%p1 brx.idx"),
        ("brx.idx %", "brx.any %", "not known to the emulator: @%p1 brx.any"),
    ],
)
def test_a_branch_by_what_is_not_there_is_named(tmp_path: Path, before: str, after: str, said: str):
    with pytest.raises(ptx.PtxError) as caught:
        run(TEXT.replace(before, after, 1), tmp_path)
    assert said in str(caught.value)
    line = TEXT[: TEXT.index("@%p1 brx")].count("\n") + 1
    assert str(caught.value).startswith(f"line {line}: ")
