"""Tensor maps that a kernel makes of numbers that it computes: in the emulator."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from test_gpu_boxes import matrix
from test_gpu_parts import compile_plain
from triton_shared import emulate

MAKES = "tensormap.replace.global.address"


def compiled(
    kernel: Any, names: str, constants: dict[str, Any], folder: Path, warps: int = 4
) -> emulate.EmulatedKernel:
    """`names` are those of the arguments with their types: `a:*i64 n:i32`."""
    types = dict(part.split(":") for part in names.split())
    return compile_plain(kernel, types, constants, folder, warps)


def count_maps(kernel: emulate.EmulatedKernel) -> int:
    return kernel.llvm.count(MAKES)


@triton.jit
def _grouped(
    a_places, b_places, c_places, sizes, steps, groups,
    PROGRAMS: tl.constexpr, B: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """C = A B.T of several matrices, whose addresses, sizes and strides are in memory."""
    tile, end = tl.program_id(0), 0
    for group in range(groups):
        m = tl.load(sizes + group * 3)
        n = tl.load(sizes + group * 3 + 1)
        k = tl.load(sizes + group * 3 + 2)
        columns = tl.cdiv(n, B)
        tiles = tl.cdiv(m, B) * columns
        if tile >= end and tile < end + tiles:
            a = tl.make_tensor_descriptor(
                tl.load(a_places + group).to(tl.pointer_type(tl.float16)),
                [m, k], [tl.load(steps + group * 3), 1], [B, BK],
            )  # fmt: skip
            b = tl.make_tensor_descriptor(
                tl.load(b_places + group).to(tl.pointer_type(tl.float16)),
                [n, k], [tl.load(steps + group * 3 + 1), 1], [B, BK],
            )  # fmt: skip
            c = tl.make_tensor_descriptor(
                tl.load(c_places + group).to(tl.pointer_type(tl.float16)),
                [m, n], [tl.load(steps + group * 3 + 2), 1], [B, B],
            )  # fmt: skip
            while tile >= end and tile < end + tiles:
                row, column = (tile - end) // columns * B, (tile - end) % columns * B
                total = tl.zeros((B, B), dtype=tl.float32)
                for i in range(0, tl.cdiv(k, BK)):
                    total += tl.dot(a.load([row, i * BK]), b.load([column, i * BK]).T)
                c.store([row, column], total.to(tl.float16))
                tile += PROGRAMS
        end += tiles


ARGUMENTS = "a_places:*i64 b_places:*i64 c_places:*i64 sizes:*i32 steps:*i32 groups:i32"


def launch_groups(kernel: emulate.EmulatedKernel, matrices: list[list[torch.Tensor]]) -> None:
    """Of A, B and C each."""
    places = [torch.tensor([one[i].data_ptr() for one in matrices]) for i in range(3)]
    sizes = [[a.shape[0], b.shape[0], a.shape[1]] for a, b, _ in matrices]
    steps = [[one.stride(0) for one in group] for group in matrices]
    numbers = [torch.tensor(one, dtype=torch.int32) for one in (sizes, steps)]
    memory = [one for group in matrices for one in group]
    arguments = [*places, *numbers, len(matrices)]
    emulate.launch(kernel, arguments, (2,), memory=memory)


@pytest.mark.parametrize("warps", [4, 8])
def test_a_group_of_matrices(warps: int, tmp_path: Path):
    """Also one without rows, and one without columns of A: these have no element to read."""
    blocks = {"PROGRAMS": 2, "B": 64, "BK": 32}
    kernel = compiled(_grouped, ARGUMENTS, blocks, tmp_path, warps)
    assert count_maps(kernel) == 3
    matrices = []
    for m, n, k in ((64, 64, 64), (96, 130, 72), (1, 17, 40), (0, 64, 32), (65, 8, 0)):
        a, b = (matrix(rows, max(k, 8), torch.float16)[:, :k] for rows in (m, n))
        c = torch.full((m, -(-n // 8) * 8), 7.0, dtype=torch.float16)[:, :n]
        matrices.append([a, b, c])
    launch_groups(kernel, matrices)
    for a, b, c in matrices:
        torch.testing.assert_close(c, (a.float() @ b.float().T).half(), atol=1e-2, rtol=1e-2)
        if c.numel():
            beside = c.as_strided((c.shape[0], c.stride(0)), c.stride())[:, c.shape[1] :]
            assert (beside == 7.0).all()


@triton.jit
def _multiply(x, y, turns, B: tl.constexpr):
    """Blocks of rows of y, each the product of the one before in x and the first."""
    for turn in range(turns):
        total = tl.zeros((B, B), dtype=tl.float32)
        for i in range(0, 1 + turn // 1000):
            total += tl.dot(x.load([turn * B, i * B]), x.load([0, i * B]))
        y.store([turn * B + B, 0], total.to(tl.float16))


@triton.jit
def _chain(place, rows, turns, B: tl.constexpr):
    """Blocks of rows, each the product of the one before and the first."""
    x = tl.make_tensor_descriptor(
        tl.load(place).to(tl.pointer_type(tl.float16)), [rows, B], [B, 1], [B, B]
    )
    _multiply(x, x, turns, B)


def test_what_was_stored_is_read(tmp_path: Path):
    kernel = compiled(_chain, "place:*i64 rows:i32 turns:i32", {"B": 64}, tmp_path)
    x = torch.zeros(4 * 64, 64, dtype=torch.float16)
    x[:64] = matrix(64, 64, torch.float16) / 4
    want = [x[:64].clone()]
    for _ in range(3):
        want.append((want[-1].float() @ want[0].float()).half())
    place = torch.tensor([x.data_ptr()])
    emulate.launch(kernel, [place, 4 * 64, 3], (1,), memory=[x])
    torch.testing.assert_close(x, torch.cat(want), atol=1e-2, rtol=1e-2)


@triton.jit
def _steps(read, written, rows, turns, B: tl.constexpr):
    """Blocks of rows that are written by one name, each of what another name has before it."""
    x = tl.make_tensor_descriptor(
        tl.load(read).to(tl.pointer_type(tl.float16)), [rows, B], [B, 1], [B, B]
    )
    y = tl.make_tensor_descriptor(
        tl.load(written).to(tl.pointer_type(tl.float16)), [rows, B], [B, 1], [B, B]
    )
    _multiply(x, y, turns, B)


@pytest.mark.parametrize("is_same", [False, True])
def test_what_was_stored_by_another_name_is_read(is_same: bool, tmp_path: Path):
    """Turns wait for stores only where the two are one tensor; the end always does."""
    types = "read:*i64 written:*i64 rows:i32 turns:i32"
    kernel = compiled(_steps, types, {"B": 64}, tmp_path)
    assert kernel.llvm.count("cp.async.bulk.wait_group 0;") == 2
    x = torch.zeros(4 * 64, 64, dtype=torch.float16)
    x[:64] = matrix(64, 64, torch.float16) / 4
    y = x if is_same else x.clone()
    want = [x[:64].clone()]
    for _ in range(3):
        last = want[-1] if is_same or len(want) == 1 else torch.zeros_like(want[0])
        want.append((last.float() @ want[0].float()).half())
    places = [torch.tensor([one.data_ptr()]) for one in (x, y)]
    emulate.launch(kernel, [*places, 4 * 64, 3], (1,), memory=[x, y])
    torch.testing.assert_close(y, torch.cat(want), atol=1e-2, rtol=1e-2)


@pytest.mark.parametrize("is_stride", [False, True])
def test_what_no_map_can_have_ends_the_kernel(is_stride: bool, tmp_path: Path):
    """Descriptors promise multiples of 16 bytes; what is no such is not read from elsewhere."""
    kernel = compiled(_grouped, ARGUMENTS, {"PROGRAMS": 2, "B": 64, "BK": 32}, tmp_path)
    a, b, c = (matrix(64, 64, torch.float16) for _ in range(3))
    wrong = a.as_strided((64, 64), (69, 1)) if is_stride else a[:, 1:33]
    with pytest.raises(emulate.EmulationError, match="ends by trap"):
        launch_groups(kernel, [[wrong, b[:, : wrong.shape[1]], c]])
