"""What quantises in torchao with a factor for each block: activations, weights, experts."""

from __future__ import annotations

from typing import Any

import torch
from torchao_cases import REAL_TYPES, SMALL_TYPES, Run, case, normal, quantized, torchao

# ---------------------------------------------------------------------------------------------
# Factors that give the numbers again
# ---------------------------------------------------------------------------------------------

BLOCKWISE = "kernel.blockwise_quantization"


@case(
    BLOCKWISE, "_fp8_blockwise_act_quant_kernel_impl",
    dtype=REAL_TYPES, kind=SMALL_TYPES, shape=((3, 5, 256), (7, 384)), block=(128, 32),
)  # fmt: skip
def act_quant(
    dtype: torch.dtype, kind: torch.dtype, shape: tuple[int, ...], block: int
) -> tuple[Run, Run]:
    function = torchao(BLOCKWISE).fp8_blockwise_act_quant
    x = normal(*shape, dtype=dtype)

    def reference() -> Any:
        y, factor = quantized(x.view(*shape[:-1], -1, block), (-1,), kind)
        return y.view(shape), factor.squeeze(-1)

    return lambda: function(x, block, kind), reference


@case(
    BLOCKWISE, "_fp8_blockwise_weight_quant_kernel_impl",
    dtype=REAL_TYPES, kind=SMALL_TYPES, block=(128, 64),
)  # fmt: skip
def weight_quant(dtype: torch.dtype, kind: torch.dtype, block: int) -> tuple[Run, Run]:
    function = torchao(BLOCKWISE).fp8_blockwise_weight_quant
    rows, columns = 3 * block, 2 * block
    x = normal(rows, columns, dtype=dtype)

    def reference() -> Any:
        y, factor = quantized(x.view(3, block, 2, block), (1, 3), kind)
        return y.view(rows, columns), factor.view(3, 2)

    return lambda: function(x, block, kind), reference


