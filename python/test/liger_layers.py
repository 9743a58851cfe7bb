"""Layers of liger-kernel: activations, norms, positions, attention, mixtures."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from liger_cases import Function, case, liger, nightly, normal, ops, rms, rotate

# Activations.


@case
def geglu():
    return (
        (normal(3, 5, 33), normal(3, 5, 33)),
        liger.liger_geglu,
        lambda a, b: F.gelu(a, approximate="tanh") * b,
    )


@case
def swiglu():
    return (normal(4, 33), normal(4, 33)), liger.liger_swiglu, lambda a, b: F.silu(a) * b


@nightly
def swiglu_wide_rows_with_multipliers():
    return (
        (normal(2, 9001), normal(2, 9001)),
        lambda a, b: ops.LigerSiLUMulFunction.apply(a, b, 1.5, 0.5),
        lambda a, b: F.silu(1.5 * a) * b * 0.5,
    )


@case
def swiglu_fused_gate_up():
    return (
        (normal(4, 66),),
        lambda y: ops.LigerFusedGateUpSiLUMulFunction.apply(y),
        lambda y: F.silu(y[:, :33]) * y[:, 33:],
    )


@case
def relu_squared():
    return (normal(4, 33),), liger.liger_relu_squared, lambda x: F.relu(x).square()


@case
def softmax():
    return (normal(4, 33),), liger.liger_softmax, lambda x: x.softmax(-1)


@case
def sparsemax():
    def reference(x: torch.Tensor) -> torch.Tensor:
        ordered = x.sort(-1, descending=True).values
        count = torch.arange(1, x.shape[-1] + 1)
        support = 1 + count * ordered > ordered.cumsum(-1)
        tau = ((ordered * support).sum(-1, keepdim=True) - 1) / support.sum(-1, keepdim=True)
        return (x - tau).clamp(min=0)

    return (normal(4, 13),), liger.liger_sparsemax, reference


# Norms.


@case
def rms_norm():
    return (
        (normal(3, 5, 33), normal(33)),
        lambda x, w: liger.liger_rms_norm(x, w, 1e-6),
        lambda x, w: rms(x, 1e-6) * w,
    )


@nightly
def rms_norm_many_rows():
    return (
        (normal(4 * 1024 * 8, 16), normal(16)),
        lambda x, w: ops.LigerRMSNormFunction.apply(x, w, 1e-6, 0.0, "llama", True, False),
        lambda x, w: rms(x, 1e-6) * w,
    )


@nightly
def rms_norm_gemma():
    return (
        (normal(3, 33), normal(33)),
        lambda x, w: liger.liger_rms_norm(x, w, 1e-6, 1.0, "gemma", False),
        lambda x, w: rms(x, 1e-6) * (1 + w),
    )


@nightly
def rms_norm_without_weight():
    return (
        (normal(3, 33),),
        lambda x: liger.liger_rms_norm(x, None, 1e-6),
        lambda x: rms(x, 1e-6),
    )


@case
def fused_add_rms_norm():
    return (
        (normal(3, 33), normal(3, 33), normal(33)),
        lambda x, r, w: liger.liger_fused_add_rms_norm(x, r, w, 1e-6),
        lambda x, r, w: (rms(x + r, 1e-6) * w, x + r),
    )


@case
def modulated_rms_norm():
    def reference(x, w, scale, shift):
        return rms(x, 1e-6) * w * (1 + scale[:, None]) + shift[:, None]

    return (
        (normal(2, 3, 17), normal(17), normal(2, 17), normal(2, 17)),
        liger.liger_modulated_rms_norm,
        reference,
    )


@case
def layer_norm():
    return (
        (normal(3, 33), normal(33), normal(33)),
        lambda x, w, b: liger.liger_layer_norm(x, w, b, 1e-5),
        lambda x, w, b: F.layer_norm(x, (33,), w, b, 1e-5),
    )


@case
def group_norm():
    return (
        (normal(2, 6, 7), normal(6), normal(6)),
        lambda x, w, b: liger.liger_group_norm(x, w, b, 6, 3, 1e-5),
        lambda x, w, b: F.group_norm(x, 3, w, b, 1e-5),
    )


@case
def poly_norm():
    def reference(x, w, b):
        return w[0] * rms(x**3, 1e-6) + w[1] * rms(x**2, 1e-6) + w[2] * rms(x, 1e-6) + b

    return (normal(3, 33), normal(3), normal()), liger.liger_poly_norm, reference


# Positions, embeddings, attention.


def angles(*shape: int) -> tuple[torch.Tensor, torch.Tensor]:
    half = torch.rand(shape) * 6
    both = torch.cat((half, half), -1)
    return both.cos(), both.sin()


@case
def rope():
    cos, sin = angles(1, 5, 6)
    return (
        (normal(2, 3, 5, 12), normal(2, 1, 5, 12)),
        lambda q, k: liger.liger_rope(q, k, cos, sin),
        lambda q, k: (rotate(q, cos, sin), rotate(k, cos, sin)),
    )


@nightly
def rope_of_a_part():
    cos, sin = angles(1, 5, 3)

    def reference(q, k):
        return tuple(torch.cat((rotate(x[..., :6], cos, sin), x[..., 6:]), -1) for x in (q, k))

    return (
        (normal(2, 3, 5, 10), normal(2, 1, 5, 10)),
        lambda q, k: liger.liger_rope(q, k, cos, sin, rotary_dim=6),
        reference,
    )


@case
def qwen2vl_mrope():
    cos, sin = angles(3, 2, 5, 8)
    sections = [2, 3, 3]

    def mixed(x):
        parts = x.split(sections * 2, -1)
        return torch.cat([part[i % 3] for i, part in enumerate(parts)], -1)[:, None]

    return (
        (normal(2, 3, 5, 16), normal(2, 1, 5, 16)),
        lambda q, k: liger.liger_qwen2vl_mrope(q, k, cos, sin, sections),
        lambda q, k: tuple(rotate(x, mixed(cos), mixed(sin)) for x in (q, k)),
    )


@case
def llama4_rope():
    turns = torch.polar(torch.ones(5, 6), torch.rand(5, 6) * 6)

    def reference(q, k):
        def turned(x):
            pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)))
            return torch.view_as_real(pairs * turns[None, :, None]).flatten(-2)

        return turned(q), turned(k)

    return (
        (normal(2, 5, 3, 12), normal(2, 5, 1, 12)),
        lambda q, k: ops.LigerLlama4RopeFunction.apply(q, k, turns),
        reference,
    )


@case
def embedding():
    indices = torch.randint(0, 9, (3, 4))
    return (
        (normal(9, 17),),
        lambda w: ops.LigerEmbeddingFunction.apply(w, indices),
        lambda w: F.embedding(indices, w),
    )


@case
def attn_res():
    def reference(v, query, w):
        scores = (rms(v, 1e-6) * w * query).sum(-1)
        return (scores.softmax(0)[..., None] * v).sum(0)

    return (
        (normal(3, 2, 4, 17), normal(17), normal(17)),
        lambda v, query, w: liger.liger_attn_res(v, query, w, 1e-6),
        reference,
    )


@nightly
def multi_token_attention():
    def reference(scores, weight, bias):
        future = torch.ones(7, 7, dtype=torch.bool).triu(1)
        probabilities = scores.masked_fill(future, -1e9).softmax(-1)
        return F.conv2d(probabilities, weight, bias, padding=1).masked_fill(future, 0)

    return (
        (normal(2, 3, 7, 7), normal(4, 3, 3, 3), normal(4)),
        lambda scores, weight, bias: liger.liger_multi_token_attention(
            scores, weight, bias, padding=1
        ),
        reference,
    )


@nightly
def neighborhood_attention():
    def reference(q, k, v):
        distance = torch.arange(11)[:, None] - torch.arange(11)
        far = (distance.abs() > 4) | (distance % 2 != 0)
        scores = q @ k.transpose(-1, -2) / math.sqrt(16)
        return scores.masked_fill(far, -math.inf).softmax(-1) @ v

    return (
        (normal(1, 2, 11, 16), normal(1, 2, 11, 16), normal(1, 2, 11, 16)),
        lambda q, k, v: liger.liger_fused_neighborhood_attention(q, k, v, 5, 2),
        reference,
    )


# Hyper-connections: coefficients, and how they mix the streams.


def coefficients(x, phi, b, *alphas):
    mixed = rms(x.flatten(-2), 1e-6) @ phi
    pre, post, rest = (
        part * alpha + bias
        for part, alpha, bias in zip(
            mixed.split((4, 4, 16), -1), alphas, b.split((4, 4, 16)), strict=True
        )
    )
    matrix = rest.unflatten(-1, (4, 4)).softmax(-1) + 1e-6
    matrix = matrix / (matrix.sum(-2, keepdim=True) + 1e-6)
    for _ in range(4):
        matrix = matrix / (matrix.sum(-1, keepdim=True) + 1e-6)
        matrix = matrix / (matrix.sum(-2, keepdim=True) + 1e-6)
    return pre.sigmoid() + 1e-2, 2 * post.sigmoid(), matrix


def streams() -> tuple[torch.Tensor, ...]:
    scalars = [torch.tensor(value) for value in (0.3, 0.5, 0.7)]
    return (normal(2, 3, 4, 16), normal(64, 24) / 8, normal(24), *scalars)


def enter(x: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
    return (x * h[..., None]).sum(-2)


def leave(x: torch.Tensor, f: torch.Tensor, post: torch.Tensor, mix: torch.Tensor) -> torch.Tensor:
    return f[..., None, :] * post[..., None] + mix @ x


COEFFICIENTS = {"allow_fp32": True, "tmax": 5, "pre_eps": 1e-2}


@nightly
def mhc_coeffs():
    return streams(), lambda *x: liger.liger_mhc_coeffs(*x, **COEFFICIENTS), coefficients


@nightly
def mhc_pre():
    return (normal(2, 3, 4, 16), normal(2, 3, 4)), liger.liger_mhc_pre, enter


@nightly
def mhc_post_res():
    return (
        (normal(2, 3, 4, 16), normal(2, 3, 16), normal(2, 3, 4), normal(2, 3, 4, 4)),
        liger.liger_mhc_post_res,
        leave,
    )


@nightly
def mhc_apply():
    return (
        (normal(2, 3, 4, 16), normal(2, 3, 16), torch.rand(2, 3, 4), normal(2, 3, 4),
         normal(2, 3, 4, 4)),
        lambda *leaves: liger.liger_mhc_apply(*leaves, return_x_in=True),
        lambda x, f, pre, post, mix: (leave(x, f, post, mix), enter(x, pre)),
    )  # fmt: skip


@nightly
def mhc_forward():
    def reference(x, *rest):
        pre, post, mix = coefficients(x, *rest)
        return leave(x, torch.tanh(enter(x, pre)), post, mix)

    return (
        streams(),
        lambda x, *rest: liger.liger_mhc_forward(x, torch.tanh, *rest, **COEFFICIENTS),
        reference,
    )


# Matrix products.


@nightly
def fused_moe():
    experts = torch.tensor([[0, 2], [1, 2], [2, 0], [1, 0], [0, 1]], dtype=torch.int32)

    def reference(x, gate_up, down, weights):
        gate, up = torch.einsum("th,tkih->tki", x, gate_up[experts.long()]).chunk(2, -1)
        result = torch.einsum("tki,tkhi->tkh", F.silu(gate) * up, down[experts.long()])
        return (result * weights[..., None]).sum(1)

    return (
        (normal(5, 16), normal(3, 32, 16) / 4, normal(3, 16, 16) / 4, torch.rand(5, 2)),
        lambda x, gate_up, down, weights: ops.LigerFusedMoEFunction.apply(
            x, gate_up, down, experts, weights
        ),
        reference,
    )


@nightly
def tiled_mlp():
    class Mlp(torch.nn.Module):
        def __init__(self, gate: torch.Tensor, product: Function) -> None:
            super().__init__()
            self.gate, self.product = gate, product

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.product(x @ self.gate, x)

    gate = normal(8, 8)
    ours = Mlp(gate, ops.LigerSiLUMulFunction.apply)
    return (
        (normal(1, 20, 8),),
        lambda x: ops.apply_tiled_mlp(lambda module, part: module(part), ours, x),
        Mlp(gate, lambda a, b: F.silu(a) * b),
    )
