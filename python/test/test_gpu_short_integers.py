"""Integers of 16 bits on a GPU, as ptxas of CUDA 12.8 and 13.0 does not compute them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from sass import instructions
from triton_shared import emulate
from triton_shared.frontend import ast_to_ttir

VALUES = torch.tensor([-32768, -32767, -1, 0, 1, 32767, 5, -5], dtype=torch.int16).repeat(4)


@triton.jit
def negated(x):
    return -x


@triton.jit
def amount(x):
    return tl.abs(x)


@triton.jit
def cast(x):
    return x.to(tl.int32)


@triton.jit
def quotient(x):
    return (x // x).to(tl.int32)


@triton.jit
def shift(x):
    return (x >> 3).to(tl.int32)


@triton.jit
def comparison(x):
    return (x < 0).to(tl.int32)


@triton.jit
def kernel(x, out, MAKES: tl.constexpr, READS: tl.constexpr):
    at = tl.arange(0, 32)
    tl.store(out + at, READS(MAKES(tl.load(x + at))))


MAKES = {negated: torch.neg, amount: torch.abs}
READS = {
    cast: lambda x: x.int(),
    # Of numbers with themselves.
    quotient: lambda x: torch.where(x == 0, -1, 1).int(),
    shift: lambda x: (x >> 3).int(),
    comparison: lambda x: (x < 0).int(),
}


def compiled(makes: Any, reads: Any) -> str:
    kinds = {"x": "*i16", "out": "*i32", "MAKES": "constexpr", "READS": "constexpr"}
    constants = {"MAKES": makes, "READS": reads}
    return ast_to_ttir(kernel, kinds, constants, target="cuda:90a", num_warps=1)


def name(function: Any) -> str:
    return function.__name__


@pytest.mark.parametrize("reads", READS, ids=name)
@pytest.mark.parametrize("makes", MAKES, ids=name)
def test_what_reads_a_negated_number_sees_16_bits(makes: Any, reads: Any, tmp_path: Path):
    out = torch.zeros(32, dtype=torch.int32)
    emulated = emulate.compile_kernel(compiled(makes, reads), 1, tmp_path)
    emulate.launch(emulated, [VALUES, out], (1,))
    assert torch.equal(out, READS[reads](MAKES[makes](VALUES)))


@pytest.mark.parametrize("makes", MAKES, ids=name)
def test_ptxas_widens_what_is_negated_once_more(makes: Any):
    """As what it loads, but not of `neg.s16` and `abs.s16`."""
    lines = instructions(compiled(makes, cast), "num-warps=1")
    assert len([line for line in lines if "0x9910" in line]) >= 2


@triton.jit
def half_stored(x, out, SUM: tl.constexpr):
    at = tl.arange(0, 64)
    tl.store(out + at, tl.load(x + at) + SUM, mask=at < 32)


@pytest.mark.parametrize("kind", ["i16", "i8"])
def test_one_sum_of_a_pair_is_not_left_out(kind: str):
    """A thread has two elements: ptxas knows that one is not stored, and added 0 to the other."""
    kinds = {"x": f"*{kind}", "out": f"*{kind}", "SUM": "constexpr"}
    ttir = ast_to_ttir(half_stored, kinds, {"SUM": 5}, target="cuda:90a", num_warps=1)
    lines = instructions(ttir, "num-warps=1")
    assert any(re.search(r"\b0x5\b", line) for line in lines)
    assert not [line for line in lines if re.search(r"16x2 .*, 0x0\b", line)]
