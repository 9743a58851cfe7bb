"""torchao's float8nocompile: 8-bit floats with one factor for a tensor, in every layout."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torchao_cases import FP8, Run, case, normal, torchao

MODULE = "prototype.float8nocompile.kernels.fp8_dynamic_tensorwise"
SCALES = {
    "ATOMIC_MAX": ("_amax_atomic", "_scale_atomic"),
    "REDUCTION": ("_amax_reduction", "_scale_reduction"),
}
TYPES = (torch.bfloat16, torch.float32)
SHAPES = ((2, 4), (37, 53), (512, 96))


def parts(found: Any) -> list[torch.Tensor]:
    """Data and factors of one tensor of torchao, or of several."""
    tensors = found if isinstance(found, tuple) else (found,)
    return [part for x in tensors for part in (x._data, x._scale)]


def conversion(
    name: str, dtype: torch.dtype, algorithm: str, shape: tuple[int, int], *views: str
) -> tuple[Run, Run]:
    """`views` says what of the eager result each tensor holds."""
    module = torchao(MODULE)
    training = torchao("float8.float8_training_tensor")
    eager = torchao("float8.float8_scaling_utils").hp_tensor_to_float8_dynamic
    x = normal(*shape, dtype=dtype)
    config = training.LinearMMConfig()

    def run() -> list[torch.Tensor]:
        algorithms = module.KernelAlgorithm
        found = getattr(module, name)(x, FP8, config, algo=algorithms[algorithm])
        tensors = found if isinstance(found, tuple) else (found,)
        for tensor, view in zip(tensors, views, strict=True):
            assert tensor._data.stride() == layout(torch.empty(shape), view).stride()
        return parts(found)

    def reference() -> list[torch.Tensor]:
        whole = eager(x, FP8, config)
        return [y for view in views for y in (layout(whole._data, view), whole._scale)]

    return run, reference


def layout(x: torch.Tensor, view: str) -> torch.Tensor:
    """A matrix by rows, by columns, or the same of what it is transposed."""
    if view == "rows":
        return x
    if view == "columns":
        return x.t().contiguous().t()
    return x.t().contiguous() if view == "transposed rows" else x.t()


def all_algorithms(
    kernel: str, shapes: tuple[tuple[int, int], ...] = SHAPES
) -> Callable[[Callable[..., tuple[Run, Run]]], Callable[..., tuple[Run, Run]]]:
    """A case for each way to find the factor."""

    def add(make: Callable[..., tuple[Run, Run]]) -> Callable[..., tuple[Run, Run]]:
        for algorithm, kernels in SCALES.items():
            case(MODULE, kernel, *kernels, dtype=TYPES, algorithm=(algorithm,), shape=shapes)(make)
        return make

    return add


@all_algorithms("_to_fp8_row_major")
def fp8_by_rows(dtype: torch.dtype, algorithm: str, shape: tuple[int, int]) -> tuple[Run, Run]:
    return conversion("hp_to_fp8_row_major", dtype, algorithm, shape, "rows")


# Its mask takes rows for columns: right are squares of whole blocks, and what is in one block.
@all_algorithms("_to_fp8_row_major_t", ((2, 4), (24, 32), (96, 96)))
def fp8_by_rows_transposed(
    dtype: torch.dtype, algorithm: str, shape: tuple[int, int]
) -> tuple[Run, Run]:
    return conversion("hp_to_fp8_row_major_t", dtype, algorithm, shape, "transposed rows")


@all_algorithms("_to_fp8_col_major")
def fp8_by_columns(dtype: torch.dtype, algorithm: str, shape: tuple[int, int]) -> tuple[Run, Run]:
    return conversion("hp_to_fp8_col_major", dtype, algorithm, shape, "columns")


@all_algorithms("_to_fp8_row_major")
def fp8_by_columns_transposed(
    dtype: torch.dtype, algorithm: str, shape: tuple[int, int]
) -> tuple[Run, Run]:
    return conversion("hp_to_fp8_col_major_t", dtype, algorithm, shape, "transposed columns")


@all_algorithms("_to_fp8_row_and_col_major")
def fp8_by_rows_and_columns(
    dtype: torch.dtype, algorithm: str, shape: tuple[int, int]
) -> tuple[Run, Run]:
    return conversion("hp_to_fp8_row_and_col_major", dtype, algorithm, shape, "rows", "columns")


@all_algorithms("_to_fp8_row_major_t_and_non_t")
def fp8_by_rows_and_transposed(
    dtype: torch.dtype, algorithm: str, shape: tuple[int, int]
) -> tuple[Run, Run]:
    views = ("rows", "transposed rows")
    return conversion("hp_to_fp8_row_major_t_and_non_t", dtype, algorithm, shape, *views)


@all_algorithms("_to_fp8_col_major_t_and_non_t")
def fp8_by_columns_and_transposed(
    dtype: torch.dtype, algorithm: str, shape: tuple[int, int]
) -> tuple[Run, Run]:
    views = ("columns", "transposed columns")
    return conversion("hp_to_fp8_col_major_t_and_non_t", dtype, algorithm, shape, *views)
