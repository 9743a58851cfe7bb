"""Tiles too large for shared memory go from thread to thread in rounds: run by the emulator."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch
import triton
import triton.language as tl
from gpu_kernels import emulated
from triton.backends.compiler import GPUTarget
from triton_shared import emulate

SHARED_BYTES = 101376
"""Of a block on sm_86."""


@triton.jit
def _joined(x, o, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    r, c = tl.arange(0, ROWS)[:, None], tl.arange(0, COLUMNS)[None, :]
    v = tl.load(x + r * COLUMNS + c)
    both = tl.join(v, v * 2)
    at = 2 * (r * COLUMNS + c)
    tl.store(o + at[:, :, None] + tl.arange(0, 2)[None, None, :], both)
    turned = tl.trans(tl.reshape(both, [ROWS, 2 * COLUMNS]))
    back = tl.arange(0, 2 * COLUMNS)[:, None] * ROWS + tl.arange(0, ROWS)[None, :]
    tl.store(o + 2 * ROWS * COLUMNS + back, turned)


@pytest.mark.parametrize(
    ("element", "dtype", "rows", "columns"),
    [
        ("fp32", torch.float32, 256, 128),
        pytest.param("i32", torch.int32, 128, 256, marks=pytest.mark.nightly),
        pytest.param("i16", torch.int16, 256, 256, marks=pytest.mark.nightly),
    ],
)
def test_a_tile_larger_than_shared_memory(
    element: str, dtype: torch.dtype, rows: int, columns: int, tmp_path: Path
):
    constants = {"ROWS": rows, "COLUMNS": columns}
    types = {"x": f"*{element}", "o": f"*{element}", **dict.fromkeys(constants, "constexpr")}
    hints = {(i,): [["tt.divisibility", 16]] for i in range(2)}
    source = triton.compiler.ASTSource(_joined, types, constexprs=constants, attrs=hints)
    compiled = triton.compile(source, target=GPUTarget("shared_cuda", 86, 32))
    assert rows * columns * dtype.itemsize > SHARED_BYTES >= compiled.metadata.shared > 0
    assert re.search(r"cta\.rounds = [1-9]", str(compiled.asm["cta"]))
    kernel = emulated(compiled, tmp_path)
    x = torch.arange(rows * columns).reshape(rows, columns).to(dtype)
    for seed in range(3):
        out = torch.zeros(2, 2 * rows * columns, dtype=dtype)
        emulate.launch(kernel, (x, out), (1,), seed=seed)
        both = torch.stack([x, x * 2], -1).reshape(rows, 2 * columns)
        assert out[0].equal(both.reshape(-1))
        assert out[1].equal(both.T.reshape(-1))
