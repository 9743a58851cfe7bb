"""Losses of liger-kernel."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from liger_cases import case, labels, liger, nightly, normal, ops

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
