"""Makes out_of_bounds_on_cuda.ttrepro: a launch of Triton's own backend on a GPU.

    python record_on_cuda.py FOLDER

It takes a GPU, and is run by hand where there is one.
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
import triton
import triton.language as tl
import triton_shared.repro


@triton.jit
def next_ones(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    value = tl.load(x + i + 1, mask=mask)
    tl.store(out + i, value, mask=mask)


if __name__ == "__main__":
    given = torch.arange(40, dtype=torch.float32, device="cuda")
    made = torch.zeros_like(given)
    with triton_shared.repro.recording(Path(sys.argv[1]) / "out_of_bounds_on_cuda.ttrepro"):
        next_ones[(3,)](given, made, 40, BLOCK=16)
