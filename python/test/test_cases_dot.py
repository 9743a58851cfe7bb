"""Products of blocks: every type, shape and precision, against NumPy.

Elements are small whole numbers unless a test is about rounding, so that sums are exact in any
order and results can be compared bit by bit.
"""

from __future__ import annotations

import itertools
from typing import Any

import cpu_facts
import ml_dtypes  # noqa: F401 - NumPy learns of the small floats
import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from triton_shared import knobs
from values import FLOATS, SMALL_FLOATS, given, numpy_dtype, room

WIDE = {"int8": "int32", "float64": "float64"}
"""What a product of a type is made of, where it is not f32."""


def sample(dtype: str, *shape: int, low: int = -3, high: int = 3) -> np.ndarray:
    rng = np.random.default_rng(sum(shape))
    return rng.integers(low, high + 1, shape).astype(numpy_dtype(dtype))


def exact(x: np.ndarray) -> np.ndarray:
    return x.astype(np.float64)


def assert_equal(got: np.ndarray, want: np.ndarray) -> None:
    np.testing.assert_array_equal(exact(got).reshape(want.shape), want)


@triton.jit
def multiply(
    a_ptr, b_ptr, c_ptr, row_a, column_a, row_b, column_b,
    M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
    PRECISION: tl.constexpr, OUT: tl.constexpr, WITH: tl.constexpr,
):  # fmt: skip
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * row_a + k[None, :] * column_a)
    b = tl.load(b_ptr + k[:, None] * row_b + n[None, :] * column_b)
    at = m[:, None] * N + n[None, :]
    if WITH == "accumulator":
        c = tl.dot(a, b, tl.load(c_ptr + at), input_precision=PRECISION, out_dtype=OUT)
    else:
        c = tl.dot(a, b, input_precision=PRECISION, out_dtype=OUT)
    tl.store(c_ptr + at, c)


def product(
    dtype: str, a: np.ndarray, b: np.ndarray,
    flip_a: bool = False, flip_b: bool = False, precision: str | None = None,
    out: str | None = None, start: np.ndarray | None = None, **options: Any,
) -> np.ndarray:  # fmt: skip
    """The product of `a` and `b`, which lie in memory column by column if `flip_a`, `flip_b`."""
    (m, k), n = a.shape, b.shape[1]
    out = out or WIDE.get(dtype, "float32")
    if start is None:
        argument, read = room(m * n, out)
    else:
        argument = given(start.reshape(-1), out)
        read = argument.numpy
    multiply[(1,)](
        given((a.T if flip_a else a).reshape(-1), dtype),
        given((b.T if flip_b else b).reshape(-1), dtype),
        argument, *((1, m) if flip_a else (k, 1)), *((1, k) if flip_b else (n, 1)),
        M=m, N=n, K=k, PRECISION=precision, OUT=getattr(tl, out),
        WITH="nothing" if start is None else "accumulator", **options,
    )  # fmt: skip
    return read().reshape(m, n)


#
# Types and shapes
#


@pytest.mark.parametrize("dtype", ["int8", *FLOATS, *SMALL_FLOATS])
def test_every_type(dtype: str):
    a, b = sample(dtype, 16, 32), sample(dtype, 32, 8)
    assert_equal(product(dtype, a, b), exact(a) @ exact(b))


@pytest.mark.parametrize("dtype", ["float16", "float8e5", "float8e4nv"])
def test_result_in_half_precision(dtype: str):
    a, b = sample(dtype, 16, 32), sample(dtype, 32, 8)
    got = product(dtype, a, b, out="float16")
    assert got.dtype == np.float16
    assert_equal(got, exact(a) @ exact(b))


