"""Matrix products that are timed: plain ones, of every type and order. Their other forms are in
product_forms.py."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
import triton

from . import kernels, tensors
from .problem import Config, Problem, Tensors
from .product_forms import LARGE, all_forms, small_forms, tiles
from .tensors import empty, matrix

KINDS = {
    torch.float32: "tf32", torch.int8: "i8", torch.float8_e4m3fn: "fp8",
    torch.bfloat16: "bf16", torch.float16: "f16", torch.float64: "f64",
}  # fmt: skip
_RESULTS = {
    torch.float32: torch.float32, torch.int8: torch.int32, torch.float8_e4m3fn: torch.float16,
}  # fmt: skip
# Without rounding of operands. Sums of f64 take two registers each.
SMALL = tiles(
    (64, 64, 16, 4, 2), (64, 64, 32, 4, 3), (64, 32, 16, 2, 2), (32, 64, 32, 4, 2),
    (128, 64, 16, 4, 2), (128, 64, 32, 8, 3), (64, 128, 32, 8, 2),
)  # fmt: skip
MEDIUM = tiles((64, 128, 16, 4, 3), (128, 128, 16, 8, 2), (128, 128, 32, 8, 3))
# Tensor cores sum products of fp8 in fewer bits than f32 has.
_TOLERANCES = {torch.int8: 0.0, torch.bfloat16: 8e-3, torch.float8_e4m3fn: 2e-2}


def _matmul(dtype: torch.dtype, m: int, n: int, k: int, orders: str = "NN") -> Problem:
    # So many bytes of K as with elements of two: tiles of as many bytes.
    depth = 2 / dtype.itemsize
    many = (*LARGE, *tiles((128, 128, 32, 4, 4), (64, 128, 64, 4, 4), (128, 64, 64, 4, 4)))
    configs = many if dtype.itemsize == 2 else LARGE

    def inputs(g: torch.Generator) -> Tensors:
        a, b = matrix(g, m, k, dtype, orders[0]), matrix(g, k, n, dtype, orders[1])
        one = torch.ones((), device=tensors.DEVICE)
        return a, b, one, empty(m, n, _RESULTS.get(dtype, dtype))

    def launch(t: Tensors, c: Config) -> Any:
        grid = triton.cdiv(m, c["BM"]) * triton.cdiv(n, c["BN"])
        strides = (*t[0].stride(), *t[1].stride())
        return kernels.matmul[(grid,)](t[0], t[1], t[3], m, n, k, *strides, **c)

    def with_torch(t: Tensors) -> torch.Tensor:
        if dtype == torch.float8_e4m3fn:
            return torch._scaled_mm(t[0], t[1], t[2], t[2], out_dtype=t[3].dtype)
        return torch.matmul(t[0], t[1], out=t[3])

    shape = f"{m}" if m == n == k else f"{m}x{n}x{k}"
    return Problem(
        f"matmul {KINDS[dtype]} {shape}" + (f" {orders}" if orders != "NN" else ""),
        inputs,
        launch,
        tuple({**c, "BK": int(c["BK"] * depth)} for c in configs),
        None if dtype == torch.int8 else with_torch,
        lambda t: t[0].double() @ t[1].double(),
        _TOLERANCES.get(dtype, 2e-3),
        flops=2 * m * n * k,
    )


def _exact(dtype: torch.dtype, size: int) -> Problem:
    """Without rounding of operands: on no tensor cores but those of f64."""
    problem = _matmul(dtype, size, size, size)

    def launch(t: Tensors, c: Config) -> Any:
        return problem.launch(t, {**c, "PRECISION": "ieee"})

    return replace(
        problem,
        name=f"matmul f{8 * dtype.itemsize} {size}",
        launch=launch,
        configs=SMALL if dtype == torch.float64 else (*SMALL, *MEDIUM),
        tolerance=1e-5 if dtype == torch.float32 else 1e-12,
    )


def all_products() -> list[Problem]:
    """The rows of the table, in its order."""
    sizes = [(size, size, size) for size in (2048, 4096, 8192)]
    sizes.append((4096, 4096, 11008))
    plain = [
        _matmul(dtype, *mnk, orders)
        for dtype in (torch.float16, torch.bfloat16)
        for orders in ("NN", "NT", "TN")
        for mnk in sizes
    ]
    # Blocks reach beyond the end; strides are no multiples of 16, or not even of 8.
    ragged = [
        _matmul(torch.float16, *mnk, orders)
        for mnk in ((1000, 1000, 1000), (4000, 4000, 4000), (2000, 2008, 2024), (4097, 4097, 4097))
        for orders in ("NN", "NT")
    ]
    # Others than those of 16 bits are read along K.
    along_k = [
        _matmul(dtype, size, size, size, "NT")
        for dtype in (torch.float32, torch.int8, torch.float8_e4m3fn)
        for size in (4096, 8192)
    ]
    exact = [
        _exact(dtype, size) for dtype in (torch.float32, torch.float64) for size in (1024, 2048)
    ]
    return [*plain, *ragged, *along_k, *exact, *all_forms()]


def small_products() -> list[Problem]:
    """One of each kind, for a look at the kernels themselves where there is no GPU."""
    plain = [_matmul(torch.float16, 256, 256, 256), _matmul(torch.float8_e4m3fn, 32, 48, 64, "NT")]
    return [*plain, *small_forms()]
