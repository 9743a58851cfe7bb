"""Calls of other packages' operators, forward and backward, in sizes of models: liger-kernel of
rows and losses, fla-core of attention that is linear in the length; those of vLLM are in a file of
their own."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

from . import vllm_calls

Call = Callable[[], None]

TOKENS, HIDDEN, WORDS = 8192, 4096, 128256
BLOCK = (4, 4096, 16, 64)
"""Batch, length, heads, and how wide a head is."""


def normal(*shape: int, trains: bool = True) -> torch.Tensor:
    """Random numbers, of which gradients are wanted."""
    return torch.randn(*shape, device="cuda").bfloat16().requires_grad_(trains)


def backward(results: Any) -> None:
    """Gradients of all that the results are computed from, for random ones of theirs."""
    every = results if isinstance(results, (tuple, list)) else [results]
    wanted = [one for one in every if isinstance(one, torch.Tensor) and one.requires_grad]
    total = torch.stack([(one.float() * torch.randn_like(one).float()).sum() for one in wanted])
    total.sum().backward()


def liger(name: str, make: Callable[[], tuple[Any, ...]]) -> Call:
    """An operator of liger-kernel, on what `make` gives."""

    def call() -> None:
        functional = importlib.import_module("liger_kernel.transformers.functional")
        backward(getattr(functional, f"liger_{name}")(*make()))

    return call


def rows(*widths: int) -> Callable[[], tuple[Any, ...]]:
    """Rows of a model and, for each width, weights."""
    return lambda: (normal(TOKENS, HIDDEN), *(normal(width) for width in widths))


def pairs(first: Any, second: Any) -> Callable[[], tuple[Any, ...]]:
    """Two rows of (log) probabilities in f32; gradients of the first."""

    def make() -> tuple[torch.Tensor, ...]:
        x, y = (torch.randn(4096, 32000, device="cuda") for _ in range(2))
        return first(x, -1).requires_grad_(), second(y, -1)

    return make


def rope() -> tuple[Any, ...]:
    """Queries, keys, and angles."""
    angles = normal(1, 4096, 128, trains=False)
    return normal(2, 32, 4096, 128), normal(2, 8, 4096, 128), angles.cos(), angles.sin()


def labels() -> torch.Tensor:
    """The word of each row."""
    return torch.randint(0, WORDS, (4096,), device="cuda")


LIGER: dict[str, Callable[[], tuple[Any, ...]]] = {
    "rms_norm": lambda: (*rows(HIDDEN)(), 1e-6),
    "fused_add_rms_norm": lambda: (normal(TOKENS, HIDDEN), *rows(HIDDEN)(), 1e-6),
    "layer_norm": lambda: (*rows(HIDDEN, HIDDEN)(), 1e-6),
    "group_norm": lambda: (normal(32, 512, 64, 64), normal(512), normal(512), 512, 32, 1e-6),
    "swiglu": lambda: (normal(TOKENS, 14336), normal(TOKENS, 14336)),
    "geglu": lambda: (normal(TOKENS, 14336), normal(TOKENS, 14336)),
    "rope": rope,
    "softmax": rows(),
    "sparsemax": lambda: (normal(2048, HIDDEN),),
    "dyt": rows(1, HIDDEN, HIDDEN),
    "relu_squared": rows(),
    "poly_norm": lambda: (*rows(3)(), normal(1)[0]),
    "kl_div": pairs(F.log_softmax, F.softmax),
    "jsd": pairs(F.log_softmax, F.log_softmax),
    "tvd": pairs(F.softmax, F.softmax),
    "cross_entropy": lambda: (normal(4096, WORDS), labels()),
    "fused_linear_cross_entropy": lambda: (
        normal(4096, HIDDEN), normal(WORDS, HIDDEN), labels(),
    ),
}  # fmt: skip


def fused_moe() -> None:
    """liger-kernel's experts: each token goes to two of sixteen."""
    experts, tokens, width = 16, 4096, 1024
    ops = importlib.import_module("liger_kernel.ops")
    weights, chosen = torch.topk(torch.rand(tokens, experts, device="cuda").softmax(-1), 2)
    states = normal(tokens, width), normal(experts, 2 * width, width), normal(experts, width, width)
    weights = weights.bfloat16().requires_grad_()
    backward(ops.LigerFusedMoEFunction.apply(*states, chosen.to(torch.int32), weights))


