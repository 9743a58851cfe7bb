"""What torchao does for mixtures of experts: factors by group, and the order of tokens."""

from __future__ import annotations

from typing import Any

import torch
from torchao_cases import REAL_TYPES, SMALL_TYPES, Run, case, normal, torchao

# ---------------------------------------------------------------------------------------------
# Factors by group
# ---------------------------------------------------------------------------------------------

JAGGED = "prototype.moe_training.kernels.jagged_float8_scales"
REFERENCES = "prototype.moe_training.utils"
POWERS = (False, True)


def ends(*numbers: int) -> torch.Tensor:
    return torch.tensor(numbers, dtype=torch.int32)


# Kernels of one matrix store factors for whole blocks of 32: with other sizes, behind the end.
@case(
    JAGGED, "_triton_fp8_per_group_rowwise_scales_kernel",
    dtype=REAL_TYPES, kind=SMALL_TYPES, powers=POWERS,
)  # fmt: skip
def rows_by_group(dtype: torch.dtype, kind: torch.dtype, powers: bool) -> tuple[Run, Run]:
    """Factors alone: numbers are stored with a stride of 1 in both directions, over each other."""
    function = torchao(JAGGED).triton_fp8_per_group_rowwise_scales
    eager = torchao(REFERENCES).torch_to_float8_per_group_rowwise
    x, groups = normal(64, 165, dtype=dtype), ends(17, 100, 165)
    return (
        lambda: function(x, groups, kind, powers)[1],
        lambda: eager(x, groups, kind, powers)[1],
    )


@case(
    JAGGED, "_triton_fp8_per_group_colwise_scales_kernel",
    dtype=REAL_TYPES, kind=SMALL_TYPES, powers=POWERS,
)  # fmt: skip
def columns_by_group(dtype: torch.dtype, kind: torch.dtype, powers: bool) -> tuple[Run, Run]:
    function = torchao(JAGGED).triton_fp8_per_group_colwise_scales
    eager = torchao(REFERENCES).torch_to_float8_per_group_colwise
    x, groups = normal(165, 64, dtype=dtype), ends(17, 100, 165)
    return lambda: function(x, groups, kind, powers), lambda: eager(x, groups, kind, powers)


# It is chosen by the mean of the groups, and leaves rows of those that are longer than 256.
@case(
    JAGGED, "_triton_fp8_per_group_colwise_scales_fused_kernel", dtype=REAL_TYPES, powers=POWERS,
)  # fmt: skip
def columns_by_group_at_once(dtype: torch.dtype, powers: bool) -> tuple[Run, Run]:
    function = torchao(JAGGED).triton_fp8_per_group_colwise_scales
    eager = torchao(REFERENCES).torch_to_float8_per_group_colwise
    x, groups = normal(400, 64, dtype=dtype), ends(160, 400)
    kind = torch.float8_e4m3fn
    return lambda: function(x, groups, kind, powers), lambda: eager(x, groups, kind, powers)


@case(
    JAGGED, "_triton_fp8_per_group_colwise_scales_dual_kernel",
    dtype=REAL_TYPES, powers=POWERS, columns=((64, 32), (33, 70)),
)  # fmt: skip
def columns_of_two_by_group(
    dtype: torch.dtype, powers: bool, columns: tuple[int, int]
) -> tuple[Run, Run]:
    function = torchao(JAGGED).triton_fp8_per_group_colwise_scales_dual
    eager = torchao(REFERENCES).torch_to_float8_per_group_colwise
    x, y = (normal(165, n, dtype=dtype) for n in columns)
    groups, kind = ends(17, 100, 165), torch.float8_e4m3fn
    return (
        lambda: function(x, y, groups, kind, powers),
        lambda: (*eager(x, groups, kind, powers), *eager(y, groups, kind, powers)),
    )


# ---------------------------------------------------------------------------------------------
# Factors by row
# ---------------------------------------------------------------------------------------------

ROWWISE = "prototype.moe_training.kernels.float8_rowwise"
SHAPES = ((2, 128, 96), (3, 37, 130))


def transposed_experts(
    name: str, dtype: torch.dtype, kind: torch.dtype, powers: bool, shape: tuple[int, ...]
) -> tuple[Run, Run]:
    function = getattr(torchao(ROWWISE), name)
    eager = torchao(REFERENCES).torch_to_3d_rowwise_float8_transpose_rhs
    experts, inner, outer = shape
    x = normal(experts, outer, inner, dtype=dtype).transpose(-2, -1)

    def reference() -> Any:
        y, factors = eager(x, kind, powers)
        return y, factors.squeeze(1)

    return lambda: function(x, kind, powers), reference