@case(
    BLOCKWISE, "_fp8_blockwise_weight_dequant_kernel_impl",
    kind=SMALL_TYPES, shape=((256, 128), (131, 77), (1, 5)),
)  # fmt: skip
def weight_dequant(kind: torch.dtype, shape: tuple[int, int]) -> tuple[Run, Run]:
    function = torchao(BLOCKWISE).fp8_blockwise_weight_dequant
    rows, columns = shape
    x = normal(rows, columns).to(kind)
    factor = torch.rand(-(-rows // 64), -(-columns // 64)) + 0.5

    def reference() -> torch.Tensor:
        full = factor.repeat_interleave(64, 0).repeat_interleave(64, 1)
        return x.float() * full[:rows, :columns]

    return lambda: function(x, factor, 64), reference


# ---------------------------------------------------------------------------------------------
# For training
# ---------------------------------------------------------------------------------------------

TRAINING = "prototype.blockwise_fp8_training.kernels"
SHAPES = ((256, 128), (128, 384))


@case(
    TRAINING, "triton_fp8_blockwise_act_quant_lhs_kernel",
    dtype=REAL_TYPES, shape=(*SHAPES, (37, 256)),
)  # fmt: skip
def act_quant_lhs(dtype: torch.dtype, shape: tuple[int, int]) -> tuple[Run, Run]:
    module = torchao(TRAINING)
    x = normal(*shape, dtype=dtype)
    return (
        lambda: module.triton_fp8_blockwise_act_quant_lhs(x),
        lambda: module.torch_blockwise_scale_act_quant_lhs(x),
    )


@case(TRAINING, "triton_fp8_blockwise_act_quant_rhs_kernel", dtype=REAL_TYPES, shape=SHAPES)
def act_quant_rhs(dtype: torch.dtype, shape: tuple[int, int]) -> tuple[Run, Run]:
    module = torchao(TRAINING)
    x = normal(*shape, dtype=dtype)
    return (
        lambda: module.triton_fp8_blockwise_act_quant_rhs(x),
        lambda: module.torch_blockwise_scale_act_quant_rhs(x),
    )


@case(
    TRAINING, "triton_fp8_blockwise_act_quant_transposed_lhs_kernel",
    dtype=REAL_TYPES, shape=(*SHAPES, (256, 37)),
)  # fmt: skip
def act_quant_transposed_lhs(dtype: torch.dtype, shape: tuple[int, int]) -> tuple[Run, Run]:
    module = torchao(TRAINING)
    x = normal(*shape, dtype=dtype)
    return (
        lambda: module.triton_fp8_blockwise_act_quant_transposed_lhs(x),
        lambda: module.torch_blockwise_scale_act_quant_lhs(x.t().contiguous()),
    )


@case(TRAINING, "triton_fp8_blockwise_weight_quant_rhs_kernel", dtype=REAL_TYPES, shape=SHAPES)
def weight_quant_rhs(dtype: torch.dtype, shape: tuple[int, int]) -> tuple[Run, Run]:
    module = torchao(TRAINING)
    x = normal(*shape, dtype=dtype)
    return (
        lambda: module.triton_fp8_blockwise_weight_quant_rhs(x),
        lambda: module.torch_blockwise_scale_weight_quant(x),
    )


@case(
    TRAINING, "triton_fp8_blockwise_weight_quant_transposed_rhs_kernel",
    dtype=REAL_TYPES, shape=SHAPES,
)  # fmt: skip
def weight_quant_transposed_rhs(dtype: torch.dtype, shape: tuple[int, int]) -> tuple[Run, Run]:
    module = torchao(TRAINING)
    x = normal(*shape, dtype=dtype)
    return (
        lambda: module.triton_fp8_blockwise_weight_quant_transposed_rhs(x),
        lambda: module.torch_blockwise_scale_weight_quant(x.t().contiguous()),
    )


# ---------------------------------------------------------------------------------------------
# Of experts, as DeepGEMM takes them
# ---------------------------------------------------------------------------------------------

GROUPED = "prototype.blockwise_fp8_training.deepgemm_quant"
FORWARD = "triton_fp8_blockwise_weight_quant_flat_fwd_deepgemm_kernel"
BACKWARD = "triton_fp8_blockwise_weight_quant_flat_dgrad_deepgemm_kernel"


def expert_weights(name: str, dtype: torch.dtype, transposed: bool) -> tuple[Run, Run]:
    function = getattr(torchao(GROUPED), name)
    by_matrix = torchao(TRAINING).torch_blockwise_scale_weight_quant
    experts = normal(3, 256, 128, dtype=dtype)

    def reference() -> Any:
        given = [(x.t() if transposed else x).contiguous() for x in experts]
        return [torch.stack(parts) for parts in zip(*map(by_matrix, given), strict=True)]

    return lambda: function(experts.transpose(-2, -1)), reference


@case(GROUPED, FORWARD, dtype=REAL_TYPES)
def expert_weights_forward(dtype: torch.dtype) -> tuple[Run, Run]:
    name = "triton_fp8_blockwise_weight_quant_grouped_transposed_rhs_deepgemm"
    return expert_weights(name, dtype, False)


@case(GROUPED, BACKWARD, dtype=REAL_TYPES)
def expert_weights_backward(dtype: torch.dtype) -> tuple[Run, Run]:
    name = "triton_fp8_blockwise_weight_quant_grouped_rhs_deepgemm"
    return expert_weights(name, dtype, True)


def expert_tokens(dtype: torch.dtype, width: int) -> tuple[Run, Run]:
    """Groups of tokens, one of them empty, and rows of nobody behind them."""
    function = torchao(GROUPED).triton_fp8_blockwise_act_quant_k_grouped_deepgemm
    by_matrix = torchao(TRAINING).torch_blockwise_scale_act_quant_lhs
    ends = torch.tensor([128, 128, 512], dtype=torch.int32)
    x = normal(640, width, dtype=dtype)

    def reference() -> Any:
        given = [x[:128].t().contiguous(), x[128:512].t().contiguous()]
        (y0, s0), (y1, s1) = map(by_matrix, given)
        return torch.cat((y0.flatten(), y1.flatten())), torch.cat((s0, s1), 1)

    return lambda: function(x, ends), reference


@case(
    GROUPED, "triton_fp8_blockwise_act_quant_k_grouped_compact_deepgemm_kernel", dtype=REAL_TYPES,
)  # fmt: skip
def expert_tokens_of_whole_blocks(dtype: torch.dtype) -> tuple[Run, Run]:
    return expert_tokens(dtype, 256)


@case(
    GROUPED, "triton_fp8_blockwise_act_quant_k_grouped_deepgemm_kernel",
    dtype=REAL_TYPES, width=(37, 80),
)  # fmt: skip
def expert_tokens_of_any_width(dtype: torch.dtype, width: int) -> tuple[Run, Run]:
    return expert_tokens(dtype, width)