SMALL_SHAPES = [
    (1, 1, 1), (1, 1, 16), (1, 16, 1), (16, 1, 1), (2, 2, 2), (1, 64, 64), (64, 2, 64),
    (64, 64, 4), (2, 4, 32), (8, 8, 8), (4, 32, 16), (32, 4, 2),
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32"])
@pytest.mark.parametrize(("m", "n", "k"), SMALL_SHAPES)
def test_small_shapes(dtype: str, m: int, n: int, k: int):
    a, b = sample(dtype, m, k), sample(dtype, k, n)
    assert_equal(product(dtype, a, b), exact(a) @ exact(b))


@pytest.mark.parametrize(
    ("dtype", "flip_a", "flip_b"),
    list(itertools.product(["int8", "bfloat16", "float32"], [False, True], [False, True])),
)
def test_operands_that_lie_column_by_column(dtype: str, flip_a: bool, flip_b: bool):
    a, b = sample(dtype, 16, 32), sample(dtype, 32, 64)
    assert_equal(product(dtype, a, b, flip_a, flip_b), exact(a) @ exact(b))


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("shape", "dtype", "flip_a", "flip_b"),
    list(
        itertools.product(
            [*SMALL_SHAPES, (128, 256, 32), (128, 16, 32), (64, 128, 128), (32, 32, 128)],
            ["int8", *FLOATS, *SMALL_FLOATS],
            [False, True],
            [False, True],
        )
    ),
)
def test_every_product(shape: tuple[int, int, int], dtype: str, flip_a: bool, flip_b: bool):
    m, n, k = shape
    a, b = sample(dtype, m, k), sample(dtype, k, n)
    assert_equal(product(dtype, a, b, flip_a, flip_b, num_warps=8), exact(a) @ exact(b))


@triton.jit
def multiply_kinds(a_ptr, b_ptr, c_ptr, N: tl.constexpr, IMPRECISE: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    a, b = tl.load(a_ptr + at), tl.load(b_ptr + at)
    tl.store(c_ptr + at, tl.dot(a, b, max_num_imprecise_acc=IMPRECISE))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        pair if "float8e5" in pair else pytest.param(*pair, marks=pytest.mark.nightly)
        for pair in itertools.product([*SMALL_FLOATS, "float8e4b15"], repeat=2)
    ],
)
def test_small_floats_of_two_kinds(left: str, right: str):
    x, y = sample("float32", 16, 16), sample("float32", 16, 16)[::-1]

    def encode(values: np.ndarray, kind: str) -> Any:
        if kind != "float8e4b15":
            return given(values.astype(numpy_dtype(kind)).reshape(-1), kind)
        # Four bits of exponent with a bias of 15: 2^(e - 15) * (1 + m / 8).
        mantissa, exponent = np.frexp(np.abs(values))
        code = (exponent - 1 + 15) * 8 + (mantissa * 16 - 8)
        code = np.where(values == 0, 0, code) + np.where(values < 0, 128, 0)
        bytes_ = torch.from_numpy(code.astype(np.uint8).reshape(-1))
        return triton.reinterpret(bytes_, tl.float8e4b15)

    # Its largest number is 1.75.
    if "float8e4b15" in (left, right):
        x, y = np.sign(x) / 2, np.sign(y)
    argument, read = room(256, "float32")
    multiply_kinds[(1,)](encode(x, left), encode(y, right), argument, N=16, IMPRECISE=None)
    assert_equal(read(), exact(x) @ exact(y))


@pytest.mark.parametrize("imprecise", [0, 8, 16])
def test_sums_are_as_exact_as_can_be(imprecise: int):
    x = sample("float8e5", 16, 16)
    argument, read = room(256, "float32")
    code = given(x.reshape(-1), "float8e5")
    multiply_kinds[(1,)](code, code, argument, N=16, IMPRECISE=imprecise)
    assert_equal(read(), exact(x) @ exact(x))


#
# Accumulators
#


@pytest.mark.parametrize(
    ("dtype", "out"),
    [("int8", "int32"), ("float16", "float16"), ("float16", "float32"), ("bfloat16", "float32"),
     ("float32", "float32"), ("float64", "float64"), ("float8e4nv", "float32")],
)  # fmt: skip
def test_accumulator_is_added(dtype: str, out: str):
    a, b = sample(dtype, 16, 32), sample(dtype, 32, 8)
    start = sample(out, 16, 8, low=-99, high=99)
    want = exact(start) + exact(a) @ exact(b)
    assert_equal(product(dtype, a, b, out=out, start=start), want)


