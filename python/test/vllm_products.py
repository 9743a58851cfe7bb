"""vLLM's matrix products: mixtures of experts, LoRA, quantised weights; and what quantises."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
import triton.language as tl
from vllm_cases import Run, case, normal, starts, vllm, whole

FP8 = torch.float8_e4m3fn

# ---------------------------------------------------------------------------------------------
# Mixtures of experts
# ---------------------------------------------------------------------------------------------

MOE = "model_executor.layers.fused_moe.fused_moe"


def experts(dtype: torch.dtype, scheme: str = "") -> tuple[Run, Run]:
    """Each token's row times the matrices of its two experts, weighted; blocks of 16 rows."""
    invoke = vllm(MOE).invoke_fused_moe_triton_kernel
    tokens, inner, outer, count, block = 21, 64, 48, 5, 16
    x, w = normal(tokens, inner, dtype=dtype), normal(count, outer, inner, dtype=dtype)
    weights, chosen = normal(tokens, count).softmax(-1).topk(2)
    scale_x = scale_w = None
    small_x, small_w = x, w
    if scheme == "fp8":
        scale_x, scale_w = torch.tensor([0.5]), torch.rand(count) + 0.5
        small_x, small_w = x.to(FP8), w.to(FP8)
    if scheme == "int8":
        scale_w = torch.rand(count, outer) + 0.5
        small_w = (w * 20).to(torch.int8)
    # Rows in the order of their experts, each expert's filled up to whole blocks.
    rows, owners = [], []
    for expert in range(count):
        mine = (chosen.flatten() == expert).nonzero().flatten().tolist()
        mine += [chosen.numel()] * (-len(mine) % block)
        rows += mine
        owners += [expert] * (len(mine) // block)
    config = {"BLOCK_SIZE_M": block, "BLOCK_SIZE_N": 32, "BLOCK_SIZE_K": 32, "GROUP_SIZE_M": 2}

    def run() -> torch.Tensor:
        out = torch.zeros(tokens, 2, outer, dtype=dtype)
        invoke(
            small_x, small_w, out, scale_x, scale_w, weights.to(dtype), whole(*rows),
            whole(*owners), whole(len(rows)), True, 2, config,
            tl.float32 if dtype == torch.float32 else tl.bfloat16, scheme == "fp8", False,
            scheme == "int8", False, scheme == "int8",
        )  # fmt: skip
        return out

    def reference() -> torch.Tensor:
        factor = torch.ones(count, 1, 1)
        if scheme:
            factor = (scale_w * (0.5 if scheme == "fp8" else 1)).view(count, -1, 1)
        full = small_w.float() * factor
        out = torch.einsum("ti,tkoi->tko", small_x.float(), full[chosen])
        return (out * weights.to(dtype).float()[..., None]).to(dtype)

    return run, reference


@case(MOE, "fused_moe_kernel")
def expert_products() -> tuple[Run, Run]:
    return experts(torch.float32)


@case(MOE, "fused_moe_kernel", tolerance=1e-2)
def expert_products_bf16() -> tuple[Run, Run]:
    return experts(torch.bfloat16)


@case(MOE, "fused_moe_kernel", tolerance=1e-2)
def expert_products_of_8_bit_floats() -> tuple[Run, Run]:
    return experts(torch.bfloat16, "fp8")


@case(MOE, "fused_moe_kernel", tolerance=1e-2)
def expert_products_with_int8_weights() -> tuple[Run, Run]:
    return experts(torch.bfloat16, "int8")


@case("model_executor.layers.fused_moe.moe_fused_mul_sum", "moe_fused_mul_sum_kernel")
def weighted_sum_of_experts() -> tuple[Run, Run]:
    function = vllm("model_executor.layers.fused_moe.moe_fused_mul_sum").moe_fused_mul_sum
    x, weights = normal(9, 3, 70), normal(9, 3)
    return lambda: function(x, weights), lambda: (x * weights[..., None]).sum(1)


@case("model_executor.layers.fused_moe.utils", "_count_expert_num_tokens", tolerance=0)
def tokens_of_each_expert() -> tuple[Run, Run]:
    function = vllm("model_executor.layers.fused_moe.utils").count_expert_num_tokens
    chosen = torch.randint(-1, 6, (300, 4), dtype=torch.int32)
    return lambda: function(chosen, 6, None), lambda: torch.bincount(
        chosen.flatten() + 1, minlength=7
    )[1:].int()


# ---------------------------------------------------------------------------------------------
# LoRA
# ---------------------------------------------------------------------------------------------


def adapters() -> tuple[torch.Tensor, tuple[Any, ...]]:
    """The adapter of each token, and how vLLM describes that to its kernels."""
    owner = whole(1, -1, 0, 1, 1, 0, -1, 1, 0)
    order = owner.argsort(stable=True)
    ids = whole(-1, 0, 1)
    counts = torch.stack([(owner == i).sum() for i in ids]).int()
    return owner, (
        owner, order, counts, starts(counts), ids, torch.tensor([False]), torch.tensor([3])
    )  # fmt: skip


@case("lora.ops.triton_ops.lora_shrink_op", "_lora_shrink_kernel", tolerance=1e-2)
def lora_shrink() -> tuple[Run, Run]:
    function = vllm("lora.ops.triton_ops.lora_shrink_op")._lora_shrink
    owner, words = adapters()
    x = normal(9, 96, dtype=torch.bfloat16)
    weights = [normal(2, 16, 96, dtype=torch.bfloat16) for _ in range(2)]

    def run() -> torch.Tensor:
        out = torch.empty(2, 9, 16)
        function(x, weights, out, *words, 0.5)
        return out

    def reference() -> torch.Tensor:
        made = [torch.einsum("ti,tri->tr", x.float(), w.float()[owner]) for w in weights]
        return torch.stack(made) * 0.5 * (owner >= 0)[:, None]

    return run, reference


@case("lora.ops.triton_ops.lora_expand_op", "_lora_expand_kernel", tolerance=1e-2)
def lora_expand() -> tuple[Run, Run]:
    function = vllm("lora.ops.triton_ops.lora_expand_op")._lora_expand
    owner, words = adapters()
    x, before = normal(2, 9, 16), normal(9, 96, dtype=torch.bfloat16)
    weights = [normal(2, 48, 16, dtype=torch.bfloat16) for _ in range(2)]

    def run() -> torch.Tensor:
        out = before.clone()
        function(x, weights, out, *words, 0, True)
        return out

    def reference() -> torch.Tensor:
        parts = [
            torch.einsum("tr,tor->to", y.bfloat16().float(), w.float()[owner])
            for y, w in zip(x, weights, strict=True)
        ]
        return (before + torch.cat(parts, 1) * (owner >= 0)[:, None]).bfloat16()

    return run, reference


# ---------------------------------------------------------------------------------------------
# What quantises
# ---------------------------------------------------------------------------------------------

INT8 = "model_executor.layers.quantization.utils.int8_utils"
FP8_UTILS = "model_executor.layers.quantization.utils.fp8_utils"


def rounded(x: torch.Tensor) -> torch.Tensor:
    """To the nearest integer, halves away from zero."""
    return x.sign() * (x.abs() + 0.5).floor()


@case(INT8, "_per_token_quant_int8", tolerance=0)
def int8_by_token() -> tuple[Run, Run]:
    function = vllm(INT8).per_token_quant_int8
    x = normal(7, 300)

    def reference() -> tuple[torch.Tensor, ...]:
        most = x.abs().amax(-1, keepdim=True).clamp(min=1e-10)
        return rounded(x * (127 / most)).to(torch.int8), most / 127

    return lambda: function(x), reference


@case(INT8, "_per_token_group_quant_int8", tolerance=0)
def int8_by_group() -> tuple[Run, Run]:
    function = vllm(INT8).per_token_group_quant_int8
    x = normal(7, 256)

    def reference() -> tuple[torch.Tensor, ...]:
        groups = x.view(7, 4, 64)
        scale = groups.abs().amax(-1, keepdim=True).clamp(min=1e-10) / 127
        return (groups / scale).clamp(-128, 127).to(torch.int8).view(7, 256), scale[..., 0]

    return lambda: function(x, 64), reference


def fp8_groups(columns: bool) -> tuple[Run, Run]:
    function = vllm(FP8_UTILS).per_token_group_quant_fp8
    x = normal(7, 256, dtype=torch.bfloat16)

    def run() -> tuple[torch.Tensor, ...]:
        numbers, scales = function(x, 64, column_major_scales=columns, use_ue8m0=False)
        return numbers.float(), scales

    def reference() -> tuple[torch.Tensor, ...]:
        groups = x.float().view(7, 4, 64)
        scale = groups.abs().amax(-1, keepdim=True).clamp(min=1e-10) * (1 / 448)
        return (groups / scale).clamp(-448, 448).to(FP8).float().view(7, 256), scale[..., 0]

    return run, reference


@case(FP8_UTILS, "_per_token_group_quant_fp8", tolerance=1e-6)
def fp8_by_group() -> tuple[Run, Run]:
    return fp8_groups(columns=False)


@case(FP8_UTILS, "_per_token_group_quant_fp8_colmajor", tolerance=1e-6)
def fp8_by_group_with_scales_in_columns() -> tuple[Run, Run]:
    return fp8_groups(columns=True)


MXFP8 = "model_executor.layers.quantization.utils.mxfp8_utils"


@case(MXFP8, "_mxfp8_quant_triton_kernel", tolerance=0)
def mxfp8_by_block() -> tuple[Run, Run]:
    function = vllm(MXFP8)._mxfp8_e4m3_quantize_triton
    x = normal(9, 128) * 10

    def run() -> tuple[torch.Tensor, ...]:
        numbers, scales = function(x)
        return numbers.float(), scales

    def reference() -> tuple[torch.Tensor, ...]:
        blocks = x.view(9, 4, 32)
        exponent = (blocks.abs().amax(-1) / 448).log2().ceil()
        small = (blocks / exponent.exp2()[..., None]).to(FP8).float()
        return small.view(9, 128), (exponent + 127).to(torch.uint8)

    return run, reference


NVFP4 = "model_executor.layers.quantization.utils.nvfp4_emulation_utils"
E2M1 = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6])


