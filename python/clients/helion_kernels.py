"""Kernels in Helion, which writes Triton: how each is tiled is for its configuration to say.

To be imported behind `clients.packages.use()`.
"""

from __future__ import annotations

import math

import helion
import helion.language as hl
import torch

_SETTINGS = {"autotune_effort": "none", "static_shapes": False}
"""The first configuration is taken, and sizes are arguments."""


@helion.kernel(**_SETTINGS)
def blend(a: torch.Tensor, b: torch.Tensor, share: float) -> torch.Tensor:
    """`share` of a, the rest of b, whose last dimension alone is there."""
    mixed = torch.empty_like(a)
    for row, column in hl.tile(a.size()):
        mixed[row, column] = a[row, column] * share + b[column] * (1 - share)
    return mixed


@helion.kernel(**_SETTINGS)
def rows_to_probabilities(scores: torch.Tensor) -> torch.Tensor:
    """Softmax of each row, in one piece."""
    shares = torch.empty_like(scores)
    for row in hl.tile(scores.size(0)):
        raised = torch.exp(scores[row, :] - torch.amax(scores[row, :], 1, keepdim=True))
        shares[row, :] = raised / raised.sum(1, keepdim=True)
    return shares


@helion.kernel(**_SETTINGS)
def variance_of_rows(values: torch.Tensor) -> torch.Tensor:
    """By sums over parts of the rows."""
    rows, columns = values.size()
    found = torch.empty([rows], dtype=torch.float32, device=values.device)
    for row in hl.tile(rows):
        total = hl.zeros([row], dtype=torch.float32)
        squares = hl.zeros([row], dtype=torch.float32)
        for column in hl.tile(columns):
            part = values[row, column].to(torch.float32)
            total += part.sum(-1)
            squares += (part * part).sum(-1)
        mean = total / columns
        found[row] = squares / columns - mean * mean
    return found


@helion.kernel(**_SETTINGS, dot_precision="ieee")
def product_with_bias(a: torch.Tensor, b: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """relu(a @ b + bias)."""
    rows, depth = a.size()
    columns = b.size(1)
    made = torch.empty([rows, columns], dtype=a.dtype, device=a.device)
    for row, column in hl.tile([rows, columns]):
        total = hl.zeros([row, column], dtype=torch.float32)
        for k in hl.tile(depth):
            total = torch.addmm(total, a[row, k], b[k, column])
        made[row, column] = torch.relu(total + bias[column]).to(a.dtype)
    return made


@helion.kernel(**_SETTINGS, dot_precision="ieee")
def attend(queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """Attention of [heads, length, width], block by block of the keys."""
    heads, length, width = queries.size()
    width = hl.specialize(width)
    turned = keys.transpose(1, 2)
    seen = torch.empty_like(queries)
    factor = math.log2(math.e) / width**0.5
    for head, row in hl.tile([heads, length]):
        largest = hl.full([head, row], float("-inf"), dtype=torch.float32)
        weights = hl.zeros([head, row], dtype=torch.float32)
        total = hl.zeros([head, row, width], dtype=torch.float32)
        for k in hl.tile(keys.size(1)):
            scores = torch.bmm(queries[head, row, :], turned[head, :, k]) * factor
            grown = torch.maximum(largest, torch.amax(scores, -1))
            parts = torch.exp2(scores - grown[:, :, None])
            shrink = torch.exp2(largest - grown)
            weights = weights * shrink + parts.sum(-1)
            total = torch.baddbmm(
                total * shrink[:, :, None], parts.to(values.dtype), values[head, k, :]
            )
            largest = grown
        seen[head, row, :] = (total / weights[:, :, None]).to(queries.dtype)
    return seen


@helion.kernel(**_SETTINGS)
def rows_by_number(numbers: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
    """table[numbers]."""
    taken = torch.empty([numbers.size(0), table.size(1)], dtype=table.dtype, device=table.device)
    for place, column in hl.tile(taken.size()):
        taken[place, column] = table[numbers[place], column]
    return taken


@helion.kernel(**_SETTINGS)
def add_by_number(numbers: torch.Tensor, values: torch.Tensor, sums: torch.Tensor) -> torch.Tensor:
    """Adds each value to the sum of its number."""
    for place in hl.tile(numbers.size(0)):
        hl.atomic_add(sums, [numbers[place]], values[place])
    return sums


@helion.kernel(**_SETTINGS)
def sums_of_pieces(values: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
    """Sums of pieces of different lengths, of which the first begins at ends[0]."""
    pieces = ends.size(0) - 1
    found = torch.empty([pieces], dtype=torch.float32, device=values.device)
    for piece in hl.tile(pieces):
        begin = ends[piece]
        length = ends[piece.index + 1] - begin
        total = hl.zeros([piece], dtype=torch.float32)
        for k in hl.tile(0, length.amax()):
            where = begin[:, None] + k.index[None, :]
            is_there = k.index[None, :] < length[:, None]
            total += hl.load(values, [where], extra_mask=is_there).sum(1)
        found[piece] = total
    return found
