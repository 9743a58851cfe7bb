"""What is timed: problems, their inputs, their configurations, and what is right."""

from __future__ import annotations

import torch
import triton

from . import kernels, tensors
from .attentions import all_attentions, small_attentions
from .problem import Config, Problem, Tensors
from .products import all_products, small_products
from .tensors import NAMES, empty, integers, rand


def _warps(block: int) -> tuple[Config, ...]:
    return tuple({"BLOCK": block, "num_warps": w} for w in (1, 2, 4, 8, 16, 32) if 32 * w <= block)


def _add(log: int) -> Problem:
    n = 1 << log
    blocks = [(b, w) for b in (512, 1024, 2048, 4096) for w in (4, 8)]
    return Problem(
        f"add f32 2^{log}",
        lambda g: (rand(g, n), rand(g, n), torch.empty(n, device=tensors.DEVICE)),
        lambda t, c: kernels.add[(triton.cdiv(n, c["BLOCK"]),)](*t, n, **c),
        tuple({"BLOCK": block, "num_warps": warps} for block, warps in blocks),
        lambda t: torch.add(t[0], t[1], out=t[2]),
        lambda t: t[0].double() + t[1].double(),
        1e-6,
        moved=12 * n,
    )


ROWS = 4096
_EXACT = {torch.float32: 2e-6, torch.float16: 2e-3}


def _softmax(dtype: torch.dtype, columns: int) -> Problem:
    block = triton.next_power_of_2(columns)
    return Problem(
        f"softmax {NAMES[dtype]} {ROWS}x{columns}",
        lambda g: (rand(g, ROWS, columns, dtype=dtype), empty(ROWS, columns, dtype)),
        lambda t, c: kernels.softmax[(ROWS,)](*t, columns, **c),
        _warps(block),
        lambda t: torch.softmax(t[0], dim=1, out=t[1]),
        lambda t: torch.softmax(t[0].double(), dim=1),
        _EXACT[dtype],
        moved=2 * ROWS * columns * dtype.itemsize,
    )


def _layer_norm(dtype: torch.dtype, columns: int) -> Problem:
    def inputs(g: torch.Generator) -> Tensors:
        x = rand(g, ROWS, columns, dtype=dtype)
        weight, bias = rand(g, columns, dtype=dtype), rand(g, columns, dtype=dtype)
        return x, weight, bias, torch.empty_like(x)

    normed = torch.nn.functional.layer_norm
    return Problem(
        f"layer norm {NAMES[dtype]} {ROWS}x{columns}",
        inputs,
        lambda t, c: kernels.layer_norm[(ROWS,)](*t, columns, 1e-5, **c),
        _warps(triton.next_power_of_2(columns)),
        lambda t: normed(t[0], (columns,), t[1], t[2], 1e-5),
        lambda t: normed(t[0].double(), (columns,), t[1].double(), t[2].double(), 1e-5),
        _EXACT[dtype],
        moved=(2 * ROWS + 2) * columns * dtype.itemsize,
    )


def _rms_norm(dtype: torch.dtype, columns: int) -> Problem:
    def inputs(g: torch.Generator) -> Tensors:
        x = rand(g, ROWS, columns, dtype=dtype)
        return x, rand(g, columns, dtype=dtype), torch.empty_like(x)

    normed = torch.nn.functional.rms_norm
    return Problem(
        f"rms norm {NAMES[dtype]} {ROWS}x{columns}",
        inputs,
        lambda t, c: kernels.rms_norm[(ROWS,)](*t, columns, 1e-5, **c),
        _warps(triton.next_power_of_2(columns)),
        lambda t: normed(t[0], (columns,), t[1], 1e-5),
        lambda t: normed(t[0].double(), (columns,), t[1].double(), 1e-5),
        _EXACT[dtype],
        moved=(2 * ROWS + 1) * columns * dtype.itemsize,
    )


def _gather(rows: int, width: int, table: int) -> Problem:
    half = torch.float16

    def inputs(g: torch.Generator) -> Tensors:
        index = integers(g, 0, table, rows, dtype=torch.int32)
        return index, rand(g, table, width, dtype=half), empty(rows, width, half)

    return Problem(
        f"gather rows f16 {rows}x{width}",
        inputs,
        lambda t, c: kernels.gather_rows[(rows,)](*t, width, **c),
        _warps(triton.next_power_of_2(width)),
        lambda t: torch.index_select(t[1], 0, t[0], out=t[2]),
        lambda t: t[1][t[0].long()].double(),
        0.0,
        moved=2 * rows * width * 2,
    )


