"""Kernels that cast pointers, for a GPU, run by the emulator on this machine."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from test_cases_pointer_casts import (
    FEW,
    LANES,
    REST,
    Cast,
    buffer,
    expected_writes,
    keep_tags,
    read_through,
    tags,
    write_through,
)
from triton_shared import emulate

ORDERS = (0, 2)
"""Threads ascending, and at random."""


def check_reads(cast: Cast, folder: Path) -> None:
    raw, out = buffer(), torch.zeros(2, LANES, dtype=torch.int64)
    passed = (*cast.arguments(raw), out[0], out[1])
    compiled = read_through.warmup(
        *passed, FLOW=cast.flow, BACK=cast.back, grid=(1,), **cast.constants()
    )
    kernel = emulate.compile_kernel(str(compiled.asm["ttir"]), 4, folder)
    for order in ORDERS:
        out.zero_()
        emulate.launch(kernel, passed, (1, 1, 1), order)
        assert tuple(out.tolist()) == cast.expected(raw)


def check_writes(cast: Cast, folder: Path) -> None:
    raw = buffer()
    x, _, offset, _, _ = cast.arguments(raw)
    want = expected_writes(cast, raw)
    compiled = write_through.warmup(x, offset, grid=(1,), **cast.constants())
    kernel = emulate.compile_kernel(str(compiled.asm["ttir"]), 4, folder)
    emulate.launch(kernel, (x, offset), (1, 1, 1), 0)
    assert torch.equal(raw, want)


SOME = [cast for cast in FEW if (cast.source, cast.target) == (1, 4)]


@pytest.mark.parametrize("cast", SOME, ids=str)
def test_reads_through_pointers_of_another_size(cast: Cast, tmp_path: Path):
    check_reads(cast, tmp_path)


@pytest.mark.nightly
@pytest.mark.parametrize("cast", [cast for cast in (*FEW, *REST) if cast not in SOME], ids=str)
def test_reads_through_pointers_of_every_other_size(cast: Cast, tmp_path: Path):
    check_reads(cast, tmp_path)


@pytest.mark.parametrize("cast", [cast for cast in SOME if cast.flow == "straight"], ids=str)
def test_writes_through_pointers_of_another_size(cast: Cast, tmp_path: Path):
    check_writes(cast, tmp_path)


@pytest.mark.nightly
@pytest.mark.parametrize(
    "cast", [cast for cast in (*FEW, *REST) if cast.flow == "straight"], ids=str
)
def test_writes_through_pointers_of_every_other_size(cast: Cast, tmp_path: Path):
    check_writes(cast, tmp_path)


def test_pointers_keep_tags_in_their_low_bits(tmp_path: Path):
    x, want = tags(turns=3)
    out = torch.zeros_like(want)
    compiled = keep_tags.warmup(x, out, 3, BLOCK=16, grid=(1,))
    kernel = emulate.compile_kernel(str(compiled.asm["ttir"]), 4, tmp_path)
    emulate.launch(kernel, (x, out, 3), (1, 1, 1), 0)
    assert torch.equal(out, want)
