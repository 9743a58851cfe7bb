"""The seven graphs as one writes them in Helion: one kernel each, tiled as its tuning finds best.

Functions, to be made kernels by `kernel`. Helion reads their text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import helion
import helion.language as hl
import torch

Tensor = torch.Tensor


def normed_product(x: Tensor, w: Tensor) -> Tensor:
    """The squares are summed while the product is."""
    rows, depth = x.size()
    columns = w.size(1)
    made = torch.empty([rows, columns], dtype=x.dtype, device=x.device)
    for row, column in hl.tile([rows, columns]):
        total = hl.zeros([row, column], dtype=torch.float32)
        squares = hl.zeros([row], dtype=torch.float32)
        for k in hl.tile(depth):
            part = x[row, k]
            total = torch.addmm(total, part, w[k, column])
            wide = part.to(torch.float32)
            squares += (wide * wide).sum(-1)
        made[row, column] = (total / torch.sqrt(squares / depth)[:, None]).to(x.dtype)
    return made


def gated(x: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """Both products share the loop."""
    rows, depth = x.size()
    columns = a.size(1)
    made = torch.empty([rows, columns], dtype=x.dtype, device=x.device)
    for row, column in hl.tile([rows, columns]):
        left = hl.zeros([row, column], dtype=torch.float32)
        right = hl.zeros([row, column], dtype=torch.float32)
        for k in hl.tile(depth):
            part = x[row, k]
            left = torch.addmm(left, part, a[k, column])
            right = torch.addmm(right, part, b[k, column])
        made[row, column] = (left * torch.sigmoid(left) * right).to(x.dtype)
    return made


def low_rank(x: Tensor, w: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """Each tile of columns computes x @ a again."""
    rows, depth = x.size()
    columns = w.size(1)
    rank = hl.specialize(a.size(1))
    made = torch.empty([rows, columns], dtype=x.dtype, device=x.device)
    for row, column in hl.tile([rows, columns]):
        total = hl.zeros([row, column], dtype=torch.float32)
        low = hl.zeros([row, rank], dtype=torch.float32)
        for k in hl.tile(depth):
            part = x[row, k]
            total = torch.addmm(total, part, w[k, column])
            low = torch.addmm(low, part, a[k, :])
        made[row, column] = torch.addmm(total, low.to(x.dtype), b[:, column]).to(x.dtype)
    return made


def attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Powers without a maximum, as in the graph."""
    heads, length, width = q.size()
    width = hl.specialize(width)
    seen = torch.empty_like(q)
    for head, row in hl.tile([heads, length]):
        weights = hl.zeros([head, row], dtype=torch.float32)
        total = hl.zeros([head, row, width], dtype=torch.float32)
        for key in hl.tile(k.size(2)):
            powers = torch.exp(torch.bmm(q[head, row, :], k[head, :, key]).to(torch.float32))
            weights += powers.sum(-1)
            total = torch.baddbmm(total, powers.to(v.dtype), v[head, key, :])
        seen[head, row, :] = (total / weights[:, :, None]).to(q.dtype)
    return seen


def normed_attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Queries and values are normalized where they are read."""
    heads, length, width = q.size()
    width = hl.specialize(width)
    seen = torch.empty_like(q)
    for head, row in hl.tile([heads, length]):
        wide = q[head, row, :].to(torch.float32)
        asked = (wide / torch.sqrt((wide * wide).mean(-1, keepdim=True))).to(q.dtype)
        weights = hl.zeros([head, row], dtype=torch.float32)
        total = hl.zeros([head, row, width], dtype=torch.float32)
        for key in hl.tile(k.size(2)):
            powers = torch.exp(torch.bmm(asked, k[head, :, key]).to(torch.float32))
            weights += powers.sum(-1)
            value = v[head, key, :].to(torch.float32)
            value = value / torch.sqrt((value * value).mean(-1, keepdim=True))
            total = torch.baddbmm(total, powers.to(v.dtype), value.to(v.dtype))
        seen[head, row, :] = (total / weights[:, :, None]).to(q.dtype)
    return seen


def step(h: Tensor, x: Tensor, rate: Tensor) -> Tensor:
    """A row at a time, in one piece."""
    made = torch.empty_like(x)
    for row in hl.tile(x.size(0)):
        wide, base = h[row, :].to(torch.float32), x[row, :].to(torch.float32)
        normed = wide / torch.sqrt((wide * wide).mean(-1, keepdim=True))
        moved = base + rate[row, :].to(torch.float32) * (normed + base)
        made[row, :] = (moved / torch.sqrt((moved * moved).mean(-1, keepdim=True))).to(x.dtype)
    return made


FUNCTIONS: dict[str, Callable[..., Tensor]] = {
    "RMSNorm": normed_product,
    "GatedMLP": gated,
    "LoRA": low_rank,
    "GQA": attention,
    "QKNorm": normed_attention,
    "nTrans": step,
    "MHA": attention,
}
"""By the names of `cases.CASES`."""


def kernel(name: str, effort: str, seconds: int | None = None) -> Any:
    """The kernel of a graph, tuned at its first call: `none`, `quick` or `full`, for so long."""
    return helion.kernel(
        FUNCTIONS[name], static_shapes=True, autotune_effort=effort, autotune_budget_seconds=seconds
    )