@pytest.mark.parametrize(("low", "want"), [(-128, 2**14 * 256), (127, 127**2 * 256)])
def test_integers_at_their_limits(low: int, want: int):
    a, b = np.full((2, 256), low, np.int8), np.full((256, 2), low, np.int8)
    assert product("int8", a, b).tolist() == [[want] * 2] * 2


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_sums_of_small_floats_do_not_stall(dtype: str):
    a = np.ones((2, 8192), numpy_dtype(dtype))
    assert product(dtype, a, a.T).tolist() == [[8192.0] * 2] * 2


def test_half_accumulator_is_rounded_once():
    a, b = np.full((1, 4096), 1, np.float16), np.full((4096, 1), 1, np.float16)
    start = np.full((1, 1), 2048, np.float16)
    assert product("float16", a, b, out="float16", start=start).tolist() == [[6144.0]]


def test_infinities_and_nan_go_through():
    a = np.array([[np.inf, 0, 1, 1], [np.nan, 1, 1, 1], [np.inf, -np.inf, 0, 0], [0, 0, 0, 0]])
    a = a.astype(np.float32)
    b = np.ones((4, 4), np.float32)
    b[0, 1] = 0
    with np.errstate(invalid="ignore"):
        want = np.array([[sum(x * y for x, y in zip(r, c, strict=True)) for c in b.T] for r in a])
    np.testing.assert_array_equal(product("float32", a, b), want)


@triton.jit
def multiply_long(
    a_ptr, b_ptr, c_ptr, k_total,
    M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, KIND: tl.constexpr,
):  # fmt: skip
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    sums = tl.zeros((M, N), KIND)
    for start in range(0, k_total, K):
        at = start + k
        a = tl.load(a_ptr + m[:, None] * k_total + at[None, :], mask=at[None, :] < k_total, other=0)
        b = tl.load(b_ptr + at[:, None] * N + n[None, :], mask=at[:, None] < k_total, other=0)
        sums = tl.dot(a, b, sums, out_dtype=KIND)
    tl.store(c_ptr + m[:, None] * N + n[None, :], sums)


@pytest.mark.parametrize(
    ("dtype", "kind"),
    [("int8", "int32"), ("float16", "float16"), ("bfloat16", "float32"), ("float64", "float64")],
)
def test_long_sums_block_by_block(dtype: str, kind: str):
    a, b = sample(dtype, 16, 50), sample(dtype, 50, 8)
    argument, read = room(128, kind)
    multiply_long[(1,)](
        given(a.reshape(-1), dtype), given(b.reshape(-1), dtype), argument, 50,
        M=16, N=8, K=16, KIND=getattr(tl, kind),
    )  # fmt: skip
    assert_equal(read(), exact(a) @ exact(b))


#
# Precision
#


def tf32(x: np.ndarray) -> np.ndarray:
    """Ten bits of mantissa, ties to even."""
    bits = x.view(np.uint32)
    return ((bits + 0xFFF + ((bits >> 13) & 1)) & np.uint32(0xFFFFE000)).view(np.float32)


