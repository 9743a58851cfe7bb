"""PTX in the emulator: what instructions mean, kernels of Triton's own backend, what is refused."""

from __future__ import annotations

import math
import shutil
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tree import ROOT
from triton_shared import emulate
from triton_shared.blame import codes
from triton_shared.diff import run, workers
from triton_shared.emulate import ptx

NAN32, INF32 = 0x7FFFFFFF, 0x7F800000


def f32(value: float) -> int:
    return struct.unpack("<I", struct.pack("<f", value))[0]


def f64(value: float) -> int:
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def f16(value: float) -> int:
    return int(np.array(value, np.float16).view(np.uint16))


def bf16(value: float) -> int:
    return int(torch.tensor(value).bfloat16().view(torch.int16)) & 0xFFFF


TINY = 2.0**-140
CASES: list[tuple[str, list[int], int]] = [
    # numbers
    ("add.s32 %r0, %r1, %r2", [0xFFFFFFFF, 2], 1),
    ("sub.s64 %d0, %d1, %d2", [1, 2], 2**64 - 1),
    ("add.s16x2 %r0, %r1, %r2", [0xFFFF0001, 0x00010002], 3),
    ("mul.lo.s32 %r0, %r1, %r2", [70000, 70000], 70000**2 % 2**32),
    ("mul.hi.s32 %r0, %r1, %r2", [-70000 % 2**32, 70000], -(70000**2) // 2**32 % 2**32),
    ("mul.hi.u64 %d0, %d1, %d2", [2**63, 6], 3),
    ("mul.wide.s32 %d0, %r1, %r2", [-5 % 2**32, 7], -35 % 2**64),
    ("mul.wide.u16 %r0, %h1, %h2", [65535, 65535], 65535**2),
    ("mad.wide.u32 %d0, %r1, %r2, %d3", [2**31, 4, 5], 2**33 + 5),
    ("mad.lo.s32 %r0, %r1, %r2, %r3", [3, 4, 5], 17),
    ("div.s32 %r0, %r1, %r2", [-7 % 2**32, 2], -3 % 2**32),
    ("rem.s32 %r0, %r1, %r2", [-7 % 2**32, 2], -1 % 2**32),
    ("div.s32 %r0, %r1, %r2", [2**31, -1 % 2**32], 2**31),
    ("div.u32 %r0, %r1, %r2", [7, 0], 2**32 - 1),
    ("min.s32 %r0, %r1, %r2", [-1 % 2**32, 1], -1 % 2**32),
    ("max.u32 %r0, %r1, %r2", [-1 % 2**32, 1], -1 % 2**32),
    ("neg.s32 %r0, %r1", [5], -5 % 2**32),
    ("abs.s64 %d0, %d1", [-5 % 2**64], 5),
    ("not.b32 %r0, %r1", [0xF0], 0xFFFFFF0F),
    ("popc.b32 %r0, %r1", [0xF1], 5),
    ("clz.b32 %r0, %r1", [1], 31),
    ("clz.b32 %r0, %r1", [0], 32),
    ("bfind.u32 %r0, %r1", [0x100], 8),
    ("brev.b32 %r0, %r1", [1], 2**31),
    ("and.b32 %r0, %r1, %r2", [12, 10], 8),
    ("xor.b64 %d0, %d1, %d2", [12, 10], 6),
    ("shl.b32 %r0, %r1, %r2", [1, 33], 0),
    ("shr.s32 %r0, %r1, %r2", [2**31, 40], 2**32 - 1),
    ("shr.u32 %r0, %r1, %r2", [2**31, 31], 1),
    ("shf.l.wrap.b32 %r0, %r1, %r2, %r3", [0x80000000, 1, 33], 3),
    ("shf.r.clamp.b32 %r0, %r1, %r2, %r3", [1, 2, 40], 2),
    ("bfe.u32 %r0, %r1, 4, 8", [0xABCD], 0xBC),
    ("bfe.s32 %r0, %r1, 4, 8", [0xABCD], 0xFFFFFFBC),
    ("bfi.b32 %r0, %r1, %r2, 8, 4", [0xF, 0], 0xF00),
    ("prmt.b32 %r0, %r1, %r2, 0x7531", [0x33221100, 0x77665544], 0x77553311),
    ("lop3.b32 %r0, %r1, %r2, %r3, 0x96", [5, 3, 1], 7),
    ("selp.b32 %r0, %r1, %r2, %p1", [3, 4], 3),
    ("mov.b64 %d0, {%r1, %r2}", [1, 2], 1 + (2 << 32)),
    ("mov.b32 {%h0, %h3}, %r1", [0x00020001], 1),
    # floats
    ("add.f32 %r0, %r1, %r2", [f32(0.1), f32(0.2)], f32(float(np.float32(0.1) + np.float32(0.2)))),
    ("add.rz.f32 %r0, %r1, %r2", [f32(1), f32(2.0**-24 * 1.5)], f32(1)),
    ("add.rp.f32 %r0, %r1, %r2", [f32(1), f32(2.0**-60)], f32(1 + 2.0**-23)),
    ("mul.rz.f32 %r0, %r1, %r2", [f32(1 + 2.0**-23), f32(1 + 2.0**-23)], f32(1 + 2.0**-22)),
    ("fma.rn.f32 %r0, %r1, %r2, %r3", [f32(1 + 2.0**-23)] * 2 + [f32(-1)],
     f32(2.0**-22 + 2.0**-46)),
    ("fma.rn.f64 %d0, %d1, %d2, %d3", [f64(2), f64(3), f64(4)], f64(10)),
    ("mul.ftz.f32 %r0, %r1, %r2", [f32(TINY), f32(2.0**100)], 0),
    ("mul.f32 %r0, %r1, %r2", [f32(TINY), f32(2.0**100)], f32(2.0**-40)),
    ("fma.rn.f16x2 %r0, %r1, %r2, %r3", [f16(2) | f16(3) << 16, f16(2) * 65537, 0],
     f16(4) | f16(6) << 16),
    ("fma.rn.bf16x2 %r0, %r1, %r2, %r3", [bf16(2) * 65537, bf16(3) * 65537, bf16(1)],
     bf16(7) | bf16(6) << 16),
    ("add.f16 %h0, %h1, %h2", [f16(2048), f16(1)], f16(2048)),
    ("mul.bf16 %h0, %h1, %h2", [bf16(1.5), bf16(1.5)], bf16(2.25)),
    ("div.full.f32 %r0, %r1, %r2", [f32(1), f32(4)], f32(0.25)),
    ("rcp.approx.ftz.f32 %r0, %r1", [f32(4)], f32(0.25)),
    ("rsqrt.approx.ftz.f32 %r0, %r1", [f32(4)], f32(0.5)),
    ("sqrt.rn.f32 %r0, %r1", [f32(2)], f32(math.sqrt(2))),
    ("ex2.approx.f32 %r0, %r1", [f32(-3)], f32(0.125)),
    ("lg2.approx.f32 %r0, %r1", [f32(8)], f32(3)),
    ("neg.f32 %r0, %r1", [NAN32], 0xFFFFFFFF),
    ("abs.f32 %r0, %r1", [f32(-2)], f32(2)),
    ("neg.bf16x2 %r0, %r1", [0x00018000], 0x80010000),
    ("min.f32 %r0, %r1, %r2", [NAN32, f32(1)], f32(1)),
    ("max.f32 %r0, %r1, %r2", [f32(-0.0), f32(0)], f32(0)),
    ("max.NaN.f32 %r0, %r1, %r2", [NAN32, f32(1)], NAN32),
    ("add.f32 %r0, %r1, %r2", [0xFFC00001, f32(1)], NAN32),
    ("fma.rn.f32 %r0, %r1, %r2, %r3", [f32(1), 0xFFC00001, 0x7FC00002], NAN32),
    ("min.xorsign.abs.f32 %r0, %r1, %r2", [f32(-3), f32(2)], f32(-2)),
    ("copysign.f32 %r0, %r1, %r2", [f32(-1), f32(3)], f32(-3)),
    # comparisons
    *[
        (f"setp.{relation}.f32 %p0, %r1, %r2", [NAN32, f32(1)], int(truth))
        for relation, truth in (
            ("eq", 0), ("ne", 0), ("lt", 0), ("equ", 1), ("neu", 1), ("ltu", 1), ("geu", 1),
            ("num", 0), ("nan", 1),
        )
    ],
    ("setp.lt.s32 %p0, %r1, %r2", [-1 % 2**32, 1], 1),
    ("setp.lt.u32 %p0, %r1, %r2", [-1 % 2**32, 1], 0),
    ("setp.lo.u32 %p0, %r1, %r2", [1, 2], 1),
    ("setp.gt.and.s32 %p0, %r1, %r2, !%p1", [2, 1], 0),
    ("set.lt.u32.f32 %r0, %r1, %r2", [f32(1), f32(2)], 2**32 - 1),
    # conversions
    ("cvt.s64.s32 %d0, %r1", [-5 % 2**32], -5 % 2**64),
    ("cvt.u64.u32 %d0, %r1", [2**31], 2**31),
    ("cvt.u32.u16 %r0, %h1", [65535], 65535),
    ("cvt.sat.s8.s32 %r0, %r1", [200], 127),
    ("cvt.rn.f32.s32 %r0, %r1", [-3 % 2**32], f32(-3)),
    ("cvt.rn.f32.u64 %r0, %d1", [2**63 + 2**39 + 1], f32(2.0**63 + 2.0**40)),
    ("cvt.rzi.s32.f32 %r0, %r1", [f32(-2.7)], -2 % 2**32),
    ("cvt.rzi.s32.f32 %r0, %r1", [f32(1e20)], 2**31 - 1),
    ("cvt.rzi.s32.f32 %r0, %r1", [NAN32], 0),
    ("cvt.rzi.s64.f64 %d0, %d1", [f64(math.nan)], 2**63),
    ("cvt.rni.f32.f32 %r0, %r1", [f32(2.5)], f32(2)),
    ("cvt.rmi.f32.f32 %r0, %r1", [f32(-2.5)], f32(-3)),
    ("cvt.rn.f16.f32 %h0, %r1", [f32(1 + 2.0**-11)], f16(1)),
    ("cvt.f32.f16 %r0, %h1", [f16(1.5)], f32(1.5)),
    ("cvt.rn.bf16.f32 %h0, %r1", [f32(1 + 2.0**-8 + 2.0**-20)], bf16(1 + 2.0**-7)),
    ("cvt.f32.bf16 %r0, %h1", [bf16(1.5)], f32(1.5)),
    ("cvt.rn.f32.f64 %r0, %d1", [f64(0.1)], f32(0.1)),
    ("cvt.rz.f32.f64 %r0, %d1", [f64(1 + 2.0**-23 * 0.9)], f32(1)),
    ("cvt.rn.f16x2.f32 %r0, %r1, %r2", [f32(1), f32(2)], f16(2) | f16(1) << 16),
    ("cvt.rn.bf16x2.f32 %r0, %r1, %r2", [f32(1), f32(2)], bf16(2) | bf16(1) << 16),
    ("cvt.rna.tf32.f32 %r0, %r1", [f32(1 + 2.0**-11)], f32(1 + 2.0**-10)),
    ("cvt.rn.satfinite.e4m3x2.f32 %h0, %r1, %r2", [f32(448), f32(-1000)], 0x7E << 8 | 0xFE),
    ("cvt.rn.satfinite.e5m2x2.f32 %h0, %r1, %r2", [f32(1), f32(2.0**-17)], 0x3C00),
    ("cvt.rn.f16x2.e4m3x2 %r0, %h1", [0x3840], f16(2) | f16(1) << 16),
    ("cvt.rn.f16x2.e5m2x2 %r0, %h1", [0x3C40], f16(2) | f16(1) << 16),
]  # fmt: skip
"""An instruction, the bits of its sources, those of its result (in the register that ends in 0)."""

HEADER = """
.version 8.7
.target sm_90a
.address_size 64
.visible .entry cases(.param .u64 given, .param .u64 found)
.reqntid 32
{
  .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<4>; .reg .b64 %d<4>, %given, %found, %at;
  ld.param.b64 %given, [given];
  ld.param.b64 %found, [found];
  setp.eq.b32 %p1, 0, 0;
"""
STORES = {
    "p": "selp.b64 %d0, 1, 0, %p0;", "h": "cvt.u64.u16 %d0, %h0;", "r": "cvt.u64.u32 %d0, %r0;",
    "d": "",
}  # fmt: skip


def compile_text(text: str, folder: Path, shared: int = 0) -> emulate.EmulatedKernel:
    return ptx.compile_ptx(text, shared, folder)


@pytest.mark.parametrize("compiler", ["clang", "gcc"])
def test_instructions_mean_what_the_manual_says(
    compiler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    if compiler == "gcc":
        monkeypatch.setattr(ptx, "c_compiler", lambda: shutil.which("gcc"))
    lines = [HEADER]
    given = torch.zeros(len(CASES), 3, dtype=torch.int64)
    for i, (instruction, sources, _) in enumerate(CASES):
        for j, bits in enumerate(sources):
            given[i, j] = bits - 2**64 if bits >= 2**63 else bits
            at = 8 * (3 * i + j)
            lines.append(f"ld.global.b64 %d{j + 1}, [%given+{at}];")
            lines.append(f"cvt.u32.u64 %r{j + 1}, %d{j + 1}; cvt.u16.u64 %h{j + 1}, %d{j + 1};")
        kind = next(k for k in STORES if f"%{k}0" in instruction)
        lines.append(f"{instruction};\n{STORES[kind]}\nst.global.b64 [%found+{8 * i}], %d0;")
    found = torch.zeros(len(CASES), dtype=torch.int64)
    kernel = compile_text("\n".join([*lines, "ret;", "}"]), tmp_path)
    emulate.launch(kernel, (given, found), (1,))
    wrong = {
        case[0]: (hex(int(bits) % 2**64), hex(case[2]))
        for case, bits in zip(CASES, found, strict=True)
        if int(bits) % 2**64 != case[2]
    }
    assert not wrong


WARP = """
.version 8.7
.target sm_90a
.address_size 64
.extern .shared .align 16 .b8 memory[];
.global .align 4 .b32 table[4] = {10, 20, 30, 40};
.visible .entry warp(.param .u64 out)
.reqntid 64
{
  .reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %d<8>;
  .local .align 8 .b8 own[16];
  ld.param.b64 %d1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %d2, %r1, 32;
  add.s64 %d1, %d1, %d2;
  and.b32 %r2, %r1, 31;
  setp.lt.u32 %p1, %r2, 3;
  vote.sync.ballot.b32 %r3, %p1, -1;
  st.global.b32 [%d1], %r3;
  redux.sync.add.s32 %r4, %r2, -1;
  st.global.b32 [%d1+4], %r4;
  shfl.sync.down.b32 %r5|%p2, %r2, 4, 31, -1;
  selp.b32 %r6, %r5, -1, %p2;
  st.global.b32 [%d1+8], %r6;
  shl.b32 %r7, %r1, 2;
  mov.b32 %r8, memory;
  add.s32 %r9, %r8, %r7;
  st.shared.b32 [%r9], %r1;
  bar.sync 0;
  xor.b32 %r10, %r7, 252;
  add.s32 %r10, %r8, %r10;
  ld.shared.b32 %r11, [%r10];
  st.global.b32 [%d1+12], %r11;
  bar.sync 0;
  atom.shared.add.u32 %r12, [memory], %r1;
  bar.sync 0;
  ld.shared.b32 %r13, [memory];
  st.global.b32 [%d1+16], %r13;
  and.b32 %r14, %r1, 3;
  mov.u64 %d3, table;
  mad.wide.u32 %d4, %r14, 4, %d3;
  ld.global.b32 %r15, [%d4];
  st.local.b32 [own+4], %r15;
  mov.u32 %r16, 0;
again:
  add.s32 %r16, %r16, 1;
  setp.lt.s32 %p3, %r16, 5;
  @%p3 bra again;
  { .reg .b32 %r16; again: mov.u32 %r16, 7; }
  ld.local.b32 %r17, [own+4];
  add.s32 %r17, %r17, %r16;
  st.global.b32 [%d1+20], %r17;
  match.any.sync.b32 %r18, %r14, -1;
  st.global.b32 [%d1+24], %r18;
  st.global.b32 [%d1+28], 0;
  ret;
}
"""


@pytest.mark.parametrize("seed", [0, 1, 7])
def test_threads_work_together(tmp_path: Path, seed: int):
    out = torch.zeros(64, 8, dtype=torch.int32)
    emulate.launch(compile_text(WARP, tmp_path, 256), (out,), (1,), seed=seed)
    thread = torch.arange(64, dtype=torch.int32)
    lane = thread % 32
    assert (out[:, 0] == 7).all()
    assert (out[:, 1] == 31 * 16).all()
    assert torch.equal(out[:, 2], torch.where(lane < 28, lane + 4, -1))
    assert torch.equal(out[:, 3], thread ^ 63)
    assert (out[:, 4] == 63 * 32).all()
    assert torch.equal(out[:, 5], 10 * (thread % 4 + 1) + 5)
    same = torch.tensor([sum(1 << i for i in range(k, 32, 4)) for k in range(4)])
    assert torch.equal(out[:, 6].long() % 2**32, same[thread % 4])


def test_what_a_kernel_must_not_do_is_found_as_ever(tmp_path: Path):
    out = torch.zeros(64, 8, dtype=torch.int32)
    late = WARP.replace("bar.sync 0;\n  xor", "xor")
    with pytest.raises(emulate.EmulationError, match=r"nobody has written|since the last barrier"):
        emulate.launch(compile_text(late, tmp_path, 256), (out,), (1,))
    with pytest.raises(emulate.EmulationError, match="outside of every buffer"):
        emulate.launch(compile_text(WARP, tmp_path, 256), (out[:1].clone(),), (1,))
    with pytest.raises(emulate.EmulationError, match="128 bytes of shared memory"):
        emulate.launch(compile_text(WARP, tmp_path, 128), (out,), (1,))


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (
            "bar.sync 0;",
            "barrier.cluster.arrive;",
            "not known to the emulator: barrier.cluster.arrive;",
        ),
        ("vote.sync.ballot", "video.add", "not known to the emulator: video.add"),
        ("add.s32 %r9", "add.sat.s32 %r9", "'.sat'"),
        ("ld.shared.b32 %r11, [%r10]", "ld.shared.b32 %r11, [nowhere]", "the name 'nowhere'"),
        ("%tid.x", "%envreg3", "the register '%envreg3'"),
        ("@%p3 bra again", "@%p3 bra elsewhere", "where it leads"),
        (".visible .entry warp", ".visible .entry one() { ret; } .entry warp", "this one has 2"),
    ],
)
def test_what_is_not_known_is_named_with_its_line(
    tmp_path: Path, before: str, after: str, said: str
):
    with pytest.raises(ptx.PtxError) as caught:
        compile_text(WARP.replace(before, after, 1), tmp_path)
    assert said in str(caught.value)
    if before[0] not in "%.":
        line = WARP[: WARP.index(before)].count("\n") + 1
        assert str(caught.value).startswith(f"line {line}: ")


EXAMPLES = {
    "softmax": "-f16-7x33", "matmul": "-f16-64x64x64", "layer_norm": "", "attention": "",
}  # fmt: skip


def launches_of(example: str, wanted: str, folder: Path) -> list[Path]:
    launches = run.prepare(ROOT / "python" / "examples" / f"{example}.py", wanted, folder)
    return launches[:1]


@pytest.mark.nightly
@pytest.mark.parametrize("who", ["ours", "triton"])
@pytest.mark.parametrize("example", EXAMPLES)
def test_ptx_leaves_what_the_cpu_leaves(example: str, who: str, tmp_path: Path):
    make: Any = codes.of_ours if who == "ours" else codes.of_triton
    with workers.session():
        for launch in launches_of(example, EXAMPLES[example], tmp_path):
            made = make(run.recording.load(launch))
            target = made.given.save(launch, who)
            workers.replay_all([launch], ("cpu",), 300)
            workers.replay_all([launch], (target,), 300)
            workers.replay_all([launch], run.REFERENCES, 300)
            found = run.compare_one(launch, ("cpu", target))
            assert found.status == "equal", found
