"""Products by pointers whose loops have two forms for Hopper, in the emulator.

The copy engine copies boxes where the blocks of a program end within their tensors, or nobody minds
what is beyond; threads copy elsewhere.
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

from benchmarks.gpu.kernels import matmul

M, N, K = "M", "N", "K"
STRIDES = ("a_row", "a_column", "b_row", "b_column")
ONES = {
    "NN": ("a_column", "b_column"), "NT": ("a_column", "b_row"),
    "TN": ("a_row", "b_column"), "TT": ("a_row", "b_row"),
}  # fmt: skip
"""By the order of the operands, strides that are 1."""
BLOCKS = {"BM": 64, "BN": 64, "BK": 64}


@triton.jit
def by_elements(
    a, b, c, M, N, K, a_row, a_column, b_row, b_column,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """The same product; the loop counts elements, and rows end by a mask."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    ks = tl.arange(0, BK)
    a_at = a + rows[:, None] * a_row + ks[None, :] * a_column
    b_at = b + ks[:, None] * b_row + columns[None, :] * b_column
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        left = tl.load(a_at, mask=(rows < M)[:, None] & (ks < K - k)[None, :], other=0.0)
        right = tl.load(b_at, mask=(ks < K - k)[:, None] & (columns < N)[None, :], other=0.0)
        total = tl.dot(left, right, total)
        a_at += BK * a_column
        b_at += BK * b_row
    c_at = c + rows[:, None] * N + columns[None, :]
    tl.store(c_at, total.to(c.dtype.element_ty), (rows[:, None] < M) & (columns[None, :] < N))