@case(NVFP4, "_dequantize_nvfp4_kernel", tolerance=0)
def nvfp4_back() -> tuple[Run, Run]:
    function = vllm(NVFP4)._triton_dequantize_nvfp4
    packed = torch.randint(0, 256, (6, 32), dtype=torch.uint8)
    scales, whole_scale = (torch.rand(6, 4) * 4 + 0.25).to(FP8), torch.tensor([0.5])

    def reference() -> torch.Tensor:
        codes = torch.stack((packed & 15, packed >> 4), -1).view(6, 64).long()
        numbers = E2M1[codes & 7] * torch.where(codes > 7, -1.0, 1.0)
        return (numbers.view(6, 4, 16) * (scales.float() * whole_scale)[..., None]).view(6, 64)

    return lambda: function(packed, scales, whole_scale, torch.float32), reference


@case(NVFP4, "_nvfp4_quant_dequant_kernel", tolerance=1e-6)
def nvfp4_there_and_back() -> tuple[Run, Run]:
    function = vllm(NVFP4)._triton_nvfp4_quant_dequant
    x, whole_scale = normal(6, 64), torch.tensor([300.0])

    def reference() -> torch.Tensor:
        blocks = x.view(6, 4, 16)
        most = blocks.abs().amax(-1, keepdim=True)
        scale = (whole_scale * (most / 6)).clamp(max=448).to(FP8).float()
        steps = (blocks * (whole_scale / scale)).clamp(-6, 6)
        # The nearest number, of two the one with the even code.
        size = steps.abs()
        far = (size[..., None] - E2M1).abs()
        odd = torch.arange(8) % 2 * 1e-6
        nearest = E2M1[(far + odd).argmin(-1)] * steps.sign()
        return (nearest * (scale / whole_scale)).view(6, 64)

    return lambda: function(x, whole_scale, 16), reference


