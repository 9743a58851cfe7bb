"""Numbers of every type, the ones that go wrong first, and how to compare them bit by bit.

A value is held as a Python integer or as a NumPy float; a buffer is a torch tensor of the same
bits, viewed as whatever type Triton should see.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np
import torch
import triton
import triton.language as tl

SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTEGERS = SIGNED + UNSIGNED
FLOATS = ("float16", "bfloat16", "float32", "float64")
NUMBERS = INTEGERS + FLOATS
SMALL_FLOATS = ("float8e4nv", "float8e5", "float8e4b8", "float8e5b16")

_NUMPY = {
    "bool": np.dtype(np.bool_),
    "int1": np.dtype(np.bool_),
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
    "float8e4nv": np.dtype(ml_dtypes.float8_e4m3fn),
    "float8e5": np.dtype(ml_dtypes.float8_e5m2),
    "float8e4b8": np.dtype(ml_dtypes.float8_e4m3fnuz),
    "float8e5b16": np.dtype(ml_dtypes.float8_e5m2fnuz),
}


def numpy_dtype(name: str) -> np.dtype:
    """The NumPy type of Triton's type `name`."""
    return _NUMPY.get(name) or np.dtype(name)


def width(name: str) -> int:
    """In bits; a boolean counts as the byte it takes."""
    return numpy_dtype(name).itemsize * 8


def is_integer(name: str) -> bool:
    return name in INTEGERS


def wrap(number: int, name: str) -> int:
    """`number` modulo two to the width, in the range of the integer type `name`."""
    bits = width(name)
    number &= (1 << bits) - 1
    return number - (1 << bits) if name in SIGNED and number >> (bits - 1) else number


def integers(name: str, seed: int = 0) -> np.ndarray:
    """Sixteen integers: small ones, the ends of the range, its middle, and some in between."""
    least, most = (0, 2 ** width(name) - 1)
    if name in SIGNED:
        least, most = -(2 ** (width(name) - 1)), 2 ** (width(name) - 1) - 1
    middle = (least + most + 1) // 2
    fixed = [0, 1, 2, 3, 7, 100, least, least + 1, most, most - 1, middle - 1, middle + 1]
    rng = np.random.default_rng(seed)
    rest = rng.integers(least, most, 4, dtype=numpy_dtype(name), endpoint=True)
    return np.array(fixed + [int(v) for v in rest], dtype=numpy_dtype(name))


def floats(name: str, seed: int = 0) -> np.ndarray:
    """Sixteen floats: zeros, infinities, NaN, the ends of the normal and subnormal range."""
    dtype = numpy_dtype(name)
    info = ml_dtypes.finfo(dtype)
    rng = np.random.default_rng(seed)
    fixed = [0.0, -0.0, 1.0, -1.0, 1.5, -2.5, 3.0, np.inf, -np.inf, np.nan]
    ends = [info.max, -info.max.astype(dtype), info.tiny, info.smallest_subnormal]
    rest = rng.normal(size=2) * 10
    with np.errstate(over="ignore"):
        return np.concatenate([np.array(v, dtype=dtype).reshape(-1) for v in (fixed, ends, rest)])


def numbers(name: str, seed: int = 0) -> np.ndarray:
    if name in ("bool", "int1"):
        return np.array([False, True] * 8)
    return integers(name, seed) if is_integer(name) else floats(name, seed)


def pairs(left: str, right: str) -> tuple[np.ndarray, np.ndarray]:
    """256 pairs: each of `left`'s numbers with each of `right`'s."""
    return np.repeat(numbers(left, 1), 16), np.tile(numbers(right, 2), 16)


def buffer(values: np.ndarray) -> torch.Tensor:
    """The same bits as a torch tensor, of the integer type where torch has no such float."""
    values = np.ascontiguousarray(values)
    kind = {ml_dtypes.bfloat16: torch.bfloat16}.get(values.dtype.type)
    if kind is not None:
        return torch.from_numpy(values.view(np.int16).copy()).view(kind)
    if values.dtype.itemsize == 1 and values.dtype.kind not in "biu":
        return torch.from_numpy(values.view(np.uint8).copy())
    return torch.from_numpy(values.copy())


def given(values: np.ndarray, name: str):
    """`values` as an argument of type `*name`."""
    made = buffer(values)
    return triton.reinterpret(made, getattr(tl, name)) if name.startswith("float8") else made


def room(size: int, name: str):
    """A buffer for `size` results: the argument, and a function that reads it."""
    filler = np.full(size * width(name) // 8, 0xA5, dtype=np.uint8)
    if name in ("bool", "int1"):
        filler[:] = 0
    made = buffer(filler.view(numpy_dtype(name)))
    argument = triton.reinterpret(made, getattr(tl, name)) if name.startswith("float8") else made
    return argument, lambda: as_numpy(made, name)


def as_numpy(tensor: torch.Tensor, name: str) -> np.ndarray:
    """The elements of `tensor`, whose bits are of Triton's type `name`."""
    if tensor.dtype is torch.bfloat16:
        tensor = tensor.view(torch.int16)
    return tensor.numpy().view(numpy_dtype(name))


def bits(values: np.ndarray) -> np.ndarray:
    """The patterns of bits, with one pattern for all NaNs."""
    patterns = np.ascontiguousarray(values).view(f"u{values.dtype.itemsize}").copy()
    if values.dtype.kind not in "biu":
        with np.errstate(invalid="ignore"):
            patterns[np.isnan(values)] = np.iinfo(patterns.dtype).max
    return patterns


def assert_same(actual: np.ndarray, expected: np.ndarray, *inputs: np.ndarray, what: str = ""):
    """Equal bit by bit, all NaNs being one; says which inputs gave the first difference."""
    assert actual.dtype == expected.dtype, f"{what}: {actual.dtype}, not {expected.dtype}"
    wrong = np.flatnonzero(bits(actual) != bits(expected))
    if wrong.size:
        at = int(wrong[0])
        operands = ", ".join(repr(values[at]) for values in inputs)
        raise AssertionError(
            f"{what}({operands}) = {actual[at]!r}, not {expected[at]!r}; "
            f"{wrong.size} of {actual.size} differ"
        )
