"""Pointers cast between elements of all sizes, at bases of all alignments: no bit gets lost.

The arguments point into one buffer of bytes, at multiples of their own elements and of nothing
more. What a kernel reads through a cast pointer lies at multiples of the elements it reads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
import torch
import triton
import triton.language as tl

INTEGERS = {1: "int8", 2: "int16", 4: "int32", 8: "int64"}
FLOWS = ("straight", "loop", "choice", "branch", "round trip")
LANES = 8
TURNS = 3
MIDDLE = 512
"""Where in the buffer the first element that is read lies, but for the alignment of its type."""


@triton.jit
def through(
    pointers, TO: tl.constexpr, LANES: tl.constexpr, STEP: tl.constexpr, IS_BLOCK: tl.constexpr
):
    """`pointers` cast to `TO`: a block, `STEP` elements apart, or a scalar to go on from."""
    if IS_BLOCK:
        pointers += tl.arange(0, LANES) * STEP
    return pointers.to(tl.pointer_type(TO), bitcast=True)


@triton.jit
def read(pointers, LANES: tl.constexpr, IS_BLOCK: tl.constexpr):
    if not IS_BLOCK:
        pointers += tl.arange(0, LANES)
    return tl.load(pointers).to(tl.int64)


@triton.jit(do_not_specialize=["x_offset", "y_offset", "turns"])
def read_through(
    x, y, x_offset, y_offset, turns, out, distance,
    TO: tl.constexpr, FLOW: tl.constexpr, IS_BLOCK: tl.constexpr, LANES: tl.constexpr,
    STEP: tl.constexpr, BACK: tl.constexpr,
):  # fmt: skip
    lanes = tl.arange(0, LANES)
    p = through(x + x_offset, TO, LANES, STEP, IS_BLOCK)
    q = through(y + y_offset, TO, LANES, STEP, IS_BLOCK)
    total = tl.zeros((LANES,), tl.int64)
    if FLOW == "straight":
        total = read(p + 1, LANES, IS_BLOCK)
    elif FLOW == "loop":
        for _ in range(turns):
            total = total * 3 + read(p, LANES, IS_BLOCK)
            p += 2
    elif FLOW == "choice":
        if IS_BLOCK:
            p = tl.where(lanes % 2 == 0, p, q)
        else:
            p = tl.where(turns > 2, q, p)
        total = read(p + 1, LANES, IS_BLOCK)
    elif FLOW == "branch":
        if turns > 2:
            p = q + 1
        total = read(p, LANES, IS_BLOCK)
    else:
        p = (p + BACK).to(x.dtype, bitcast=True)
        total = read(p + 1, LANES, IS_BLOCK)
    tl.store(out + lanes, total)
    # The distance of each, all bits of it.
    tl.store(distance + lanes, p.to(tl.int64) - x.to(tl.int64) + lanes * 0)


@triton.jit(do_not_specialize=["offset"])
def write_through(
    x, offset, TO: tl.constexpr, IS_BLOCK: tl.constexpr, LANES: tl.constexpr, STEP: tl.constexpr
):
    lanes = tl.arange(0, LANES)
    p = through(x + offset, TO, LANES, STEP, IS_BLOCK)
    if not IS_BLOCK:
        p = p + lanes
    tl.store(p, (lanes * 17 + 5).to(TO))


@dataclass(frozen=True)
class Cast:
    """A cast of pointers from integers of `source` bytes to such of `target` bytes."""

    source: int
    target: int
    flow: str
    is_block: bool
    shift: int
    """Elements of `source` by which the argument begins behind a multiple of eight bytes."""

    def __str__(self) -> str:
        form = "block" if self.is_block else "scalar"
        return f"{8 * self.source}-{8 * self.target}-{self.flow}-{form}-{self.shift}"

    @property
    def step(self) -> int:
        return max(1, self.target // self.source)

    @property
    def back(self) -> int:
        """How many elements of `target` are a multiple of one of `source`."""
        return max(1, self.source // self.target)

    def place(self, shift: int) -> int:
        """The byte at which an argument begins."""
        return MIDDLE - 64 + shift * self.source

    def arguments(self, raw: torch.Tensor) -> tuple[Any, ...]:
        """What the kernel takes, but for its results; both pointers reach the same byte."""
        kind = getattr(torch, INTEGERS[self.source])
        views, offsets = [], []
        for shift in (self.shift, 2 * self.shift + 1):
            begin = self.place(shift)
            views.append(raw[begin : begin + 256].view(kind))
            offsets.append((MIDDLE - begin) // self.source)
        return (*views, offsets[0], offsets[1] + 2 * self.step, TURNS)

    def constants(self) -> dict[str, Any]:
        return {
            "TO": getattr(tl, INTEGERS[self.target]),
            "IS_BLOCK": self.is_block,
            "LANES": LANES,
            "STEP": self.step,
        }

    def expected(self, raw: torch.Tensor) -> tuple[list[int], list[int]]:
        """What is read, and how far from the first argument the pointers are in the end."""
        apart = self.step * self.source if self.is_block else self.target
        first, second = MIDDLE, MIDDLE + 2 * self.step * self.source
        read, distances = [], []
        for lane in range(LANES):
            p = first + (lane * apart if self.is_block else 0)
            q = second + (lane * apart if self.is_block else 0)
            size, places = self.target, [p + self.target]
            match self.flow:
                case "loop":
                    places = [p + 2 * i * self.target for i in range(TURNS)]
                    p += 2 * TURNS * self.target
                case "choice":
                    p = (p if lane % 2 == 0 else q) if self.is_block else q
                    places = [p + self.target]
                case "branch":
                    p = q + self.target
                    places = [p]
                case "round trip":
                    p += self.back * self.target
                    size, places = self.source, [p + self.source]
            total = 0
            for place in places:
                place += 0 if self.is_block else lane * size
                total = total * 3 + number(raw, place, size)
            read.append((total + 2**63) % 2**64 - 2**63)
            distances.append(p - self.place(self.shift))
        return read, distances


def number(raw: torch.Tensor, place: int, size: int) -> int:
    return int.from_bytes(raw[place : place + size].numpy().tobytes(), "little", signed=True)


def buffer() -> torch.Tensor:
    """Bytes, the first of which lies at a multiple of eight."""
    raw = torch.randint(-128, 128, (1024,), dtype=torch.int8, generator=torch.Generator())
    return raw[-raw.data_ptr() % 8 :][:1016]


def all_casts() -> list[Cast]:
    return [
        Cast(source, target, flow, is_block, shift)
        for source in INTEGERS
        for target in INTEGERS
        for flow in FLOWS
        for is_block in (False, True)
        for shift in sorted({0, 1, max(1, target // source) - 1})
    ]


FEW = [
    cast
    for cast in all_casts()
    if (cast.source, cast.target) in ((1, 4), (2, 8), (4, 1))
    and cast.shift == (1 if cast.target > cast.source else 0)
]
REST = [cast for cast in all_casts() if cast not in FEW]


def check_reads(cast: Cast, mode: str) -> None:
    raw = buffer()
    out = torch.zeros(2, LANES, dtype=torch.int64)
    read_through[(1,)](
        *cast.arguments(raw), out[0], out[1],
        FLOW=cast.flow, BACK=cast.back, mode=mode, **cast.constants(),
    )  # fmt: skip
    assert tuple(out.tolist()) == cast.expected(raw)


@pytest.mark.every(2)
@pytest.mark.parametrize("mode", ["fast", "reference"])
@pytest.mark.parametrize("cast", FEW, ids=str)
def test_reads_through_pointers_of_another_size(cast: Cast, mode: str):
    check_reads(cast, mode)


@pytest.mark.nightly
@pytest.mark.parametrize("mode", ["fast", "reference"])
@pytest.mark.parametrize("cast", REST, ids=str)
def test_reads_through_pointers_of_every_other_size(cast: Cast, mode: str):
    check_reads(cast, mode)


def expected_writes(cast: Cast, raw: torch.Tensor) -> torch.Tensor:
    want = raw.clone()
    apart = cast.step * cast.source if cast.is_block else cast.target
    for lane in range(LANES):
        at = MIDDLE + lane * apart
        numbers = (lane * 17 + 5).to_bytes(8, "little")[: cast.target]
        want[at : at + cast.target] = torch.frombuffer(bytearray(numbers), dtype=torch.int8)
    return want


def check_writes(cast: Cast, mode: str) -> None:
    raw = buffer()
    want = expected_writes(cast, raw)
    x, _, offset, _, _ = cast.arguments(raw)
    write_through[(1,)](x, offset, mode=mode, **cast.constants())
    assert torch.equal(raw, want)


def straight(casts: list[Cast]) -> list[Cast]:
    return [cast for cast in casts if cast.flow == "straight"]


@pytest.mark.parametrize("mode", ["fast", "reference"])
@pytest.mark.parametrize("cast", straight(FEW), ids=str)
def test_writes_through_pointers_of_another_size(cast: Cast, mode: str):
    check_writes(cast, mode)


@pytest.mark.nightly
@pytest.mark.parametrize("mode", ["fast", "reference"])
@pytest.mark.parametrize("cast", straight(REST), ids=str)
def test_writes_through_pointers_of_every_other_size(cast: Cast, mode: str):
    check_writes(cast, mode)


#
# Addresses that are no multiple of an element
#


@triton.jit
def keep_tags(x, out, turns, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    block = tl.load(x + at).to(tl.pointer_type(tl.int32))
    tl.store(out + at, tl.where(at > 3, block, block + 1).to(tl.int64))
    # A scalar, through a loop, a branch, a cast and, as a number, memory.
    p = tl.load(x).to(tl.pointer_type(tl.float64))
    for i in range(turns):
        p = p + i
    if turns > 2:
        p = tl.load(x + 1).to(tl.pointer_type(tl.float64))
    q = p.to(tl.pointer_type(tl.int16), bitcast=True) + 1
    tl.store(out + BLOCK, q.to(tl.int64))
    again = tl.load(out + BLOCK).to(tl.pointer_type(tl.int64))
    tl.store(out + BLOCK + 1, (again + turns).to(tl.int64))


def tags(turns: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Numbers that go through pointers, and what comes out."""
    x = torch.arange(16) * 7 + 1
    x[5], x[6] = -3, 2**62 + 1
    scalar = (8 if turns > 2 else 1 + 8 * sum(range(turns))) + 2
    block = x + torch.where(torch.arange(16) > 3, 0, 4)
    return x, torch.cat([block, torch.tensor([scalar, scalar + 8 * turns])])