# ---------------------------------------------------------------------------------------------
# Products of what is quantised
# ---------------------------------------------------------------------------------------------

SCALED = "model_executor.layers.quantization.compressed_tensors.triton_scaled_mm"


def scaled(kind: torch.dtype) -> tuple[Run, Run]:
    function = vllm(SCALED).triton_scaled_mm
    a, b = (normal(33, 96) * 30).to(kind), (normal(96, 40) * 30).to(kind)
    sa, sb, bias = torch.rand(33, 1) / 30, torch.rand(40, 1) / 30, normal(40)

    def reference() -> torch.Tensor:
        return ((a.double() @ b.double()) * sa * sb.T + bias).float()

    return (
        lambda: function(a, b, sa, sb, torch.float32, bias, 32, 32, 32, use_heuristic=False),
        reference,
    )


@case(SCALED, "scaled_mm_kernel")
def scaled_product_of_int8() -> tuple[Run, Run]:
    return scaled(torch.int8)


@case(SCALED, "scaled_mm_kernel")
def scaled_product_of_8_bit_floats() -> tuple[Run, Run]:
    return scaled(FP8)


@case(FP8_UTILS, "_w8a8_triton_block_scaled_mm")
def product_with_a_scale_for_each_block() -> tuple[Run, Run]:
    module = vllm(FP8_UTILS)
    a, b = normal(20, 128).to(FP8), normal(96, 128).to(FP8)
    sa, sb = torch.rand(20, 2), torch.rand(3, 2)
    config = {
        "BLOCK_SIZE_M": 16, "BLOCK_SIZE_N": 32, "BLOCK_SIZE_K": 64, "GROUP_SIZE_M": 2
    }  # fmt: skip

    def run() -> torch.Tensor:
        # On a CPU, the wrapper does without its kernel, which this launches as it would.
        out = torch.empty(20, 96)
        module._w8a8_triton_block_scaled_mm[(6,)](
            a, b, out, sa, sb, 20, 96, 128, 32, 64, *a.stride(), b.stride(1), b.stride(0),
            *out.stride(), *sa.stride(), sb.stride(1), sb.stride(0), **config,
        )  # fmt: skip
        return out

    def reference() -> torch.Tensor:
        left = a.float() * sa.repeat_interleave(64, 1)
        right = b.float() * sb.repeat_interleave(32, 0).repeat_interleave(64, 1)
        return left @ right.T

    return run, reference


