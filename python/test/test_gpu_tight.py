"""Kernels for which not all that they would like to keep in shared memory has room, in the
emulator: rings have fewer slots, and exchanges share a place."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import triton
import triton.language as tl
from triton_shared import emulate
from triton_shared.frontend import ast_to_ttir

M, N, K = 128, 256, 64
LIMIT = 232448
"""Bytes of a block on capability 9.0."""


@triton.jit
def weighted(x, y, weights, out, inner, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """A product in f32, of rows that are weighted before."""
    rows, columns, depth = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    total = tl.zeros((M, N), tl.float32)
    for start in range(0, inner, K):
        at = start + depth
        left = tl.load(x + rows[:, None] * inner + at[None, :])
        left *= tl.load(weights + at)[None, :]
        right = tl.load(y + at[:, None] * N + columns[None, :])
        total += tl.dot(left, right, input_precision="ieee")
    tl.store(out + rows[:, None] * N + columns[None, :], total)


@pytest.mark.parametrize("stages", [1, 2, 3, 4])
def test_products_of_f32_find_room_with_every_number_of_stages(stages: int, tmp_path: Path):
    kinds = dict.fromkeys(("x", "y", "weights", "out"), "*fp32") | {"inner": "i32"}
    constants = {"M": M, "N": N, "K": K}
    types = {**kinds, **dict.fromkeys(constants, "constexpr")}
    aligned = [*kinds]
    ttir = ast_to_ttir(weighted, types, constants, aligned, target="cuda:90a", num_warps=8)
    kernel = emulate.compile_kernel(ttir, 8, tmp_path, num_stages=stages)
    assert kernel.shared <= LIMIT
    if stages != 3:
        return
    inner = 2 * K
    generator = torch.Generator().manual_seed(0)
    x, y, weights = (
        torch.randint(-3, 4, shape, generator=generator).float()
        for shape in ((M, inner), (inner, N), (inner,))
    )
    out = torch.full((M, N), float("nan"))
    emulate.launch(kernel, [x, y, weights, out, inner], (1,))
    assert torch.equal(out, (x * weights) @ y)
