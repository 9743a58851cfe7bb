"""Triton kernels with descriptors, whose blocks the copy engine copies: in the emulator."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from block_pointers import needs_operations
from triton_shared import emulate
from triton_shared.emulate import EmulatedKernel
from triton_shared.frontend import ast_to_ttir

ORDERS = (0, 1, 2, 3)
DTYPES = {
    "fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32, "i8": torch.int8,
    "i32": torch.int32, "fp8e4nv": torch.float8_e4m3fn,
}  # fmt: skip
RESULTS = {"fp8e4nv": "fp32", "i8": "i32"}
"""Of products, where they have another type than the operands."""


@triton.jit
def _matmul(
    a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, IS_TURNED: tl.constexpr
):
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    sums = tl.zeros((BM, BN), tl.int32 if c.dtype == tl.int32 else tl.float32)
    for k in range(0, K, BK):
        x = a.load([m, k])
        y = b.load([n, k]).T if IS_TURNED else b.load([k, n])
        sums = tl.dot(x, y, sums, out_dtype=sums.dtype)
    c.store([m, n], sums.to(c.dtype))


def compile_matmul(
    folder: Path, element: str, blocks: tuple[int, int, int], is_turned: bool
) -> EmulatedKernel:
    m, n, k = blocks
    right = (n, k) if is_turned else (k, n)
    signature = {
        name: f"tensordesc<{kind}[{shape[0]}, {shape[1]}]>"
        for name, kind, shape in (
            ("a", element, (m, k)),
            ("b", element, right),
            ("c", RESULTS.get(element, element), (m, n)),
        )
    }
    constants = {"BM": m, "BN": n, "BK": k, "IS_TURNED": is_turned}
    kinds = {**signature, "K": "i32", **dict.fromkeys(constants, "constexpr")}
    ttir = ast_to_ttir(_matmul, kinds, constants, [], target="cuda:90a", num_warps=4)
    return emulate.compile_kernel(ttir, 4, folder)


def matrix(rows: int, columns: int, dtype: torch.dtype) -> torch.Tensor:
    """Small whole numbers, in rows that begin at multiples of 16 bytes."""
    whole = torch.empty(rows, -(-columns // 16) * 16 + 16, dtype=dtype)
    generator = torch.Generator().manual_seed(rows)
    whole.copy_(torch.randint(-4, 5, whole.shape, generator=generator).float())
    return whole[:, :columns]


def flat(tensors: Sequence[torch.Tensor]) -> list[Any]:
    """As a launcher passes descriptors: shape and strides come twice."""
    return [
        value
        for tensor in tensors
        for value in (tensor, *2 * (*tensor.shape, *tensor.stride(), 0, 0))[:-2]
    ]


@pytest.mark.every(2)
@pytest.mark.parametrize("is_turned", [False, True])
@pytest.mark.parametrize(
    ("element", "blocks", "shape"),
    [
        ("fp16", (64, 64, 64), (100, 72, 136)),
        ("bf16", (64, 128, 32), (65, 129, 33)),
        ("fp16", (128, 64, 128), (1, 17, 257)),
        ("fp8e4nv", (64, 64, 64), (70, 80, 150)),
        ("fp32", (64, 64, 32), (70, 80, 150)),
        ("i8", (64, 64, 64), (70, 80, 150)),
    ],
)
def test_products_of_descriptors(
    element: str,
    blocks: tuple[int, int, int],
    shape: tuple[int, int, int],
    is_turned: bool,
    tmp_path: Path,
):
    kernel = compile_matmul(tmp_path, element, blocks, is_turned)
    assert "tensor_map" in [one["kind"] for one in kernel.hidden]
    m, n, k = shape
    dtype, result = DTYPES[element], DTYPES[RESULTS.get(element, element)]
    a, b = matrix(m, k, dtype), matrix(*((n, k) if is_turned else (k, n)), dtype)
    want = (a.double() @ (b.T if is_turned else b).double()).to(result)
    grid = (-(-m // blocks[0]), -(-n // blocks[1]))
    for order in ORDERS:
        c = matrix(m, n, result)
        around = c._base.clone()
        emulate.launch(kernel, [*flat([a, b, c]), k], grid, order)
        assert torch.equal(c, want)
        assert torch.equal(c._base[:, n:], around[:, n:])


def test_padding_by_nan(tmp_path: Path):
    """What a block has outside of the tensor is what the descriptor says at the launch."""
    kernel = compile_matmul(tmp_path, "fp16", (64, 64, 64), is_turned=False)
    a, b = matrix(64, 72, torch.float16), matrix(72, 64, torch.float16)
    for pads in (0, 1):
        c = matrix(64, 64, torch.float16)
        arguments = flat([a, b, c])
        arguments[5] = arguments[16] = pads
        emulate.launch(kernel, [*arguments, 72], (1, 1))
        assert bool(c.isnan().all()) == bool(pads)
        assert pads or torch.equal(c, (a.double() @ b.double()).half())


@triton.jit
def _advance(a, b, c, M, N, K, sa, sb, sc, B: tl.constexpr):
    m, n = tl.program_id(0) * B, tl.program_id(1) * B
    left = tl.make_block_ptr(a, (M, K), (sa, 1), (m, 0), (B, B), (1, 0))
    right = tl.make_block_ptr(b, (K, N), (sb, 1), (0, n), (B, B), (1, 0))
    sums = tl.zeros((B, B), tl.float32)
    for _ in range(0, K, B):
        x = tl.load(left, boundary_check=(0, 1), padding_option="zero")
        y = tl.load(right, boundary_check=(0, 1), padding_option="zero")
        sums = tl.dot(x, y, sums)
        left, right = tl.advance(left, (0, B)), tl.advance(right, (B, 0))
    out = tl.make_block_ptr(c, (M, N), (sc, 1), (m, n), (B, B), (1, 0))
    tl.store(out, sums.to(tl.float16), boundary_check=(0, 1))


@needs_operations
def test_boxes_that_begin_where_the_loop_has_come(tmp_path: Path):
    """Block pointers are carried from turn to turn."""
    kinds = dict.fromkeys("abc", "*fp16") | dict.fromkeys(("M", "N", "K"), "i32")
    kinds |= dict.fromkeys(("sa", "sb", "sc"), "i32") | {"B": "constexpr"}
    aligned = ["a", "b", "c", "sa", "sb", "sc"]
    ttir = ast_to_ttir(_advance, kinds, {"B": 64}, aligned, target="cuda:90a", num_warps=4)
    kernel = emulate.compile_kernel(ttir, 4, tmp_path)
    assert [one["kind"] for one in kernel.hidden] == ["tensor_map"] * 3
    m, n, k = 130, 72, 200
    a, b = matrix(m, k, torch.float16), matrix(k, n, torch.float16)
    for order in ORDERS:
        c = matrix(m, n, torch.float16)
        strides = [tensor.stride(0) for tensor in (a, b, c)]
        emulate.launch(kernel, [a, b, c, m, n, k, *strides], (3, 2), order)
        assert torch.equal(c, (a.double() @ b.double()).half())


@triton.jit
def _copied(source, result, B: tl.constexpr):
    m, n = tl.program_id(0) * B, tl.program_id(1) * B
    result.store([m, n], source.load([m - 3, n]))


@pytest.mark.parametrize("element", ["fp16", "fp32", "i8"])
def test_blocks_inside_of_a_tensor_and_at_its_ends(element: str, tmp_path: Path):
    """Threads load those inside of it without bounds."""
    described = f"tensordesc<{element}[64, 64]>"
    kinds = {"source": described, "result": described, "B": "constexpr"}
    ttir = ast_to_ttir(_copied, kinds, {"B": 64}, [], target="cuda:90a", num_warps=4)
    kernel = emulate.compile_kernel(ttir, 4, tmp_path)
    source = matrix(140, 150, DTYPES[element])
    for order in ORDERS:
        result = matrix(140, 150, DTYPES[element])
        emulate.launch(kernel, flat([source, result]), (3, 3), order)
        assert torch.equal(result[3:], source[:-3])
        assert not result[:3].any()


@triton.jit
def _shifted(a, b, c, K, shift, B: tl.constexpr):
    sums = tl.zeros((B, B), tl.float32)
    for k in range(0, K, B):
        sums = tl.dot(a.load([0, k + shift]), b.load([k + shift, 0]), sums)
    c.store([0, 0], sums.to(tl.float16))


def test_boxes_that_may_begin_anywhere_in_a_row_are_copied_otherwise(tmp_path: Path):
    """TMA takes multiples of 16 bytes."""
    signature = dict.fromkeys("abc", "tensordesc<fp16[64, 64]>") | {"K": "i32", "shift": "i32"}
    kinds = signature | {"B": "constexpr"}
    ttir = ast_to_ttir(_shifted, kinds, {"B": 64}, [], target="cuda:90a", num_warps=4)
    kernel = emulate.compile_kernel(ttir, 4, tmp_path)
    a, b = matrix(64, 140, torch.float16), matrix(140, 64, torch.float16)
    for shift in (0, 8, 3):
        c = matrix(64, 64, torch.float16)
        emulate.launch(kernel, [*flat([a, b, c]), 140, shift], (1, 1))
        assert torch.equal(c, (a[:, shift:].double() @ b[shift:].double()).half())
