"""Block pointers: every type and rank, ends on all sides, and how they move."""

from __future__ import annotations

import pytest
import torch
import triton
import triton.language as tl
from block_pointers import needs_block_pointers
from guarded import Memory

pytestmark = needs_block_pointers

DTYPES = [
    torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16,
    torch.bfloat16, torch.float32, torch.float64, torch.float8_e5m2,
]  # fmt: skip
FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


@triton.jit
def copy_half(x_ptr, out_ptr, n, offset, BLOCK: tl.constexpr, PADDING: tl.constexpr):
    start = offset + tl.program_id(0) * BLOCK
    source = tl.make_block_ptr(x_ptr, (n // 2,), (1,), (start,), (BLOCK,), (0,))
    target = tl.make_block_ptr(out_ptr, (n,), (1,), (start,), (BLOCK,), (0,))
    x = tl.load(source, boundary_check=(0,), padding_option=PADDING)
    tl.store(target, x, boundary_check=(0,))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("where", ["inside", "before", "behind"])
def test_blocks_of_every_type(memory: Memory, dtype: torch.dtype, where: str):
    """Half of the tensor is there; the rest reads as padding."""
    n, block = 64, 16
    x = memory.holding(torch.randint(1, 2 if dtype == torch.bool else 99, (n,)).to(dtype))
    for padding in ("", "zero", "nan") if dtype in FLOATS else ("", "zero"):
        out = memory.holding(torch.zeros(n).to(dtype))
        offset = {"inside": 0, "before": -n, "behind": n}[where]
        copy_half[(n // block,)](x, out, n, offset, BLOCK=block, PADDING=padding)
        want = torch.zeros(n).to(dtype)
        if where == "inside":
            want[: n // 2] = x[: n // 2]
            if padding == "nan":
                want[n // 2 :] = float("nan")
        torch.testing.assert_close(out.double(), want.double(), rtol=0, atol=0, equal_nan=True)


@triton.jit
def copy_box(
    x_ptr, out_ptr, a, b, c, sa, sb, sc, oa, ob, oc,
    CHECK: tl.constexpr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr,
):  # fmt: skip
    source = tl.make_block_ptr(x_ptr, (a, b, c), (sa, sb, sc), (oa, ob, oc), (A, B, C), (2, 1, 0))
    target = tl.make_block_ptr(out_ptr, (A, B, C), (B * C, C, 1), (0, 0, 0), (A, B, C), (2, 1, 0))
    tl.store(target, tl.load(source, boundary_check=CHECK, padding_option="zero"))


@pytest.mark.parametrize("check", [(0, 1, 2), (0, 2), (1,)])
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
def test_three_dimensions(memory: Memory, check: tuple[int, ...], order: tuple[int, ...]):
    """The tensor lies in the middle of a larger one, in any order of its dimensions."""
    whole = memory.holding(torch.randn(12, 14, 16).permute(order).contiguous())
    x = whole.permute(torch.tensor(order).argsort().tolist())
    shape, offsets, block = (3, 4, 5), (2, -1, 3), (2, 4, 4)
    inner, out = x[4:, 5:, 6:], memory.empty(*block)
    copy_box[(1,)](inner, out, *shape, *x.stride(), *offsets, CHECK=check, A=2, B=4, C=4)
    want = x[6:8, 4:8, 9:13].clone()
    if 0 in check:
        want[1:] = 0
    if 1 in check:
        want[:, 0] = 0
    if 2 in check:
        want[:, :, 2:] = 0
    assert torch.equal(out, want)


@triton.jit
def multiply(
    a_ptr, b_ptr, c_ptr, M, N, K, sam, sak, sbk, sbn, scm, scn,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    a = tl.make_block_ptr(a_ptr, (M, K), (sam, sak), (0, 0), (BM, BK), (1, 0))
    b = tl.make_block_ptr(b_ptr, (K, N), (sbk, sbn), (0, 0), (BK, BN), (0, 1))
    a = tl.advance(a, (tl.program_id(0) * BM, -BK))
    a = tl.advance(a, (0, BK))
    b = tl.advance(b, (0, tl.program_id(1) * BN))
    total = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, tl.cdiv(K, BK)):
        x = tl.load(a, boundary_check=(0, 1), padding_option="zero")
        y = tl.load(b, boundary_check=(0, 1), padding_option="zero")
        total = tl.dot(x, y, total)
        a, b = tl.advance(a, (0, BK)), tl.advance(b, (BK, 0))
    c = tl.make_block_ptr(
        c_ptr, (M, N), (scm, scn), (tl.program_id(0) * BM, tl.program_id(1) * BN), (BM, BN), (1, 0)
    )
    tl.store(c, total.to(c.dtype.element_ty), boundary_check=(0, 1))


@pytest.mark.parametrize(("m", "n", "k"), [(16, 16, 16), (20, 33, 40), (7, 5, 3)])
@pytest.mark.parametrize("transposed", [False, True])
def test_a_product_by_blocks(memory: Memory, m: int, n: int, k: int, transposed: bool):
    a = memory.holding(torch.randint(-4, 5, (m, k)).half())
    b = memory.holding(torch.randint(-4, 5, (n, k) if transposed else (k, n)).half())
    c = memory.empty(m, n, dtype=torch.float16)
    right = b.T if transposed else b
    grid = (triton.cdiv(m, 16), triton.cdiv(n, 16))
    multiply[grid](
        a, right, c, m, n, k, *a.stride(), *right.stride(), *c.stride(), BM=16, BN=16, BK=16
    )
    assert torch.equal(c, a @ right)
