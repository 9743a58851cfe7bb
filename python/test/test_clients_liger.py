"""liger-kernel as it comes from PyPI: every function, forward and backward, against plain PyTorch.

A case returns tensors to differentiate by, the function of the package, and what it should be.
"""

from __future__ import annotations

import inspect
import math
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import recording
import torch
import torch.nn.functional as F

# The package's own switch: one configuration per kernel of its mixture of experts, not 32.
os.environ.setdefault("LIGER_FUSED_MOE_AUTOTUNE", "0")
ops = pytest.importorskip("liger_kernel.ops")
liger = pytest.importorskip("liger_kernel.transformers.functional")

Function = Callable[..., Any]
Case = Callable[[], tuple[tuple[torch.Tensor, ...], Function, Function]]
CASES: list[Any] = []


def case(make: Case) -> Case:
    CASES.append(pytest.param(make, id=make.__name__))
    return make


def nightly(make: Case) -> Case:
    CASES.append(pytest.param(make, id=make.__name__, marks=pytest.mark.nightly))
    return make


def normal(*shape: int) -> torch.Tensor:
    return torch.randn(shape)


def labels(rows: int, classes: int, ignored: int = 1) -> torch.Tensor:
    """Random classes, and -100 in the last `ignored` rows."""
    target = torch.randint(0, classes, (rows,))
    target[rows - ignored :] = -100
    return target


def rms(x: torch.Tensor, eps: float) -> torch.Tensor:
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps)


