"""Divisions of 64-bit integers on the GPU leg: their PTX, run by the emulator."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from gpu_kernels import compile_kernel, emulated, word_of
from triton_shared import emulate


@triton.jit
def _divide(x, y, quotients, rests, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(quotients + i, a // b)
    tl.store(rests + i, a % b)


@triton.jit
def _divide_by_one(x, b, quotients, rests, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    tl.store(quotients + i, a // b)
    tl.store(rests + i, a % b)


SIGNED = {
    "small": (3, 1 << 31),
    "of 32 bits without sign": (1 << 31, 1 << 32),
    "negative": (-(1 << 31), -3),
    "of 64 bits": (-(1 << 62), 1 << 62),
    "of both widths": (-(1 << 33), 1 << 33),
}
"""From and to; a thread has several, of which one alone may be large."""
SIZES = ((32, 1), (256, 2), (512, 1))
"""Elements and warps: one, four and sixteen for each thread."""


def numbers(bounds: tuple[int, int], count: int, seed: int) -> torch.Tensor:
    drawn = np.random.default_rng(seed).integers(*bounds, count)
    # Half of them small, so that threads differ.
    drawn[:: 2 * seed] %= 1000
    drawn[drawn == 0] = 7
    return torch.from_numpy(drawn)


def truncated(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Quotients towards zero, and their rests, as C and Triton divide."""
    quotients = torch.div(x, y, rounding_mode="trunc")
    return quotients, x - quotients * y


@pytest.mark.every(2)
@pytest.mark.parametrize(("count", "warps"), SIZES)
@pytest.mark.parametrize("divisors", SIGNED)
@pytest.mark.parametrize("dividends", SIGNED)
def test_divisions_of_both_widths(
    dividends: str, divisors: str, count: int, warps: int, tmp_path: Path
):
    types = dict.fromkeys(("x", "y", "quotients", "rests"), "*i64")
    compile_kernel(_divide, types, {"N": count}, warps, 80)
    compiled = compile_kernel(_divide, types, {"N": count}, warps)
    loaded = emulated(compiled, tmp_path)
    x, y = numbers(SIGNED[dividends], count, 1), numbers(SIGNED[divisors], count, 2)
    quotients, rests = torch.zeros_like(x), torch.zeros_like(x)
    emulate.launch(loaded, (x, y, quotients, rests), (1,))
    want, rest = truncated(x, y)
    assert quotients.equal(want)
    assert rests.equal(rest)


@pytest.mark.every(2)
@pytest.mark.parametrize("divisor", [1, 96, (1 << 31) + 3, 1 << 40, -5])
@pytest.mark.parametrize("bounds", SIGNED)
def test_divisions_by_one_number(bounds: str, divisor: int, tmp_path: Path):
    types = {"x": "*i64", "b": "i64", "quotients": "*i64", "rests": "*i64"}
    compiled = compile_kernel(_divide_by_one, types, {"N": 256}, 2)
    loaded = emulated(compiled, tmp_path)
    x = numbers(SIGNED[bounds], 256, 1)
    quotients, rests = torch.zeros_like(x), torch.zeros_like(x)
    emulate.launch(loaded, (x, divisor % (1 << 64), quotients, rests), (1,))
    want, rest = truncated(x, torch.full_like(x, divisor))
    assert quotients.equal(want)
    assert rests.equal(rest)


@pytest.mark.parametrize("dtype", [torch.int64, torch.uint64, torch.int32, torch.int8], ids=str)
def test_a_quotient_by_zero_has_all_bits_set_as_on_the_cpu(dtype: torch.dtype, tmp_path: Path):
    pointer = f"*{word_of(dtype)}"
    types = dict.fromkeys(("x", "y", "quotients", "rests"), pointer)
    compiled = compile_kernel(_divide, types, {"N": 256}, 4)
    x = (torch.arange(256) % 100).to(dtype)
    y = (torch.arange(256) % 3).to(dtype)
    results = []
    for launch in (
        lambda *arguments: emulate.launch(emulated(compiled, tmp_path), arguments, (1,)),
        lambda *arguments: _divide[(1,)](*arguments, N=256),
    ):
        quotients, rests = torch.zeros_like(x), torch.zeros_like(x)
        launch(x, y, quotients, rests)
        results.append((quotients, rests))
    (quotients, rests), (on_cpu, rests_on_cpu) = results
    assert torch.equal(quotients, on_cpu)
    assert torch.equal(rests, rests_on_cpu)
    assert set(quotients.view(torch.int8)[: dtype.itemsize].tolist()) == {-1}


@pytest.mark.parametrize("bounds", [(1, 1 << 31), (1 << 31, 1 << 32), (1 << 40, 1 << 63)], ids=str)
def test_divisions_without_sign(bounds: tuple[int, int], tmp_path: Path):
    types = dict.fromkeys(("x", "y", "quotients", "rests"), "*u64")
    compiled = compile_kernel(_divide, types, {"N": 256}, 2)
    loaded = emulated(compiled, tmp_path)
    x, y = (np.random.default_rng(seed).integers(*bounds, 256, dtype=np.uint64) for seed in (1, 2))
    x[::2] += np.uint64(1 << 63)
    memory = [torch.from_numpy(of.view(np.int64)) for of in (x, y, np.zeros_like(x), x.copy())]
    emulate.launch(loaded, memory, (1,))
    assert np.array_equal(memory[2].numpy().view(np.uint64), x // y)
    assert np.array_equal(memory[3].numpy().view(np.uint64), x % y)


def test_small_numbers_are_divided_as_32_bits():
    """Divisions of 64 bits, which a GPU calls a subroutine for, took most of the time of kernels
    that divide their indices by sizes."""
    types = dict.fromkeys(("x", "y", "quotients", "rests"), "*i64")
    text = compile_kernel(_divide, types, {"N": 512}, 4).asm["ptx"]
    assert text.count("div.u32") + text.count("rem.u32") >= 4
    # One branch for all four elements of a thread, and what is large behind it.
    assert text.count("div.s64") + text.count("rem.s64") <= 8