def nibbles(words: torch.Tensor, order: list[int]) -> torch.Tensor:
    """The 4-bit numbers of each word of 32 bits, in the order of their places."""
    places = torch.tensor(order) * 4
    return ((words[..., None] >> places) & 15).flatten(-2)


def random_words(*shape: int) -> torch.Tensor:
    return torch.randint(-(2**31), 2**31 - 1, shape, dtype=torch.int32)


AWQ = "model_executor.layers.quantization.awq_triton"
AWQ_ORDER = [0, 4, 1, 5, 2, 6, 3, 7]


def awq_weights() -> tuple[torch.Tensor, ...]:
    words, zeros = random_words(128, 8), random_words(2, 8)
    scales = torch.rand(2, 64).half() / 10
    wide = (nibbles(x, AWQ_ORDER).float() for x in (words, zeros))
    numbers, points = (next(wide), next(wide))
    full = (numbers - points.repeat_interleave(64, 0)) * scales.float().repeat_interleave(64, 0)
    return words, zeros, scales, full.half()


@case(AWQ, "awq_dequantize_kernel", tolerance=1e-3)
def awq_weights_back() -> tuple[Run, Run]:
    function = vllm(AWQ).awq_dequantize_triton
    words, zeros, scales, full = awq_weights()
    return lambda: function(words, scales, zeros), lambda: full


@case(AWQ, "awq_gemm_kernel", tolerance=3e-3)
def awq_product() -> tuple[Run, Run]:
    function = vllm(AWQ).awq_gemm_triton
    words, zeros, scales, full = awq_weights()
    x = normal(5, 128).half()
    return lambda: function(x, words, scales, zeros, 2), lambda: (x.float() @ full.float()).half()


W4A16 = "model_executor.kernels.linear.mixed_precision.triton_w4a16"


@case(W4A16, "triton_w4a16_gemm_kernel", tolerance=1e-2)
def product_with_4_bit_weights() -> tuple[Run, Run]:
    function = vllm(W4A16)._triton_w4a16_gemm_impl
    words, scales = random_words(128, 8), (torch.rand(2, 64) / 10).bfloat16()
    x = normal(20, 128, dtype=torch.bfloat16)

    def reference() -> torch.Tensor:
        full = nibbles(words, list(range(8))).float() - 8
        full = (full * scales.float().repeat_interleave(64, 0)).bfloat16().float()
        return (x.float() @ full).bfloat16()

    return lambda: function(x, words, scales, None, 64), reference


@case("model_executor.layers.activation", "_swiglustep_and_mul_kernel")
def clipped_swiglu() -> tuple[Run, Run]:
    function = vllm("model_executor.layers.activation").swiglustep_and_mul_triton
    x = normal(5, 2400) * 5

    def run() -> torch.Tensor:
        out = torch.empty(5, 1200)
        function(out, x)
        return out

    def reference() -> torch.Tensor:
        gate, up = x.chunk(2, -1)
        return F.silu(gate).clamp(max=7) * up.clamp(-7, 7)

    return run, reference
