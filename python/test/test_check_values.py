"""What is wrong about values is found where it matters, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import triton
import triton.language as tl
import triton_shared
from triton.tools.tensor_descriptor import TensorDescriptor
from triton_shared.check import Finding, Report


def only(report: Report) -> Finding:
    (finding,) = report.findings
    return finding


def sides(finding: Finding) -> tuple[str, str]:
    assert finding.other
    return finding.access, finding.other.access


@triton.jit
def branch(x, y, n):
    if tl.load(x, mask=n > 0) > 0:
        tl.store(y, 1.0)


@triton.jit
def pick(index, x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    k = tl.load(index + i, mask=i < n)
    tl.store(y + i, tl.load(x + k))


@triton.jit
def product(a, b, c, rows, K, OTHER: tl.constexpr, B: tl.constexpr):
    i, j = tl.arange(0, B)[:, None], tl.arange(0, B)[None, :]
    total = tl.zeros((B, B), tl.float32)
    for k in range(0, K, B):
        inside = (i < rows) & (k + j < K)
        if OTHER:
            left = tl.load(a + i * K + k + j, mask=inside, other=0.0)
        else:
            left = tl.load(a + i * K + k + j, mask=inside)
        total += tl.dot(left, tl.load(b + (k + i) * B + j, mask=k + i < K, other=0.0))
    tl.store(c + i * B + j, total, mask=i < rows)


@triton.jit
def last_in_loop(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    turns = 0
    while turns < 3:
        v = v * 2
        turns += 1
    tl.store(y + i, v, mask=i < n + 1)


@triton.jit
def row_sums(x, y, rows, R: tl.constexpr, C: tl.constexpr):
    i, j = tl.arange(0, R), tl.arange(0, C)
    v = tl.load(x + i[:, None] * C + j[None, :], mask=i[:, None] < rows)
    tl.store(y + i, tl.sum(v, 1), mask=i < rows)


def test_a_branch_on_what_was_not_read_is_named() -> None:
    with triton_shared.check() as report:
        branch[(1,)](torch.ones(1), torch.zeros(1), 0)
    assert sides(only(report)) == ("tl.load", "a branch")
    with triton_shared.check() as report:
        branch[(1,)](torch.ones(1), torch.zeros(1), 1)
    assert not report.findings


def test_an_address_of_what_was_not_read_is_named_once() -> None:
    with triton_shared.check() as report:
        pick[(1,)](torch.arange(8), torch.ones(8), torch.zeros(8), 6, B=8)
    found = only(report)
    assert found.kind == "undefined-lanes"
    assert sides(found) == ("tl.load", "tl.load")
    assert [element.lane for element in found.elements] == [(6,), (7,)]


def test_rows_that_are_left_out_as_a_whole_may_be_multiplied_and_reduced() -> None:
    a, b = torch.rand(10, 32), torch.rand(32, 16)
    c, y = torch.zeros(16, 16), torch.zeros(16)
    with triton_shared.check() as report:
        product[(1,)](a, b, c, 10, 32, OTHER=False, B=16)
        row_sums[(1,)](a, y, 10, R=16, C=32)
    assert not report.findings, report.as_text()
    torch.testing.assert_close(c[:10], a @ b)
    torch.testing.assert_close(y[:10], a.sum(1))


def test_a_product_of_lanes_that_were_not_read_is_named() -> None:
    for other in (False, True):
        with triton_shared.check() as report:
            a, b, c = torch.rand(16, 24), torch.rand(24, 16), torch.zeros(16, 16)
            product[(1,)](a, b, c, 16, 24, OTHER=other, B=16)
        assert [sides(f) for f in report.findings] == ([] if other else [("tl.load", "tl.dot")])


def test_loops_hand_on_what_was_not_read() -> None:
    with triton_shared.check() as report:
        last_in_loop[(1,)](torch.ones(8), torch.zeros(8), 5, B=8)
    found = only(report)
    assert sides(found) == ("tl.load", "tl.store")
    assert [element.lane for element in found.elements] == [(5,)]


@triton.jit
def decided(flags, y, n, more, EITHER: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    flag = tl.load(flags + i, mask=i < n) != 0
    if EITHER:
        wanted = flag | (i >= n + more)
    else:
        wanted = flag & (i < n + more)
    tl.store(y + i, 1.0, mask=wanted)


@pytest.mark.parametrize("either", [False, True])
def test_what_another_condition_decides_does_not_matter(either: bool) -> None:
    flags = torch.ones(8, dtype=torch.int8)
    for more in (0, 1):
        with triton_shared.check() as report:
            decided[(1,)](flags, torch.zeros(8), 5, more, EITHER=either, B=8)
        lanes = [[element.lane for element in found.elements] for found in report.findings]
        assert lanes == [[(5,)]] * more, report.as_text()


@triton.jit
def gathered(x, y, n, last, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    tl.store(y + i, tl.gather(v, tl.minimum(i, last), 0))


def test_only_lanes_that_are_gathered_matter() -> None:
    with triton_shared.check() as report:
        gathered[(1,)](torch.ones(8), torch.zeros(8), 5, 4, B=8)
    assert not report.findings, report.as_text()
    with triton_shared.check() as report:
        gathered[(1,)](torch.ones(8), torch.zeros(8), 5, 6, B=8)
    found = only(report)
    assert sides(found) == ("tl.load", "tl.store")
    # All lanes from the last one on have what that has.
    assert [element.lane for element in found.elements] == [(5,), (6,), (7,)]


@triton.jit
def hinted(x, y, start, COUNT: tl.constexpr, KIND: tl.constexpr, B: tl.constexpr):
    i = start + tl.arange(0, B)
    if KIND == "contiguous":
        k = tl.max_contiguous(i - start, COUNT)
    elif KIND == "multiple":
        k = tl.max_contiguous(tl.multiple_of(i, COUNT), COUNT)
    elif KIND == "halves":
        k = tl.max_contiguous(i // 2, COUNT)
    else:
        k = tl.max_constancy(i // 2, COUNT)
    tl.store(y + tl.arange(0, B), tl.load(x + k))


@pytest.mark.parametrize(
    ("kind", "start", "count", "said"),
    [
        ("contiguous", 3, 8, ""),
        ("multiple", 16, 16, ""),
        ("multiple", 8, 16, "tl.multiple_of(16)"),
        ("halves", 0, 2, "tl.max_contiguous(2)"),
        ("constant", 0, 2, ""),
        ("constant", 0, 4, "tl.max_constancy(4)"),
    ],
)
def test_hints_are_held_to_what_they_say(kind: str, start: int, count: int, said: str) -> None:
    with triton_shared.check() as report:
        x, y = torch.arange(64.0), torch.zeros(16)
        hinted[(1,)](x, y, start, COUNT=count, KIND=kind, B=16)
    assert {finding.hint for finding in report.findings} == ({said} if said else set())
    assert all(finding.kind == "false-hint" for finding in report.findings)


@triton.jit
def assumed(x, y, n, B: tl.constexpr):
    tl.assume(n >= B)
    i = tl.arange(0, B)
    tl.store(y + i, tl.load(x + i, mask=i < n, other=7.0))


def test_a_false_assumption_is_not_believed() -> None:
    y = torch.zeros(8)
    with triton_shared.check() as report:
        assumed[(1,)](torch.ones(8), y, 5, B=8)
    assert only(report).hint == "tl.assume"
    assert y.tolist() == [1.0] * 5 + [7.0] * 3


@triton.jit
def behind_descriptor(source, x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    tl.store(y + i, source.load([0]) + v)


def test_tensors_behind_a_descriptor_are_named_rightly() -> None:
    source = TensorDescriptor(torch.ones(8), [8], [1], [8])
    with triton_shared.check() as report:
        behind_descriptor[(1,)](source, torch.ones(8), torch.zeros(8), 5, B=8)
    found = only(report)
    assert found.other
    assert found.tensor
    assert found.other.tensor
    assert (found.tensor.argument, found.other.tensor.argument) == ("x", "y")


@triton.jit
def as_words(x, y, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i, tl.load(x.to(tl.pointer_type(tl.int32)) + i))


@triton.jit
def scaled_numbers(blocks, y, step, B: tl.constexpr):
    """Blocks of a scale of two bytes, and of numbers of two bytes."""
    at = blocks + tl.program_id(0) * step
    scale = tl.load(at.to(tl.pointer_type(tl.int16)))
    numbers = tl.load((at + 2).to(tl.pointer_type(tl.int16)) + tl.arange(0, B))
    tl.store(y + tl.program_id(0) * B + tl.arange(0, B), scale * numbers)


@triton.jit
def words_of_bytes(x, y, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i, tl.load((x + 4 * i).to(tl.pointer_type(tl.int32))))


def test_what_was_cast_behind_a_sum_stays_in_its_tensor() -> None:
    blocks = torch.arange(68, dtype=torch.int8)
    with triton_shared.check() as report:
        y = torch.zeros(32, dtype=torch.int16)
        scaled_numbers[(2,)](blocks, y, 34, B=16)
        words_of_bytes[(1,)](blocks[4:], torch.zeros(16, dtype=torch.int32), B=16)
    assert not report.findings
    rows = blocks.view(torch.int16).view(2, 17)
    assert torch.equal(y.view(2, 16), rows[:, :1] * rows[:, 1:])
    with triton_shared.check() as report:
        scaled_numbers[(3,)](blocks, torch.zeros(48, dtype=torch.int16), 34, B=16)
    assert [(found.kind, found.argument) for found in report.findings] == [
        ("out-of-bounds", "blocks")
    ] * 2
    assert report.findings[0].program == (2, 0, 0)
    with triton_shared.check() as report:
        words_of_bytes[(1,)](blocks[8:], torch.zeros(16, dtype=torch.int32), B=16)
    assert (only(report).kind, only(report).argument) == ("out-of-bounds", "x")


def test_what_was_cast_behind_a_sum_is_aligned() -> None:
    with triton_shared.check() as report:
        scaled_numbers[(2,)](
            torch.zeros(68, dtype=torch.int8), torch.zeros(32, dtype=torch.int16), 33, B=16
        )
    assert {(found.kind, found.argument) for found in report.findings} == {("misaligned", "blocks")}


def test_an_element_that_is_half_outside_is_outside() -> None:
    memory, y = torch.zeros(128, dtype=torch.int8), torch.zeros(32, dtype=torch.int16)
    memory[66] = 1
    with triton_shared.check() as report:
        scaled_numbers[(2,)](memory[:66], y, 33, B=16)
    (found,) = (found for found in report.findings if found.kind == "out-of-bounds")
    assert (found.program, found.total, found.lowest) == ((1, 0, 0), 1, 32)


def test_an_address_between_two_words_is_misaligned() -> None:
    memory = torch.zeros(64, dtype=torch.int8)
    with triton_shared.check() as report:
        as_words[(1,)](memory[4:], torch.zeros(8, dtype=torch.int32), B=8)
    assert not report.findings
    with triton_shared.check() as report:
        as_words[(1,)](memory[2:], torch.zeros(8, dtype=torch.int32), B=8)
    found = only(report)
    assert (found.kind, found.argument) == ("misaligned", "x")
    assert "is no multiple of that" not in report.as_text()
    assert "is accessed at no multiple of that" in report.as_text()


@triton.jit
def hashed(x, y, B: tl.constexpr):
    i = tl.arange(0, B)
    h = (i + 12345) * 1103515245
    tl.store(y + i, tl.load(x + (h & 15)))


@triton.jit
def masked_overflow(x, y, start, n, B: tl.constexpr):
    i = start + tl.arange(0, B)
    tl.store(y + tl.arange(0, B), tl.load(x + i, mask=(i >= 0) & (i < n), other=0.0))


def test_hashes_and_lanes_that_are_left_out_may_wrap() -> None:
    with triton_shared.check() as report:
        hashed[(1,)](torch.ones(16), torch.zeros(8), B=8)
        masked_overflow[(1,)](torch.ones(16), torch.zeros(8), 2**31 - 4, 16, B=8)
    assert not report.findings, report.as_text()


@triton.jit
def shifted(x, y, row, B: tl.constexpr):
    i = tl.arange(0, B)
    start = row << 20
    tl.store(y + i, tl.load(x + start + i, mask=row < 1, other=0.0))


@triton.jit
def narrowed(x, index, y, B: tl.constexpr):
    i = tl.arange(0, B)
    at = tl.load(index + i).to(tl.int32)
    tl.store(y + i, tl.load(x + at))


@triton.jit
def narrowed_hash(x, index, y, B: tl.constexpr):
    i = tl.arange(0, B)
    h = (tl.load(index + i).to(tl.uint64) * 0x9E3779B97F4A7C15) >> 40
    at = (h.to(tl.int32) << 4) & 15
    tl.store(y + i, tl.load(x + at))


def test_left_shifts_and_conversions_wrap() -> None:
    x, y = torch.ones(16), torch.zeros(8)
    index = torch.arange(8)
    with triton_shared.check() as report:
        shifted[(1,)](x, y, 0, B=8)
        shifted[(1,)](x, y, 2047, B=8)
        narrowed[(1,)](x, index, y, B=8)
        narrowed_hash[(1,)](x, index * 2**40, y, B=8)
    assert not report.findings, report.as_text()
    index[5] += 2**32
    with triton_shared.check() as report:
        narrowed[(1,)](x, index, y, B=8)
    (found,) = report.findings
    assert (found.kind, found.access, found.variable) == ("wrapped-address", "the conversion", "at")
    assert [element.lane for element in found.elements] == [(5,)]
    with triton_shared.check() as report:
        shifted[(1,)](x, y, -2048, B=8)
        shifted[(1,)](x, y, -2049, B=8)
    (found,) = [one for one in report.findings if one.kind == "wrapped-address"]
    assert (found.access, found.variable, found.launches) == ("the left shift", "start", 1)


@triton.jit
def sigmoid(x, y, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i, 1 / (1 + tl.exp(-tl.load(x + i).to(tl.float32))))


@triton.jit
def power(x, y, turns, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    for _ in range(turns):
        v = v * v
    tl.store(y + i, tl.where(i < 4, v, 0.0))


def test_an_overflow_that_comes_back_is_none() -> None:
    with triton_shared.check() as report:
        sigmoid[(1,)](torch.full((8,), -200.0), torch.ones(8), B=8)
    assert not report.findings, report.as_text()


@pytest.mark.parametrize(
    "dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64], ids=str
)
def test_what_has_become_infinite_in_a_loop_is_traced_to_its_product(dtype: torch.dtype) -> None:
    x = torch.tensor([1.0] * 3 + [10.0] * 5, dtype=dtype)
    with triton_shared.check() as report:
        power[(1,)](x, torch.zeros(8, dtype=dtype), 10, B=8)
    found = only(report)
    assert sides(found) == ("the product", "tl.store")
    # What was dropped does not count.
    assert [(element.lane, element.value) for element in found.elements] == [((3,), float("inf"))]


def test_what_a_kernel_gets_is_not_its_fault() -> None:
    x = torch.tensor([float("nan"), float("inf"), 1, 2, 3, 4, 5, 6])
    with triton_shared.check() as report:
        power[(1,)](x, torch.zeros(8), 2, B=8)
    assert not report.findings, report.as_text()


@triton.jit
def where_rows_begin(rows, starts, stride, n, B: tl.constexpr):
    i = tl.arange(0, B)
    r = tl.load(rows + i, mask=i < n, other=0)
    tl.store(starts + i, r * stride, mask=i < n)


@triton.jit
def read_rows(x, starts, y, B: tl.constexpr):
    i = tl.arange(0, B)
    start = tl.load(starts + tl.program_id(0))
    tl.store(y + tl.program_id(0) * B + i, tl.load(x + start % 64 + i))


def _through_memory(
    last: int, between: Callable[[torch.Tensor], object] = lambda _: None
) -> Report:
    starts = torch.zeros(4, dtype=torch.int32)
    rows = torch.tensor([0, 1, 2, last], dtype=torch.int32)
    with triton_shared.check() as report:
        where_rows_begin[(1,)](rows, starts, 70000, 4, B=4)
        between(starts)
        read_rows[(4,)](torch.zeros(200), starts, torch.zeros(32), B=8)
    return report


def test_an_integer_that_has_wrapped_is_known_when_another_kernel_loads_it() -> None:
    (found,) = _through_memory(40000).findings
    assert (found.kind, found.kernel, found.argument) == ("wrapped-address", "read_rows", "starts")
    assert found.access == "the product"
    assert found.place
    assert found.place.line == where_rows_begin.fn.__code__.co_firstlineno + 4
    assert found.other
    assert found.other.access == "tl.load"
    assert found.other.places[0].line == read_rows.fn.__code__.co_firstlineno + 3
    assert found.hint.startswith(f"tl.store at {__file__}:{found.place.line}:")
    assert found.program == (3, 0, 0)
    assert [element.value for element in found.elements] == [40000 * 70000 - 2**32]


def test_an_integer_that_was_overwritten_is_not_taken_for_the_one_before() -> None:
    assert _through_memory(40000, torch.Tensor.zero_).is_clean
    assert _through_memory(3).is_clean


def test_what_one_block_has_stored_does_not_concern_the_next() -> None:
    starts = torch.zeros(4, dtype=torch.int32)
    rows = torch.tensor([40000] * 4, dtype=torch.int32)
    with triton_shared.check() as first:
        where_rows_begin[(1,)](rows, starts, 70000, 4, B=4)
    with triton_shared.check() as second:
        read_rows[(4,)](torch.zeros(200), starts, torch.zeros(32), B=8)
    # Nobody has formed an address of it in the first one.
    assert first.is_clean
    assert "wrapped-address" not in {found.kind for found in second.findings}
