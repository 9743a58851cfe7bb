"""Products of blocks in microscaling formats, against NumPy.

Elements are all the finite numbers of their format and scales are near 1, so that the sums of a
product are exact in f32 and can be compared bit by bit.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import ml_dtypes
import numpy as np
import pytest
import torch
import triton
import triton.language as tl

TRITON = tuple(int(part) for part in triton.__version__.split(".")[:2])

FORMATS = {
    "e2m1": np.dtype(ml_dtypes.float4_e2m1fn),
    "e4m3": np.dtype(ml_dtypes.float8_e4m3fn),
    "e5m2": np.dtype(ml_dtypes.float8_e5m2),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "fp16": np.dtype(np.float16),
}
TORCH = {
    "e2m1": torch.uint8, "e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2,
    "bf16": torch.bfloat16, "fp16": torch.float16,
}  # fmt: skip


@dataclass(frozen=True)
class Operand:
    """One side of a product: its format, whether it has scales, and where two share a byte."""

    format: str
    scaled: bool = True
    packed_along_k: bool = True

    @property
    def halves(self) -> int:
        return 2 if self.format == "e2m1" else 1


def sample(format: str, *shape: int) -> np.ndarray:
    """Numbers of the format, not too large."""
    rng = np.random.default_rng(sum(shape) + len(format))
    if format == "e2m1":
        values = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
        values = np.concatenate([values, -values])
    else:
        values = np.arange(-8, 9) / 4
    return rng.choice(values, shape).astype(FORMATS[format])


def in_memory(x: np.ndarray, format: str, dim: int, as_bytes: bool = False) -> torch.Tensor:
    """The elements, in case of e2m1 two in a byte along `dim`, the first one in the low bits."""
    if format == "e2m1":
        codes = np.moveaxis(x.view(np.uint8), dim, -1)
        packed = codes[..., ::2] | codes[..., 1::2] << 4
        return torch.from_numpy(np.ascontiguousarray(np.moveaxis(packed, -1, dim)))
    bits = torch.from_numpy(x.view(f"i{x.dtype.itemsize}").copy())
    if as_bytes:
        return bits.view(torch.uint8 if x.dtype.itemsize == 1 else torch.uint16)
    return bits.view(TORCH[format])


def spread(scale: np.ndarray, size: int) -> np.ndarray:
    """The factor of each element of a row: 2^(s - 127)."""
    return np.repeat(2.0 ** (scale.astype(np.float64) - 127), size // scale.shape[-1], -1)


@triton.jit
def multiply(
    a_ptr, a_scale_ptr, b_ptr, b_scale_ptr, c_ptr,
    M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, GROUP: tl.constexpr,
    A: tl.constexpr, B: tl.constexpr,
    A_ROWS: tl.constexpr, A_COLUMNS: tl.constexpr, B_ROWS: tl.constexpr, B_COLUMNS: tl.constexpr,
    A_ALONG_K: tl.constexpr, B_ALONG_K: tl.constexpr,
    FAST: tl.constexpr, ACCUMULATE: tl.constexpr,
):  # fmt: skip
    a = tl.load(
        a_ptr + tl.arange(0, A_ROWS)[:, None] * A_COLUMNS + tl.arange(0, A_COLUMNS)[None, :]
    )
    b = tl.load(
        b_ptr + tl.arange(0, B_ROWS)[:, None] * B_COLUMNS + tl.arange(0, B_COLUMNS)[None, :]
    )
    m, n, group = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K // GROUP)
    a_scale = None
    if a_scale_ptr is not None:
        a_scale = tl.load(a_scale_ptr + m[:, None] * (K // GROUP) + group[None, :])
    b_scale = None
    if b_scale_ptr is not None:
        b_scale = tl.load(b_scale_ptr + n[:, None] * (K // GROUP) + group[None, :])
    at = m[:, None] * N + n[None, :]
    if ACCUMULATE:
        c = tl.dot_scaled(
            a, a_scale, A, b, b_scale, B, acc=tl.load(c_ptr + at),
            fast_math=FAST, lhs_k_pack=A_ALONG_K, rhs_k_pack=B_ALONG_K,
        )  # fmt: skip
    else:
        c = tl.dot_scaled(
            a, a_scale, A, b, b_scale, B,
            fast_math=FAST, lhs_k_pack=A_ALONG_K, rhs_k_pack=B_ALONG_K,
        )  # fmt: skip
    tl.store(c_ptr + at, c)


def check(
    left: Operand, right: Operand, m: int = 16, n: int = 16, k: int = 64,
    group: int = 32, fast: bool = False, accumulate: bool = False, as_bytes: bool = False,
) -> None:  # fmt: skip
    rng = np.random.default_rng(m + n + k)
    a, b = sample(left.format, m, k), sample(right.format, k, n)
    a_scale, b_scale = (rng.integers(124, 131, (size, k // group), np.uint8) for size in (m, n))
    a_memory = in_memory(a, left.format, 1 if left.packed_along_k else 0, as_bytes)
    b_memory = in_memory(b, right.format, 0 if right.packed_along_k else 1, as_bytes)
    start = torch.randint(-99, 99, (m, n)).float() if accumulate else torch.zeros(m, n)
    c = start.clone()
    multiply[(1,)](
        a_memory, torch.from_numpy(a_scale) if left.scaled else None,
        b_memory, torch.from_numpy(b_scale) if right.scaled else None, c,
        M=m, N=n, K=k, GROUP=group, A=left.format, B=right.format,
        A_ROWS=a_memory.shape[0], A_COLUMNS=a_memory.shape[1],
        B_ROWS=b_memory.shape[0], B_COLUMNS=b_memory.shape[1],
        A_ALONG_K=left.packed_along_k, B_ALONG_K=right.packed_along_k,
        FAST=fast, ACCUMULATE=accumulate,
    )  # fmt: skip
    want_a, want_b = a.astype(np.float64), b.astype(np.float64)
    if left.scaled:
        want_a = want_a * spread(a_scale, k)
    if right.scaled:
        want_b = want_b * spread(b_scale, k).T
    np.testing.assert_array_equal(c.double().numpy(), start.double().numpy() + want_a @ want_b)


#
# Formats
#


@pytest.mark.parametrize(("left", "right"), list(itertools.product(FORMATS, repeat=2)))
def test_every_pair_of_formats(left: str, right: str):
    check(
        Operand(left, scaled=left not in ("bf16", "fp16")),
        Operand(right, scaled=right not in ("bf16", "fp16")),
    )


@pytest.mark.parametrize(
    ("left", "right"), list(itertools.product([False, True], repeat=2)), ids=str
)
@pytest.mark.parametrize("pair", [("e4m3", "e5m2"), ("e2m1", "e4m3"), ("bf16", "fp16")])
def test_scales_on_either_side(pair: tuple[str, str], left: bool, right: bool):
    check(Operand(pair[0], left), Operand(pair[1], right))


@pytest.mark.parametrize(("left", "right"), list(itertools.product([False, True], repeat=2)))
def test_two_elements_of_a_byte_along_either_dimension(left: bool, right: bool):
    check(Operand("e2m1", packed_along_k=left), Operand("e2m1", packed_along_k=right))
    check(Operand("e2m1", packed_along_k=left), Operand("bf16", scaled=False))
    check(Operand("e5m2"), Operand("e2m1", packed_along_k=right))


@pytest.mark.parametrize("format", ["e4m3", "e5m2", "bf16", "fp16"])
def test_floats_given_as_bytes(format: str):
    check(Operand(format), Operand(format, scaled=False), as_bytes=True)


@pytest.mark.nightly
@pytest.mark.parametrize(("left", "right"), list(itertools.product(FORMATS, repeat=2)))
@pytest.mark.parametrize("shape", [(16, 16, 32), (32, 64, 128), (128, 32, 64), (1, 2, 32)])
@pytest.mark.parametrize(("scaled_a", "scaled_b"), list(itertools.product([False, True], repeat=2)))
def test_every_scaled_product(
    left: str, right: str, shape: tuple[int, int, int], scaled_a: bool, scaled_b: bool
):
    m, n, k = shape
    check(Operand(left, scaled_a), Operand(right, scaled_b), m, n, k)


#
# Options and shapes
#


@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize("fast", [False, True])
def test_accumulator_and_fast_math(fast: bool, accumulate: bool):
    check(Operand("e4m3"), Operand("e2m1"), fast=fast, accumulate=accumulate)


@pytest.mark.parametrize(
    ("m", "n", "k"), [(1, 1, 32), (1, 64, 64), (32, 2, 128), (128, 32, 32), (2, 4, 256)]
)
def test_every_shape(m: int, n: int, k: int):
    check(Operand("e2m1"), Operand("e5m2"), m, n, k)


@pytest.mark.parametrize(
    ("left", "right", "m", "n", "k"),
    [("e4m3", "e4m3", 128, 128, 64), ("e4m3", "fp16", 64, 128, 128)],
)
@pytest.mark.parametrize("scales_on", ["left", "right"])
def test_large_tiles_with_scales_on_one_side(
    left: str, right: str, m: int, n: int, k: int, scales_on: str
):
    scaled = Operand(left, scaled=True), Operand(right, scaled=False)
    check(*(scaled if scales_on == "left" else scaled[::-1]), m, n, k)


@pytest.mark.skipif(TRITON < (3, 9), reason="Triton 3.6 has groups of 16 for scales of e4m3 alone")
def test_groups_of_sixteen():
    check(Operand("e2m1"), Operand("e2m1"), group=16)


@triton.jit
def multiply_e4m3_scales(a_ptr, a_scale_ptr, b_ptr, c_ptr):
    m, n, k = tl.arange(0, 16), tl.arange(0, 16), tl.arange(0, 32)
    a = tl.load(a_ptr + m[:, None] * 32 + k[None, :])
    b = tl.load(b_ptr + tl.arange(0, 64)[:, None] * 16 + n[None, :])
    scale = tl.load(a_scale_ptr + m[:, None] * 4 + tl.arange(0, 4)[None, :])
    c = tl.dot_scaled(a, scale, "e2m1", b, None, "bf16")
    tl.store(c_ptr + m[:, None] * 16 + n[None, :], c)


def test_scales_that_are_floats():
    a, b, c = sample("e2m1", 16, 64), sample("bf16", 64, 16), torch.zeros(16, 16)
    scale = np.random.default_rng(0).choice([0.25, 0.5, 1.0, 1.5, 3.0], (16, 4))
    multiply_e4m3_scales[(1,)](
        in_memory(a, "e2m1", 1), torch.from_numpy(scale).to(torch.float8_e4m3fn),
        in_memory(b, "bf16", 0), c,
    )  # fmt: skip
    want = (a.astype(np.float64) * np.repeat(scale, 16, 1)) @ b.astype(np.float64)
    np.testing.assert_array_equal(c.double().numpy(), want)


@triton.jit
def multiply_batch(a_ptr, a_scale_ptr, b_ptr, c_ptr, B: tl.constexpr):
    batch = tl.arange(0, B)[:, None, None]
    m, n, k, group = tl.arange(0, 16), tl.arange(0, 8), tl.arange(0, 64), tl.arange(0, 2)
    a = tl.load(a_ptr + batch * 1024 + m[None, :, None] * 64 + k[None, None, :])
    scale = tl.load(a_scale_ptr + batch * 32 + m[None, :, None] * 2 + group[None, None, :])
    b = tl.load(b_ptr + batch * 256 + tl.arange(0, 32)[None, :, None] * 8 + n[None, None, :])
    c = tl.dot_scaled(a, scale, "e5m2", b, None, "e2m1")
    tl.store(c_ptr + batch * 128 + m[None, :, None] * 8 + n[None, None, :], c)


@pytest.mark.skipif(TRITON < (3, 9), reason="Triton 3.6 has no scales of three dimensions")
def test_batches():
    a, b, c = sample("e5m2", 2, 16, 64), sample("e2m1", 2, 64, 8), torch.zeros(2, 16, 8)
    scale = np.random.default_rng(0).integers(124, 131, (2, 16, 2), np.uint8)
    multiply_batch[(1,)](
        in_memory(a, "e5m2", 2), torch.from_numpy(scale), in_memory(b, "e2m1", 1), c,
        B=2,
    )  # fmt: skip
    want = (a.astype(np.float64) * spread(scale, 64)) @ b.astype(np.float64)
    np.testing.assert_array_equal(c.double().numpy(), want)


#
# Numbers at the ends
#


@triton.jit
def show(a_ptr, a_scale_ptr, c_ptr, FORMAT: tl.constexpr, K: tl.constexpr):
    m, k = tl.arange(0, 16), tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    scale = tl.load(a_scale_ptr + m[:, None] + tl.arange(0, 1)[None, :])
    i, j = tl.arange(0, 32)[:, None], tl.arange(0, 32)[None, :]
    one = (i == j).to(tl.bfloat16)
    c = tl.dot_scaled(a, scale, FORMAT, one, None, "bf16")
    tl.store(c_ptr + m[:, None] * 32 + tl.arange(0, 32)[None, :], c)


def shown(codes: np.ndarray, format: str, scale: np.ndarray) -> np.ndarray:
    c = torch.zeros(16, 32)
    k = 16 if format == "e2m1" else 32
    memory = torch.from_numpy(codes.astype(np.uint8)).reshape(16, k)
    show[(1,)](memory, torch.from_numpy(scale.astype(np.uint8)), c, FORMAT=format, K=k)
    return c.numpy()


@pytest.mark.parametrize("format", ["e4m3", "e5m2"])
def test_every_finite_number(format: str):
    codes = np.arange(256).astype(np.uint8)
    values = codes.view(FORMATS[format]).astype(np.float32)
    codes, values = (
        np.where(np.isfinite(values), codes, 0),
        np.nan_to_num(values, posinf=0, neginf=0),
    )
    values = np.where(codes == 0, 0, values)
    got = shown(np.concatenate([codes, codes]), format, np.full(16, 127))
    np.testing.assert_array_equal(got.reshape(2, 256), np.stack([values, values]))


def test_every_number_of_four_bits():
    low, high = np.meshgrid(np.arange(16), np.arange(16))
    values = np.arange(16).astype(np.uint8).view(FORMATS["e2m1"]).astype(np.float32)
    got = shown(low | high << 4, "e2m1", np.full(16, 127))
    np.testing.assert_array_equal(got, np.stack([values[low], values[high]], -1).reshape(16, 32))


def test_every_scale():
    """Code 255 is NaN; the smallest scale is a subnormal f32."""
    for first in range(0, 256, 16):
        scale = np.arange(first, first + 16)
        codes = np.zeros((16, 32))
        codes[:, 0] = 0x38  # 1 in e4m3
        got = shown(codes, "e4m3", scale)[:, 0]
        want = np.where(scale == 255, np.nan, np.ldexp(1.0, scale - 127)).astype(np.float32)
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize(("format", "code"), [("e4m3", 0x7F), ("e5m2", 0x7E), ("e5m2", 0x7C)])
def test_nan_and_infinity_go_through(format: str, code: int):
    codes = np.zeros((16, 32))
    codes[3, 5] = code
    got = shown(codes, format, np.full(16, 127))
    rows = np.arange(16)
    assert np.isnan(got[3]).all() or np.isinf(got[3, 5])
    assert not np.isnan(got[rows != 3]).any()