def _cumsum(columns: int) -> Problem:
    return Problem(
        f"cumsum f32 {ROWS}x{columns}",
        lambda g: (rand(g, ROWS, columns), empty(ROWS, columns, torch.float32)),
        lambda t, c: kernels.cumsum[(ROWS,)](*t, columns, **c),
        _warps(triton.next_power_of_2(columns)),
        lambda t: torch.cumsum(t[0], dim=1, out=t[1]),
        lambda t: torch.cumsum(t[0].double(), dim=1),
        1e-5,
        moved=2 * ROWS * columns * 4,
    )


def _histogram(log: int, bins: int) -> Problem:
    n = 1 << log
    blocks = [(b, w) for b in (512, 1024, 2048) for w in (4, 8)]

    def inputs(g: torch.Generator) -> Tensors:
        x = integers(g, 0, bins, n, dtype=torch.int32)
        return x, torch.zeros(bins, device=tensors.DEVICE, dtype=torch.int32)

    return Problem(
        f"atomic histogram i32 2^{log} into {bins}",
        inputs,
        lambda t, c: kernels.histogram[(triton.cdiv(n, c["BLOCK"]),)](*t, n, **c),
        tuple({"BLOCK": block, "num_warps": warps} for block, warps in blocks),
        None,
        lambda t: torch.bincount(t[0], minlength=bins).double(),
        0.0,
        moved=4 * n,
        adds_up=True,
    )


def _argmax(rows: int, columns: int, by_blocks: bool) -> Problem:
    kernel = kernels.argmax_by_blocks if by_blocks else kernels.argmax
    whole = triton.next_power_of_2(columns)
    blocks = [min(whole, size) for size in (1024, 2048, 4096)] if by_blocks else [whole]
    warps = (2, 4, 8) if by_blocks else (2, 4, 8, 16, 32)

    def expected(t: Tensors) -> torch.Tensor:
        # torch's own picks any of several that are equally large.
        at = torch.arange(columns, device=t[0].device).expand_as(t[0])
        largest = t[0] == t[0].amax(1, keepdim=True)
        return torch.where(largest, at, columns).amin(1).double()

    return Problem(
        f"argmax{' by blocks' if by_blocks else ''} bf16 {rows}x{columns}",
        lambda g: (
            rand(g, rows, columns, dtype=torch.bfloat16),
            torch.empty(rows, dtype=torch.int64, device=tensors.DEVICE),
        ),
        lambda t, c: kernel[(rows,)](*t, columns, **c),
        tuple({"BLOCK": block, "num_warps": w} for block in blocks for w in warps),
        lambda t: torch.argmax(t[0], dim=1, out=t[1]),
        expected,
        0.0,
        moved=rows * (2 * columns + 8),
    )


