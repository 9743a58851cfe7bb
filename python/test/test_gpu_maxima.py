"""The largest of scaled elements, computed as the largest element, scaled: in the emulator."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
import torch
import triton
import triton.language as tl
from triton_shared import emulate
from triton_shared.frontend import ast_to_ttir

INF, NAN = float("inf"), float("nan")
SCALES = (0.5, 1e-40, 3e38, INF, 0.0, -0.0, -2.0, -1e-40, -3e38, -INF, NAN)
ELEMENTS = (1.0, -1.0, 0.0, -0.0, 3e38, -3e38, 1e-40, INF, -INF, NAN)
ROWS, COLUMNS = 32, 16


@triton.jit
def _ends(x, largest, smallest, differences, scale, R: tl.constexpr, C: tl.constexpr):
    rows, columns = tl.arange(0, R), tl.arange(0, C)
    at = rows[:, None] * C + columns[None, :]
    of_largest = tl.load(x + at) * scale
    top = tl.max(of_largest, axis=1)
    of_smallest = tl.load(x + R * C + at) * scale
    bottom = tl.min(of_smallest, axis=1)
    tl.store(largest + rows, top)
    tl.store(smallest + rows, bottom)
    tl.store(differences + at, of_largest - top[:, None])


def blocks() -> list[torch.Tensor]:
    """Rows of every three of the elements, filled up with the last of them."""
    rows = [
        [*some, *[some[-1]] * (COLUMNS - len(some))]
        for some in itertools.combinations_with_replacement(ELEMENTS, 3)
    ]
    count = -(-len(rows) // ROWS) * ROWS
    rows += [[float(i) for i in range(COLUMNS)]] * (count - len(rows))
    return list(torch.tensor(rows).reshape(-1, ROWS, COLUMNS))


def end_of(products: torch.Tensor, is_largest: bool) -> torch.Tensor:
    """Along rows; what is no number is neither, unless there is nothing else."""
    away = -INF if is_largest else INF
    numbers = products.masked_fill(products.isnan(), away)
    ends = numbers.amax(1) if is_largest else numbers.amin(1)
    return ends.masked_fill(products.isnan().all(1), NAN)


@pytest.mark.every(2)
@pytest.mark.parametrize("scale", SCALES)
def test_ends_of_products_with_any_number(scale: float, tmp_path: Path):
    types = dict.fromkeys(("x", "largest", "smallest", "differences"), "*fp32") | {"scale": "fp32"}
    constants = {"R": ROWS, "C": COLUMNS}
    kinds = {**types, **dict.fromkeys(constants, "constexpr")}
    ttir = ast_to_ttir(_ends, kinds, constants, [], target="cuda:90a", num_warps=2)
    kernel = emulate.compile_kernel(ttir, 2, tmp_path)
    factor = torch.tensor(scale)
    for block in blocks():
        largest, smallest, differences = (
            torch.zeros(ROWS),
            torch.zeros(ROWS),
            torch.zeros_like(block),
        )
        both = torch.stack([block, block])
        arguments = [both, largest, smallest, differences]
        emulate.launch(kernel, [*arguments, scale], (1,), 0)
        products = block * factor
        torch.testing.assert_close(largest, end_of(products, True), rtol=0, atol=0, equal_nan=True)
        torch.testing.assert_close(
            smallest, end_of(products, False), rtol=0, atol=0, equal_nan=True
        )
        wanted = products - largest[:, None]
        torch.testing.assert_close(differences, wanted, equal_nan=True)
