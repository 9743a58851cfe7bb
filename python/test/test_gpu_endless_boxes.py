"""Boxes by pointers of matrices that lie behind each other: batches, heads, parts, in the emulator.

The copy engine sees a tensor that goes on and on; threads copy where a mask would cut a block.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from triton_shared import emulate
from triton_shared.emulate import EmulatedKernel
from triton_shared.frontend import ast_to_ttir

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.gpu.attention_kernels import attention
from benchmarks.gpu.product_kernels import batched


def compile_text(
    folder: Path, kernel: Any, last: str, maps: str = "guarded", **constants: int
) -> EmulatedKernel:
    """All arguments but constants are multiples of 16; those of capital letters are numbers."""
    names = [name for name in kernel.arg_names if name not in constants]
    kinds = {n: "fp32" if n == "scale" else "i32" if n in NUMBERS else "*fp16" for n in names}
    kinds |= {last: "*fp32"} | dict.fromkeys(constants, "constexpr")
    known = [name for name in names if name != "scale"]
    ttir = ast_to_ttir(kernel, kinds, constants, known, target="cuda:90a", num_warps=4)
    return emulate.compile_kernel(ttir, 4, folder, pointer_maps=maps)


NUMBERS = ("M", "N", "K", "length", "stride", "first", "table_stride")


def has_maps(kernel: EmulatedKernel) -> bool:
    return "tensor_maps.missing" in [one["kind"] for one in kernel.hidden]


@pytest.fixture
def foreign_maps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tensor maps show memory that is not the launch's: who loads boxes is caught."""
    encode = emulate.encode_recipe
    kept = []

    def of_others(recipe: Any, arguments: Any, may_be_missing: bool) -> bytes | None:
        kept.append([torch.zeros_like(a) if torch.is_tensor(a) else a for a in arguments])
        return encode(recipe, kept[-1], may_be_missing)

    monkeypatch.setattr(emulate, "encode_recipe", of_others)


def catches(block: int = 0) -> Any:
    """What says that boxes were loaded, by that program and by none before."""
    said = rf"block \({block}, 0, 0\), .*outside of every buffer"
    return pytest.raises(emulate.EmulationError, match=said)


