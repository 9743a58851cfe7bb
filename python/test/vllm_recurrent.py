"""vLLM's layers with a state: Mamba, gated delta rules, linear attention."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from vllm_cases import Run, case, normal, starts, vllm, whole

# ---------------------------------------------------------------------------------------------
# Mamba
# ---------------------------------------------------------------------------------------------

CONV = "model_executor.layers.mamba.ops.causal_conv1d"


@case(CONV, "_causal_conv1d_update_kernel")
def convolution_goes_on() -> tuple[Run, Run]:
    function = vllm(CONV).causal_conv1d_update
    x, state, weight, bias = normal(3, 40), normal(6, 40, 3), normal(40, 4), normal(40)
    slots = whole(4, 1, 5)

    def run() -> tuple[torch.Tensor, ...]:
        kept = state.clone()
        return function(x.clone(), kept, weight, bias, "silu", slots), kept

    def reference() -> tuple[torch.Tensor, ...]:
        kept = state.clone()
        all_of = torch.cat((state[slots.long()], x[..., None]), -1)
        kept[slots.long()] = all_of[..., 1:]
        return F.silu((all_of * weight).sum(-1) + bias), kept

    return run, reference


@case(CONV, "_causal_conv1d_fwd_kernel")
def convolution_of_sequences() -> tuple[Run, Run]:
    function = vllm(CONV).causal_conv1d_fn
    lengths, slots = whole(11, 2, 20), whole(4, 1, 5)
    x, state, weight, bias = normal(33, 40).T, normal(6, 3, 40).mT, normal(40, 4), normal(40)
    goes_on = torch.tensor([True, False, True])

    def run() -> tuple[torch.Tensor, ...]:
        kept = state.mT.clone().mT
        out = function(x, weight, bias, kept, starts(lengths), slots, goes_on, "silu")
        return out, kept

    def reference() -> tuple[torch.Tensor, ...]:
        kept, outs = state.clone(), []
        for part, slot, old in zip(x.split(lengths.tolist(), 1), slots, goes_on, strict=True):
            before = state[slot] if old else torch.zeros(40, 3)
            all_of = torch.cat((before, part), 1)
            outs.append(F.silu((all_of.unfold(1, 4, 1) * weight[:, None]).sum(-1) + bias[:, None]))
            kept[slot] = all_of[:, -3:]
        return torch.cat(outs, 1), kept

    return run, reference


SSM = "model_executor.layers.mamba.ops.mamba_ssm"


@case(SSM, "_selective_scan_update_kernel")
def state_space_step() -> tuple[Run, Run]:
    function = vllm(SSM).selective_state_update
    state, x, dt = normal(3, 4, 24, 16), normal(3, 4, 24), normal(3, 4, 24)
    decay, b, c = -torch.rand(4, 24, 16), normal(3, 2, 16), normal(3, 2, 16)
    skip, bias, z = normal(4, 24), normal(4, 24), normal(3, 4, 24)

    def run() -> tuple[torch.Tensor, ...]:
        kept, out = state.clone(), torch.empty_like(x)
        function(kept, x, dt, decay, b, c, skip, bias, z, True, out=out)
        return out, kept

    def reference() -> tuple[torch.Tensor, ...]:
        step = F.softplus(dt + bias)
        wide_b, wide_c = (y.repeat_interleave(2, 1)[:, :, None] for y in (b, c))
        kept = state * (decay * step[..., None]).exp() + (step * x)[..., None] * wide_b
        return ((kept * wide_c).sum(-1) + x * skip) * F.silu(z), kept

    return run, reference


@case("model_executor.layers.mamba.ops.layernorm_gated", "_layer_norm_fwd_1pass_kernel")
def gated_rms_norm() -> tuple[Run, Run]:
    function = vllm("model_executor.layers.mamba.ops.layernorm_gated").rms_norm_gated
    x, z, weight = normal(7, 96), normal(7, 96), normal(96)

    def reference() -> torch.Tensor:
        y = (x * F.silu(z)).view(7, 2, 48)
        return (F.rms_norm(y, (48,), eps=1e-6)).view(7, 96) * weight

    return (
        lambda: function(x, weight, None, z, 1e-6, 48, norm_before_gate=False),
        reference,
    )


# ---------------------------------------------------------------------------------------------
# Gated delta rules
# ---------------------------------------------------------------------------------------------


def delta_rule(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, g: torch.Tensor, beta: torch.Tensor,
    state: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:  # fmt: skip
    """Token by token; [tokens, heads, size], the state is [heads, values, keys]."""
    outs = []
    q, k, v, g, beta, state = (x.double() for x in (q, k, v, g, beta, state))
    for t in range(len(q)):
        decay = g[t].exp()
        state = state * (decay[:, None] if decay.ndim == 2 else decay[:, None, None])
        wrong = v[t] - (state * k[t][:, None]).sum(-1)
        state = state + (beta[t][:, None] * wrong)[..., None] * k[t][:, None]
        outs.append((state * q[t][:, None]).sum(-1) * q.shape[-1] ** -0.5)
    return torch.stack(outs).float(), state.float()


def delta_inputs(tokens: int, heads: int, size: int) -> tuple[torch.Tensor, ...]:
    q, k = (F.normalize(normal(1, tokens, heads, size), dim=-1) for _ in range(2))
    return q, k, normal(1, tokens, heads, size)


RECURRENT = "third_party.flash_linear_attention.ops.fused_recurrent"


@case(RECURRENT, "fused_recurrent_gated_delta_rule_fwd_kernel")
def gated_delta_rule_step_by_step() -> tuple[Run, Run]:
    function = vllm(RECURRENT).fused_recurrent_gated_delta_rule
    lengths, slots = (3, 7), whole(4, 1)
    q, k, v = delta_inputs(10, 2, 32)
    g, beta = F.logsigmoid(normal(1, 10, 2)), normal(1, 10, 2).sigmoid()
    states = normal(6, 2, 32, 32)

    def run() -> tuple[torch.Tensor, ...]:
        kept = states.clone()
        table = slots[:, None].expand(2, 7).contiguous()
        out, _ = function(
            q, k, v, g, beta, initial_state=kept, cu_seqlens=starts(whole(*lengths)).long(),
            ssm_state_indices=table,
        )  # fmt: skip
        return out, kept

    def reference() -> tuple[torch.Tensor, ...]:
        kept, outs = states.clone(), []
        parts = zip(*(x[0].split(lengths) for x in (q, k, v, g, beta)), strict=True)
        for slot, part in zip(slots, parts, strict=True):
            out, kept[slot] = delta_rule(*part, states[slot])
            outs.append(out)
        return torch.cat(outs)[None], kept

    return run, reference


KDA = "third_party.flash_linear_attention.ops.kda"


@case(KDA, "kda_gate_fwd_kernel")
def delta_attention_gate() -> tuple[Run, Run]:
    function = vllm(KDA).fused_kda_gate
    g, rate, bias = normal(30, 64) * 8, normal(2), normal(64)

    def reference() -> torch.Tensor:
        return -rate.exp()[:, None] * F.softplus(g + bias).view(30, 2, 32)

    return lambda: function(g, rate, 32, bias), reference


@case("third_party.flash_linear_attention.ops.l2norm", "l2norm_fwd_kernel2")
def l2_norm() -> tuple[Run, Run]:
    function = vllm("third_party.flash_linear_attention.ops.l2norm").l2norm_fwd
    x = normal(30, 64)
    return lambda: function(x), lambda: x * (x.square().sum(-1, keepdim=True) + 1e-6).rsqrt()


@case("third_party.flash_linear_attention.ops.layernorm_guard", "layer_norm_fwd_kernel")
def rms_norm_then_gate() -> tuple[Run, Run]:
    function = vllm("third_party.flash_linear_attention.ops.layernorm_guard").rmsnorm_fn
    x, z, weight = normal(30, 64), normal(30, 64), normal(64)
    return (
        lambda: function(x, weight, None, z),
        lambda: F.rms_norm(x, (64,), weight, 1e-6) * F.silu(z),
    )


# ---------------------------------------------------------------------------------------------
# Linear attention
# ---------------------------------------------------------------------------------------------

LIGHTNING = "model_executor.layers.lightning_attn"


def linear_attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, rate: torch.Tensor, state: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Token by token; [batch, heads, tokens, size]."""
    outs = []
    state, decay = state.double(), (-rate.double()).exp().view(-1, 1, 1)
    for t in range(q.shape[2]):
        state = state * decay + k[:, :, t, :, None] * v[:, :, t, None]
        outs.append((q[:, :, t, :, None] * state).sum(-2))
    return torch.stack(outs, 2).float(), state.float()


