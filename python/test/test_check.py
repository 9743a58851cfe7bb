"""Kernels that leave their tensors are found out, and go on; those that do not are left alone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import triton
import triton.language as tl
import triton_shared
from triton.tools.tensor_descriptor import TensorDescriptor
from triton_shared.check import Finding, Report

MODES = ("fast", "reference")


@triton.jit
def fill(y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, i.to(tl.float32) + 1)


@triton.jit
def copy_rows(x, y, rows, row_stride, R: tl.constexpr, C: tl.constexpr):
    i = tl.program_id(0) * R + tl.arange(0, R)
    j = tl.arange(0, C)
    place = i[:, None] * row_stride + j[None, :]
    v = tl.load(x + place, mask=i[:, None] < rows, other=0.0)
    tl.store(y + i[:, None] * C + j[None, :], v)


@triton.jit
def reverse(x, y, last, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i, tl.load(x + last - i))


@triton.jit
def count(index, bins, B: tl.constexpr):
    k = tl.load(index + tl.arange(0, B))
    tl.atomic_add(bins + k, 1, mask=k != 3)


@triton.jit
def last_number(x, y, n):
    tl.store(y, tl.load(x + n))


@triton.jit
def add_in_loop(x, y, n, B: tl.constexpr):
    total = tl.zeros((B,), tl.float32)
    for start in range(0, n, B):
        total += tl.load(x + start + tl.arange(0, B))
    tl.store(y + tl.arange(0, B), total)


@triton.jit
def read(p, i):
    return tl.load(p + i)


@triton.jit
def read_in_helper(x, y, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i, read(x, i))


@triton.jit
def copy_tuple(tensors, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(tensors[1] + i, tl.load(tensors[0] + i))


@triton.jit
def copy_described(source, y, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i, source.load([0]) + tl.load(y + i))


@triton.jit
def turned(x, y, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i, tl.load(x + i, mask=i % 2 == 0, other=7.0))


@triton.jit
def bytes_of(x, y, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i, tl.load(x.to(tl.pointer_type(tl.int8)) + i))


@triton.jit
def wrapped(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.load(x + i % n))


@triton.jit
def scatter(index, y, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + tl.load(index + i), i)


def only(report: Report) -> Finding:
    (finding,) = report.findings
    return finding


class Strided:
    """Stands for a tensor, as wrappers of some packages do: with a storage, and no place in it."""

    def __init__(self, tensor: torch.Tensor):
        self._tensor = tensor
        self.shape, self.dtype = tuple(tensor.shape), tensor.dtype
        self.data_ptr, self.stride = tensor.data_ptr, tensor.stride
        self.element_size, self.untyped_storage = tensor.element_size, tensor.untyped_storage


def test_what_stands_for_a_tensor_has_its_shape():
    y = torch.zeros(40)
    with triton_shared.check() as report:
        fill[(2,)](Strided(y[:20]), 20, B=16)
    (found,) = report.findings
    assert (found.kind, found.total) == ("out-of-bounds", 12)
    assert (found.tensor.shape, found.tensor.strides) == ((20,), (1,))


@pytest.mark.parametrize("mode", MODES)
def test_stores_outside_are_left_out_and_the_others_made(mode: str) -> None:
    memory = torch.zeros(128)
    with triton_shared.check() as report:
        fill[(4,)](memory[:100], 100, B=32, mode=mode)
    assert torch.equal(memory[:100], torch.arange(1.0, 101.0))
    assert torch.equal(memory[100:], torch.zeros(28))
    found = only(report)
    assert (found.program, found.outside, found.accessed) == ((3, 0, 0), 28, 32)
    assert (found.lowest, found.highest, found.programs, found.total) == (100, 127, 1, 28)
    assert [element.lane for element in found.elements] == [(i,) for i in range(4, 32)]
    assert "same allocation" in report.as_text()


@pytest.mark.parametrize("mode", MODES)
def test_loads_outside_are_zero(mode: str) -> None:
    memory, y = torch.ones(64), torch.full((64,), 5.0)
    with triton_shared.check() as report:
        copy_rows[(2,)](memory[:60], y, 4, 16, R=2, C=16, mode=mode)
    assert y.tolist() == [1.0] * 60 + [0.0] * 4
    found = only(report)
    assert found.program == (1, 0, 0)
    assert [element.lane for element in found.elements] == [(1, j) for j in range(12, 16)]


@pytest.mark.parametrize("mode", MODES)
def test_an_access_that_runs_backwards_may_leave_at_the_lower_end(mode: str) -> None:
    memory, y = torch.arange(1.0, 65.0), torch.full((32,), 5.0)
    with triton_shared.check() as report:
        reverse[(1,)](memory[32:], y, 15, B=32, mode=mode)
    assert y.tolist() == [48.0 - i for i in range(16)] + [0.0] * 16
    found = only(report)
    assert (found.lowest, found.highest, found.total) == (-16, -1, 16)


def test_gaps_of_a_view_are_not_its_elements() -> None:
    memory, y = torch.ones(4, 16), torch.zeros(4, 8)
    with triton_shared.check() as report:
        copy_rows[(2,)](memory[:, :8], y, 4, 16, R=2, C=8)
    assert report.is_clean
    assert torch.equal(y, torch.ones(4, 8))
    with triton_shared.check() as report:
        copy_rows[(2,)](memory[:, :4], y, 3, 16, R=2, C=8)
    assert torch.equal(y[:, 4:], torch.zeros(4, 4))
    assert only(report).total == 12
    assert "between the elements" in report.as_text()


def test_turned_and_broadcast_tensors_are_dense() -> None:
    with triton_shared.check() as report:
        copy_rows[(2,)](torch.ones(16, 4).t(), torch.zeros(64), 4, 16, R=2, C=16)
        copy_rows[(2,)](torch.ones(16).expand(4, 16), torch.zeros(64), 4, 0, R=2, C=16)
    assert report.is_clean


def test_atomic_updates_outside_are_left_out() -> None:
    memory = torch.zeros(8, dtype=torch.int32)
    index = torch.tensor([0, 1, 1, 3, 4, 5, 0, -1])
    with triton_shared.check() as report:
        count[(1,)](index, memory[:4], B=8)
    assert memory.tolist() == [2, 2, 0, 0, 0, 0, 0, 0]
    found = only(report)
    assert [(e.lane, e.offset) for e in found.elements] == [((4,), 4), ((5,), 5), ((7,), -1)]
    assert found.accessed == 7


def test_a_number_is_an_access_without_lanes() -> None:
    y = torch.ones(1)
    with triton_shared.check() as report:
        last_number[(1,)](torch.ones(4), y, 4)
    assert y.item() == 0
    assert only(report).elements[0].lane == ()


def test_turns_of_a_loop_are_one_finding() -> None:
    y = torch.zeros(8)
    with triton_shared.check() as report:
        add_in_loop[(1,)](torch.ones(20), y, 32, B=8)
    found = only(report)
    assert (found.total, found.lowest, found.highest) == (12, 20, 31)
    assert y.tolist() == [3.0] * 4 + [2.0] * 4


def test_the_place_is_in_the_helper_and_then_its_caller() -> None:
    with triton_shared.check() as report:
        read_in_helper[(1,)](torch.ones(4), torch.ones(8), B=8)
    lines = [Path(p.file).read_text().splitlines()[p.line - 1] for p in only(report).places]
    assert [line.strip() for line in lines] == [
        "return tl.load(p + i)",
        "tl.store(y + i, read(x, i))",
    ]
    assert "called from" in report.as_text()


def test_tensors_in_tuples_and_descriptors_are_known() -> None:
    with triton_shared.check() as report:
        copy_tuple[(1,)]((torch.ones(4), torch.ones(8)), B=8)
    assert only(report).tensor.shape == (4,)
    x = torch.ones(6)
    with triton_shared.check() as report:
        copy_described[(1,)](TensorDescriptor(x, [6], [1], [8]), torch.ones(8), B=8)
    assert report.is_clean
    with triton_shared.check() as report:
        copy_described[(1,)](TensorDescriptor(x[:4], [6], [1], [8]), torch.ones(8), B=8)
    assert only(report).tensor.shape == (4,)


def test_a_mask_that_is_no_interval_counts() -> None:
    y = torch.zeros(8)
    with triton_shared.check() as report:
        turned[(1,)](torch.ones(7), y, B=8)
    assert report.is_clean
    assert y.tolist() == [1.0, 7.0] * 4


def test_elements_of_another_type_are_counted_in_bytes() -> None:
    y = torch.zeros(16, dtype=torch.int8)
    with triton_shared.check() as report:
        bytes_of[(1,)](torch.ones(4), y, B=16)
    assert report.is_clean
    with triton_shared.check() as report:
        bytes_of[(1,)](torch.ones(3), y, B=16)
    found = only(report)
    assert (found.lowest, found.highest) == (12, 15)


def test_wrapped_accesses_stay_inside() -> None:
    y = torch.zeros(64)
    with triton_shared.check() as report:
        wrapped[(2,)](torch.arange(40.0), y, 40, B=32)
    assert report.is_clean
    assert y.tolist() == [float(i % 40) for i in range(64)]


def test_an_empty_tensor_has_nothing_to_read() -> None:
    with triton_shared.check() as report:
        last_number[(1,)](torch.ones(0), torch.ones(1), 0)
    assert "no elements" in report.as_text()


def test_an_address_is_not_checked() -> None:
    x, y = torch.ones(8), torch.ones(8, dtype=torch.int64)
    with triton_shared.check() as report:
        last_number[(1,)](x, y, 7)
    assert report.is_clean


def test_what_lies_too_far_outside_ends_the_launch() -> None:
    index = torch.tensor([1, 1 << 60])
    with triton_shared.check() as report:
        scatter[(1,)](index, torch.zeros(2, dtype=torch.int32), B=2)
    assert only(report).highest == 1 << 60
    assert report.ended_early == ["scatter: an access is too far outside of its tensor to go on"]


def test_many_threads_find_the_same() -> None:
    memory = torch.zeros(4096)
    with triton_shared.check(bounds_only=True) as report, triton_shared.launches(threads=4):
        fill[(256,)](memory[:1000], 1000, B=16)
    found = only(report)
    assert (found.program, found.programs, found.total) == ((62, 0, 0), 194, 3096)


@triton.jit
def to_column(y, B: tl.constexpr):
    column = tl.program_id(1)
    tl.store(y + tl.arange(0, B) * 4 + column, tl.zeros((B,), tl.float32))


@triton.jit
def own_sum(x, y, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.load(x + i) * 2)
    tl.store(x + i, tl.load(y + i) + 1)


@triton.jit
def last_one_adds(parts, count, y, n, B: tl.constexpr):
    tl.store(parts + tl.program_id(0), tl.program_id(0) + 1.0)
    if tl.atomic_add(count, 1) == n - 1:
        i = tl.arange(0, B)
        tl.store(y, tl.sum(tl.load(parts + i, mask=i < n, other=0.0)))


@triton.jit
def copy_numbers(x, y, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i, tl.load(x + i))


@triton.jit
def store_half(y, B: tl.constexpr):
    tl.store(y + tl.arange(0, B) // 2, tl.zeros((B,), tl.float32))


def test_a_race_names_both_sides_and_both_programs() -> None:
    with triton_shared.check() as report:
        to_column[(2, 4)](torch.zeros(32), B=8)
    found = only(report)
    assert found.kind == "race"
    assert found.other
    assert (found.program, found.other.program) == ((1, 0, 0), (0, 0, 0))
    assert (found.programs, found.outside, found.total) == (8, 8, 32)
    assert "tl.store and tl.store of two programs" in report.as_text()


@triton.jit
def store_anywhere(place, y, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + tl.load(place + i), i)


@triton.jit
def load_and_store_anywhere(place, x, y, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    at = tl.load(place + i)
    tl.store(y + i, tl.load(x + at))
    tl.store(x + at, i)


def meetings(place: list[int], block: int) -> int:
    """How many of the stores find that another program was the last to store there."""
    last: dict[int, int] = {}
    count = 0
    for number, at in enumerate(place):
        program = number // block
        count += last.get(at, program) != program
        last[at] = program
    return count


@pytest.mark.parametrize("dtype", [torch.int16, torch.int32, torch.int64], ids=str)
@pytest.mark.parametrize("most", [40, 3000, 200_000])
def test_elements_that_lie_anywhere_race_where_programs_meet(dtype: torch.dtype, most: int) -> None:
    """Of one page of memory, and of many; of one cell and of several."""
    generator = torch.Generator().manual_seed(most)
    block, programs = 32, 25
    blocks = [torch.randperm(most, generator=generator)[:block] for _ in range(programs)]
    place = torch.cat(blocks).to(torch.int32)
    with triton_shared.check() as report:
        store_anywhere[(programs,)](place, torch.zeros(most, dtype=dtype), B=block)
    found = only(report)
    assert (found.kind, found.total) == ("race", meetings(place.tolist(), block))


def test_programs_that_keep_to_their_elements_anywhere_do_not_race() -> None:
    place = torch.randperm(5000, generator=torch.Generator().manual_seed(1))
    x, y = torch.arange(5000), torch.zeros(5000, dtype=torch.int64)
    with triton_shared.check() as report:
        load_and_store_anywhere[(100,)](place, x, y, B=32)
    assert report.is_clean, report.as_text()
    place[77] = place[4]
    with triton_shared.check() as report:
        load_and_store_anywhere[(100,)](place, x, y, B=32)
    sides = {frozenset((found.access, found.other.access)) for found in report.findings}
    assert sides == {frozenset(("tl.load", "tl.store")), frozenset(("tl.store",))}
    for found in report.findings:
        assert {found.program, found.other.program} == {(0, 0, 0), (2, 0, 0)}


def test_neighbours_in_one_word_do_not_race() -> None:
    with triton_shared.check() as report:
        fill[(128,)](torch.zeros(128, dtype=torch.float16), 128, B=1)
        fill[(128,)](torch.zeros(128, dtype=torch.float8_e5m2), 128, B=1)
    assert report.is_clean


def test_a_program_may_read_what_its_lane_has_written() -> None:
    with triton_shared.check() as report:
        own_sum[(4,)](torch.ones(64), torch.ones(64), B=16)
    assert report.is_clean


def test_the_last_one_knows_what_the_others_have_done() -> None:
    y = torch.zeros(1)
    with triton_shared.check() as report:
        parts, counter = torch.zeros(8), torch.zeros(1, dtype=torch.int32)
        last_one_adds[(8,)](parts, counter, y, 8, B=8)
    assert report.is_clean, report.as_text()
    assert y.item() == 36


def test_equal_values_at_one_place_are_no_mistake() -> None:
    with triton_shared.check() as report:
        store_half[(1,)](torch.zeros(8), B=16)
    assert report.is_clean


def test_by_wish_only_bounds_are_looked_at() -> None:
    with triton_shared.check(bounds_only=True) as report:
        to_column[(2, 4)](torch.zeros(32), B=8)
    assert report.is_clean


@pytest.mark.parametrize("dtype", [torch.int8, torch.float16, torch.float64], ids=str)
def test_what_torch_or_a_kernel_has_written_is_written(dtype: torch.dtype) -> None:
    with triton_shared.check() as report:
        x, y = torch.empty(64, dtype=dtype), torch.empty(64, dtype=dtype)
        x[:32] = 1
        x.narrow(0, 32, 32).fill_(2)
        copy_numbers[(1,)](x, y, B=64)
        copy_numbers[(1,)](y, torch.empty_like(y), B=64)
    assert report.is_clean, report.as_text()


@pytest.mark.parametrize("count", [2, 7, 33])
def test_the_part_that_nobody_has_written_is_named(count: int) -> None:
    with triton_shared.check() as report:
        x = torch.ones(1).new_empty(64)
        x[:-count] = 1
        copy_numbers[(1,)](x, torch.zeros(64), B=64)
    found = only(report)
    assert found.kind == "never-written"
    # An element that shares eight bytes with one that was written is taken for written.
    assert [e.offset for e in found.elements] == list(range(64 - count + count % 2, 64))


@triton.jit
def fill_some(y, n, m, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, i, mask=i < n)
    tl.store(y + i, i + 1, mask=i < m)


def test_masks_that_leave_out_nothing_or_everything_are_told_on_request() -> None:
    with triton_shared.check(hints=True) as report:
        fill_some[(4,)](torch.zeros(128), 128, 0, B=32)
    assert {finding.kind for finding in report.findings} == {"full-mask", "empty-mask"}
    assert report.is_clean
    assert "full mask: nothing of tl.store is left out" in report.as_text()
    with triton_shared.check(hints=True) as report:
        fill_some[(4,)](torch.zeros(128), 100, 1, B=32)
    assert not report.findings
    with triton_shared.check() as report:
        fill_some[(4,)](torch.zeros(128), 128, 0, B=32)
    assert not report.findings


def test_launches_of_one_mistake_are_counted() -> None:
    with triton_shared.check() as report:
        for _ in range(3):
            fill[(4,)](torch.zeros(100), 100, B=32)
    assert only(report).launches == 3
    assert "in 3 launches" in report.as_text()


def test_kernels_are_checked_inside_of_the_block_alone() -> None:
    y = torch.zeros(128)
    fill[(4,)](y[:100], 100, B=32)
    assert y[127] == 128
    y.zero_()
    with triton_shared.check():
        fill[(4,)](y[:100], 100, B=32)
    assert y[127] == 0
    fill[(4,)](y[:100], 100, B=32)
    assert y[127] == 128


def test_a_checked_kernel_outside_of_a_block_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(triton.knobs.compilation, "instrumentation_mode", "check")
    with pytest.raises(triton_shared.TritonSharedError, match=r"inside of triton_shared\.check"):
        fill[(1,)](torch.zeros(32), 32, B=32)


def test_json_says_all_of_it() -> None:
    with triton_shared.check() as report:
        fill[(4,)](torch.zeros(100), 100, B=32)
    (found,) = json.loads(report.as_json())["findings"]
    assert found["kind"] == "out-of-bounds"
    assert found["severity"] == "error"
    assert found["tensor"]["argument"] == "y"
    assert found["places"][0]["line"] == fill.fn.__code__.co_firstlineno + 3
    assert found["elements"][0] == {"lane": [4], "offset": 100, "value": None}


SCRIPT = """
import sys, torch, triton, triton.language as tl

