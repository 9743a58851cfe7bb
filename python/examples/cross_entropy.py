"""Cross entropy of a row of logits, with its gradient, in one pass and a second one."""

from __future__ import annotations

from collections.abc import Iterator

import torch
import triton
import triton.language as tl

from .case import DTYPES, Case, Expected, random, rounded, roundoff

IGNORED = -100


@triton.jit
def cross_entropy_kernel(logits_ptr, target_ptr, loss_ptr, grad_ptr, n, ignored,
                         BLOCK: tl.constexpr):  # fmt: skip
    """Loss and gradient of one row; the sum of powers follows the largest logit seen so far."""
    row = tl.program_id(0)
    target = tl.load(target_ptr + row)
    logits = logits_ptr + row * n
    grads = grad_ptr + row * n
    if target == ignored:
        tl.store(loss_ptr + row, 0.0)
        for start in range(0, n, BLOCK):
            at = start + tl.arange(0, BLOCK)
            zeros = tl.zeros([BLOCK], dtype=tl.float32).to(grad_ptr.dtype.element_ty)
            tl.store(grads + at, zeros, mask=at < n)
        return

    top = -float("inf")
    total = 0.0
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(logits + at, mask=at < n, other=-float("inf")).to(tl.float32)
        new_top = tl.maximum(top, tl.max(x, axis=0))
        total = total * tl.exp(top - new_top) + tl.sum(tl.exp(x - new_top), axis=0)
        top = new_top
    log_total = top + tl.log(total)
    chosen = tl.load(logits + target).to(tl.float32)
    tl.store(loss_ptr + row, log_total - chosen)

    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(logits + at, mask=at < n, other=-float("inf")).to(tl.float32)
        grad = tl.exp(x - log_total)
        grad = tl.where(at == target, grad - 1.0, grad)
        tl.store(grads + at, grad.to(grad_ptr.dtype.element_ty), mask=at < n)


def cross_entropy(
    logits: torch.Tensor, target: torch.Tensor, block: int = 128
) -> tuple[torch.Tensor, torch.Tensor]:
    """The loss of each row, in f32, and the gradient of their sum."""
    rows, n = logits.shape
    loss = torch.empty(rows)
    grad = torch.empty_like(logits)
    cross_entropy_kernel[(rows,)](logits, target, loss, grad, n, IGNORED, BLOCK=block)
    return loss, grad


def cases() -> Iterator[Case]:
    """Few classes and many, with rows that do not count."""
    for name in ("f32", "f16", "bf16"):
        for rows, n in ((1, 2), (9, 100), (16, 1003)):
            yield _case(name, rows, n)


def _case(name: str, rows: int, n: int) -> Case:
    dtype = DTYPES[name]
    logits = random(rows, n, dtype=dtype)
    generator = torch.Generator().manual_seed(rows)
    target = torch.randint(0, n, (rows,), generator=generator)
    target[rows // 2 :: 4] = IGNORED if rows > 1 else 0

    def expected() -> tuple[Expected, ...]:
        x = logits.double().requires_grad_()
        loss = torch.nn.functional.cross_entropy(x, target, reduction="none", ignore_index=IGNORED)
        loss.sum().backward()
        assert x.grad is not None
        u = roundoff(torch.float32)
        top = x.detach().abs().amax(dim=1)
        loss_bound = u * (n + 16 + 8 * top)
        powers = torch.softmax(x.detach(), dim=1)
        steps = n + 32 + 8 * top[:, None]
        grad_bound = u * (steps * powers + x.grad.abs()) + rounded(x.grad, dtype)
        return (loss.detach(), loss_bound), (x.grad, grad_bound)

    shape = f"{rows}x{n}"
    return Case("cross entropy", name, shape, lambda: cross_entropy(logits, target), expected)