@triton.jit
def sums_of_columns(
    a, b, c, M, N, K, a_row, a_column, b_row, b_column,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """Of a product whose rows are taken modulo their number: some of them count twice."""
    rows = (tl.program_id(0) * BM + tl.arange(0, BM)) % M
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    ks = tl.arange(0, BK)
    a_at = a + rows[:, None] * a_row + ks[None, :] * a_column
    b_at = b + ks[:, None] * b_row + (columns % N)[None, :] * b_column
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        left = tl.load(a_at, mask=(ks < K - k)[None, :], other=0.0)
        right = tl.load(b_at, mask=(ks < K - k)[:, None], other=0.0)
        total = tl.dot(left, right, total)
        a_at += BK * a_column
        b_at += BK * b_row
    tl.store(c + tl.program_id(0) * N + columns, tl.sum(total, 0), columns < N)


def compile_product(
    folder: Path,
    kernel: Any,
    order: str,
    element: str = "fp16",
    are_multiples: bool = True,
    maps: str = "guarded",
    **changes: int,
) -> EmulatedKernel:
    """`are_multiples`: sizes and strides are known to be multiples of 16."""
    defaults = {one.name: one.default for one in kernel.params if one.has_default}
    constants = {**defaults, **BLOCKS, **dict.fromkeys(ONES.get(order, ()), 1), **changes}
    kinds = {"a": f"*{element}", "b": f"*{element}", "c": "*fp32"}
    kinds |= {name: "i32" for name in (M, N, K, *STRIDES) if name not in constants}
    ttir = ast_to_ttir(
        kernel,
        {**kinds, **dict.fromkeys(constants, "constexpr")},
        constants,
        list(kinds) if are_multiples else ["a", "b", "c"],
        target="cuda:90a",
        num_warps=4,
    )
    return emulate.compile_kernel(ttir, 4, folder, pointer_maps=maps)


def has_maps(kernel: EmulatedKernel) -> bool:
    return "tensor_maps.missing" in [one["kind"] for one in kernel.hidden]


def matrix(rows: int, columns: int, is_turned: bool, dtype: torch.dtype) -> torch.Tensor:
    """Small whole numbers, in lines of some more than there are, at a multiple of 16 bytes."""
    lines, length = (columns, rows) if is_turned else (rows, columns)
    generator = torch.Generator().manual_seed(rows)
    whole = torch.randint(-3, 4, (lines * (length + 16) + 16,), generator=generator).to(dtype)
    skip = -(whole.data_ptr() // whole.itemsize) % 16
    part = whole[skip:][: lines * (length + 16)].view(lines, length + 16)[:, :length]
    return part.T if is_turned else part


class Launch:
    """Operands of one product, and what is right."""

    def __init__(self, m: int, n: int, k: int, order: str, dtype: torch.dtype = torch.float16):
        self.sizes = (m, n, k)
        self.a = matrix(m, k, order[0] == "T", dtype)
        self.b = matrix(k, n, order[1] == "T", dtype)
        self.want = (self.a.double() @ self.b.double()).float()

    def run(self, kernel: EmulatedKernel, axes: int = 1, seed: int = 0) -> torch.Tensor:
        m, n, k = self.sizes
        out = torch.full((m, n), float("nan"))
        strides = (s for s in (*self.a.stride(), *self.b.stride()) if s != 1)
        tiles = (triton.cdiv(m, BLOCKS["BM"]), triton.cdiv(n, BLOCKS["BN"]))
        grid = tiles if axes == 2 else (tiles[0] * tiles[1],)
        emulate.launch(kernel, [self.a, self.b, out, m, n, k, *strides], grid, seed)
        return out


SHAPES = [(128, 64, 128), (64, 128, 64), (80, 96, 144), (64, 80, 16), (16, 64, 208)]
"""The first two end with their blocks; of the others, rows, columns or K reach beyond."""


@pytest.mark.every(2)
@pytest.mark.parametrize("order", ONES)
@pytest.mark.parametrize(("kernel", "axes"), [(matmul, 1), (by_elements, 2)], ids=["wrap", "mask"])
def test_both_loops_are_right(kernel: Any, axes: int, order: str, tmp_path: Path):
    compiled = compile_product(tmp_path, kernel, order)
    assert has_maps(compiled)
    for shape in SHAPES:
        launch = Launch(*shape, order)
        for seed in (0, 1):
            assert torch.equal(launch.run(compiled, axes, seed), launch.want)


def test_blocks_that_are_stored_within_their_tensors_are_boxes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Maps of other memory show which of the two loops has run."""
    compiled = compile_product(tmp_path, matmul, "NN")
    launch = Launch(128, 96, 128, "NN")
    memory = torch.zeros(2, 128, 144, dtype=torch.float16)
    memory[0, :, :128] = launch.a
    launch.a, empty = memory[0, :, :128], memory[1]
    encode = emulate.encode_recipe

    def of_nothing(recipe: Any, arguments: Any, may_be_missing: bool) -> bytes | None:
        return encode(recipe, [empty, *arguments[1:]], may_be_missing)

    monkeypatch.setattr(emulate, "encode_recipe", of_nothing)
    out = launch.run(compiled)
    assert not out.any()  # Also of columns 64 to 127, of which 96 and more are not stored.


@pytest.mark.parametrize("m", [64, 80, 96])
def test_rows_that_count_twice_are_read_twice(m: int, tmp_path: Path):
    compiled = compile_product(tmp_path, sums_of_columns, "NN")
    assert has_maps(compiled)
    launch = Launch(m, 80, 128, "NN")
    programs = triton.cdiv(m, BLOCKS["BM"])
    out = torch.full((programs, 80), float("nan"))
    strides = (launch.a.stride(0), launch.b.stride(0))
    emulate.launch(compiled, [launch.a, launch.b, out, m, 80, 128, *strides], (programs, 2))
    rows = (torch.arange(programs * BLOCKS["BM"]) % m).view(programs, -1)
    assert out.equal(launch.want[rows].sum(1))


@pytest.mark.parametrize("order", ONES)
def test_launches_look_at_strides(order: str, tmp_path: Path):
    """Nothing is known of them: where they are multiples of 16 bytes, the copy engine copies."""
    compiled = compile_product(tmp_path, matmul, order, are_multiples=False)
    assert has_maps(compiled)
    for shape in [(72, 88, 104), (100, 56, 72), (65, 33, 17), (129, 70, 77)]:
        launch = Launch(*shape, order)
        assert torch.equal(launch.run(compiled), launch.want)


def test_operands_that_no_map_describes(tmp_path: Path):
    """Rows that lie backwards: the other loop computes the whole product."""
    compiled = compile_product(tmp_path, matmul, "NN")
    launch = Launch(64, 64, 128, "NN")
    m, n, k = launch.sizes
    out, last = torch.full((m, n), float("nan")), launch.a[m - 1 :]
    strides = (-launch.a.stride(0), launch.b.stride(0))
    emulate.launch(compiled, [last, launch.b, out, m, n, k, *strides], (1,))
    assert torch.equal(out, launch.want.flip(0))


def test_nothing_along_k(tmp_path: Path):
    compiled = compile_product(tmp_path, matmul, "NN")
    launch = Launch(64, 64, 16, "NN")
    out = torch.full((64, 64), float("nan"))
    strides = (launch.a.stride(0), launch.b.stride(0))
    emulate.launch(compiled, [launch.a, launch.b, out, 64, 64, 0, *strides], (1,))
    assert not out.any()


@pytest.mark.parametrize(
    ("element", "dtype"), [("bf16", torch.bfloat16), ("fp8e5", torch.float8_e5m2)]
)
def test_other_elements(element: str, dtype: torch.dtype, tmp_path: Path):
    compiled = compile_product(tmp_path, matmul, "NN", element)
    for shape in ((64, 64, 128), (80, 96, 144)):
        launch = Launch(*shape, "NN", dtype)
        assert torch.equal(launch.run(compiled), launch.want)


def test_sizes_that_are_constants(tmp_path: Path):
    compiled = compile_product(tmp_path, by_elements, "NN", K=128)
    assert has_maps(compiled)
    launch = Launch(80, 64, 128, "NN")
    out = torch.full((80, 64), float("nan"))
    strides = (launch.a.stride(0), launch.b.stride(0))
    emulate.launch(compiled, [launch.a, launch.b, out, 80, 64, *strides], (2, 1))
    assert torch.equal(out, launch.want)


@triton.jit
def _scaled(a, b, scales, c, K, B: tl.constexpr, BK: tl.constexpr):
    """Rows of b are scaled, by what is loaded in each turn."""
    rows, ks = tl.arange(0, B), tl.arange(0, BK)
    total = tl.zeros((B, B), dtype=tl.float32)
    for k in range(0, K, BK):
        left = tl.load(a + rows[:, None] * K + (k + ks)[None, :])
        right = tl.load(b + (k + ks)[:, None] * B + rows[None, :])
        scale = tl.load(scales + k // BK * B + rows)
        total = tl.dot(left, right, total * scale[None, :])
    tl.store(c + rows[:, None] * B + rows[None, :], total)


@pytest.mark.parametrize(("depth", "is_box"), [(64, True), (32, False)])
def test_threads_copy_small_boxes_where_they_copy_rows(depth: int, is_box: bool, tmp_path: Path):
    """Of 32 rows: to ask for them and to wait for them takes as long."""
    kinds = {"a": "*fp16", "b": "*fp16", "scales": "*fp32", "c": "*fp32", "K": "i32"}
    blocks = {"B": 64, "BK": depth}
    ttir = ast_to_ttir(
        _scaled, kinds | dict.fromkeys(blocks, "constexpr"), blocks, list(kinds),
        target="cuda:90a", num_warps=4,
    )  # fmt: skip
    kernel = emulate.compile_kernel(ttir, 4, tmp_path)
    assert has_maps(kernel) == is_box
    turns = 4
    a = matrix(64, depth * turns, False, torch.float16).contiguous()
    b = matrix(depth * turns, 64, False, torch.float16).contiguous()
    scales = torch.ones(turns, 64)
    scales[2] = 2
    c = torch.zeros(64, 64)
    emulate.launch(kernel, [a, b, scales, c, depth * turns], (1,))
    parts = [
        a[:, k : k + depth].double() @ b[k : k + depth].double()
        for k in range(0, depth * turns, depth)
    ]
    assert torch.equal(c.double(), 2 * (parts[0] + parts[1]) + parts[2] + parts[3])


@triton.jit
def _states(a, b, c, T, B: tl.constexpr, BT: tl.constexpr):
    """Each turn stores the sum before it; the last sum is not used."""
    rows, steps = tl.arange(0, B), tl.arange(0, BT)
    total = tl.zeros((B, B), dtype=tl.float32)
    for turn in range(tl.cdiv(T, BT)):
        tl.store(c + turn * B * B + rows[:, None] * B + rows[None, :], total)
        step = turn * BT + steps
        left = tl.load(a + rows[:, None] + step[None, :] * B, mask=step[None, :] < T, other=0.0)
        right = tl.load(b + step[:, None] * B + rows[None, :], mask=step[:, None] < T, other=0.0)
        total = tl.dot(left, right, total)


def test_a_loop_whose_results_are_not_used(tmp_path: Path):
    kinds = {"a": "*fp16", "b": "*fp16", "c": "*fp32", "T": "i32"}
    blocks = {"B": 64, "BT": 64}
    ttir = ast_to_ttir(
        _states, kinds | dict.fromkeys(blocks, "constexpr"), blocks, list(kinds)[:3],
        target="cuda:90a", num_warps=4,
    )  # fmt: skip
    kernel = emulate.compile_kernel(ttir, 4, tmp_path)
    assert has_maps(kernel)
    for length in (256, 200):
        a = matrix(length, 64, False, torch.float16).contiguous()
        b = matrix(length, 64, False, torch.float16).flip(0).contiguous()
        c = torch.full((4, 64, 64), float("nan"))
        emulate.launch(kernel, [a, b, c, length], (1,))
        for turn in range(4):
            part = slice(0, 64 * turn)
            assert torch.equal(c[turn].double(), a[part].T.double() @ b[part].double())
