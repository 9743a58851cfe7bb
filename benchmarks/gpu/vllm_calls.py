"""Calls of vLLM's wrappers, in sizes of models: attention over pages, experts, what is quantised,
layers with a state, sampling. Its files are imported one by one (python/test/vllm_modules.py)."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import torch
import torch.nn.functional as F
import triton.language as tl

sys.path.append(str(Path(__file__).parents[2] / "python" / "test"))
import vllm_modules

Call = Callable[[], Any]

TOKENS, HIDDEN, WORDS = 8192, 4096, 128256
SEQUENCES, LENGTH = 64, 4096
HEADS, SHARED_HEADS, SIZE, PAGE = 32, 8, 128, 16
LAYERS, ATTENTION = "model_executor.layers", "v1.attention.ops"
QUANTISED = f"{LAYERS}.quantization"
FP8 = torch.float8_e4m3fn


class Capability(tuple[int, int]):
    """Of a GPU, as vLLM has it."""

    def to_int(self) -> int:
        """As in `sm_90`."""
        return 10 * self[0] + self[1]


class Hopper(vllm_modules.Platform):
    """What vLLM asks about a machine with an H100 or H200. Launches that begin before what is
    ahead of them has ended (`is_arch_support_pdl`) would not see the memory that is put back."""

    device_type = device_name = "cuda"
    dispatch_key = "CUDA"

    def __init__(self) -> None:
        self.is_cuda = self.is_cuda_alike = lambda: True
        self.has_device_capability = lambda wanted, *rest: as_number(wanted) <= CAPABILITY.to_int()
        self.is_device_capability = lambda wanted, *rest: as_number(wanted) == CAPABILITY.to_int()
        self.is_device_capability_family = self.is_device_capability
        self.get_device_capability = lambda *rest: CAPABILITY
        self.get_device_name = lambda *rest: "NVIDIA_H200"
        self.num_compute_units = lambda *rest: multiprocessors()


CAPABILITY = Capability((9, 0))
HOPPER = Hopper()


def as_number(capability: int | tuple[int, int]) -> int:
    """A capability of two numbers as one."""
    return capability if isinstance(capability, int) else Capability(capability).to_int()


def multiprocessors() -> int:
    """How many the GPU has."""
    return torch.cuda.get_device_properties(0).multi_processor_count


def module(name: str) -> Any:
    """A module below `vllm`, as it is on a Hopper."""
    vllm_modules.install(HOPPER)
    return importlib.import_module(f"vllm.{name}")


def normal(*shape: int, kind: torch.dtype = torch.bfloat16) -> torch.Tensor:
    return torch.randn(*shape, device="cuda").to(kind)


def whole(shape: int | tuple[int, ...], end: int, kind: torch.dtype = torch.int32) -> torch.Tensor:
    """Random numbers from 0 to `end`, without it."""
    return torch.randint(0, end, shape if isinstance(shape, tuple) else (shape,)).to(kind).cuda()


def full(count: int, value: int) -> torch.Tensor:
    return torch.full((count,), value, dtype=torch.int32, device="cuda")


def starts(count: int, length: int) -> torch.Tensor:
    """Where each of `count` sequences of a length begins, and the end."""
    return torch.arange(count + 1, dtype=torch.int32, device="cuda") * length


def caches(count: int, length: int, kind: torch.dtype = torch.bfloat16) -> tuple[Any, ...]:
    """Keys and values in pages, and the table of each sequence's pages."""
    pages = count * length // PAGE
    table = torch.randperm(pages).to(torch.int32).cuda().view(count, -1)
    shape = (pages, PAGE, SHARED_HEADS, SIZE)
    return normal(*shape, kind=kind), normal(*shape, kind=kind), table


def unified(count: int, queries: int, length: int, segments: int = 0) -> None:
    """Attention of the last `queries` tokens of each sequence."""
    k, v, table = caches(count, length)
    q = normal(count * queries, HEADS, SIZE)
    parts: dict[str, Any] = {}
    if segments:
        held = q.shape[0], HEADS, segments
        parts = {
            "seq_threshold_3D": 128,
            "num_par_softmax_segments": segments,
            "softmax_segm_output": torch.empty(*held, SIZE, device="cuda"),
            "softmax_segm_max": torch.empty(held, device="cuda"),
            "softmax_segm_expsum": torch.empty(held, device="cuda"),
        }
    module(f"{ATTENTION}.triton_unified_attention").unified_attention(
        q=q, k=k, v=v, out=torch.empty_like(q), cu_seqlens_q=starts(count, queries),
        max_seqlen_q=queries, seqused_k=full(count, length), max_seqlen_k=length,
        softmax_scale=SIZE**-0.5, causal=True, window_size=(-1, -1), block_table=table, softcap=0,
        q_descale=None, k_descale=None, v_descale=None, **parts,
    )  # fmt: skip


