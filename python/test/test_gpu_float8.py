"""All floats of 8 bits, widened and narrowed to by code for a GPU: in the emulator."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from fuzz.generator import Generator
from sass import instructions
from triton_shared import emulate
from triton_shared.cuda import tools
from triton_shared.frontend import ast_to_ttir

FROM = {"fp8e4nv": torch.float8_e4m3fn, "fp8e5": torch.float8_e5m2}
TO = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32, "fp64": torch.float64}


@triton.jit
def convert(x, out, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at).to(out.dtype.element_ty))


@triton.jit
def double(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at) + tl.load(x + at))


def run(
    kernel: Any, values: torch.Tensor, source: str, to: str, block: int, folder: Path
) -> torch.Tensor:
    """What the kernel makes of all values."""
    warps = 1 if block <= 256 else 2
    kinds = {"x": f"*{source}", "out": f"*{to}", "BLOCK": "constexpr"}
    ttir = ast_to_ttir(kernel, kinds, {"BLOCK": block}, target="cuda:90a", num_warps=warps)
    out = torch.zeros(values.shape, dtype=(FROM | TO)[to])
    emulated = emulate.compile_kernel(ttir, warps, folder)
    emulate.launch(emulated, [values, out], (values.numel() // block,))
    return out


@pytest.mark.every(2)
@pytest.mark.parametrize("block", [256, 1])
@pytest.mark.parametrize("to", TO)
@pytest.mark.parametrize("source", FROM)
def test_every_value_is_exact(source: str, to: str, block: int, tmp_path: Path):
    values = torch.arange(256).to(torch.uint8).view(FROM[source])
    out = run(convert, values, source, to, block, tmp_path)
    # NaN has one sign bit or the other.
    torch.testing.assert_close(out, values.to(TO[to]), rtol=0, atol=0, equal_nan=True)
    assert torch.equal(out.signbit()[~out.isnan()], values.float().signbit()[~out.isnan()])


def wide_values(dtype: torch.dtype) -> torch.Tensor:
    """All of 16 bits; of 32 bits, random ones, and what lies at and beside ties of 8-bit floats."""
    if dtype != torch.float32:
        return torch.arange(1 << 16).to(torch.int32).to(torch.int16).view(dtype)
    generator = torch.Generator().manual_seed(0)
    low, high = -(1 << 31), 1 << 31
    bits = torch.randint(low, high, (1 << 15,), generator=generator)
    ties = torch.arange(1 << 16).to(torch.int32).to(torch.int16).view(torch.float16).float()
    near = (ties.view(torch.int32)[:, None] + torch.tensor([-1, 0, 1])).flatten()
    values = torch.cat([bits.to(torch.int32), near.to(torch.int32)]).view(torch.float32)
    return values[: values.numel() // 512 * 512]


@pytest.mark.parametrize("source", ["fp16", "bf16", "fp32"])
@pytest.mark.parametrize("to", FROM)
def test_narrowing_is_to_nearest_and_within_the_range(to: str, source: str, tmp_path: Path):
    values = wide_values(TO[source])
    out = run(convert, values, source, to, 512, tmp_path)
    largest = torch.finfo(FROM[to]).max
    expected = values.float().clamp(-largest, largest).to(FROM[to])
    torch.testing.assert_close(out.float(), expected.float(), rtol=0, atol=0, equal_nan=True)
    is_number = ~expected.isnan()
    assert torch.equal(out.view(torch.uint8)[is_number], expected.view(torch.uint8)[is_number])


@pytest.mark.parametrize("to", FROM)
def test_sums_of_8_bit_floats_leave_the_range(to: str, tmp_path: Path):
    """Arithmetic is not a conversion: what is too large becomes infinity or, without one, NaN."""
    values = torch.arange(256).to(torch.uint8).view(FROM[to])
    out = run(double, values, to, to, 256, tmp_path)
    expected = values.float() * 2
    beyond = expected.abs() > torch.finfo(FROM[to]).max
    expected[beyond] *= float("nan" if to == "fp8e4nv" else "inf")
    torch.testing.assert_close(out.float(), expected, rtol=0, atol=0, equal_nan=True)


@triton.jit
def byte_values(x, out, NARROW: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    narrow = tl.load(x + at).to(NARROW)
    tl.store(out + at, narrow.to(tl.uint8, bitcast=True).to(out.dtype.element_ty))


@triton.jit
def with_the_rest(x, out, NARROW: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    values = tl.load(x + at).to(tl.float32)
    first = values.to(NARROW)
    rest = (values - first.to(tl.float32)).to(NARROW)
    pair = tl.join(first.to(tl.uint8, bitcast=True), rest.to(tl.uint8, bitcast=True))
    both = 2 * at[:, None] + tl.arange(0, 2)[None, :]
    tl.store(out + both, pair.to(out.dtype.element_ty))


NAMES = {"fp8e4nv": "float8e4nv", "fp8e5": "float8e5"}
OUTS = {"u8": torch.uint8, "i16": torch.int16} | {to: TO[to] for to in ("fp16", "bf16", "fp32")}
MERGED = re.compile(r"F2FP\S*MERGE_C (\w+), \w+, \w+, (\w+)")
WRITTEN = re.compile(r"\w\S* (R\d+),")


def upper_halves_without_a_pair(ttir: str, words: str = "num-warps=1") -> list[str]:
    """Conversions that put a pair below something else than nothing or another pair, in SASS."""
    lines = instructions(ttir, words)
    assert any("F2FP" in line for line in lines)
    pairs, found = {"RZ"}, []
    for line in lines:
        merged = MERGED.search(line)
        if merged and merged[2] not in pairs:
            found.append(line)
        for register in WRITTEN.findall(line)[:1]:
            pairs.discard(register)
        if merged:
            pairs.add(merged[1])
    return found


def of_fuzzer(seed: int) -> tuple[str, str]:
    """A random program, and the words with which it is compiled for a GPU."""
    words = f"precise=true libdevice={tools.find_libdevice()}"
    return Generator(seed).generate().text(), words


class TestPtxas:
    """`{pair, other}` is one register: that of CUDA 12.8 took `other` before the pair was there."""

    @pytest.mark.every(3)
    @pytest.mark.parametrize("each", [2, 8])
    @pytest.mark.parametrize("kernel", [byte_values, with_the_rest])
    @pytest.mark.parametrize("to", OUTS)
    @pytest.mark.parametrize("narrow", FROM)
    def test_bytes_of_pairs_are_those_of_the_pair(
        self, narrow: str, to: str, kernel: Any, each: int, tmp_path: Path
    ):
        block = 32 * each
        kinds = {"x": "*fp32", "out": f"*{to}", "NARROW": "constexpr", "BLOCK": "constexpr"}
        constants = {"NARROW": getattr(tl, NAMES[narrow]), "BLOCK": block}
        ttir = ast_to_ttir(kernel, kinds, constants, target="cuda:90a", num_warps=1)
        values = torch.randn(block, generator=torch.Generator().manual_seed(block))
        expected = values.to(FROM[narrow])
        if kernel is with_the_rest:
            rest = (values - expected.float()).to(FROM[narrow])
            expected = torch.stack([expected, rest], 1).flatten()
        out = torch.zeros(expected.shape, dtype=OUTS[to])
        emulate.launch(emulate.compile_kernel(ttir, 1, tmp_path), [values, out], (1,))
        assert torch.equal(out, expected.view(torch.uint8).to(OUTS[to]))
        assert not upper_halves_without_a_pair(ttir)

    def test_what_reads_a_pair_before_its_register_is_whole_has_the_pair(self):
        """Found on a GPU: it read R1 instead, which the code has no use for but to begin with."""
        lines = instructions(*of_fuzzer(412557))
        # What hides a pair.
        assert any("PRMT" in line and "0x7710" in line for line in lines)
        readers = [line for line in lines if re.search(r"\bR1\b", line)]
        assert [line.split()[0] for line in readers] == ["LDC"]

    def test_pairs_of_equal_constants_are_two(self):
        """Found on a GPU: ptxas knew that nothing is loaded, and converted once."""
        assert not upper_halves_without_a_pair(*of_fuzzer(500421))
