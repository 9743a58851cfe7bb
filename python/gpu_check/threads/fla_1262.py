"""flash-linear-attention#1262, #1241: gradients of the state and of the values, odd sizes.

Reported: ptxas 12.8.93 makes both wrong on sm_90a with `--regAllocOptLevel=2` where the scale is
the integer 1, and so a constant, or where an odd number of 16-bit columns needs a second block;
13.1.80 makes the same PTX right. Written anew from the threads.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import triton
import triton.language as tl

CHUNK = 64


@triton.autotune(
    configs=[
        triton.Config({}, num_warps=warps, num_stages=stages)
        for warps in (2, 4)
        for stages in (2, 3)
    ],
    key=["K"],
)
@triton.jit
def state_gradients(
    q, do, dh, scale, length,
    K: tl.constexpr, V: tl.constexpr, CHUNK: tl.constexpr, BK: tl.constexpr, BV: tl.constexpr,
):  # fmt: skip
    """dh[heads, chunks, K, V]: what reaches each chunk's state from the chunks behind it."""
    first_k, first_v, head = tl.program_id(0) * BK, tl.program_id(1) * BV, tl.program_id(2)
    chunks = tl.cdiv(length, CHUNK)
    q += head * length * K
    do += head * length * V
    dh += head * chunks * K * V
    total = tl.zeros([BK, BV], dtype=tl.float32)
    for i in range(chunks - 1, -1, -1):
        p_dh = tl.make_block_ptr(
            dh + i * K * V, (K, V), (V, 1), (first_k, first_v), (BK, BV), (1, 0)
        )
        tl.store(p_dh, total.to(dh.dtype.element_ty), boundary_check=(0, 1))
        p_q = tl.make_block_ptr(q, (K, length), (1, K), (first_k, i * CHUNK), (BK, CHUNK), (0, 1))
        p_do = tl.make_block_ptr(do, (length, V), (V, 1), (i * CHUNK, first_v), (CHUNK, BV), (1, 0))
        b_q = tl.load(p_q, boundary_check=(0, 1))
        b_q = (b_q * scale).to(b_q.dtype)
        total += tl.dot(b_q, tl.load(p_do, boundary_check=(0, 1)))


@triton.autotune(
    configs=[
        triton.Config({}, num_warps=warps, num_stages=stages)
        for warps in (2, 4)
        for stages in (2, 3)
    ],
    key=["K"],
)
@triton.jit
def value_gradients(
    q, k, do, dh, dv, scale, length,
    K: tl.constexpr, V: tl.constexpr, CHUNK: tl.constexpr, BK: tl.constexpr, BV: tl.constexpr,
):  # fmt: skip
    """dv[heads, length, V]: within the chunk, and by way of the state."""
    first_v, chunk, head = tl.program_id(0) * BV, tl.program_id(1), tl.program_id(2)
    first = chunk * CHUNK
    q += head * length * K
    k += head * length * K
    do += head * length * V
    dv += head * length * V
    dh += (head * tl.cdiv(length, CHUNK) + chunk) * K * V
    total = tl.zeros([CHUNK, BV], dtype=tl.float32)
    scores = tl.zeros([CHUNK, CHUNK], dtype=tl.float32)
    for i in range(0, tl.cdiv(K, BK)):
        p_k = tl.make_block_ptr(k, (length, K), (K, 1), (first, i * BK), (CHUNK, BK), (1, 0))
        p_q = tl.make_block_ptr(q, (K, length), (1, K), (i * BK, first), (BK, CHUNK), (0, 1))
        p_dh = tl.make_block_ptr(dh, (K, V), (V, 1), (i * BK, first_v), (BK, BV), (1, 0))
        b_k = tl.load(p_k, boundary_check=(0, 1))
        scores += tl.dot(b_k, tl.load(p_q, boundary_check=(0, 1)))
        total += tl.dot(b_k, tl.load(p_dh, boundary_check=(0, 1)).to(b_k.dtype))
    row = first + tl.arange(0, CHUNK)
    inside = row < length
    seen = (row[:, None] <= row[None, :]) & (inside[:, None] & inside[None, :])
    scores = tl.where(seen, scores * scale, 0).to(do.dtype.element_ty)
    p_do = tl.make_block_ptr(do, (length, V), (V, 1), (first, first_v), (CHUNK, BV), (1, 0))
    p_dv = tl.make_block_ptr(dv, (length, V), (V, 1), (first, first_v), (CHUNK, BV), (1, 0))
    total += tl.dot(scores, tl.load(p_do, boundary_check=(0, 1)))
    tl.store(p_dv, total.to(dv.dtype.element_ty), boundary_check=(0, 1))


def states_expected(q: torch.Tensor, do: torch.Tensor, scale: float) -> torch.Tensor:
    """The first one, in f64."""
    heads, length, columns = q.shape
    dh = torch.zeros(heads, triton.cdiv(length, CHUNK), columns, do.shape[2], dtype=torch.float64)
    for i in range(dh.shape[1] - 1):
        part = slice((i + 1) * CHUNK, length)
        dh[:, i] = (q[:, part].double() * scale).mT @ do[:, part].double()
    return dh.to(q.dtype)


def case() -> dict[str, torch.Tensor]:
    """All ones, as reported, so that every result is a whole number; scale is the integer 1.

    Gives the tensors by the names of the parameters.
    """
    heads, length, columns, values = 1, 200, 153, 64
    q, k = (torch.ones(heads, length, columns, dtype=torch.float16) for _ in range(2))
    do = torch.ones(heads, length, values, dtype=torch.float16)
    chunks = triton.cdiv(length, CHUNK)
    dh = torch.zeros(heads, chunks, columns, values, dtype=torch.float16)
    dv = torch.zeros_like(do)
    sizes = {"K": columns, "V": values, "CHUNK": CHUNK, "BV": 64}
    state_gradients[(triton.cdiv(columns, 64), triton.cdiv(values, 64), heads)](
        q, do, dh, 1, length, BK=64, **sizes
    )
    value_gradients[(triton.cdiv(values, 64), chunks, heads)](
        q, k, do, dh, dv, 1, length, BK=128, **sizes
    )
    return {"q": q, "k": k, "do": do, "dh": dh, "dv": dv}


def cases() -> list[Callable[[], dict[str, torch.Tensor]]]:
    """The one above, which does not run but to be recorded: no configuration is timed."""
    return [case]
