"""Indices divided by negative numbers on a GPU, in the emulator: right or refused, as on CPUs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
import triton
from test_cases_divisors import HALF, KERNELS, NUMBERS, expected, quotients_in_a_loop
from triton_shared import emulate

SIGNATURE = {"x_ptr": "*i32", "out_ptr": "*i32", "n": "i32", "s": "i32", "BLOCK": "constexpr"}


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_negative_numbers_are_right_or_refused(kernel: Any, tmp_path: Path):
    source = triton.compiler.ASTSource(kernel, SIGNATURE, constexprs={"BLOCK": 16})
    ttir = str(triton.compile(source).asm["ttir"])
    emulated = emulate.compile_kernel(ttir, 1, tmp_path)
    refused = 0
    for n, s in [(8, 3), (3, 16), (-1, 3), (-3, 16), (-16, 10), (-100, 3)]:
        out = torch.zeros(64, dtype=torch.int32)
        grid = (1 if kernel is quotients_in_a_loop else 4,)
        try:
            emulate.launch(emulated, (NUMBERS[HALF:], out, n, s), grid)
        except emulate.EmulationError as error:
            assert n < 0
            assert "an index is divided by a negative number" in str(error)  # noqa: PT017
            refused += 1
        else:
            assert torch.equal(out, expected(kernel, n, s).int())
    # Where nothing is taken for a size, nothing is refused.
    assert refused in (0, 4)