def in_order(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Summed up from the first element to the last in f32.

    Each step is rounded twice in reference mode, once in fast mode where the CPU can.
    """
    fused = knobs.mode() == "fast" and cpu_facts.multiplies_and_adds()
    sums = np.zeros((a.shape[0], b.shape[1]), np.float32)
    for k in range(a.shape[1]):
        if not fused:
            sums += a[:, k, None] * b[None, k]
        else:
            sums = (a[:, k, None].astype("f8") * b[None, k] + sums).astype("f4")
    return sums


@pytest.mark.parametrize("precision", [None, "ieee", "tf32", "tf32x3", "bf16x3", "bf16x6"])
def test_input_precision(precision: str | None):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(8, 32)).astype("f4"), rng.normal(size=(32, 16)).astype("f4")
    rounded = (tf32(a), tf32(b)) if precision == "tf32" else (a, b)
    np.testing.assert_array_equal(product("float32", a, b, precision=precision), in_order(*rounded))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float8e5", "int8", "float64"])
def test_precision_is_about_floats_of_32_bits(dtype: str):
    a, b = sample(dtype, 16, 16), sample(dtype, 16, 16)
    assert_equal(product(dtype, a, b, precision="tf32"), exact(a) @ exact(b))


@triton.jit
def multiply_allowing(a_ptr, b_ptr, c_ptr, N: tl.constexpr, ALLOW: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(c_ptr + at, tl.dot(tl.load(a_ptr + at), tl.load(b_ptr + at), allow_tf32=ALLOW))


@pytest.mark.parametrize("allow", [False, True])
def test_what_is_allowed_need_not_be_used(allow: bool):
    a, b = np.random.default_rng(0).normal(size=(2, 16, 16)).astype("f4")
    argument, read = room(256, "float32")
    multiply_allowing[(1,)](
        given(a.reshape(-1), "float32"), given(b.reshape(-1), "float32"), argument,
        N=16, ALLOW=allow,
    )  # fmt: skip
    np.testing.assert_array_equal(read().reshape(16, 16), in_order(a, b))


#
# Batches
#


@triton.jit
def multiply_batch(
    a_ptr, b_ptr, c_ptr,
    B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
    OUT: tl.constexpr, TRANSPOSED: tl.constexpr,
):  # fmt: skip
    batch = tl.arange(0, B)[:, None, None]
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + batch * M * K + m[None, :, None] * K + k[None, None, :])
    if TRANSPOSED:
        b = tl.load(b_ptr + batch * N * K + n[None, :, None] * K + k[None, None, :])
        b = tl.permute(b, (0, 2, 1))
    else:
        b = tl.load(b_ptr + batch * N * K + k[None, :, None] * N + n[None, None, :])
    at = batch * M * N + m[None, :, None] * N + n[None, None, :]
    tl.store(c_ptr + at, tl.dot(a, b, out_dtype=OUT))


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("shape", [(1, 16, 16, 16), (2, 8, 4, 16), (4, 1, 32, 8), (8, 32, 2, 1)])
@pytest.mark.parametrize(
    ("dtype", "out"),
    [("int8", "int32"), ("float16", "float16"), ("float16", "float32"), ("float32", "float32")],
)
def test_batches(dtype: str, out: str, shape: tuple[int, int, int, int], transposed: bool):
    batch, m, n, k = shape
    a, b = sample(dtype, batch, m, k), sample(dtype, batch, k, n)
    stored = b.transpose(0, 2, 1) if transposed else b
    argument, read = room(batch * m * n, out)
    multiply_batch[(1,)](
        given(a.reshape(-1), dtype), given(stored.reshape(-1), dtype), argument,
        B=batch, M=m, N=n, K=k, OUT=getattr(tl, out), TRANSPOSED=transposed,
    )  # fmt: skip
    assert_equal(read(), exact(a) @ exact(b))


#
# What comes before and after
#


@triton.jit
def multiply_then(
    a_ptr, b_ptr, w_ptr, c_ptr, row_c, column_c,
    N: tl.constexpr, THEN: tl.constexpr, OUT: tl.constexpr,
):  # fmt: skip
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    a, b, w = tl.load(a_ptr + i * N + j), tl.load(b_ptr + i * N + j), tl.load(w_ptr + i * N + j)
    c = tl.dot(a, b, out_dtype=OUT)
    if THEN == "add":
        c += w
    elif THEN == "add rows":
        c += tl.load(w_ptr + tl.arange(0, N) * N)[:, None]
    elif THEN == "add columns":
        c += tl.load(w_ptr + tl.arange(0, N))[None, :]
    elif THEN == "normalise":
        c = c - tl.max(c, 1)[:, None]
        weight = tl.exp(c.to(tl.float32)).to(c.dtype)
        c = weight / tl.sum(weight, 1)[:, None]
    elif THEN == "multiply":
        c = tl.dot(c.to(w.dtype), w, out_dtype=OUT)
    elif THEN == "transpose":
        c = tl.trans(c)
    tl.store(c_ptr + i * row_c + j * column_c, c)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize(
    "then", ["add", "add rows", "add columns", "normalise", "multiply", "transpose", "columns"]
)
def test_what_follows(then: str, dtype: str):
    a, b, w = (
        sample(dtype, 16, 16)[order] for order in (slice(None), slice(None, None, -1), [3] * 16)
    )
    kind = "float16" if dtype == "float16" and then != "normalise" else "float32"
    argument, read = room(256, kind)
    strides = (1, 16) if then == "columns" else (16, 1)
    multiply_then[(1,)](
        *(given(np.ascontiguousarray(x).reshape(-1), dtype) for x in (a, b, w)),
        argument, *strides, N=16, THEN=then, OUT=getattr(tl, kind),
    )  # fmt: skip
    want = exact(a) @ exact(b)
    if then == "normalise":
        weight = np.exp(want - want.max(1, keepdims=True))
        np.testing.assert_allclose(
            read().reshape(16, 16), weight / weight.sum(1, keepdims=True), rtol=1e-6
        )
        return
    want = {
        "add": want + exact(w), "add rows": want + exact(w[:, :1]),
        "add columns": want + exact(w[:1]), "multiply": want @ exact(w),
        "transpose": want.T, "columns": want.T,
    }[then]  # fmt: skip
    assert_equal(read(), want)


@triton.jit
def multiply_constants(c_ptr, N: tl.constexpr, KIND: tl.constexpr):
    ones = tl.full((N, N), 1.0, KIND)
    ramp = (tl.arange(0, N)[:, None] + tl.arange(0, N)[None, :]).to(KIND)
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(c_ptr + at, tl.dot(ones, ramp))


@pytest.mark.parametrize("kind", ["float16", "float32"])
def test_operands_that_were_never_in_memory(kind: str):
    c = torch.zeros(16, 16)
    multiply_constants[(1,)](c, N=16, KIND=getattr(tl, kind))
    want = torch.arange(16) * 16 + torch.arange(16).sum()
    assert torch.equal(c, want.float().expand(16, 16))


@triton.jit
def multiply_joined(x_ptr, z_ptr):
    x = tl.load(x_ptr + 8 * tl.arange(0, 16)[:, None] + tl.arange(0, 8)[None, :])
    pair = tl.reshape(tl.join(x, 2 * x), (16, 16))
    tl.store(z_ptr + 16 * tl.arange(0, 16)[:, None] + tl.arange(0, 16)[None, :], tl.dot(pair, pair))


def test_operands_that_were_joined():
    x, z = torch.randint(-4, 5, (16, 8)).float(), torch.zeros(16, 16)
    multiply_joined[(1,)](x, z)
    pair = torch.stack([x, 2 * x], -1).reshape(16, 16)
    assert torch.equal(z, pair @ pair)


@triton.jit
def multiply_packed(
    x_ptr, w_ptr, scale_ptr, zero_ptr, out_ptr, k_total,
    M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    sums = tl.zeros((M, N), tl.float32)
    for start in range(0, k_total, K):
        at = start + k
        x = tl.load(x_ptr + m[:, None] * k_total + at[None, :])
        packed = tl.load(w_ptr + (at // 8)[:, None] * N + n[None, :])
        code = (packed >> ((at % 8) * 4)[:, None]) & 0xF
        group = start // GROUP
        scale = tl.load(scale_ptr + group * N + n)
        zero = (tl.load(zero_ptr + group * (N // 8) + n // 8) >> ((n % 8) * 4)) & 0xF
        w = ((code - zero[None, :]) * scale[None, :]).to(tl.float16)
        sums = tl.dot(x, w, sums)
    tl.store(out_ptr + m[:, None] * N + n[None, :], sums)


def pack(codes: torch.Tensor) -> torch.Tensor:
    """Eight numbers of four bits in each i32, along the last dimension."""
    shifts = torch.arange(8) * 4
    return (codes.reshape(*codes.shape[:-1], -1, 8) << shifts).sum(-1).to(torch.int32)


def test_weights_of_four_bits():
    m, n, k, group = 8, 16, 64, 32
    x = torch.randint(-3, 4, (m, k)).half()
    codes, zeros = torch.randint(0, 16, (k, n)), torch.randint(0, 16, (k // group, n))
    scale = torch.tensor([0.5, 1.0, 2.0])[torch.randint(0, 3, (k // group, n))].half()
    out = torch.zeros(m, n)
    packed = pack(codes.T).T.contiguous()
    multiply_packed[(1,)](x, packed, scale, pack(zeros), out, k, M=m, N=n, K=16, GROUP=group)
    groups = torch.arange(k) // group
    want = x.double() @ ((codes - zeros[groups]) * scale[groups]).double()
    assert torch.equal(out.double(), want)
