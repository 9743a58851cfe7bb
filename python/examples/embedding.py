"""Embedding: rows of a table, chosen by loaded indices."""

from __future__ import annotations

from collections.abc import Iterator

import torch
import triton
import triton.language as tl

from .case import DTYPES, Case, Expected, random


@triton.jit
def embedding_kernel(index_ptr, table_ptr, out_ptr, n, width,
                     ROWS: tl.constexpr, COLUMNS: tl.constexpr):  # fmt: skip
    """out[i] = table[index[i]] for `ROWS` indices and `COLUMNS` columns."""
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    columns = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    index = tl.load(index_ptr + rows, mask=rows < n, other=0)
    inside = (rows[:, None] < n) & (columns[None, :] < width)
    values = tl.load(table_ptr + index[:, None] * width + columns[None, :], mask=inside)
    tl.store(out_ptr + rows[:, None] * width + columns[None, :], values, mask=inside)


def embedding(index: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
    """table[index]."""
    n, width = index.numel(), table.shape[1]
    out = torch.empty((n, width), dtype=table.dtype)
    grid = (triton.cdiv(n, 8), triton.cdiv(width, 32))
    embedding_kernel[grid](index, table, out, n, width, ROWS=8, COLUMNS=32)
    return out


def cases() -> Iterator[Case]:
    """Indices in i32 and i64, repeated; ragged both ways."""
    for name in ("f32", "f16", "bf16"):
        for n, width, index in ((1, 1, "i64"), (30, 70, "i64"), (100, 129, "i32")):
            yield _case(name, n, width, index)


def _case(name: str, n: int, width: int, index_name: str) -> Case:
    table = random(50, width, dtype=DTYPES[name])
    generator = torch.Generator().manual_seed(n)
    index = torch.randint(0, 50, (n,), generator=generator, dtype=DTYPES[index_name])

    def expected() -> tuple[Expected]:
        value = table.double()[index.long()]
        return ((value, torch.zeros_like(value)),)

    shape = f"{n}x{width}:{index_name}"
    return Case("embedding", name, shape, lambda: (embedding(index, table),), expected)