@triton.jit
def fill(y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, i, mask=i < n)

n = int(sys.argv[1])
fill[(4,)](torch.zeros(100, device="cuda"), n, B=32)
if n == 99:
    raise RuntimeError("no")
"""


def _run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    script = folder / "script.py"
    script.write_text(SCRIPT)
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "triton_shared.check",
            "--output",
            "report.json",
            "script.py",
            *words,
        ],
        cwd=folder,
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize(
    ("n", "code", "said"),
    [("100", 0, "no findings in 1 launch"), ("101", 1, "--> "), ("99", 2, "RuntimeError: no")],
)
def test_the_command_runs_a_script_and_says_how_it_went(
    tmp_path: Path, n: str, code: int, said: str
) -> None:
    done = _run(tmp_path, n)
    assert (done.returncode, said in done.stderr) == (code, True), done.stderr
    assert "\x1b" not in done.stderr
    found = json.loads((tmp_path / "report.json").read_text())["findings"]
    assert len(found) == (code == 1)


@triton.jit
def hand_over(x, flags, out, B: tl.constexpr):
    """The second program reads what the first one has written, where a block of flags says so."""
    i = tl.arange(0, B)
    if tl.program_id(0) == 0:
        tl.store(x + i, i)
        tl.debug_barrier()
        tl.atomic_xchg(flags + i, 1)
    else:
        told = tl.atomic_add(flags + i, 0)
        tl.store(out + i, tl.load(x + i, mask=told > 0, other=0))


@triton.jit
def count_and_store(x, counts, out, B: tl.constexpr):
    """Nobody asks what a block of counters was."""
    i = tl.arange(0, B)
    tl.atomic_add(counts + i, 1)
    tl.store(x + i, i + tl.program_id(0))


def test_what_blocks_of_atomic_accesses_may_order_is_unknown() -> None:
    with triton_shared.check() as report:
        hand_over[(2,)](*(torch.zeros(16, dtype=torch.int32) for _ in range(3)), B=16)
    (found,) = report.findings
    assert (found.kind, found.severity, found.argument) == ("unknown-order", "warning", "x")
    line = hand_over.fn.__code__.co_firstlineno
    source = Path(__file__).read_text().splitlines()
    (told,) = [
        n for n, text in enumerate(source, 1) if text.startswith("        told = ") and n > line
    ]
    assert found.hint.startswith(f"an atomic update at {__file__}:{told}:")
    assert f"nobody knows whether a block of {found.hint} orders them" in report.as_text()
    assert not report.is_clean


def test_blocks_that_nobody_learns_from_excuse_nothing() -> None:
    with triton_shared.check() as report:
        count_and_store[(2,)](*(torch.zeros(16, dtype=torch.int32) for _ in range(3)), B=16)
    assert [found.kind for found in report.findings] == ["race"]
