"""flash-linear-attention#640, #826: gradients of gated linear attention within chunks.

Reported: Triton 3.4 to 3.7.0 make `dk`, and `dg` with it, wrong on Hopper where 64 columns of q and
k are a block, in every configuration; blocks of 32 and 128 are right. The suspect is the transposed
product of what other products have left, `tl.trans(ds)`. Written anew from the thread.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import triton
import triton.language as tl

CHUNK = 64


@triton.autotune(
    configs=[
        triton.Config({"COLUMNS": columns}, num_warps=warps, num_stages=stages)
        for columns in (32, 64)
        for warps in (2, 4)
        for stages in (2, 3)
    ],
    key=["K"],
)
@triton.jit
def chunk_gradients(
    q, k, v, g, h, dh, do, dq, dk, dg, scale, length,
    K: tl.constexpr, V: tl.constexpr, CHUNK: tl.constexpr,
    COLUMNS: tl.constexpr, VALUES: tl.constexpr,
):  # fmt: skip
    """dq, dk[heads, length, K] and dg[heads, K / COLUMNS, length] of o = gated attention."""
    first_column, chunk, head = tl.program_id(0) * COLUMNS, tl.program_id(1), tl.program_id(2)
    first = chunk * CHUNK
    at_k, at_v = head * length * K, head * length * V
    q, k, dq, dk, v, do = q + at_k, k + at_k, dq + at_k, dk + at_k, v + at_v, do + at_v
    state = (head * tl.cdiv(length, CHUNK) + chunk) * K * V
    b_dq = tl.zeros([CHUNK, COLUMNS], dtype=tl.float32)
    b_dk = tl.zeros([CHUNK, COLUMNS], dtype=tl.float32)
    b_ds = tl.zeros([CHUNK, CHUNK], dtype=tl.float32)
    for i in range(0, tl.cdiv(V, VALUES)):
        value = i * VALUES
        p_v = tl.make_block_ptr(v, (length, V), (V, 1), (first, value), (CHUNK, VALUES), (1, 0))
        p_do = tl.make_block_ptr(do, (length, V), (V, 1), (first, value), (CHUNK, VALUES), (1, 0))
        p_h = tl.make_block_ptr(
            h + state, (V, K), (1, V), (value, first_column), (VALUES, COLUMNS), (0, 1)
        )
        p_dh = tl.make_block_ptr(
            dh + state, (V, K), (1, V), (value, first_column), (VALUES, COLUMNS), (0, 1)
        )
        b_v = tl.load(p_v, boundary_check=(0, 1))
        b_do = tl.load(p_do, boundary_check=(0, 1))
        b_ds += tl.dot(b_do, tl.trans(b_v))
        b_dq += tl.dot(b_do, tl.load(p_h, boundary_check=(0, 1)))
        b_dk += tl.dot(b_v, tl.load(p_dh, boundary_check=(0, 1)))
    tl.debug_barrier()
    place = (first, first_column)
    p_q = tl.make_block_ptr(q, (length, K), (K, 1), place, (CHUNK, COLUMNS), (1, 0))
    p_k = tl.make_block_ptr(k, (length, K), (K, 1), place, (CHUNK, COLUMNS), (1, 0))
    p_dq = tl.make_block_ptr(dq, (length, K), (K, 1), place, (CHUNK, COLUMNS), (1, 0))
    p_dk = tl.make_block_ptr(dk, (length, K), (K, 1), place, (CHUNK, COLUMNS), (1, 0))
    p_g = tl.make_block_ptr(g + head * length, (length,), (1,), (first,), (CHUNK,), (0,))
    b_q = tl.load(p_q, boundary_check=(0, 1))
    b_k = tl.load(p_k, boundary_check=(0, 1))
    b_g = tl.load(p_g, boundary_check=(0,))
    row = first + tl.arange(0, CHUNK)
    inside = row < length
    g_last = tl.load(g + head * length + tl.minimum(first + CHUNK, length) - 1)
    b_dq = b_dq * tl.exp(b_g)[:, None] * scale
    b_dg = tl.sum(b_dq * b_q, axis=1)
    b_dk = b_dk * tl.where(inside, tl.exp(g_last - b_g), 0)[:, None]
    b_dg -= tl.sum(b_dk * b_k, axis=1)
    seen = (row[:, None] >= row[None, :]) & (inside[:, None] & inside[None, :])
    b_ds = tl.where(seen, b_ds * tl.exp(b_g[:, None] - b_g[None, :]), 0) * scale
    b_ds2 = b_ds * tl.dot(b_q, tl.trans(b_k))
    b_dg += tl.sum(b_ds2, axis=1) - tl.sum(b_ds2, axis=0)
    b_ds = b_ds.to(b_k.dtype)
    b_dq += tl.dot(b_ds, b_k)
    b_dk += tl.dot(tl.trans(b_ds), b_q)
    tl.store(p_dq, b_dq.to(b_q.dtype), boundary_check=(0, 1))
    tl.store(p_dk, b_dk.to(b_k.dtype), boundary_check=(0, 1))
    part = dg + (head * tl.cdiv(K, COLUMNS) + tl.program_id(0)) * length
    tl.store(part + row, b_dg, mask=inside)


def expected(q, k, v, g, h, dh, do, scale):  # type: ignore[no-untyped-def]
    """dq and dk, chunk by chunk, in f64."""
    heads, length, _ = q.shape
    dq, dk = torch.zeros_like(q, dtype=torch.float64), torch.zeros_like(k, dtype=torch.float64)
    for head in range(heads):
        for chunk, first in enumerate(range(0, length, CHUNK)):
            part = slice(first, min(first + CHUNK, length))
            q_, k_, v_, do_ = (x[head, part].double() for x in (q, k, v, do))
            g_ = g[head, part].double()
            h_, dh_ = h[head, chunk].double(), dh[head, chunk].double()
            ds = torch.tril(do_ @ v_.T * torch.exp(g_[:, None] - g_[None, :])) * scale
            dq[head, part] = do_ @ h_.T * torch.exp(g_)[:, None] * scale + ds @ k_
            dk[head, part] = v_ @ dh_.T * torch.exp(g_[-1] - g_)[:, None] + ds.T @ q_
    return {"dq": dq.to(q.dtype), "dk": dk.to(k.dtype)}


def case() -> dict[str, torch.Tensor]:
    """Two heads, a chunk that is cut off; columns that no block divides, as reported.

    Gives the tensors by the names of the parameters.
    """
    heads, length, columns, values = 2, 150, 100, 64
    rng = torch.Generator().manual_seed(640)

    def some(*shape: int) -> torch.Tensor:
        return (torch.randn(shape, generator=rng) * 0.5).to(torch.float16)

    q, k = some(heads, length, columns), some(heads, length, columns)
    v, do = some(heads, length, values), some(heads, length, values)
    chunks = triton.cdiv(length, CHUNK)
    h, dh = some(heads, chunks, columns, values), some(heads, chunks, columns, values)
    g = -torch.rand(heads, length, generator=rng).cumsum(1) * 0.05
    dq, dk = torch.zeros_like(q), torch.zeros_like(k)
    # Room for the parts of the smallest block.
    dg = torch.zeros(heads, triton.cdiv(columns, 32), length)
    chunk_gradients[lambda meta: (triton.cdiv(columns, meta["COLUMNS"]), chunks, heads)](
        q, k, v, g, h, dh, do, dq, dk, dg, columns**-0.5, length,
        K=columns, V=values, CHUNK=CHUNK, VALUES=64,
    )  # fmt: skip
    return {
        "q": q,
        "k": k,
        "v": v,
        "g": g,
        "h": h,
        "dh": dh,
        "do": do,
        "dq": dq,
        "dk": dk,
        "dg": dg,
    }


def cases() -> list[Callable[[], dict[str, torch.Tensor]]]:
    """The one above, which does not run but to be recorded: no configuration is timed."""
    return [case]