def decode() -> None:
    """A token of each sequence, over splits."""
    k, v, table = caches(SEQUENCES, LENGTH)
    q, splits = normal(SEQUENCES, HEADS, SIZE), 8
    module(f"{ATTENTION}.triton_decode_attention").decode_attention_fwd(
        q, k, v, torch.empty_like(q), torch.empty(SEQUENCES, HEADS, device="cuda"), table,
        full(SEQUENCES, LENGTH), torch.empty(SEQUENCES, HEADS, splits, SIZE + 1, device="cuda"),
        splits, SIZE**-0.5, PAGE,
    )  # fmt: skip


def prefill() -> None:
    count = TOKENS // LENGTH or 1
    q = normal(TOKENS, HEADS, SIZE)
    k, v = (normal(TOKENS, SHARED_HEADS, SIZE) for _ in range(2))
    module(f"{ATTENTION}.triton_prefill_attention").context_attention_fwd(
        q, k, v, torch.empty_like(q), starts(count, TOKENS // count)[:-1].contiguous(),
        full(count, TOKENS // count), TOKENS // count,
    )  # fmt: skip


def merge() -> None:
    parts = [normal(TOKENS, HEADS, SIZE) for _ in range(3)]
    sums = [torch.randn(HEADS, TOKENS, device="cuda") for _ in range(3)]
    module(f"{ATTENTION}.triton_merge_attn_states").merge_attn_states(
        parts[0], parts[1], sums[1], parts[2], sums[2], sums[0]
    )


def fill_cache() -> None:
    k, v, _ = caches(SEQUENCES, LENGTH)
    new = [normal(TOKENS, SHARED_HEADS, SIZE) for _ in range(2)]
    slots = torch.randperm(SEQUENCES * LENGTH)[:TOKENS].cuda()
    one = torch.ones(1, device="cuda")
    module(f"{ATTENTION}.triton_reshape_and_cache_flash").triton_reshape_and_cache_flash(
        *new, k, v, slots, "auto", one, one
    )


def experts(scheme: str = "") -> None:
    """Each token's row times the matrices of two of sixteen experts."""
    count, width, block = 16, 2048, 64
    x, w = normal(TOKENS // 2, width), normal(count, width, width)
    weights, chosen = torch.rand(TOKENS // 2, count, device="cuda").softmax(-1).topk(2)
    scales: list[torch.Tensor | None] = [None, None]
    if scheme == "fp8":
        scales = [torch.ones(1, device="cuda"), torch.rand(count, device="cuda")]
        x, w = x.to(FP8), w.to(FP8)
    if scheme == "int8":
        scales[1] = torch.rand(count, width, device="cuda")
        w = (w * 20).to(torch.int8)
    rows, owners = [], []
    for expert in range(count):
        mine = (chosen.flatten() == expert).nonzero().flatten().int()
        rows.append(F.pad(mine, (0, -len(mine) % block), value=chosen.numel()))
        owners += [expert] * (len(rows[-1]) // block)
    order = torch.cat(rows)
    config = {"BLOCK_SIZE_M": block, "BLOCK_SIZE_N": 128, "BLOCK_SIZE_K": 64, "GROUP_SIZE_M": 8}
    module(f"{LAYERS}.fused_moe.fused_moe").invoke_fused_moe_triton_kernel(
        x, w, normal(TOKENS // 2, 2, width), *scales, weights, order,
        torch.tensor(owners, dtype=torch.int32, device="cuda"), full(1, len(order)), True, 2,
        config | {"num_warps": 4, "num_stages": 4}, tl.bfloat16, scheme == "fp8", False,
        scheme == "int8", False, scheme == "int8",
    )  # fmt: skip


def adapters() -> tuple[Any, ...]:
    """Which of four adapters each token has, as vLLM describes it."""
    owner = whole(TOKENS, 4)
    counts = torch.bincount(owner + 1, minlength=5).int()
    ends = F.pad(counts.cumsum(0), (1, 0)).int()
    ids = torch.arange(-1, 4, dtype=torch.int32, device="cuda")
    order = owner.argsort(stable=True)
    return owner, order, counts, ends, ids, torch.tensor([False]), torch.tensor([5])


FOUND_BY_ADDRESS: list[torch.Tensor] = []
"""What kernels find by addresses in memory, so that a launch does not keep it."""


def lora() -> None:
    """From rows to rank 16 and back, for three matrices."""
    down = [normal(4, 16, HIDDEN) for _ in range(3)]
    up = [normal(4, HIDDEN, 16) for _ in range(3)]
    FOUND_BY_ADDRESS.extend([*down, *up])
    small, words = torch.zeros(3, TOKENS, 16, device="cuda"), adapters()
    ops = "lora.ops.triton_ops"
    x = normal(TOKENS, HIDDEN)
    module(f"{ops}.lora_shrink_op")._lora_shrink(x, down, small, *words, 0.5)
    out = normal(TOKENS, 3 * HIDDEN)
    module(f"{ops}.lora_expand_op")._lora_expand(small, up, out, *words, 0, True)


def quantise(where: str, function: str, *rest: Any, **options: Any) -> Call:
    """A function of rows that gives their small numbers and scales."""

    def call() -> None:
        # For CUDA, vLLM has functions in C++, too.
        with mock.patch.object(HOPPER, "is_cuda_alike", return_value=False):
            getattr(module(f"{QUANTISED}.utils.{where}"), function)(
                normal(TOKENS, HIDDEN), *rest, **options
            )

    return call


def nvfp4() -> None:
    name = f"{QUANTISED}.utils.nvfp4_emulation_utils"
    one = torch.tensor([300.0], device="cuda")
    module(name)._triton_nvfp4_quant_dequant(normal(TOKENS, HIDDEN), one, 16)
    packed = whole((HIDDEN, HIDDEN // 2), 256, torch.uint8)
    scales = (torch.rand(HIDDEN, HIDDEN // 16, device="cuda") * 4 + 0.25).to(FP8)
    module(name)._triton_dequantize_nvfp4(packed, scales, one, torch.bfloat16)


def scaled(kind: torch.dtype, rows: int) -> Call:
    """Rows times a matrix, both with a scale for each row."""

    def call() -> None:
        a, b = (normal(n, HIDDEN).mul(30).to(kind) for n in (rows, HIDDEN))
        scales = [torch.rand(n, 1, device="cuda") for n in (rows, HIDDEN)]
        module(f"{QUANTISED}.compressed_tensors.triton_scaled_mm").triton_scaled_mm(
            a, b.T, *scales, torch.bfloat16
        )

    return call


def block_scaled() -> None:
    a, b = normal(LENGTH, HIDDEN).to(FP8), normal(HIDDEN, HIDDEN).to(FP8)
    sa = torch.rand(LENGTH, HIDDEN // 128, device="cuda")
    sb = torch.rand(HIDDEN // 128, HIDDEN // 128, device="cuda")
    module(f"{QUANTISED}.utils.fp8_utils").w8a8_triton_block_scaled_mm(
        a, b, sa, sb, [128, 128], torch.bfloat16
    )


def awq() -> None:
    words = whole((HIDDEN, HIDDEN // 8), 2**31 - 1)
    zeros = whole((HIDDEN // 128, HIDDEN // 8), 2**31 - 1)
    scales = normal(HIDDEN // 128, HIDDEN, kind=torch.float16)
    ops = module(f"{QUANTISED}.awq_triton")
    ops.awq_dequantize_triton(words, scales, zeros)
    ops.awq_gemm_triton(normal(16, HIDDEN, kind=torch.float16), words, scales, zeros, 8)


def four_bits(rows: int) -> Call:
    def call() -> None:
        words = whole((HIDDEN, HIDDEN // 8), 2**31 - 1)
        module(
            "model_executor.kernels.linear.mixed_precision.triton_w4a16"
        )._triton_w4a16_gemm_impl(
            normal(rows, HIDDEN), words, normal(HIDDEN // 128, HIDDEN), None, 128
        )

    return call


def mamba_steps() -> None:
    """A token of each sequence: the convolution, and the state."""
    ops, count, width = f"{LAYERS}.mamba.ops", 4 * SEQUENCES, 64
    slots = torch.randperm(count, dtype=torch.int32).cuda()
    module(f"{ops}.causal_conv1d").causal_conv1d_update(
        normal(count, HIDDEN), normal(count, HIDDEN, 3), normal(HIDDEN, 4), normal(HIDDEN),
        "silu", slots,
    )  # fmt: skip
    state, x = normal(count, 64, width, 128), normal(count, 64, width)
    decay = -torch.rand(64, 1, 1, device="cuda").expand(64, width, 128)
    b, c = normal(count, 8, 128), normal(count, 8, 128)
    skip, bias = (normal(64)[:, None].expand(64, width) for _ in range(2))
    dt = normal(count, 64)[..., None].expand(count, 64, width)
    module(f"{ops}.mamba_ssm").selective_state_update(
        state, x, dt, decay, b, c, skip, bias, normal(count, 64, width), True,
        out=torch.empty_like(x),
    )  # fmt: skip


def mamba_sequences() -> None:
    """Whole sequences, in chunks of states."""
    ops, count, chunk = f"{LAYERS}.mamba.ops", 4, 256
    length, slots = TOKENS // count, torch.arange(count, dtype=torch.int32, device="cuda")
    x, dt = normal(TOKENS, 64, 64), normal(TOKENS, 64)
    per = length // chunk
    owners = slots.repeat_interleave(per)
    last = (slots + 1) * per - 1
    b, c = normal(TOKENS, 8, 128), normal(TOKENS, 8, 128)
    module(f"{ops}.ssd_combined").mamba_chunk_scan_combined_varlen(
        x, dt, -torch.rand(64, device="cuda"), b, c, chunk, starts(count, length),
        starts(count * per, chunk), last, owners, torch.empty_like(x), D=normal(64),
        dt_bias=normal(64), dt_softplus=True,
    )  # fmt: skip


def gated_norm() -> None:
    module(f"{LAYERS}.mamba.ops.layernorm_gated").rms_norm_gated(
        normal(TOKENS, HIDDEN), normal(HIDDEN), None, normal(TOKENS, HIDDEN), 1e-6, HIDDEN // 8,
        norm_before_gate=False,
    )  # fmt: skip


def delta_inputs(count: int, heads: int = 16) -> tuple[torch.Tensor, ...]:
    q, k = (F.normalize(normal(1, count, heads, SIZE), dim=-1) for _ in range(2))
    g = F.logsigmoid(torch.randn(1, count, heads, device="cuda"))
    return q, k, normal(1, count, heads, SIZE), g, normal(1, count, heads).sigmoid()


def delta_steps() -> None:
    q, k, v, g, beta = delta_inputs(SEQUENCES)
    states = torch.randn(SEQUENCES, 16, SIZE, SIZE, device="cuda")
    name = "third_party.flash_linear_attention.ops.fused_recurrent"
    module(name).fused_recurrent_gated_delta_rule(
        q, k, v, g, beta, initial_state=states, cu_seqlens=starts(SEQUENCES, 1).long(),
        ssm_state_indices=torch.arange(SEQUENCES, dtype=torch.int32, device="cuda")[:, None],
    )  # fmt: skip


def delta_chunks() -> None:
    q, k, v, g, beta = delta_inputs(TOKENS)
    states = torch.randn(1, 16, SIZE, SIZE, device="cuda")
    module("third_party.flash_linear_attention.ops.chunk").chunk_gated_delta_rule(
        q, k, v, g, beta, initial_state=states, output_final_state=True
    )


def rotary() -> None:
    angles = normal(3, TOKENS, SIZE // 2)
    module(f"{LAYERS}.rotary_embedding.mrope").triton_mrope(
        normal(TOKENS, HEADS * SIZE), normal(TOKENS, SHARED_HEADS * SIZE), angles.cos(),
        angles.sin(), [16, 24, 24], SIZE, SIZE, False, True,
    )  # fmt: skip
    module(f"{LAYERS}.fused_qk_norm_rope").fused_qk_rmsnorm_rope_gate(
        normal(TOKENS, HEADS * 2 * SIZE), normal(TOKENS, SHARED_HEADS * SIZE), normal(SIZE),
        normal(SIZE), normal(LENGTH, SIZE), whole(TOKENS, LENGTH, torch.int64), 1e-6, HEADS,
        SHARED_HEADS, SIZE, SIZE,
    )  # fmt: skip


def rows() -> None:
    """Kernels of rows."""
    table, weight = normal(WORDS, HIDDEN), normal(HIDDEN)
    module(f"{LAYERS}.fused_embed_norm").fused_embed_norm(
        whole(TOKENS, WORDS, torch.int64), table, weight, 1e-6
    )
    x = normal(TOKENS, HIDDEN)
    module("model_executor.kernels.mhc.triton").rmsnorm_nw(x, 1e-6)
    same = module("model_executor.determinism.batch_invariant")
    same.rms_norm_batch_invariant(x, weight)
    same.mean_dim(normal(64, 1024, 1024), 1)
    same.log_softmax(normal(LENGTH // 4, WORDS))
    gates = normal(TOKENS, 2 * HIDDEN)
    module(f"{LAYERS}.activation").swiglustep_and_mul_triton(normal(TOKENS, HIDDEN), gates)
    name = f"{LAYERS}.fused_moe.moe_fused_mul_sum"
    module(name).moe_fused_mul_sum(normal(TOKENS, 2, HIDDEN), torch.rand(TOKENS, 2, device="cuda"))


def products() -> None:
    """Those that do not depend on the batch."""
    same = module("model_executor.determinism.batch_invariant")
    # One asks a compiled extension, the other tables of what is fastest on which GPU.
    same.get_max_shared_memory_bytes = lambda *rest: 232448
    same._get_matmul_config = lambda m, n, k, dtype, config: config
    same.matmul_persistent(normal(LENGTH, HIDDEN), normal(HIDDEN, HIDDEN))
    same.bmm_batch_invariant(normal(16, 1024, 1024), normal(16, 1024, 1024))


def sampling() -> None:
    """What is done with the logits of each sequence."""
    logits = normal(SEQUENCES, WORDS, kind=torch.float32)
    pick = torch.arange(SEQUENCES, dtype=torch.int32, device="cuda")
    share = torch.rand(SEQUENCES, device="cuda")
    sample = "v1.worker.gpu.sample"
    module(f"{sample}.gumbel").apply_temperature(logits.clone(), pick, share + 0.5)
    module(f"{sample}.min_p").apply_min_p(logits.clone(), pick, share / 10)
    tokens = whole((SEQUENCES, 8), WORDS, torch.int64)
    module(f"{sample}.logprob").compute_token_logprobs(logits, tokens)
    bits = whole((SEQUENCES, -(-WORDS // 32)), 2**31 - 1)
    counts = whole((SEQUENCES, WORDS), 3)
    module(f"{sample}.penalties").apply_penalties(
        logits.clone(), pick, whole(SEQUENCES, WORDS), torch.zeros_like(pick), share + 0.5, share,
        share, bits, counts,
    )  # fmt: skip
    top = module("v1.sample.ops.topk_topp_triton").apply_top_k_top_p_triton
    top(logits.clone(), full(SEQUENCES, 50), None)
    top(logits.clone(), full(SEQUENCES, 50), share)
    top(logits.clone(), None, share)


CALLS: dict[str, Call] = {
    "attention of prompts": lambda: unified(TOKENS // 2048 or 1, 2048, 2048),
    "attention of tokens": lambda: unified(SEQUENCES, 1, LENGTH),
    "attention of tokens in segments": lambda: unified(SEQUENCES // 4, 1, LENGTH, 16),
    "decode": decode,
    "prefill": prefill,
    "merge": merge,
    "fill cache": fill_cache,
    "experts": experts,
    "experts fp8": lambda: experts("fp8"),
    "experts int8": lambda: experts("int8"),
    "lora": lora,
    "int8 by token": quantise("int8_utils", "per_token_quant_int8"),
    "int8 by group": quantise("int8_utils", "per_token_group_quant_int8", 128),
    "fp8 by group": quantise("fp8_utils", "per_token_group_quant_fp8", 128, use_ue8m0=False),
    "fp8 by group in columns": quantise(
        "fp8_utils", "per_token_group_quant_fp8", 128, column_major_scales=True, use_ue8m0=False
    ),
    "mxfp8": quantise("mxfp8_utils", "_mxfp8_e4m3_quantize_triton"),
    "nvfp4": nvfp4,
    "scaled int8": scaled(torch.int8, LENGTH),
    "scaled fp8": scaled(FP8, LENGTH),
    "scaled fp8 of few rows": scaled(FP8, 64),
    "block scaled": block_scaled,
    "awq": awq,
    "four bits": four_bits(LENGTH),
    "four bits of few rows": four_bits(16),
    "mamba steps": mamba_steps,
    "mamba sequences": mamba_sequences,
    "gated norm": gated_norm,
    "delta steps": delta_steps,
    "delta chunks": delta_chunks,
    "rotary": rotary,
    "rows": rows,
    "products": products,
    "sampling": sampling,
}