@case(LIGHTNING, "_linear_attn_decode_kernel")
def linear_attention_goes_on() -> tuple[Run, Run]:
    module = vllm(LIGHTNING)
    # einops, which is not installed, has it: "b h n d -> b n (h d)", of one token.
    module.rearrange = lambda x, words: x.transpose(1, 2).flatten(2)
    function = module.linear_decode_forward_triton
    q, k, v = (normal(3, 2, 1, 32) for _ in range(3))
    rate, states, slots = torch.rand(2), normal(6, 2, 32, 32), whole(4, 1, 5)

    def run() -> tuple[torch.Tensor, ...]:
        kept = states.clone()
        return function(q, k, v, kept, rate, slots), kept

    def reference() -> tuple[torch.Tensor, ...]:
        kept = states.clone()
        out, kept[slots.long()] = linear_attention(q, k, v, rate, states[slots.long()])
        return out.view(3, 64), kept

    return run, reference


# ---------------------------------------------------------------------------------------------
# In chunks
# ---------------------------------------------------------------------------------------------

SSD = "model_executor.layers.mamba.ops.ssd_combined"
CHUNK = "third_party.flash_linear_attention.ops.chunk"


@case(
    SSD, "_chunk_cumsum_fwd_kernel", "_chunk_state_fwd_kernel", "_state_passing_fwd_kernel",
    "_bmm_chunk_fwd_kernel", "_chunk_scan_fwd_kernel", tolerance=2e-5,
)  # fmt: skip
def state_space_of_sequences() -> tuple[Run, Run]:
    function = vllm(SSD).mamba_chunk_scan_combined_varlen
    heads, size, states, chunk = 4, 32, 16, 16
    lengths = (20, 37)
    total = sum(lengths)
    x, dt = normal(total, heads, size), normal(total, heads)
    decay, b, c = -torch.rand(heads), normal(total, 2, states), normal(total, 2, states)
    skip, bias, begin = normal(heads), normal(heads), normal(2, heads, size, states)
    # Chunks begin anew with each sequence.
    edges, owners, last, at = [0], [], [], 0
    for number, length in enumerate(lengths):
        for done in range(0, length, chunk):
            edges.append(at + min(done + chunk, length))
            owners.append(number)
        at += length
        last.append(len(owners) - 1)

    def run() -> tuple[torch.Tensor, ...]:
        out = torch.empty_like(x)
        end = function(
            x, dt, decay, b, c, chunk, starts(whole(*lengths)), whole(*edges), whole(*last),
            whole(*owners), out, D=skip, dt_bias=bias, initial_states=begin, dt_softplus=True,
        )  # fmt: skip
        return out, end

    def reference() -> tuple[torch.Tensor, ...]:
        outs, ends, at = [], [], 0
        for number, length in enumerate(lengths):
            state = begin[number].double()
            for t in range(at, at + length):
                step = F.softplus(dt[t] + bias).double()
                wide_b, wide_c = (y[t].repeat_interleave(2, 0)[:, None].double() for y in (b, c))
                state = state * (decay * step).exp()[:, None, None]
                state = state + (step[:, None] * x[t])[..., None] * wide_b
                outs.append((state * wide_c).sum(-1) + x[t] * skip[:, None])
            ends.append(state)
            at += length
        return torch.stack(outs).float(), torch.stack(ends).float()

    return run, reference