def _sort(rows: int, columns: int) -> Problem:
    together = [(1, 1), (1, 2), (1, 4), (1, 8), (2, 1), (2, 2), (2, 4), (4, 4), (4, 8)]
    return Problem(
        f"sort f32 {rows}x{columns}",
        lambda g: (rand(g, rows, columns), empty(rows, columns, torch.float32)),
        lambda t, c: kernels.sort[(rows // c["ROWS"],)](*t, COLUMNS=columns, **c),
        tuple({"ROWS": some, "num_warps": warps} for some, warps in together),
        None,
        lambda t: t[0].double().sort(dim=1).values,
        0.0,
        moved=8 * rows * columns,
    )


def _cross_entropy(dtype: torch.dtype, rows: int, columns: int) -> Problem:
    def inputs(g: torch.Generator) -> Tensors:
        target = integers(g, 0, columns, rows, dtype=torch.int64)
        logits = rand(g, rows, columns, dtype=dtype)
        return logits, target, torch.empty(rows, device=tensors.DEVICE)

    losses = torch.nn.functional.cross_entropy

    def expected(t: Tensors) -> torch.Tensor:
        # Some rows at a time: all logits in f64 would take many gigabytes.
        parts = zip(t[0].split(256), t[1].split(256), strict=True)
        return torch.cat([losses(x.double(), y, reduction="none") for x, y in parts])

    sizes = [(2048, 4), (4096, 4), (4096, 8), (8192, 8), (8192, 16), (16384, 16), (32768, 32)]
    return Problem(
        f"cross entropy {NAMES[dtype]} {rows}x{columns}",
        inputs,
        lambda t, c: kernels.cross_entropy[(rows,)](*t, columns, **c),
        tuple({"BLOCK": block, "num_warps": warps} for block, warps in sizes),
        lambda t: t[2].copy_(losses(t[0], t[1], reduction="none")),
        expected,
        2e-6,
        moved=rows * columns * dtype.itemsize,
    )


def _philox(seed: int, count: int) -> torch.Tensor:
    """The first word of Philox 4x32-10 for counters up to `count`: i64, without a sign."""
    word = 0xFFFFFFFF
    zero = torch.zeros(count, dtype=torch.int64, device=tensors.DEVICE)
    counter = [torch.arange(count, device=tensors.DEVICE), zero, zero, zero]
    low, high = seed & word, seed >> 32
    for _ in range(10):
        a, b = counter[0] * 0xD2511F53, counter[2] * 0xCD9E8D57
        counter = [
            (b >> 32) & word ^ counter[1] ^ low, b & word,
            (a >> 32) & word ^ counter[3] ^ high, a & word,
        ]  # fmt: skip
        low, high = (low + 0x9E3779B9) & word, (high + 0xBB67AE85) & word
    return counter[0]


def _dropout(dtype: torch.dtype, log: int) -> Problem:
    n, p, seed = 1 << log, 0.25, 12345

    def expected(t: Tensors) -> torch.Tensor:
        bits = _philox(seed, n)
        # As many numbers below zero as above: those of i32.
        bits = torch.where(bits >= 1 << 31, (1 << 32) - 1 - bits, bits)
        # As Triton rounds them: a number near p may lie on either side.
        return torch.where(bits.float() * 4.6566127342e-10 > p, t[0].double() / (1 - p), 0.0)

    blocks = [(b, w) for b in (512, 1024, 2048, 4096) for w in (4, 8)]
    return Problem(
        f"dropout {NAMES[dtype]} 2^{log}",
        lambda g: (rand(g, n, dtype=dtype), torch.empty(n, dtype=dtype, device=tensors.DEVICE)),
        lambda t, c: kernels.dropout[(triton.cdiv(n, c["BLOCK"]),)](*t, n, p, seed, **c),
        tuple({"BLOCK": block, "num_warps": warps} for block, warps in blocks),
        None,
        expected,
        _EXACT[dtype],
        moved=2 * n * dtype.itemsize,
    )


def all_problems() -> list[Problem]:
    """The rows of the table, in its order."""
    # The last ones are of rows that begin at no multiple of 16 bytes.
    widths = (256, 512, 1024, 2048, 4096, 8192, 16384, 781, 4095)
    types = (torch.float32, torch.float16)
    rows = [
        make(dtype, width)
        for make in (_softmax, _layer_norm, _rms_norm)
        for dtype in types
        for width in widths
    ]
    others = [*all_products(), *all_attentions(), _gather(1 << 16, 1024, 1 << 18), _cumsum(4096)]
    others += [_argmax(8192, 8192, by_blocks) for by_blocks in (False, True)]
    others += [_sort(1 << 16, 512)]
    others += [_cross_entropy(dtype, 4096, 1 << 17) for dtype in (torch.float32, torch.bfloat16)]
    others += [_dropout(dtype, 26) for dtype in types]
    return [*map(_add, (20, 22, 24, 26, 28)), *rows, *others, _histogram(24, 1 << 16)]


def small_problems() -> list[Problem]:
    """One of each kind, for a look at the kernels themselves where there is no GPU."""
    half = torch.float16
    rows = [_softmax(half, 200), _layer_norm(torch.float32, 200), _rms_norm(half, 256)]
    others = [
        *small_products(),
        *small_attentions(),
        _gather(64, 100, 300),
    ]
    others.append(_cumsum(100))
    others += [_argmax(5, 200, False), _argmax(5, 3000, True), _sort(4, 64)]
    others += [_cross_entropy(torch.bfloat16, 3, 5000), _dropout(half, 12)]
    return [_add(12), *rows, *others, _histogram(12, 64)]


QUICK = ("add f32 2^24", "softmax f32 4096x1024", "rms norm f16 4096x4096", "matmul f16 4096")
