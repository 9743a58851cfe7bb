"""Kernels in which one more warp copies for those that compute: in the emulator."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from test_gpu_boxes import flat, matrix
from triton_shared import emulate
from triton_shared.frontend import ast_to_ttir

ORDERS = (0, 1, 2, 3)
COPIES, OTHERS = "cta.producer_warps = 1", "cta.num_warps"


def described(rows: int, columns: int, element: str = "fp16") -> str:
    return f"tensordesc<{element}[{rows}, {columns}]>"


def compiled(
    kernel: Any,
    types: dict[str, str],
    constants: dict[str, int],
    folder: Path,
    warps: int = 8,
    where: str = "auto",
) -> emulate.EmulatedKernel:
    kinds = {**types, **dict.fromkeys(constants, "constexpr")}
    ttir = ast_to_ttir(kernel, kinds, constants, [], target="cuda:90a", num_warps=warps)
    return emulate.compile_kernel(ttir, warps, folder, specialize_warps=where)


@triton.jit
def _persistent(
    a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, IS_TURNED: tl.constexpr
):
    tiles = tl.cdiv(M, BM) * tl.cdiv(N, BN)
    for number in tl.range(tl.program_id(0), tiles, tl.num_programs(0), flatten=True):
        m, n = number % tl.cdiv(M, BM) * BM, number // tl.cdiv(M, BM) * BN
        sums = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            y = b.load([n, k]).T if IS_TURNED else b.load([k, n])
            sums = tl.dot(a.load([m, k]), y, sums)
        c.store([m, n], sums.to(c.dtype))


@pytest.mark.parametrize("is_turned", [False, True])
@pytest.mark.parametrize(("warps", "rows"), [(4, 64), (8, 128)])
def test_programs_of_many_tiles(warps: int, rows: int, is_turned: bool, tmp_path: Path):
    """The ring goes on from tile to tile, also where it had none, or one turn, or not all slots."""
    n_block = (64, 32) if is_turned else (32, 64)
    types = {"a": described(rows, 32), "b": described(*n_block), "c": described(rows, 64)}
    types |= dict.fromkeys("MNK", "i32")
    constants = {"BM": rows, "BN": 64, "BK": 32, "IS_TURNED": is_turned}
    kernel = compiled(_persistent, types, constants, tmp_path, warps)
    assert COPIES in kernel.llvm
    assert kernel.threads == 32 * (warps + 1)
    for order, (m, n, k) in enumerate([(150, 130, 96), (150, 200, 130), (1, 17, 5), (130, 129, 0)]):
        a = matrix(m, max(k, 1), torch.float16)
        b = matrix(*((n, max(k, 1)) if is_turned else (max(k, 1), n)), torch.float16)
        want = (a.double() @ (b.T if is_turned else b).double()).half() * (k > 0)
        for programs in (1, 2, 20):
            c = matrix(m, n, torch.float16)
            emulate.launch(kernel, [*flat([a, b, c]), m, n, k], (programs,), order)
            assert torch.equal(c, want)