def from_a_state(
    function: Callable[..., object], q: torch.Tensor, k: torch.Tensor, v: torch.Tensor,
    g: torch.Tensor, beta: torch.Tensor,
) -> tuple[Run, Run]:  # fmt: skip
    """A gated delta rule of one sequence that goes on from a state; sizes are [1, 100, 2, 64]."""
    begin = normal(1, 2, 64, 64)

    def reference() -> tuple[torch.Tensor, ...]:
        out, state = delta_rule(q[0], k[0], v[0], g[0], beta[0], begin[0])
        return out[None], state[None]

    return (
        lambda: function(q, k, v.clone(), g, beta, initial_state=begin, output_final_state=True),
        reference,
    )


@case(
    CHUNK, "chunk_gated_delta_rule_fwd_kernel_h_blockdim64", "chunk_fwd_kernel_o",
    "chunk_scaled_dot_kkt_fwd_kernel", "chunk_local_cumsum_scalar_kernel",
    "recompute_w_u_fwd_kernel", "merge_16x16_to_64x64_inverse_kernel", tolerance=2e-2,
)  # fmt: skip
def gated_delta_rule_in_chunks() -> tuple[Run, Run]:
    function = vllm(CHUNK).chunk_gated_delta_rule
    q, k, v = (x.bfloat16() for x in delta_inputs(100, 2, 64))
    g, beta = F.logsigmoid(normal(1, 100, 2)), normal(1, 100, 2).sigmoid().bfloat16()
    return from_a_state(function, q, k, v, g, beta)


@case(
    KDA, "chunk_kda_scaled_dot_kkt_fwd_kernel_intra_sub_inter", "recompute_w_u_fwd_kernel",
    "chunk_gla_fwd_kernel_o", "chunk_local_cumsum_vector_kernel", tolerance=1e-4,
)  # fmt: skip
def delta_attention_in_chunks() -> tuple[Run, Run]:
    function = vllm(KDA).chunk_kda
    q, k, v = delta_inputs(100, 2, 64)
    g, beta = F.logsigmoid(normal(1, 100, 2, 64)), normal(1, 100, 2).sigmoid()
    return from_a_state(function, q, k, v, g, beta)
