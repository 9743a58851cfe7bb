"""flash-linear-attention#984, #988: gradients of the delta rule's triangular factors.

Reported: with chunks of 64 on Hopper, Triton from 3.4 on makes `dk` and `dbeta` wrong with four
warps, or reads where it must not; two warps are right, as are chunks of 16 and 32. `dv`, of the
first loop alone, is always right. Written anew from the thread.
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
        for stages in (2, 3, 4)
    ],
    key=["K"],
)
@triton.jit
def factor_gradients(
    k, v, beta, a, dw, du, dk, dv, dbeta, length,
    K: tl.constexpr, V: tl.constexpr, CHUNK: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """dk, dv, dbeta of w = A (beta k) and u = A (beta v), with A made of k and beta, too."""
    chunk, head = tl.program_id(0), tl.program_id(1)
    first = chunk * CHUNK
    at_k, at_v = head * length * K, head * length * V
    k, dk, dw, v, dv, du = k + at_k, dk + at_k, dw + at_k, v + at_v, dv + at_v, du + at_v
    p_beta = tl.make_block_ptr(beta + head * length, (length,), (1,), (first,), (CHUNK,), (0,))
    p_a = tl.make_block_ptr(
        a + head * length * CHUNK, (CHUNK, length), (1, CHUNK), (0, first), (CHUNK, CHUNK), (0, 1)
    )
    b_beta = tl.load(p_beta, boundary_check=(0,))
    b_a = tl.load(p_a, boundary_check=(0, 1))
    b_dbeta = tl.zeros([CHUNK], dtype=tl.float32)
    b_da = tl.zeros([CHUNK, CHUNK], dtype=tl.float32)
    for i in range(0, tl.cdiv(V, BLOCK)):
        place = (first, i * BLOCK)
        p_v = tl.make_block_ptr(v, (length, V), (V, 1), place, (CHUNK, BLOCK), (1, 0))
        p_dv = tl.make_block_ptr(dv, (length, V), (V, 1), place, (CHUNK, BLOCK), (1, 0))
        b_v = tl.load(p_v, boundary_check=(0, 1))
        p_v = tl.make_block_ptr(du, (length, V), (V, 1), place, (CHUNK, BLOCK), (1, 0))
        b_du = tl.load(p_v, boundary_check=(0, 1))
        b_scaled = (b_v * b_beta[:, None]).to(b_v.dtype)
        b_da += tl.dot(b_du, tl.trans(b_scaled))
        b_dscaled = tl.dot(b_a, b_du)
        b_dbeta += tl.sum(b_dscaled * b_v, 1)
        tl.store(p_dv, (b_dscaled * b_beta[:, None]).to(b_v.dtype), boundary_check=(0, 1))
    for i in range(0, tl.cdiv(K, BLOCK)):
        place = (first, i * BLOCK)
        p_k = tl.make_block_ptr(k, (length, K), (K, 1), place, (CHUNK, BLOCK), (1, 0))
        p_dk = tl.make_block_ptr(dk, (length, K), (K, 1), place, (CHUNK, BLOCK), (1, 0))
        b_k = tl.load(p_k, boundary_check=(0, 1))
        p_k = tl.make_block_ptr(dw, (length, K), (K, 1), place, (CHUNK, BLOCK), (1, 0))
        b_dw = tl.load(p_k, boundary_check=(0, 1))
        b_scaled = (b_k * b_beta[:, None]).to(b_k.dtype)
        b_da += tl.dot(b_dw, tl.trans(b_scaled))
        b_dscaled = tl.dot(b_a, b_dw)
        b_dbeta += tl.sum(b_dscaled * b_k, 1)
        tl.store(p_dk, (b_dscaled * b_beta[:, None]).to(b_k.dtype), boundary_check=(0, 1))
    row = tl.arange(0, CHUNK)
    below = row[:, None] > row[None, :]
    b_da = tl.dot(tl.where(below, b_da, 0).to(b_a.dtype), b_a)
    b_da = tl.dot(b_a, b_da.to(b_a.dtype))
    b_da = tl.where(below, -b_da, 0).to(b_a.dtype)
    tl.debug_barrier()
    for i in range(0, tl.cdiv(K, BLOCK)):
        place = (first, i * BLOCK)
        p_k = tl.make_block_ptr(k, (length, K), (K, 1), place, (CHUNK, BLOCK), (1, 0))
        p_dk = tl.make_block_ptr(dk, (length, K), (K, 1), place, (CHUNK, BLOCK), (1, 0))
        b_k = tl.load(p_k, boundary_check=(0, 1))
        b_dk = tl.load(p_dk, boundary_check=(0, 1)).to(tl.float32)
        b_scaled = (b_k * b_beta[:, None]).to(b_k.dtype)
        b_dscaled = tl.dot(b_da, b_k)
        b_dbeta += tl.sum(b_dscaled * b_k, 1)
        b_dk += tl.dot(tl.trans(b_da), b_scaled) + b_dscaled * b_beta[:, None]
        tl.store(p_dk, b_dk.to(b_k.dtype), boundary_check=(0, 1))
    p_dbeta = tl.make_block_ptr(dbeta + head * length, (length,), (1,), (first,), (CHUNK,), (0,))
    tl.store(p_dbeta, b_dbeta.to(b_beta.dtype), boundary_check=(0,))


def expected(k, v, beta, a, dw, du):  # type: ignore[no-untyped-def]
    """The same in f64, chunk by chunk."""
    out = {name: torch.zeros_like(x, dtype=torch.float64) for name, x in (("dk", k), ("dv", v))}
    out["dbeta"] = torch.zeros_like(beta, dtype=torch.float64)
    for head in range(k.shape[0]):
        for first in range(0, k.shape[1], CHUNK):
            part = (head, slice(first, first + CHUNK))
            k_, v_, dw_, du_, beta_ = (x[part].double() for x in (k, v, dw, du, beta))
            a_ = a[part].double()[:, : len(k_)].T
            scale = beta_[:, None]
            da = torch.tril(du_ @ (v_ * scale).T + dw_ @ (k_ * scale).T, -1)
            da = torch.tril(-(a_ @ da @ a_), -1)
            dv_, dk_, rest = a_ @ du_, a_ @ dw_, da @ k_
            out["dv"][part] = dv_ * scale
            out["dk"][part] = (dk_ + rest) * scale + da.T @ (k_ * scale)
            out["dbeta"][part] = (dv_ * v_).sum(1) + ((dk_ + rest) * k_).sum(1)
    dtypes = {"dk": k.dtype, "dv": v.dtype, "dbeta": beta.dtype}
    return {name: x.to(dtypes[name]) for name, x in out.items()}


def case() -> dict[str, torch.Tensor]:
    """Two heads of two chunks; gives the tensors by the names of the parameters."""
    heads, length, size = 2, 2 * CHUNK, 64
    rng = torch.Generator().manual_seed(984)

    def some(*shape: int) -> torch.Tensor:
        return (torch.randn(shape, generator=rng) * 0.25).to(torch.float16)

    k, v = some(heads, length, size), some(heads, length, size)
    dw, du = some(heads, length, size), some(heads, length, size)
    beta = torch.rand(heads, length, generator=rng).to(torch.float16)
    # Ones on the diagonal, small numbers below: what the rule's inverse looks like.
    place = torch.arange(length) % CHUNK
    below = torch.arange(CHUNK) < place[:, None]
    a = torch.where(below, some(heads, length, CHUNK) * 0.25, torch.zeros(()))
    a = (a + (torch.arange(CHUNK) == place[:, None])).to(torch.float16)
    dk, dv, dbeta = torch.zeros_like(k), torch.zeros_like(v), torch.zeros_like(beta)
    factor_gradients[(length // CHUNK, heads)](
        k, v, beta, a, dw, du, dk, dv, dbeta, length, K=size, V=size, CHUNK=CHUNK, BLOCK=64
    )
    return {
        "k": k,
        "v": v,
        "beta": beta,
        "a": a,
        "dw": dw,
        "du": du,
        "dk": dk,
        "dv": dv,
        "dbeta": dbeta,
    }


def cases() -> list[Callable[[], dict[str, torch.Tensor]]]:
    """The one above, which does not run but to be recorded: no configuration is timed."""
    return [case]