def whole(*shape: int) -> torch.Tensor:
    """Small whole numbers that begin at a multiple of 16 bytes."""
    generator = torch.Generator().manual_seed(len(shape) + shape[-1])
    count = torch.Size(shape).numel()
    values = torch.randint(-3, 4, (count + 8,), generator=generator).half()
    skip = -(values.data_ptr() // 2) % 8
    return values[skip:][:count].view(shape)


class Batch:
    """Products of a batch, and what is right."""

    BLOCKS = {"BM": 64, "BN": 64, "BK": 64}  # noqa: RUF012

    def __init__(self, count: int, m: int, n: int, k: int):
        self.sizes = (m, n, k)
        self.a, self.b = whole(count, m, k), whole(count, k, n)
        self.want = self.a.float() @ self.b.float()

    def run(self, kernel: EmulatedKernel, seed: int = 0) -> torch.Tensor:
        m, n, k = self.sizes
        out = torch.full(self.want.shape, float("nan"))
        grid = (triton.cdiv(m, 64) * triton.cdiv(n, 64), len(self.a))
        emulate.launch(kernel, [self.a, self.b, out, m, n, k], grid, seed)
        return out


@pytest.mark.parametrize("shape", [(128, 64, 128), (80, 64, 128), (64, 96, 144), (64, 64, 16)])
def test_products_of_a_batch_are_right(shape: tuple[int, int, int], tmp_path: Path):
    kernel = compile_text(tmp_path, batched, "c", **Batch.BLOCKS)
    assert has_maps(kernel)
    batch = Batch(3, *shape)
    for seed in (0, 1):
        assert torch.equal(batch.run(kernel, seed), batch.want)


@pytest.mark.usefixtures("foreign_maps")
def test_whole_blocks_of_a_batch_are_boxes(tmp_path: Path):
    kernel = compile_text(tmp_path, batched, "c", **Batch.BLOCKS)
    with catches():
        Batch(3, 128, 64, 128).run(kernel)


@pytest.mark.usefixtures("foreign_maps")
def test_a_block_that_its_mask_cuts_is_no_box_of_a_batch(tmp_path: Path):
    """Behind the last row along K lies the next matrix, and no zeros."""
    kernel = compile_text(tmp_path, batched, "c", **Batch.BLOCKS)
    batch = Batch(2, 64, 64, 80)
    assert torch.equal(batch.run(kernel), batch.want)


def run_attention(kernel: EmulatedKernel, q: Any, k: Any, v: Any) -> torch.Tensor:
    heads, length, _ = q.shape
    out = torch.full(q.shape, float("nan"))
    emulate.launch(kernel, [q, k, v, out, length, 0.1], (length // 64, heads))
    return out


@pytest.mark.parametrize("maps", ["guarded", "assumed"])
def test_heads_of_an_attention_are_boxes(maps: str, tmp_path: Path, request: pytest.FixtureRequest):
    kernel = compile_text(tmp_path, attention, "out", maps, D=64, BM=64, BN=64)
    assert has_maps(kernel) == (maps == "guarded")
    q, k, v = (whole(2, 128, 64) for _ in range(3))
    want = torch.nn.functional.scaled_dot_product_attention(
        q.float(), k.float(), v.float(), scale=0.1
    )
    assert (run_attention(kernel, q, k, v) - want).abs().max() < 5e-3
    request.getfixturevalue("foreign_maps")
    with catches():
        run_attention(kernel, q, k, v)


@triton.jit
def beside(
    a, b, c, stride, first, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """Rows of several matrices beside each other, the first one at number `first`; no masks."""
    number = tl.program_id(0) + first
    rows, columns, ks = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        left = tl.load(a + number * 128 + rows[:, None] * stride + (k + ks)[None, :])
        right = tl.load(b + number * 128 * BN + (k + ks)[:, None] * BN + columns[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + tl.program_id(0) * BM * BN + rows[:, None] * BN + columns[None, :], total)


def run_beside(kernel: EmulatedKernel, a: torch.Tensor, b: torch.Tensor, first: int) -> Any:
    count = len(b)
    out = torch.full((count, 64, 64), float("nan"))
    begin_a, begin_b = a[:, max(0, -first) * 128 :], b.flatten(0, 1)[max(0, -first) * 128 :]
    emulate.launch(kernel, [begin_a, begin_b, out, a.stride(0), first, 128], (count,))
    return out


@pytest.mark.parametrize("first", [0, -1])
def test_matrices_beside_each_other(first: int, tmp_path: Path, request: pytest.FixtureRequest):
    """Before the tensor that a launch describes, the copy engine reads nothing: threads do."""
    kernel = compile_text(tmp_path, beside, "c", BM=64, BN=64, BK=64)
    assert has_maps(kernel)
    a, b = whole(64, 2 * 128), whole(2, 128, 64)
    want = torch.stack([a[:, :128].float() @ b[0].float(), a[:, 128:].float() @ b[1].float()])
    assert torch.equal(run_beside(kernel, a, b, first), want)
    request.getfixturevalue("foreign_maps")
    with catches(block=-first):
        run_beside(kernel, a, b, first)


@triton.jit
def paged(
    a, b, c, table, table_stride, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """Blocks of rows whose numbers stand in a table."""
    rows, columns, ks = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, table_stride):
        page = tl.load(table + k)
        left = tl.load(a + rows[:, None] * 256 + (k * BK + ks)[None, :])
        right = tl.load(b + page * BK * BN + ks[:, None] * BN + columns[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + rows[:, None] * BN + columns[None, :], total)


def test_pages_of_a_table_are_no_boxes(tmp_path: Path):
    names = {"a": "*fp16", "b": "*fp16", "c": "*fp32", "table": "*i32", "table_stride": "i32"}
    constants = {"BM": 64, "BN": 64, "BK": 64}
    kinds = names | dict.fromkeys(constants, "constexpr")
    ttir = ast_to_ttir(paged, kinds, constants, list(names), target="cuda:90a", num_warps=4)
    assert not has_maps(emulate.compile_kernel(ttir, 4, tmp_path))