def decay(*shape: int) -> torch.Tensor:
    """Logarithms of what is kept at each step."""
    return F.logsigmoid(torch.randn(*shape, device="cuda")).requires_grad_()


def unit() -> torch.Tensor:
    """Keys of length one."""
    return F.normalize(torch.randn(*BLOCK, device="cuda"), dim=-1).bfloat16().requires_grad_()


def share(*shape: int) -> torch.Tensor:
    """Numbers between zero and one."""
    return torch.rand(*shape, device="cuda").bfloat16().requires_grad_()


ARGUMENTS: dict[str, Callable[[], torch.Tensor]] = {
    "q": lambda: normal(*BLOCK),
    "k": unit,
    "K": lambda: unit().float(),
    "v": lambda: normal(*BLOCK),
    "n": lambda: normal(*BLOCK[:3], 16),
    "b": lambda: share(*BLOCK[:3]),
    "c": lambda: share(*BLOCK[:3]).float(),
    "B": lambda: share(*BLOCK),
    "g": lambda: decay(*BLOCK[:3]),
    "G": lambda: decay(*BLOCK),
    "x": lambda: normal(*BLOCK[:2], 1024),
    "X": lambda: decay(*BLOCK[:2], 1024).detach().bfloat16().requires_grad_(),
}
FLA = {
    "simple_gla": ("chunk_simple_gla", "qkvg"),
    "linear_attn": ("chunk_linear_attn", "qkv"),
    "hgrn": ("fused_recurrent_hgrn", "xX"),
    "retention": ("chunk_retention", "qkv"),
    "gla": ("chunk_gla", "qkvG"),
    "delta_rule": ("chunk_delta_rule", "qkvb"),
    "gated_delta_rule": ("chunk_gated_delta_rule", "qkvgb"),
    "attn": ("parallel_attn", "qkv"),
    "kda": ("chunk_kda", "qkvGb"),
    "gsa": ("chunk_gsa", "qkvqG"),
    "gdn2": ("chunk_gdn2", "qkvGBB"),
    "abc": ("chunk_abc", "qkvq"),
    "based": ("parallel_based", "nnv"),
    "forgetting_attn": ("parallel_forgetting_attn", "qkvg"),
    "stickbreaking_attn": ("parallel_stickbreaking_attn", "qkv"),
    "path_attn": ("parallel_path_attn", "qkvKcg"),
    "parallax": ("parallel_parallax", "qqkv"),
}
"""Module, function, and its arguments."""
NAMED = {"gated_delta_rule": ("q", "k", "v", "g", "beta")}
"""Functions whose arguments have to be named."""
OPTIONS = {"linear_attn": {"normalize": False}}


def fla(module: str, function: str, words: str) -> Call:
    """An operator of fla-core."""

    def call() -> None:
        operator = getattr(importlib.import_module(f"fla.ops.{module}"), function)
        made = [ARGUMENTS[word]() for word in words]
        options = OPTIONS.get(module, {})
        if names := NAMED.get(module):
            backward(operator(**dict(zip(names, made, strict=True)), **options))
        else:
            backward(operator(*made, **options))

    return call


def all_calls() -> dict[str, Call]:
    """By package and operator."""
    calls = {f"liger {name}": liger(name, make) for name, make in LIGER.items()}
    calls["liger fused_moe"] = fused_moe
    calls |= {f"fla {name}": fla(name, *how) for name, how in FLA.items()}
    calls |= {f"vllm {name}": call for name, call in vllm_calls.CALLS.items()}
    return calls