@case(
    ROWWISE, "_triton_fp8_rowwise_3d_transpose_scales_rhs_kernel",
    "_triton_fp8_rowwise_3d_transpose_cast_rhs_kernel",
    dtype=REAL_TYPES, kind=SMALL_TYPES, powers=POWERS, shape=SHAPES,
)  # fmt: skip
def transposed_experts_by_atomics(
    dtype: torch.dtype, kind: torch.dtype, powers: bool, shape: tuple[int, ...]
) -> tuple[Run, Run]:
    name = "triton_fp8_rowwise_3d_transpose_rhs"
    return transposed_experts(name, dtype, kind, powers, shape)


@case(
    ROWWISE, "_triton_fp8_rowwise_3d_transpose_rhs_fused_reduction_kernel",
    dtype=REAL_TYPES, kind=SMALL_TYPES, powers=POWERS, shape=SHAPES,
)  # fmt: skip
def transposed_experts_by_rows(
    dtype: torch.dtype, kind: torch.dtype, powers: bool, shape: tuple[int, ...]
) -> tuple[Run, Run]:
    name = "triton_fp8_rowwise_3d_transpose_rhs_fused_reduction"
    return transposed_experts(name, dtype, kind, powers, shape)


def along(x: torch.Tensor, axis: int, kind: torch.dtype, powers: bool) -> Any:
    """By torchao's parts: the factors, then the numbers."""
    utilities = torchao("float8.float8_utils")
    granularity = torchao("float8.config").ScalingGranularity.AXISWISE
    scale = utilities.tensor_to_scale(
        x, kind, scaling_granularity=granularity, axiswise_dim=axis,
        round_scales_to_power_of_2=powers,
    )  # fmt: skip
    return utilities.to_fp8_saturated(x.float() * scale, kind), scale


@case(
    ROWWISE, "_triton_fp8_colwise_3d_scale_and_cast_kernel",
    dtype=REAL_TYPES, kind=SMALL_TYPES, powers=POWERS, shape=SHAPES,
)  # fmt: skip
def experts_by_column(
    dtype: torch.dtype, kind: torch.dtype, powers: bool, shape: tuple[int, ...]
) -> tuple[Run, Run]:
    function = torchao(ROWWISE).triton_fp8_colwise_3d_scale_and_cast
    experts, inner, outer = shape
    x = normal(experts, outer, inner, dtype=dtype).transpose(-2, -1)
    return lambda: function(x, kind, powers), lambda: along(x, -2, kind, powers)


@case(
    ROWWISE, "_triton_fp8_rowwise_2d_fused_scale_and_cast_kernel",
    dtype=REAL_TYPES, kind=SMALL_TYPES, powers=POWERS, shape=((64, 128), (37, 333)),
)  # fmt: skip
def tokens_by_row(
    dtype: torch.dtype, kind: torch.dtype, powers: bool, shape: tuple[int, ...]
) -> tuple[Run, Run]:
    function = torchao(ROWWISE).triton_fp8_rowwise_2d_scale_and_cast
    x = normal(*shape, dtype=dtype)
    return lambda: function(x, kind, powers), lambda: along(x, -1, kind, powers)


# ---------------------------------------------------------------------------------------------
# The order of tokens
# ---------------------------------------------------------------------------------------------

PERMUTE = "prototype.moe_training.ep.kernels"
BACK = "prototype.moe_training.ep.permute"


@case(PERMUTE, "_fill_indices_kernel", experts=(4, 7), ranks=(1, 3), most=(9, 400))
def permute_indices(experts: int, ranks: int, most: int) -> tuple[Run, Run]:
    function = torchao(PERMUTE).generate_permute_indices
    counts = torch.randint(0, most, (ranks * experts,), dtype=torch.int32)
    counts[1] = 0
    room = int(counts.sum()) + experts * 32
    return (
        lambda: function(counts, experts, ranks, room, 32),
        lambda: function(counts, experts, ranks, room, 32, use_cpu=True),
    )


@case(
    BACK, "_triton_permute_bwd_kernel", dtype=REAL_TYPES, shape=((300, 70), (17, 256), (5, 3)),
)  # fmt: skip
def permute_backward(dtype: torch.dtype, shape: tuple[int, int]) -> tuple[Run, Run]:
    function = torchao(BACK)._triton_permute_bwd
    rows, columns = shape
    # Each row's place, and places of nobody.
    order = torch.cat((torch.arange(rows), torch.full((40,), -1)))[torch.randperm(rows + 40)]
    order = order.to(torch.int32)
    gradients = normal(rows + 40, columns, dtype=dtype)

    def reference() -> torch.Tensor:
        made = torch.zeros(rows, columns, dtype=dtype)
        made[order[order >= 0].long()] = gradients[order >= 0]
        return made

    return lambda: function(gradients, order, rows, columns), reference
