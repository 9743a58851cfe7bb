"""torchao's microscaling formats: blocks of 32 or 16 numbers with a factor of 8 bits."""

from __future__ import annotations

from typing import Any

import torch
from torchao_cases import FP8, Run, case, normal, torchao

KERNELS = "prototype.mx_formats.kernels"
TENSOR = "prototype.mx_formats.mx_tensor"
MODES = ("floor", "rceil")
TYPES = (torch.bfloat16, torch.float32)


def blocks(x: torch.Tensor, mode: str) -> tuple[torch.Tensor, torch.Tensor]:
    """Numbers and factors of blocks of 32 along the last axis, by torchao's own reference."""
    modes = torchao("prototype.mx_formats.config").ScaleCalculationMode
    scales, numbers = torchao(TENSOR).to_mx(x, FP8, 32, scaling_mode=modes(mode))
    return numbers, scales.view(torch.float8_e8m0fnu)


def spread(*shape: int, dtype: torch.dtype = torch.bfloat16) -> torch.Tensor:
    """Numbers of very different sizes, some of them powers of two, and a block of zeros."""
    x = normal(*shape) * 2.0 ** torch.randint(-40, 40, (*shape[:-1], 1))
    x[..., 0, ::5] = 2.0
    x[..., 1, :] = 0
    return x.to(dtype)


@case(
    KERNELS, "to_mxfp8_dim0_kernel", mode=MODES, shape=((128, 256), (37, 96), (3, 5, 160)),
)  # fmt: skip
def mxfp8_by_rows(mode: str, shape: tuple[int, ...]) -> tuple[Run, Run]:
    function = torchao(KERNELS).triton_to_mxfp8_dim0
    x = spread(*shape)
    return lambda: function(x, 32, mode), lambda: blocks(x, mode)


@case(KERNELS, "to_mxfp8_dim1_kernel", mode=MODES, shape=((128, 128), (384, 256)))
def mxfp8_by_columns(mode: str, shape: tuple[int, int]) -> tuple[Run, Run]:
    function = torchao(KERNELS).triton_to_mxfp8_dim1
    x = spread(*shape)

    def reference() -> Any:
        numbers, scales = blocks(x.t().contiguous(), mode)
        return numbers.t(), scales

    return lambda: function(x, 32, mode), reference


@case(
    KERNELS, "_dequant_mxfp8_kernel", dtype=TYPES, shape=((128, 256), (37, 96), (3, 5, 160)),
)  # fmt: skip
def mxfp8_back(dtype: torch.dtype, shape: tuple[int, ...]) -> tuple[Run, Run]:
    function = torchao(KERNELS).triton_mxfp8_dequant_dim0
    numbers, scales = blocks(spread(*shape), "floor")
    eager = torchao(TENSOR).to_dtype
    flat = scales.view(-1, scales.shape[-1])
    return (
        lambda: function(numbers, flat.view(torch.uint8), dtype),
        lambda: eager(numbers, scales, FP8, 32, dtype),
    )


# ---------------------------------------------------------------------------------------------
# Factors as tensor cores take them
# ---------------------------------------------------------------------------------------------

EXPERTS = "prototype.moe_training.kernels.mxfp8.quant"
LAYOUTS = ((128, 4), (300, 10), (5, 1))


def factors(*shape: int) -> torch.Tensor:
    return torch.randint(0, 255, shape, dtype=torch.uint8).view(torch.float8_e8m0fnu)


@case(KERNELS, "triton_scale_swizzle", shape=LAYOUTS, transposed=(False, True))
def swizzled(shape: tuple[int, int], transposed: bool) -> tuple[Run, Run]:
    function = torchao(KERNELS).triton_mx_block_rearrange
    eager = torchao("prototype.mx_formats.utils").to_blocked
    x = factors(*shape[::-1]).t() if transposed else factors(*shape)
    return lambda: function(x).flatten(), lambda: eager(x)


@case(EXPERTS, "triton_scale_swizzle_M_groups", columns=(4, 12), groups=((300,), (5, 5, 140, 300)))
def swizzled_rows_by_group(columns: int, groups: tuple[int, ...]) -> tuple[Run, Run]:
    module = torchao(EXPERTS)
    x, ends = factors(groups[-1], columns), torch.tensor(groups, dtype=torch.int32)
    return (
        lambda: module.triton_mx_block_rearrange_2d_M_groups(x, ends),
        lambda: module.torch_to_blocked_2d_M_groups(x, ends)[0],
    )


@case(EXPERTS, "triton_scale_swizzle_2d_K_groups", rows=(128, 300), groups=((9,), (3, 3, 8, 21)))
def swizzled_columns_by_group(rows: int, groups: tuple[int, ...]) -> tuple[Run, Run]:
    module = torchao(EXPERTS)
    x, ends = factors(rows, groups[-1]), torch.tensor(groups, dtype=torch.int32)
    return (
        lambda: module.triton_mx_block_rearrange_2d_K_groups(x, ends),
        lambda: module.torch_to_blocked_2d_K_groups(x, ends)[0],
    )


@case(EXPERTS, "triton_scale_swizzle_per_group_3d", shape=((3, 128, 8), (2, 300, 10)))
def swizzled_experts(shape: tuple[int, ...]) -> tuple[Run, Run]:
    module = torchao(EXPERTS)
    x = factors(*shape)
    return (
        lambda: module.triton_mx_block_rearrange_per_group_3d(x),
        lambda: module.torch_to_blocked_per_group_3d(x),
    )
