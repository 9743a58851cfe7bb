"""The kernels whose speed is compared: one source for both compilers."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    """out = x + y."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    """A row per program."""
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    v = tl.load(x + row * columns + at, mask=inside, other=-float("inf")).to(tl.float32)
    p = tl.exp(v - tl.max(v, axis=0))
    p = p / tl.sum(p, axis=0)
    tl.store(out + row * columns + at, p.to(out.dtype.element_ty), mask=inside)


@triton.jit
def layer_norm(x, weight, bias, out, columns, eps, BLOCK: tl.constexpr):
    """A row per program."""
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    v = tl.load(x + row * columns + at, mask=inside, other=0.0).to(tl.float32)
    mean = tl.sum(v, axis=0) / columns
    centred = tl.where(inside, v - mean, 0.0)
    variance = tl.sum(centred * centred, axis=0) / columns
    scale = 1.0 / tl.sqrt(variance + eps)
    w = tl.load(weight + at, mask=inside, other=0.0).to(tl.float32)
    b = tl.load(bias + at, mask=inside, other=0.0).to(tl.float32)
    y = centred * scale * w + b
    tl.store(out + row * columns + at, y.to(out.dtype.element_ty), mask=inside)


@triton.jit
def rms_norm(x, weight, out, columns, eps, BLOCK: tl.constexpr):
    """A row per program."""
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    v = tl.load(x + row * columns + at, mask=inside, other=0.0).to(tl.float32)
    scale = 1.0 / tl.sqrt(tl.sum(v * v, axis=0) / columns + eps)
    w = tl.load(weight + at, mask=inside, other=0.0).to(tl.float32)
    tl.store(out + row * columns + at, (v * scale * w).to(out.dtype.element_ty), mask=inside)


@triton.constexpr_function
def _type_of_sums(dtype):
    return {tl.int8: tl.int32, tl.float64: tl.float64}.get(dtype, tl.float32)


@triton.jit
def matmul(
    a, b, c, M, N, K, a_row, a_column, b_row, b_column,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PRECISION: tl.constexpr = "tf32",
):  # fmt: skip
    """c = a @ b, c row-major; programs go down eight tiles before the next column."""
    SUMS: tl.constexpr = _type_of_sums(a.dtype.element_ty)
    pid = tl.program_id(0)
    tiles_m, tiles_n = tl.cdiv(M, BM), tl.cdiv(N, BN)
    group = pid // (8 * tiles_n)
    height = min(tiles_m - group * 8, 8)
    tile_m = group * 8 + (pid % (8 * tiles_n)) % height
    tile_n = (pid % (8 * tiles_n)) // height
    rows = (tile_m * BM + tl.arange(0, BM)) % M
    columns = (tile_n * BN + tl.arange(0, BN)) % N
    ks = tl.arange(0, BK)
    a_at = a + rows[:, None] * a_row + ks[None, :] * a_column
    b_at = b + ks[:, None] * b_row + columns[None, :] * b_column
    total = tl.zeros((BM, BN), dtype=SUMS)
    for k in range(0, tl.cdiv(K, BK)):
        left = tl.load(a_at, mask=ks[None, :] < K - k * BK, other=0.0)
        right = tl.load(b_at, mask=ks[:, None] < K - k * BK, other=0.0)
        total = tl.dot(left, right, total, input_precision=PRECISION, out_dtype=SUMS)
        a_at += BK * a_column
        b_at += BK * b_row
    rows = tile_m * BM + tl.arange(0, BM)
    columns = tile_n * BN + tl.arange(0, BN)
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    c_at = c + rows[:, None] * N + columns[None, :]
    tl.store(c_at, total.to(c.dtype.element_ty), mask=inside)


@triton.jit
def gather_rows(index, table, out, width, BLOCK: tl.constexpr):
    """out[i] = table[index[i]], a row per program."""
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < width
    source = tl.load(index + row).to(tl.int64)
    tl.store(out + row * width + at, tl.load(table + source * width + at, mask=inside), mask=inside)


@triton.jit
def cumsum(x, out, columns, BLOCK: tl.constexpr):
    """Running sums along a row, a row per program."""
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    v = tl.load(x + row * columns + at, mask=inside, other=0.0)
    tl.store(out + row * columns + at, tl.cumsum(v, axis=0), mask=inside)


@triton.jit
def histogram(x, counts, n, BLOCK: tl.constexpr):
    """counts[v] += 1 for each value, by atomic additions."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.atomic_add(counts + tl.load(x + at, mask=inside, other=0), 1, mask=inside)


@triton.jit
def argmax(x, out, columns, BLOCK: tl.constexpr):
    """Where the largest of a row is, a row per program."""
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + at, mask=at < columns, other=-float("inf"))
    tl.store(out + row, tl.argmax(v, axis=0))


@triton.jit
def argmax_by_blocks(x, out, columns, BLOCK: tl.constexpr):
    """Where the largest of a row is, a block of the row at a time."""
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    top, place = -float("inf"), 0
    for start in range(0, columns, BLOCK):
        inside = start + at < columns
        v = tl.load(x + row * columns + start + at, mask=inside, other=-float("inf"))
        largest, index = tl.max(v.to(tl.float32), axis=0, return_indices=True)
        place = tl.where(largest > top, start + index, place)
        top = tl.maximum(top, largest)
    tl.store(out + row, place)


@triton.jit
def sort(x, out, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Rows in ascending order."""
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    at = rows[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    tl.store(out + at, tl.sort(tl.load(x + at)))


@triton.jit
def cross_entropy(x, target, loss, columns, BLOCK: tl.constexpr):
    """log(sum(exp(row))) - row[target], a block of the row at a time."""
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    top, total = -float("inf"), 0.0
    for start in range(0, columns, BLOCK):
        inside = start + at < columns
        v = tl.load(x + row * columns + start + at, mask=inside, other=-float("inf"))
        v = v.to(tl.float32)
        largest = tl.maximum(top, tl.max(v, axis=0))
        total = total * tl.exp(top - largest) + tl.sum(tl.exp(v - largest), axis=0)
        top = largest
    wanted = tl.load(x + row * columns + tl.load(target + row)).to(tl.float32)
    tl.store(loss + row, tl.log(total) + top - wanted)


@triton.jit
def dropout(x, out, n, p, seed, BLOCK: tl.constexpr):
    """Zero with probability p, or scaled, by Philox."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    v = tl.load(x + at, mask=inside)
    kept = tl.rand(seed, at) > p
    tl.store(out + at, tl.where(kept, v / (1 - p), 0.0), mask=inside)
