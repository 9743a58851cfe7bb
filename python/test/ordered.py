"""A file with a kernel whose result depends on the order of a reduction, which no target promises:
what the commands that compare targets are given."""

from __future__ import annotations

KERNEL = """
import torch, triton, triton.language as tl

@triton.jit
def minus(a, b):
    return a - b

@triton.jit
def differences(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0) * 2
    total = tl.reduce(v, 0, minus)
    tl.store(out + i, total + v, mask=i < n)
"""

WITH_A_CASE = (
    KERNEL
    + """
def case():
    x, out = (torch.arange(90, dtype=torch.int32) for _ in range(2))
    differences[(2,)](x, out, 90, BLOCK=64)
"""
)
