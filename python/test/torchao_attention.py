"""What torchao makes of queries, keys and values for attention in 8-bit floats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torchao_cases import FP8, Run, case, normal, torchao

HALVES = (torch.bfloat16, torch.float16)
PLAIN = "prototype.attention.quantization.triton_qkv_quantization"
ROPE = "prototype.attention.quantization.triton_rope_qkv_quantization"
HADAMARD = "prototype.attention.quantization.triton_hadamard_qkv_quantization"
BOTH = "prototype.attention.quantization.triton_hadamard_rope_qkv_quantization"
UTILITIES = "prototype.attention.quantization.triton_hadamard_utils"

Tensors = list[torch.Tensor]
LENGTHS = ((37, 37), (33, 70))
"""Of queries, and of keys and values."""


def inputs(dtype: torch.dtype, lengths: tuple[int, int], width: int, groups: int = 2) -> Tensors:
    """Queries, keys and values, [batch, heads, length, width]."""
    (ours, theirs), heads = lengths, 2
    shapes = ((2, heads * groups, ours, width), *((2, heads, theirs, width),) * 2)
    return [normal(*shape, dtype=dtype) for shape in shapes]


def by_head(most: torch.Tensor, x: torch.Tensor, groups: int = 1) -> tuple[torch.Tensor, ...]:
    """8-bit floats of [batch, heads, length, width], and what gives `x` again, for each group.

    `most` is as `x`, before it was rounded to its type.
    """
    top = most.float().abs().unflatten(1, (-1, groups)).amax((2, 3, 4))
    # `448 / top` is not a division in torch, but two steps.
    scale = torch.full_like(top, 448).div(top).repeat_interleave(groups, 1)[..., None, None]
    return (x.float() * scale).to(FP8), top / 448.0


def quantized(wide: Tensors, dtype: torch.dtype, groups: int = 2) -> Tensors:
    """What the wrappers return of queries, keys and values that are still f32."""
    made = [
        by_head(x, x.to(dtype), g) for x, g in zip(wide, (groups, 1, 1), strict=True)
    ]  # fmt: skip
    return [*(y for y, _ in made), *(factor for _, factor in made)]


def hadamard(x: torch.Tensor) -> torch.Tensor:
    """The transform of the last axis, with the additions of the kernel."""
    width, x = x.shape[-1], x.float()
    step = 1
    while step < width:
        left, right = x.unflatten(-1, (-1, 2, step)).unbind(-2)
        x = torch.stack((left + right, left - right), -2).flatten(-3)
        step *= 2
    return x * (1 / torch.tensor(float(width)).sqrt())


def turned(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor, pairs: bool) -> torch.Tensor:
    """Rotated pairs of numbers, of which the sum is rounded once."""
    halves = x.float().unflatten(-1, (-1, 2) if pairs else (2, -1))
    first, second = halves.unbind(-1 if pairs else -2)
    c, s = ((y.float()[:, ::2] if pairs else y.float()[:, : y.shape[1] // 2]) for y in (cos, sin))

    def fused(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        # f64 holds the product of two f32.
        return (a.double() * c.double() + b.double()).float()

    parts = fused(first, -(second * s)), fused(second, first * s)
    return torch.stack(parts, -1 if pairs else -2).flatten(-2)


def angles(length: int, width: int, pairs: bool) -> Tensors:
    """Cosines and sines, twice each: of neighbours, or of halves."""
    rates = torch.arange(length)[:, None] * 10.0 ** -torch.linspace(0, 3, width // 2)
    full = rates.repeat_interleave(2, 1) if pairs else rates.repeat(1, 2)
    return [full.cos(), full.sin()]


# ---------------------------------------------------------------------------------------------
# As they are
# ---------------------------------------------------------------------------------------------

REDUCE = ("single_reduce_kernel", "group_reduce_kernel")


@case(
    PLAIN, "single_phase1_kernel", "single_phase2_kernel", *REDUCE,
    dtype=HALVES, lengths=LENGTHS, width=(64, 40), chunks=(None, 3),
)  # fmt: skip
def qkv(dtype: torch.dtype, lengths: Any, width: int, chunks: int | None) -> tuple[Run, Run]:
    function = torchao(PLAIN).triton_fp8_sdpa_quantize
    given = inputs(dtype, lengths, width)
    return (
        lambda: function(*given, num_chunks=chunks),
        lambda: quantized([x.float() for x in given], dtype),
    )


SDPA = "prototype.fp8_sdpa_inference.fp8_sdpa_quantization"


def sdpa(dtype: torch.dtype, lengths: Any, width: int, chunks: int | None) -> tuple[Run, Run]:
    function = torchao(SDPA).fp8_sdpa_quantize_func
    given = inputs(dtype, lengths, width, 1)
    return (
        lambda: function(*given, num_chunks=chunks),
        lambda: quantized([x.float() for x in given], dtype, 1),
    )


@case(
    SDPA, "qkv_phase1_kernel", "qkv_reduce_kernel", "qkv_phase2_kernel",
    dtype=HALVES, width=(64, 40), chunks=(None, 3),
)  # fmt: skip
def sdpa_together(dtype: torch.dtype, width: int, chunks: int | None) -> tuple[Run, Run]:
    return sdpa(dtype, (150, 150), width, chunks)


@case(
    SDPA, "q_phase1_kernel", "q_reduce_kernel", "q_phase2_kernel", "kv_phase1_kernel",
    "kv_reduce_kernel", "kv_phase2_kernel", dtype=HALVES, width=(64, 40), chunks=(None, 3),
)  # fmt: skip
def sdpa_apart(dtype: torch.dtype, width: int, chunks: int | None) -> tuple[Run, Run]:
    return sdpa(dtype, (37, 150), width, chunks)


# ---------------------------------------------------------------------------------------------
# Transformed
# ---------------------------------------------------------------------------------------------


@case(
    HADAMARD, "hadamard_single_phase1_kernel",
    *(f"{PLAIN}:{name}" for name in ("single_phase2_kernel", *REDUCE)),
    dtype=HALVES, lengths=LENGTHS, width=(64, 128, 2),
)  # fmt: skip
def hadamard_qkv(dtype: torch.dtype, lengths: Any, width: int) -> tuple[Run, Run]:
    function = torchao(HADAMARD).triton_fp8_hadamard_sdpa_quantize
    given = inputs(dtype, lengths, width)
    return lambda: function(*given), lambda: quantized([hadamard(x) for x in given], dtype)


@case(
    HADAMARD, "hadamard_single_phase1_kernel",
    *(f"{PLAIN}:{name}" for name in ("single_phase1_kernel", "single_phase2_kernel", *REDUCE)),
    dtype=HALVES, width=(64, 256),
)  # fmt: skip
def hadamard_v(dtype: torch.dtype, width: int) -> tuple[Run, Run]:
    function = torchao(HADAMARD).triton_fp8_hadamard_sdpa_quantize
    q, k, v = inputs(dtype, (33, 70), width)
    return (
        lambda: function(q, k, v, v_only=True),
        lambda: quantized([q.float(), k.float(), hadamard(v)], dtype),
    )


@case(UTILITIES, "_inverse_hadamard_kernel", dtype=HALVES, width=(64, 128, 2), chunks=(None, 3))
def inverse_hadamard(dtype: torch.dtype, width: int, chunks: int | None) -> tuple[Run, Run]:
    function = torchao(UTILITIES).inverse_hadamard_transform
    x = normal(2, 33, 3, width, dtype=dtype).transpose(1, 2)
    return lambda: function(x, chunks), lambda: hadamard(x).to(dtype)


def rotated(
    dtype: torch.dtype, width: int, pairs: bool, after: tuple[Callable[..., torch.Tensor], ...],
    function: Callable[..., Any], **words: Any,
) -> tuple[Run, Run]:  # fmt: skip
    """Queries and keys turned; then what `after` says for each. Time is before heads."""
    given = inputs(dtype, (37, 37), width)
    cos, sin = angles(37, width, pairs)
    by_time = [x.transpose(1, 2) for x in given]

    def reference() -> Tensors:
        q, k, v = given
        both = [turned(x, cos, sin, pairs) for x in (q, k)]
        return quantized([f(x) for f, x in zip(after, (*both, v), strict=True)], dtype)

    return lambda: function(*by_time, cos, sin, rope_interleaved=pairs, **words), reference


TURN = ("rope_single_phase1_kernel", "rope_single_phase2_kernel", *REDUCE)
PAIRS = (False, True)


@case(
    ROPE, "v_phase1_kernel", "v_phase2_kernel", *TURN, dtype=HALVES, width=(64, 40), pairs=PAIRS,
)  # fmt: skip
def rope_qkv(dtype: torch.dtype, width: int, pairs: bool) -> tuple[Run, Run]:
    after = (torch.Tensor.float,) * 3
    return rotated(dtype, width, pairs, after, torchao(ROPE).triton_fp8_rope_sdpa_quantize)


@case(
    BOTH, "hadamard_rope_single_phase1_kernel", "hadamard_v_phase1_kernel",
    *(f"{ROPE}:{name}" for name in TURN[1:]), dtype=HALVES, width=(64, 128), pairs=PAIRS,
)  # fmt: skip
def hadamard_rope_qkv(dtype: torch.dtype, width: int, pairs: bool) -> tuple[Run, Run]:
    function = torchao(BOTH).triton_fp8_hadamard_rope_sdpa_quantize
    return rotated(dtype, width, pairs, (hadamard,) * 3, function)


@case(
    BOTH, "hadamard_v_phase1_kernel", *(f"{ROPE}:{name}" for name in TURN),
    dtype=HALVES, pairs=PAIRS,
)  # fmt: skip
def rope_qk_hadamard_v(dtype: torch.dtype, pairs: bool) -> tuple[Run, Run]:
    function = torchao(BOTH).triton_fp8_hadamard_rope_sdpa_quantize
    after = (torch.Tensor.float, torch.Tensor.float, hadamard)
    return rotated(dtype, 64, pairs, after, function, v_only=True)
