"""Layer norm, forward and backward: loops over a row in blocks, reductions, partial sums."""

from __future__ import annotations

from collections.abc import Iterator

import torch
import triton
import triton.language as tl

from .case import DTYPES, Case, Expected, random, rounded, roundoff

EPS = 1e-5
_U = roundoff(torch.float32)


@triton.jit
def forward_kernel(
    x_ptr, w_ptr, b_ptr, y_ptr, mean_ptr, rstd_ptr, n, stride, eps, BLOCK: tl.constexpr
):
    """One row: mean, variance about the mean, then the output, each in a pass over the blocks."""
    row = tl.program_id(0)
    x_row = x_ptr + row * stride
    y_row = y_ptr + row * stride
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        total += tl.load(x_row + at, mask=at < n, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / n

    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_row + at, mask=at < n, other=0.0).to(tl.float32)
        centred = tl.where(at < n, x - mean, 0.0)
        squares += centred * centred
    rstd = 1.0 / tl.sqrt(tl.sum(squares, axis=0) / n + eps)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)

    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        inside = at < n
        x = tl.load(x_row + at, mask=inside, other=0.0).to(tl.float32)
        w = tl.load(w_ptr + at, mask=inside).to(tl.float32)
        b = tl.load(b_ptr + at, mask=inside).to(tl.float32)
        y = (x - mean) * rstd * w + b
        tl.store(y_row + at, y.to(y_ptr.dtype.element_ty), mask=inside)


