"""A kernel gives back what it allocates: many programs do not grow the process."""

from __future__ import annotations

import pytest
import torch
import triton
import triton.language as tl
import triton_shared


@triton.jit
def carries_blocks(x_ptr, out_ptr, steps, N: tl.constexpr):
    """Two blocks change places in a loop, and a branch yields one of them."""
    i = tl.arange(0, N)
    a = tl.load(x_ptr + i)
    b = a + 1.0
    for _ in range(steps):
        a, b = b, a + b
    if tl.program_id(0) % 2 == 0:
        c = a
    else:
        c = a + b * 0.0
    tl.store(out_ptr + i, c)


def resident_kib() -> int:
    with open("/proc/self/status") as status:
        line = next(line for line in status if line.startswith("VmRSS"))
    return int(line.split()[1])


def test_a_million_programs_do_not_grow_the_process():
    x, out = torch.ones(16), torch.empty(16)
    carries_blocks[(10_000,)](x, out, 3, N=16)
    before = resident_kib()
    for _ in range(10):
        carries_blocks[(100_000,)](x, out, 3, N=16)
    assert resident_kib() - before < 4096
    torch.testing.assert_close(out, torch.full((16,), 5.0))


@triton.jit
def fails(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.device_assert(tl.sum(x, axis=0) == 0, "x must add up to zero")
    tl.store(out_ptr + i, x + 1.0)


def test_programs_that_fail_give_back_what_they_held():
    """In reference mode, where every block is allocated by itself."""
    x, out = torch.ones(65536), torch.empty(65536)
    for launch in range(100):
        with pytest.raises(triton_shared.DeviceAssertError):
            fails[(1,)](x, out, N=65536, mode="reference", debug=True)
        if launch == 20:
            before = resident_kib()
    assert resident_kib() - before < 4096
