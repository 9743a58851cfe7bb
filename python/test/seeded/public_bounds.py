"""Accesses outside of tensors that users have reported, each made anew from its thread."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from seeded.seed import Seed, sparse

OUT = "out-of-bounds"


@triton.jit
def turn_over(x, y, rows, columns, CHECKED: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    j = tl.program_id(1) * B + tl.arange(0, B)
    inside = (i[:, None] < rows) & (j[None, :] < columns)
    checked = inside | (not CHECKED)
    v = tl.load(x + i[:, None] * columns + j[None, :], mask=checked, other=0.0)  # BUG 106
    tl.store(y + j[None, :] * rows + i[:, None], v, mask=inside)


def _turn_over(checked: bool) -> None:
    """Sizes that no block divides: COAT#19."""
    turn_over[(2, 2)](torch.ones(24, 20), torch.zeros(20, 24), 24, 20, CHECKED=checked, B=16)


@triton.jit
def read_sizes_before(sizes, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    before = tl.load(sizes + i - 1, mask=i < n, other=0)  # BUG 107
    start = tl.where(i == 0, 0, before)
    tl.store(out + i, tl.load(sizes + i, mask=i < n, other=0) - start, mask=i < n)


@triton.jit
def read_sizes_behind(sizes, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    start = tl.load(sizes + i - 1, mask=(i > 0) & (i < n), other=0)
    tl.store(out + i, tl.load(sizes + i, mask=i < n, other=0) - start, mask=i < n)


def _sizes(kernel: object) -> None:
    """A select reads both sides: vllm-ascend#16275."""
    sizes = torch.tensor([2, 5, 9], dtype=torch.int32)
    kernel[(1,)](sizes, torch.zeros_like(sizes), 3, B=4)


@triton.jit
def largest_of_blocks(x, largest, n, blocks, MASKED: tl.constexpr, SIZE: tl.constexpr):
    block = tl.program_id(0) * 8 + tl.arange(0, 8)
    i = block[:, None] * SIZE + tl.arange(0, SIZE)[None, :]
    v = tl.max(tl.abs(tl.load(x + i, mask=i < n, other=0.0)), 1)
    tl.store(largest + block, v, mask=(block < blocks) | (not MASKED))  # BUG 108


def _largest(masked: bool) -> None:
    """A grid in groups of blocks, a result per block: bitsandbytes#2042."""
    largest_of_blocks[(2,)](torch.ones(160), torch.zeros(10), 160, 10, MASKED=masked, SIZE=16)


@triton.jit
def scale_rows(x, scales, y, n, MASKED: tl.constexpr, B: tl.constexpr, GROUP: tl.constexpr):
    i = tl.arange(0, B)
    group = tl.arange(0, B // GROUP)
    s = tl.load(scales + group, mask=(group * GROUP < n) | (not MASKED), other=0.0)  # BUG 109
    v = tl.load(x + i, mask=i < n, other=0.0)
    v = tl.reshape(v, (B // GROUP, GROUP)) * s[:, None]
    tl.store(y + i, tl.reshape(v, (B,)), mask=i < n)


def _scale_rows(masked: bool) -> None:
    """Values are masked at the end of K, their scales are not: vllm#47303."""
    x, y = torch.ones(40), torch.zeros(40)
    scale_rows[(1,)](x, torch.ones(5), y, 40, MASKED=masked, B=64, GROUP=8)


@triton.jit
def store_at(x, v):
    tl.store(x + v, v)  # BUG 110


def _store_at(size: int) -> None:
    """One number, three elements behind a buffer of one: triton#11738."""
    store_at[(1,)](torch.zeros(size, dtype=torch.int32), 3)


@triton.jit
def pick_drafts(chances, drafts, out, n, VOCABULARY: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    token = tl.load(drafts + i, mask=i < n, other=0)
    p = tl.load(chances + i * VOCABULARY + token, mask=i < n, other=0.0)  # BUG 111
    tl.store(out + i, p, mask=i < n)


def _drafts(padding: int) -> None:
    """Places without a token hold -1, which is an index: vllm-ascend#8531."""
    drafts = torch.tensor([padding, 2, 1], dtype=torch.int32)
    pick_drafts[(1,)](torch.ones(3, 4), drafts, torch.zeros(3), 3, VOCABULARY=4, B=4)


@triton.jit
def tile_product(a, b, c, K, ROWS: tl.constexpr, B: tl.constexpr):
    i, j, k = tl.arange(0, ROWS), tl.arange(0, B), tl.arange(0, B)
    total = tl.zeros((ROWS, B), tl.float32)
    for first in range(0, K, B):
        left = tl.load(a + i[:, None] * K + (first + k)[None, :])  # BUG 112
        total += tl.dot(left, tl.load(b + (first + k)[:, None] * B + j[None, :]))
    tl.store(c + i[:, None] * B + j[None, :], total, mask=i[:, None] < 16)


def _tile_product(rows: int) -> None:
    """A tile that an autotuner picked has more rows than the matrix: triton-viz#158."""
    a, b = torch.ones(16, 32), torch.ones(32, 16)
    tile_product[(1,)](a, b, torch.zeros(16, 16), 32, ROWS=rows, B=16)


@triton.jit
def fill_metadata(metadata, n, MASKED: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(metadata + i, -1, mask=(i < n) | (not MASKED))  # BUG 113


def _fill(masked: bool) -> None:
    """Metadata is filled in whole blocks: triton#9026."""
    fill_metadata[(3,)](torch.zeros(70, dtype=torch.int32), 70, MASKED=masked, B=32)


@triton.jit
def read_mask(mask, out, stride, B: tl.constexpr):
    i = tl.arange(0, B)
    batch = tl.program_id(0) * stride  # BUG 114
    tl.store(out + tl.program_id(0) * B + i, tl.load(mask + batch + i))  # BUG 114


def _read_mask(batches: int) -> None:
    """The stride of a batch of masks, 2^21 elements, times the batch: triton#6346."""
    read_mask[(batches,)](sparse(batches << 21), torch.zeros(batches * 8), 1 << 21, B=8)


@triton.jit
def read_queries(starts, q, out, stride, B: tl.constexpr):
    i = tl.arange(0, B)
    first = tl.load(starts + tl.program_id(0)) * stride  # BUG 115
    tl.store(out + tl.program_id(0) * B + i, tl.load(q + first + i))  # BUG 115


def _read_queries(last: int) -> None:
    """Where a sequence begins, an i32 in memory, times the size of a token: sglang#20389."""
    starts = torch.tensor([0, last], dtype=torch.int32)
    read_queries[(2,)](starts, sparse((last + 1) * 8192), torch.zeros(16), 8192, B=8)


@triton.jit
def attend_to_page(keys, out, length, MASKED: tl.constexpr, PAGE: tl.constexpr):
    i = tl.arange(0, PAGE)
    k = tl.load(keys + i, mask=(i < length) | (not MASKED), other=0.0)  # BUG 116
    tl.store(out, tl.sum(tl.where(i < length, k, 0.0)))


def _attend(masked: bool) -> None:
    """The rest of the last page of a cache is read before it is masked: vllm#47305."""
    keys = torch.empty(16)
    produce_keys[(1,)](keys, 10, B=16)
    attend_to_page[(1,)](keys, torch.zeros(1), 10, MASKED=masked, PAGE=16)


@triton.jit
def produce_keys(keys, length, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(keys + i, 1.0, mask=i < length)


SEEDS = [
    Seed(106, OUT, "coat 19", lambda: _turn_over(False), lambda: _turn_over(True), "x"),
    Seed(
        107,
        OUT,
        "vllm-ascend 16275",
        lambda: _sizes(read_sizes_before),
        lambda: _sizes(read_sizes_behind),
        "sizes",
    ),
    Seed(108, OUT, "bitsandbytes 2042", lambda: _largest(False), lambda: _largest(True), "largest"),
    Seed(109, OUT, "vllm 47303", lambda: _scale_rows(False), lambda: _scale_rows(True), "scales"),
    Seed(110, OUT, "triton 11738", lambda: _store_at(1), lambda: _store_at(4), "x"),
    Seed(111, OUT, "vllm-ascend 8531", lambda: _drafts(-1), lambda: _drafts(0), "chances"),
    Seed(112, OUT, "triton-viz 158", lambda: _tile_product(32), lambda: _tile_product(16), "a"),
    Seed(113, OUT, "triton 9026", lambda: _fill(False), lambda: _fill(True), "metadata"),
    Seed(
        114,
        "wrapped-address",
        "triton 6346",
        lambda: _read_mask(1025),
        lambda: _read_mask(3),
        "mask",
        follows=OUT,
    ),
    Seed(
        115,
        "wrapped-address",
        "sglang 20389",
        lambda: _read_queries(262144),
        lambda: _read_queries(3),
        "q",
        follows=OUT,
    ),
    Seed(116, "never-written", "vllm 47305", lambda: _attend(False), lambda: _attend(True), "keys"),
]