@triton.jit
def backward_kernel(
    dx_ptr, dw_part_ptr, db_part_ptr, dy_ptr, x_ptr, w_ptr, mean_ptr, rstd_ptr,
    rows, n, stride, BLOCK: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    """`ROWS` rows: their dx, and what they add to dw and db, as one row of partial sums."""
    part = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < n
    w = tl.load(w_ptr + at, mask=inside, other=0.0).to(tl.float32)
    dw = tl.zeros([BLOCK], dtype=tl.float32)
    db = tl.zeros([BLOCK], dtype=tl.float32)
    for row in range(part * ROWS, min(part * ROWS + ROWS, rows)):
        x = tl.load(x_ptr + row * stride + at, mask=inside, other=0.0).to(tl.float32)
        dy = tl.load(dy_ptr + row * stride + at, mask=inside, other=0.0).to(tl.float32)
        mean = tl.load(mean_ptr + row)
        rstd = tl.load(rstd_ptr + row)
        normal = tl.where(inside, (x - mean) * rstd, 0.0)
        slope = w * dy
        along = tl.sum(normal * slope, axis=0) / n
        level = tl.sum(slope, axis=0) / n
        dx = (slope - (normal * along + level)) * rstd
        tl.store(dx_ptr + row * stride + at, dx.to(dx_ptr.dtype.element_ty), mask=inside)
        dw += dy * normal
        db += dy
    tl.store(dw_part_ptr + part * n + at, dw, mask=inside)
    tl.store(db_part_ptr + part * n + at, db, mask=inside)


@triton.jit
def sum_parts_kernel(dw_part_ptr, db_part_ptr, dw_ptr, db_ptr, parts, n,
                     BLOCK_P: tl.constexpr, BLOCK_N: tl.constexpr):  # fmt: skip
    """Adds up the partial sums of `BLOCK_N` columns."""
    columns = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    dw = tl.zeros((BLOCK_P, BLOCK_N), dtype=tl.float32)
    db = tl.zeros((BLOCK_P, BLOCK_N), dtype=tl.float32)
    for start in range(0, parts, BLOCK_P):
        rows = start + tl.arange(0, BLOCK_P)
        inside = (rows[:, None] < parts) & (columns[None, :] < n)
        at = rows[:, None] * n + columns[None, :]
        dw += tl.load(dw_part_ptr + at, mask=inside, other=0.0)
        db += tl.load(db_part_ptr + at, mask=inside, other=0.0)
    tl.store(dw_ptr + columns, tl.sum(dw, axis=0), mask=columns < n)
    tl.store(db_ptr + columns, tl.sum(db, axis=0), mask=columns < n)


def forward(
    x: torch.Tensor, w: torch.Tensor, b: torch.Tensor, block: int = 256
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The normalised rows, and the mean and reciprocal deviation of each."""
    rows, n = x.shape
    y = torch.empty_like(x)
    mean = torch.empty(rows, dtype=torch.float32)
    rstd = torch.empty(rows, dtype=torch.float32)
    forward_kernel[(rows,)](x, w, b, y, mean, rstd, n, x.stride(0), EPS, BLOCK=block)
    return y, mean, rstd


def backward(
    dy: torch.Tensor, x: torch.Tensor, w: torch.Tensor, mean: torch.Tensor, rstd: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The gradients of x, w and b; those of w and b in f32."""
    rows, n = x.shape
    per_part = 4
    parts = triton.cdiv(rows, per_part)
    dx = torch.empty_like(x)
    dw_part, db_part = torch.empty(parts, n), torch.empty(parts, n)
    dw, db = torch.empty(n), torch.empty(n)
    backward_kernel[(parts,)](
        dx, dw_part, db_part, dy, x, w, mean, rstd, rows, n, x.stride(0),
        BLOCK=triton.next_power_of_2(n), ROWS=per_part,
    )  # fmt: skip
    sum_parts_kernel[(triton.cdiv(n, 64),)](
        dw_part, db_part, dw, db, parts, n, BLOCK_P=8, BLOCK_N=64
    )
    return dx, dw, db


def cases() -> Iterator[Case]:
    """Rows shorter and longer than a block, neither a power of two."""
    for name in ("f32", "f16", "bf16"):
        for rows, n in ((3, 5), (17, 200), (32, 777)):
            yield _forward_case(name, rows, n)
            yield _backward_case(name, rows, n)


def _inputs(name: str, rows: int, n: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    dtype = DTYPES[name]
    x = random(rows, n, dtype=dtype)
    return x, random(n, dtype=dtype, seed=1), random(n, dtype=dtype, seed=2)


def _normal(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """(x - mean) * rstd in f64, a bound of its error in f32, and rstd."""
    n = x.shape[1]
    mean = x.mean(dim=1, keepdim=True)
    centred = x - mean
    variance = (centred**2).mean(dim=1, keepdim=True)
    rstd = (variance + EPS).rsqrt()
    # A sum of n terms rounds n times at most, each time by u of what it sums.
    off_centre = (n + 4) * _U * x.abs().mean(dim=1, keepdim=True) + _U * centred.abs()
    off_variance = (n + 4) * _U * variance + 2 * (off_centre * centred.abs()).mean(
        dim=1, keepdim=True
    )
    off_rstd = off_variance / (variance + EPS) / 2 + 4 * _U
    normal = centred * rstd
    return normal, off_centre * rstd + normal.abs() * (off_rstd + 2 * _U), rstd


def _forward_case(name: str, rows: int, n: int) -> Case:
    x, w, b = _inputs(name, rows, n)

    def expected() -> tuple[Expected]:
        normal, off, _ = _normal(x.double())
        value = normal * w.double() + b.double()
        bound = (off + 2 * _U * normal.abs()) * w.double().abs() + _U * b.double().abs()
        return ((value, bound + rounded(value, x.dtype)),)

    return Case("layer norm", name, f"{rows}x{n}", lambda: forward(x, w, b)[:1], expected)


def _backward_case(name: str, rows: int, n: int) -> Case:
    x, w, b = _inputs(name, rows, n)
    dy = random(rows, n, dtype=x.dtype, seed=3)

    def run() -> tuple[torch.Tensor, ...]:
        _, mean, rstd = forward(x, w, b)
        return backward(dy, x, w, mean, rstd)

    def expected() -> tuple[Expected, ...]:
        normal, off, rstd = _normal(x.double())
        slope = w.double() * dy.double()

        def mean(t: torch.Tensor) -> torch.Tensor:
            return t.mean(dim=1, keepdim=True)

        dx = (slope - normal * mean(normal * slope) - mean(slope)) * rstd
        sizes = slope.abs() + normal.abs() * mean((normal * slope).abs()) + mean(slope.abs())
        moved = off * mean((normal * slope).abs()) + normal.abs() * mean(off * slope.abs())
        # rstd itself is off by about as much as the largest normalised value.
        relative = (off / normal.abs().clamp_min(0.1)).amax(dim=1, keepdim=True)
        dx_bound = (moved + ((2 * n + 16) * _U + relative) * sizes) * rstd + rounded(dx, x.dtype)
        dw = (dy.double() * normal).sum(dim=0)
        dw_bound = (dy.double().abs() * (off + (rows + 8) * _U * normal.abs())).sum(dim=0)
        db = dy.double().sum(dim=0)
        db_bound = (rows + 8) * _U * dy.double().abs().sum(dim=0)
        return (dx, dx_bound), (dw, dw_bound), (db, db_bound)

    return Case("layer norm backward", name, f"{rows}x{n}", run, expected)