@pytest.mark.parametrize("mode", ["fast", "reference"])
@pytest.mark.parametrize("turns", [0, 2, 3])
def test_pointers_keep_tags_in_their_low_bits(turns: int, mode: str):
    x, want = tags(turns)
    out = torch.zeros_like(want)
    keep_tags[(1,)](x, out, turns, BLOCK=16, mode=mode)
    assert torch.equal(out, want)


@triton.jit
def tags_of_arguments(x, out, mask, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tagged = ((x + at).to(tl.int64) | (at & 3)).to(tl.pointer_type(tl.int32))
    tl.store(out + at, tagged.to(tl.int64) & 3)
    clean = (tagged.to(tl.int64) & mask).to(tl.pointer_type(tl.int32))
    tl.store(out + BLOCK + at, tl.load(clean).to(tl.int64))


@pytest.mark.parametrize("mode", ["fast", "reference"])
def test_tags_are_taken_off_before_an_access(mode: str):
    x = torch.arange(8, dtype=torch.int32) * 3
    out = torch.zeros(2, 8, dtype=torch.int64)
    tags_of_arguments[(1,)](x, out, -4, BLOCK=8, mode=mode)
    assert out.tolist() == [[0, 1, 2, 3] * 2, x.tolist()]


@triton.jit
def read_anywhere(x, offset, out, TO: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    p = (x + offset).to(tl.pointer_type(TO), bitcast=True)
    tl.store(out + at, tl.load(p + at).to(tl.int64))
    tl.store(out + BLOCK, tl.load(p + BLOCK).to(tl.int64))


@pytest.mark.not_replayed("a GPU faults at such an address")
@pytest.mark.parametrize("mode", ["fast", "reference"])
@pytest.mark.parametrize("kind", ["int16", "int32", "int64"])
def test_the_cpu_reads_at_any_address_through_a_scalar_pointer(kind: str, mode: str):
    raw = buffer()
    for offset in range(1, 8):
        out = torch.zeros(17, dtype=torch.int64)
        read_anywhere[(1,)](raw, offset, out, TO=getattr(tl, kind), BLOCK=16, mode=mode)
        size = getattr(torch, kind).itemsize
        assert out.tolist() == [number(raw, offset + size * i, size) for i in range(17)]


#
# Casts as kernels use them
#


@triton.jit
def unpack_cache(cache, rows, scales, out, stride, D: tl.constexpr, BLOCK: tl.constexpr):
    """A row of a cache: `D` bytes, packed by fours, behind a scale of f16."""
    row = cache + tl.load(rows + tl.program_id(0)).to(tl.int64) * stride
    scale = tl.load((row + D).to(tl.pointer_type(tl.float16), bitcast=True))
    words = tl.load(row.to(tl.pointer_type(tl.int32), bitcast=True) + tl.arange(0, D // 4))
    at = tl.arange(0, D // 4)[:, None] * 4 + tl.arange(0, 4)[None, :]
    values = (words[:, None] >> (8 * tl.arange(0, 4)[None, :])) & 255
    tl.store(out + tl.program_id(0) * D + at, values * scale.to(tl.float32))
    tl.store(scales + tl.program_id(0), scale)


@pytest.mark.parametrize("mode", ["fast", "reference"])
@pytest.mark.parametrize("begin", [0, 4, 20])
def test_a_packed_cache_that_begins_anywhere(begin: int, mode: str):
    d, stride, count = 32, 36, 5
    raw = torch.randint(0, 256, (begin + count * stride,), dtype=torch.uint8)
    cache = raw[begin:].view(count, stride)
    cache[:, d : d + 2] = torch.rand(count, 1).half().view(torch.uint8)
    rows = torch.tensor([4, 0, 2], dtype=torch.int32)
    out, scales = torch.zeros(3, d), torch.zeros(3, dtype=torch.float16)
    unpack_cache[(3,)](cache, rows, scales, out, stride, D=d, BLOCK=4, mode=mode)
    want = cache[rows.long(), d : d + 2].contiguous().view(torch.float16)
    assert torch.equal(scales, want[:, 0])
    assert torch.equal(out, cache[rows.long(), :d].float() * want.float())
