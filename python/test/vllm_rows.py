"""vLLM's kernels over rows: norms, rotary positions, embeddings, batch-invariant operations."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from vllm_cases import Run, case, normal, vllm

MROPE = "model_executor.layers.rotary_embedding.mrope"


@case(MROPE, "_triton_mrope_forward")
def rotary_positions_in_three_parts() -> tuple[Run, Run]:
    function = vllm(MROPE).triton_mrope
    tokens, size = 9, 32
    q, k = normal(tokens, 6 * size), normal(tokens, 2 * size)
    cos, sin = normal(3, tokens, size // 2), normal(3, tokens, size // 2)
    section = [4, 6, 6]

    def turned(x: torch.Tensor) -> torch.Tensor:
        part = torch.arange(3).repeat_interleave(torch.tensor(section))
        c, s = (y[part, :, torch.arange(size // 2)].T[:, None] for y in (cos, sin))
        low, high = x.view(tokens, -1, size).chunk(2, -1)
        return torch.cat((low * c - high * s, high * c + low * s), -1).view_as(x)

    return (
        lambda: function(q.clone(), k.clone(), cos, sin, section, size, size, False, True),
        lambda: (turned(q), turned(k)),
    )


NORM_ROPE = "model_executor.layers.fused_qk_norm_rope"


@case(NORM_ROPE, "_fused_qk_rmsnorm_rope_gate_kernel", tolerance=1e-2)
def norm_rotary_positions_and_gate() -> tuple[Run, Run]:
    function = vllm(NORM_ROPE).fused_qk_rmsnorm_rope_gate
    tokens, heads, size, rotary = 7, 4, 64, 32
    both = normal(tokens, heads * 2 * size, dtype=torch.bfloat16)
    k = normal(tokens, 2 * size, dtype=torch.bfloat16)
    wq, wk = normal(size, dtype=torch.bfloat16), normal(size, dtype=torch.bfloat16)
    angles = torch.arange(50)[:, None] / torch.arange(1, rotary // 2 + 1)
    table = torch.cat((angles.cos(), angles.sin()), -1).bfloat16()
    positions = torch.randint(0, 50, (tokens,))

    def turned(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        y = F.rms_norm(x.float(), (size,), weight.float(), 1e-6)
        c, s = table[positions].float()[:, None].chunk(2, -1)
        low, high = y[..., :rotary].chunk(2, -1)
        y = torch.cat((low * c - high * s, high * c + low * s, y[..., rotary:]), -1)
        return y.reshape(tokens, -1).bfloat16()

    def reference() -> tuple[torch.Tensor, ...]:
        q, gate = both.view(tokens, heads, 2, size).unbind(2)
        return turned(q, wq), turned(k.view(tokens, 2, size), wk), gate.reshape(tokens, -1)

    return (
        lambda: function(both, k, wq, wk, table, positions, 1e-6, heads, 2, size, rotary),
        reference,
    )


EMBED = "model_executor.layers.fused_embed_norm"


@case(EMBED, "_fused_embed_norm_kernel")
def rows_of_a_table_and_their_norm() -> tuple[Run, Run]:
    function = vllm(EMBED).fused_embed_norm
    table, weight, rows = normal(50, 96), normal(96), torch.randint(0, 50, (7,))
    return (
        lambda: function(rows, table, weight, 1e-6),
        lambda: (table[rows], F.rms_norm(table[rows], (96,), weight, 1e-6)),
    )


MHC = "model_executor.kernels.mhc.triton"


@case(MHC, "_rmsnorm_nw_kernel")
def rms_norm_without_weight() -> tuple[Run, Run]:
    function = vllm(MHC).rmsnorm_nw
    x = normal(7, 300)
    return lambda: function(x, 1e-6), lambda: F.rms_norm(x, (300,), eps=1e-6)


@case(MHC, "_hc_head_reduce_store_kernel", tolerance=1e-2)
def weighted_sum_of_streams() -> tuple[Run, Run]:
    function = vllm(MHC).hc_collapse_triton
    x, mix = normal(7, 4, 1300, dtype=torch.bfloat16), normal(7, 4)
    return lambda: function(x, mix), lambda: (x.float() * mix[..., None]).sum(1).bfloat16()


SAME = "model_executor.determinism.batch_invariant"


@case(SAME, "matmul_kernel_persistent", tolerance=1e-2)
def persistent_product() -> tuple[Run, Run]:
    module = vllm(SAME)
    # Tables of what is fastest on which GPU, or else what is given.
    module._get_matmul_config = lambda m, n, k, dtype, config: config
    function = module.matmul_persistent
    a, b, bias = (x.bfloat16() for x in (normal(70, 96), normal(96, 130), normal(130)))
    return (
        lambda: function(a, b, bias),
        lambda: (a.float() @ b.float() + bias.float()).bfloat16(),
    )


@case(SAME, "bmm_kernel")
def batched_product() -> tuple[Run, Run]:
    function = vllm(SAME).bmm_batch_invariant
    a, b = normal(3, 70, 40), normal(3, 40, 50)
    return lambda: function(a, b), lambda: a @ b


@case(SAME, "_log_softmax_kernel")
def log_softmax() -> tuple[Run, Run]:
    function = vllm(SAME).log_softmax
    x = normal(5, 2100)
    return lambda: function(x), lambda: x.log_softmax(-1)


@case(SAME, "mean_kernel")
def mean() -> tuple[Run, Run]:
    function = vllm(SAME).mean_dim
    x = normal(5, 130, 6)
    return lambda: function(x, 1), lambda: x.mean(1)


@case(SAME, "_rms_norm_kernel")
def rms_norm() -> tuple[Run, Run]:
    function = vllm(SAME).rms_norm_batch_invariant
    x, weight = normal(5, 1300), normal(1300)
    return lambda: function(x, weight), lambda: F.rms_norm(x, (1300,), weight, 1e-6)