def rotate(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    low, high = x.chunk(2, -1)
    return x * cos + torch.cat((-high, low), -1) * sin


def tensors(result: Any) -> list[torch.Tensor]:
    result = result if isinstance(result, (tuple, list)) else (result,)
    return [member for member in result if isinstance(member, torch.Tensor)]


@pytest.mark.parametrize("make", CASES)
def test_liger(make: Case) -> None:
    torch.manual_seed(0)
    inputs, function, reference = make()
    compare(inputs, function, reference, rtol=1e-4, atol=2e-5)


def compare(
    inputs: tuple[torch.Tensor, ...], function: Function, reference: Function, **tolerance: float
) -> None:
    """Values and gradients of `function` are those of `reference` on the same numbers in f32."""
    results, numbers = [], []
    for run in (reference, function):
        torch.manual_seed(1)
        dtype = torch.float32 if run is reference else inputs[0].dtype
        leaves = [x.to(dtype, copy=True).requires_grad_() for x in inputs]
        # The functions may write to what they are given, so they are given copies.
        outputs = tensors(run(*[leaf.clone() for leaf in leaves]))
        smooth = [y.float() for y in outputs if y.requires_grad]
        sum((y * torch.randn(y.shape)).sum() for y in smooth).backward()
        results.append([y.detach().float() for y in outputs] + [x.grad.float() for x in leaves])
        numbers.append(len(outputs))
    torch.testing.assert_close(results[1], results[0], **tolerance)
    split = numbers[0]
    recording.measured(
        (results[1][:split], results[0][:split]),
        (results[1][split:], results[0][split:]),
        inputs[0].dtype,
    )


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


# Losses.


@case
def cross_entropy():
    target = labels(5, 33)
    return (
        (normal(5, 33),),
        lambda x: liger.liger_cross_entropy(x, target),
        lambda x: F.cross_entropy(x, target),
    )


@nightly
def cross_entropy_with_everything():
    target, weight = labels(5, 33), torch.rand(33) + 0.5

    def reference(x):
        x = 3 * torch.tanh(x / 3)
        kept = target != -100
        square = x.logsumexp(-1).square() * 1e-2
        z_loss = (square * kept).sum() / kept.sum()
        loss = F.cross_entropy(x, target, weight, label_smoothing=0.1)
        return loss + z_loss, z_loss.detach()

    def function(x):
        result = liger.liger_cross_entropy(
            x, target, weight, label_smoothing=0.1, lse_square_scale=1e-2, softcap=3.0,
            return_z_loss=True,
        )  # fmt: skip
        return result.loss, result.z_loss.detach()

    return (normal(5, 33),), function, reference


@nightly
def cross_entropy_predictions():
    target = labels(5, 33)

    def reference(x):
        best, kept = x.argmax(-1), target != -100
        accuracy = ((best == target) & kept).sum() / kept.sum()
        loss = F.cross_entropy(x, target, reduction="sum")
        return loss, accuracy, best.masked_fill(~kept, -1)

    def function(x):
        result = liger.liger_cross_entropy(
            x, target, reduction="sum", return_token_accuracy=True, return_predicted_tokens=True
        )
        return result.loss, result.token_accuracy / 1, result.predicted_tokens

    return (normal(5, 33),), function, reference


@case
def fused_linear_cross_entropy():
    target = labels(5, 19)
    return (
        (normal(5, 8), normal(19, 8), normal(19)),
        lambda x, w, b: liger.liger_fused_linear_cross_entropy(x, w, target, b),
        lambda x, w, b: F.cross_entropy(F.linear(x, w, b), target),
    )


@nightly
def fused_linear_cross_entropy_token_scaling():
    target = labels(5, 19)

    def reference(x, w):
        loss = F.cross_entropy(F.linear(x, w), target, reduction="none")
        return (loss * (-loss.detach()).exp() * (target != -100)).sum() / (target != -100).sum()

    return (
        (normal(5, 8), normal(19, 8)),
        lambda x, w: liger.liger_fused_linear_cross_entropy(x, w, target, use_token_scaling=True),
        reference,
    )


@nightly
def fused_linear_scaled_cross_entropy():
    target = labels(5, 19)
    return (
        (normal(5, 8), normal(19, 8)),
        lambda x, w: ops.LigerFusedLinearScaledCrossEntropyFunction.apply(x, w, target, 2.0),
        lambda x, w: F.cross_entropy(F.linear(x, w) / 2, target, reduction="none"),
    )


@case
def vocab_parallel_cross_entropy():
    target = labels(6, 19).view(3, 2)

    def reference(x):
        loss = F.cross_entropy(x.view(6, 19), target.view(6), reduction="none", label_smoothing=0.1)
        return loss.view(3, 2)

    return (
        (normal(3, 2, 19),),
        lambda x: ops.LigerVocabParallelCEFunction.apply(
            x, target, None, -100, 0.1, "pytorch", "global"
        ),
        reference,
    )


def divergence(x: torch.Tensor, y: torch.Tensor, beta: float) -> torch.Tensor:
    """Jensen-Shannon, of log probabilities; its ends are the two Kullback-Leiblers."""
    if beta == 0:
        return (y.exp() * (y - x)).sum()
    if beta == 1:
        return (x.exp() * (x - y)).sum()
    mean = torch.logaddexp(y + math.log(beta), x + math.log(1 - beta))
    return (beta * y.exp() * (y - mean) + (1 - beta) * x.exp() * (x - mean)).sum()


def jsd_case(beta: float):
    teacher, target = normal(5, 19).log_softmax(-1), labels(5, 19)
    kept = target != -100
    return (
        (normal(5, 19).log_softmax(-1),),
        lambda x: liger.liger_jsd(x, teacher, target, beta),
        lambda x: divergence(x[kept], teacher[kept], beta) / kept.sum(),
    )


@case
def jsd():
    return jsd_case(0.3)


@nightly
def jsd_forward_kl():
    return jsd_case(0.0)


@nightly
def jsd_reverse_kl():
    return jsd_case(1.0)


@nightly
def fused_linear_jsd():
    teacher, weight = normal(5, 9), normal(19, 9)

    def reference(x, w):
        logits = (F.linear(x, w) / 2).log_softmax(-1)
        return divergence(logits, (F.linear(teacher, weight) / 2).log_softmax(-1), 0.5) / 5

    return (
        (normal(5, 8), normal(19, 8)),
        lambda x, w: liger.liger_fused_linear_jsd(x, w, teacher, weight, temperature=2.0),
        reference,
    )


@case
def kl_div():
    target = normal(5, 19).softmax(-1)
    return (
        (normal(5, 19).log_softmax(-1),),
        lambda x: liger.liger_kl_div(x, target, reduction="batchmean"),
        lambda x: F.kl_div(x, target, reduction="batchmean"),
    )


@nightly
def kl_div_elementwise_of_logs():
    target = normal(5, 19).log_softmax(-1)
    return (
        (normal(5, 19).log_softmax(-1),),
        lambda x: liger.liger_kl_div(x, target, reduction="none", log_target=True),
        lambda x: F.kl_div(x, target, reduction="none", log_target=True),
    )


@nightly
def fused_linear_kl_div():
    target = normal(5, 19).softmax(-1)

    def reference(x, w):
        return F.kl_div((F.linear(x, w) / 2).log_softmax(-1), target, reduction="batchmean")

    return (
        (normal(5, 8), normal(19, 8)),
        lambda x, w: liger.liger_fused_linear_kl_div(x, w, target, temperature=2.0),
        reference,
    )


@case
def tvd():
    q, target = normal(5, 19).softmax(-1), labels(5, 19)
    kept = target != -100
    return (
        (normal(5, 19).softmax(-1),),
        lambda p: liger.liger_tvd(p, q, target, "batchmean"),
        lambda p: 0.5 * (p - q)[kept].abs().sum() / kept.sum(),
    )


@nightly
def fused_ce_tvd():
    teacher, target = normal(5, 19), labels(5, 19)

    def reference(x):
        distance = 0.5 * (x.softmax(-1) - teacher.softmax(-1)).abs().sum(-1)
        return F.cross_entropy(x, target, reduction="none"), distance * (target != -100)

    return (
        (normal(5, 19),),
        lambda x: ops.LigerFusedCETVDFunction.apply(x, teacher, target),
        reference,
    )


def grpo_case(kind: str, level: str = "token"):
    ids, advantage = torch.randint(0, 19, (2, 4)), normal(2)
    old, before = normal(2, 4) - 3, normal(2, 4) - 3
    mask = torch.tensor([[1, 1, 1, 0], [1, 1, 1, 1]])

    def reference(logits):
        logp = (logits[:, :-1] / 0.9).log_softmax(-1).gather(-1, ids[..., None])[..., 0]
        ratio = logp - old
        if level == "sequence":
            ratio = (ratio * mask).sum(-1, keepdim=True) / mask.sum(-1, keepdim=True)
        ratio, gain = ratio.exp(), advantage[:, None]
        if kind == "sapo":
            heat = torch.where(gain > 0, 1.0, 1.05)
            loss = -torch.sigmoid(heat * (ratio - 1)) * 4 / heat * gain
        elif kind == "cispo":
            loss = -ratio.detach().clamp(max=1.2) * gain * logp
        else:
            loss = -torch.minimum(ratio * gain, ratio.clamp(0.8, 1.2) * gain)
        change = before - logp
        loss = (loss + 0.04 * (change.exp() - change - 1)) * mask
        if kind in ("bnpo", "cispo"):
            return loss.sum() / mask.sum()
        return (loss.sum(-1) / mask.sum(-1)).mean()

    def function(logits):
        high = 1.2 if kind == "cispo" else 0.2
        arguments = (0.9, 0.04, 0.2, high, False, kind, None, True, level)
        return ops.GrpoLossFunction.apply(logits, old, before, ids, advantage, mask, *arguments)[0]

    return (normal(2, 5, 19),), function, reference


@nightly
def grpo():
    return grpo_case("grpo")


@nightly
def grpo_bnpo():
    return grpo_case("bnpo")


@nightly
def grpo_cispo():
    return grpo_case("cispo")


@nightly
def grpo_sapo():
    return grpo_case("sapo")


@nightly
def grpo_of_sequences():
    return grpo_case("grpo", "sequence")


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


SMALL_FLOATS = (
    geglu, swiglu, swiglu_fused_gate_up, relu_squared, softmax, rms_norm, rms_norm_gemma,
    fused_add_rms_norm, layer_norm, group_norm, cross_entropy, fused_linear_cross_entropy,
    vocab_parallel_cross_entropy, rope, qwen2vl_mrope, llama4_rope, embedding, attn_res, mhc_pre,
    mhc_post_res, fused_moe,
)  # fmt: skip


@pytest.mark.nightly
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("make", SMALL_FLOATS)
def test_liger_in_small_floats(make: Case, dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    inputs, function, reference = make()
    inputs = tuple(x.to(dtype) for x in inputs)
    compare(inputs, function, reference, rtol=3e-2, atol=6e-2)


@pytest.mark.nightly
def test_dyt(monkeypatch: pytest.MonkeyPatch):
    """Its backward asks what kind of GPU there is; on one kind it makes do without an answer."""
    from liger_kernel.ops import dyt

    monkeypatch.setattr(dyt, "infer_device", lambda: "npu")
    torch.manual_seed(0)
    compare(
        (normal(4, 33), normal(1), normal(33), normal(33)),
        liger.liger_dyt,
        lambda x, alpha, gamma, beta: gamma * torch.tanh(alpha * x) + beta,
        rtol=1e-4,
        atol=2e-5,
    )


@pytest.mark.nightly
def test_mlp_on_host_descriptors():
    """The public function insists on a GPU; the kernels under it, 16 configurations, do not."""
    from liger_kernel.ops import mlp

    torch.manual_seed(0)
    x, gate, up, down = normal(1, 20, 16), normal(24, 16), normal(24, 16), normal(16, 24)
    leaves = [leaf.clone().requires_grad_() for leaf in (x, gate, up)]
    product = F.silu(leaves[0] @ leaves[1].T) * (leaves[0] @ leaves[2].T)
    outside = normal(1, 20, 16)
    (product @ down.T * outside).sum().backward()

    both, config = mlp.gemm_swiglu(x, gate, up, 1.0)
    torch.testing.assert_close(both[..., :24], product.detach(), rtol=1e-4, atol=1e-4)
    mlp.swiglu_backward_dGU(outside, down, both, config, 1.0, 1.0)
    inner = mlp.swiglu_backward_dI(gate, up, both)
    torch.testing.assert_close(inner, leaves[0].grad, rtol=1e-4, atol=1e-4)
    ours = both[..., 24:].reshape(-1, 48).T @ x.reshape(-1, 16)
    theirs = torch.cat((leaves[1].grad, leaves[2].grad))
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-4)


@pytest.mark.nightly
def test_matmul_of_packed_weights(monkeypatch: pytest.MonkeyPatch):
    from liger_kernel.ops.experimental import mm_int8int2 as packed

    torch.manual_seed(0)
    kernel = packed.matmul_kernel
    smallest = min(
        kernel.configs, key=lambda c: c.kwargs["BLOCK_SIZE_M"] * c.kwargs["BLOCK_SIZE_N"]
    )
    monkeypatch.setattr(kernel, "configs", [smallest])
    a = torch.randint(-128, 128, (5, 512), dtype=torch.int8)
    weight = torch.randint(-1, 2, (512, 7), dtype=torch.int8)
    result = packed.matmul(a, packed.pack_weights(weight.clone()))
    assert torch.equal(result, a.int() @ weight.int())


ELSEWHERE = {
    "LigerFusedLinearScaledCrossEntropyTPFunction": "insists on GPUs; without Triton kernels",
    "liger_fused_linear_scaled_cross_entropy_tp": "insists on GPUs; without Triton kernels",
    "LigerMLPFunction": "insists on a GPU; its kernels are run by test_mlp_on_host_descriptors",
    "LigerTiledMLPFunction": "what apply_tiled_mlp applies",
}
"""What this file does not name, and why."""


def test_every_exported_function_is_tested():
    """By its name in this file, or by that of the function that calls it."""
    named = set(re.findall(r"\b(?:liger|ops)\.(\w+)", Path(__file__).read_text()))
    functions = {name for name in dir(liger) if name.startswith("liger_")}
    calls = "".join(inspect.getsource(getattr(liger, name)) for name in functions & named)
    classes = {
        name
        for name in dir(ops)
        if inspect.isclass(getattr(ops, name)) and name.endswith("Function")
    }
    assert len(functions) >= 30
    assert len(classes) >= 38
    named |= {name for name in classes if re.search(rf"\b{name}\b", calls)}
    assert sorted((functions | classes) - named - ELSEWHERE.keys()) == []
    assert ELSEWHERE.keys() <= functions | classes
