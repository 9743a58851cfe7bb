"""Kernels of flash-linear-attention on CPU tensors, against its own references in plain torch.

`python -m clients.packages`, in the folder python, fetches what they need; `make test-all` does so.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import pytest
import recording
import torch
import torch.nn.functional as F
from clients import packages

pytestmark = pytest.mark.nightly
if not packages.there():
    pytest.skip("packages of clients are not there: clients.packages", allow_module_level=True)

BATCH, LENGTH, HEADS, WIDTH = 1, 128, 2, 32
Function = Callable[..., Any]


def normal(*shape: int) -> torch.Tensor:
    return torch.randn(shape)


def inputs(words: str, dtype: torch.dtype) -> list[torch.Tensor]:
    """Queries, normed keys, values, narrow ones, rates from 0 to 1 and logarithms of gates, both
    by head and by number, and what has no heads."""
    block = (BATCH, LENGTH, HEADS, WIDTH)
    made = {
        "q": normal(*block),
        "k": F.normalize(normal(*block), dim=-1),
        "v": normal(*block),
        "n": normal(BATCH, LENGTH, HEADS, 16),
        "b": torch.rand(BATCH, LENGTH, HEADS),
        "B": torch.rand(*block),
        "g": F.logsigmoid(normal(BATCH, LENGTH, HEADS)),
        "G": F.logsigmoid(normal(*block)) / 16,
        "x": normal(BATCH, LENGTH, 64),
        "X": F.logsigmoid(normal(BATCH, LENGTH, 64)),
    }
    return [made[word].to(dtype) for word in words]


def results(function: Function, arguments: list[torch.Tensor]) -> list[torch.Tensor]:
    """The first result, and the gradients of all arguments."""
    leaves = [x.clone().requires_grad_() for x in arguments]
    found = function(*leaves)
    out = found[0] if isinstance(found, tuple) else found
    torch.manual_seed(1)
    # By shape: what is not contiguous would get other numbers.
    out.backward(normal(*out.shape).to(out.dtype))
    return [out.detach(), *(x.grad for x in leaves if x.grad is not None)]


def by_time(function: Function) -> Function:
    """A reference that has heads before time."""

    def turned(*args: torch.Tensor) -> torch.Tensor:
        found = function(*(x.transpose(1, 2) for x in args))
        return (found[0] if isinstance(found, tuple) else found).transpose(1, 2)

    return turned


KERNELS = {
    "simple_gla": ("chunk_simple_gla", "naive_recurrent_simple_gla", "qkvg"),
    "linear_attn": ("chunk_linear_attn", "naive_chunk_linear_attn", "qkv"),
    "hgrn": ("fused_recurrent_hgrn", "naive_recurrent_hgrn", "xX"),
    "retention": ("chunk_retention", "naive_retention", "qkv"),
    "gla": ("chunk_gla", "naive_recurrent_gla", "qkvG"),
    "delta_rule": ("chunk_delta_rule", "delta_rule_recurrence", "qkvb"),
    "gated_delta_rule": ("chunk_gated_delta_rule", "naive_recurrent_gated_delta_rule", "qkvgb"),
    "attn": ("parallel_attn", "naive_parallel_attn", "qkv"),
    "kda": ("chunk_kda", "naive_recurrent_kda", "qkvGb"),
    "gsa": ("chunk_gsa", "naive_recurrent_gsa", "qkvqG"),
    "gdn2": ("chunk_gdn2", "naive_recurrent_gdn2", "qkvGBB"),
    "abc": ("chunk_abc", "naive_recurrent_abc", "qkvq"),
    "based": ("parallel_based", "naive_parallel_based", "nnv"),
    "forgetting_attn": ("parallel_forgetting_attn", "naive_forgetting_attn", "qkvg"),
    "stickbreaking_attn": ("parallel_stickbreaking_attn", "naive_stickbreaking_attn", "qkv"),
    "path_attn": ("parallel_path_attn", "naive_path_attn", "qkvkbg"),
    "parallax": ("parallel_parallax", "naive_parallax", "qqkv"),
}
SMALL = ("delta_rule", "parallax")
"""Those that take no f32."""


def functions(name: str) -> tuple[Function, Function]:
    """A kernel and its reference, called with the same arguments."""
    packages.use()
    kernel, reference, _ = KERNELS[name]
    ours = getattr(importlib.import_module(f"fla.ops.{name}"), kernel)
    theirs = getattr(importlib.import_module(f"fla.ops.{name}.naive"), reference)
    if name == "linear_attn":
        return lambda *args: ours(*args, normalize=False), theirs
    if name in ("delta_rule", "retention", "abc", "based"):
        return ours, by_time(theirs)
    if name == "gated_delta_rule":
        return (
            lambda q, k, v, g, b: ours(q, k, v, g=g, beta=b),
            lambda q, k, v, g, b: theirs(q, k, v, b, g),
        )
    if name == "path_attn":
        return ours, lambda *args: theirs(*args, WIDTH**-0.5)
    return ours, theirs


@pytest.mark.parametrize("name", KERNELS)
def test_fla(name: str):
    torch.manual_seed(0)
    ours, theirs = functions(name)
    dtype, tolerance = (torch.bfloat16, 2e-2) if name in SMALL else (torch.float32, 1e-5)
    arguments = inputs(KERNELS[name][2], dtype)
    found = results(ours, arguments)
    expected = results(theirs, [x.float() for x in arguments])
    assert len(found) == len(expected)
    for got, want in zip(found, expected, strict=True):
        assert got.shape == want.shape
        most = float(want.abs().max())
        torch.testing.assert_close(got.float(), want, rtol=0, atol=tolerance * most)
    recording.measured((found[:1], expected[:1]), (found[1:], expected[1:]), dtype)
