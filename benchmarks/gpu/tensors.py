"""The tensors that timed problems are made of."""

from __future__ import annotations

import torch

DEVICE = "cuda"
NAMES = {
    torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16",
    torch.float8_e4m3fn: "e4m3", torch.float8_e5m2: "e5m2",
}  # fmt: skip


def rand(g: torch.Generator, *shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Normally distributed numbers."""
    return torch.randn(*shape, generator=g, device=DEVICE).to(dtype)


def integers(
    g: torch.Generator, low: int, high: int, *shape: int, dtype: torch.dtype
) -> torch.Tensor:
    """Random integers, `high` not among them."""
    return torch.randint(low, high, shape, generator=g, device=DEVICE, dtype=dtype)


def empty(rows: int, columns: int, dtype: torch.dtype) -> torch.Tensor:
    """A matrix for results."""
    return torch.empty(rows, columns, dtype=dtype, device=DEVICE)


def matrix(
    g: torch.Generator, rows: int, columns: int, dtype: torch.dtype, order: str = "N"
) -> torch.Tensor:
    """Random numbers; `order` is T for a matrix whose columns lie side by side."""
    sizes = (columns, rows) if order == "T" else (rows, columns)
    if dtype == torch.int8:
        made = integers(g, -128, 128, *sizes, dtype=dtype)
    else:
        made = rand(g, *sizes, dtype=dtype)
    return made.T if order == "T" else made
