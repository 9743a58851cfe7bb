"""Elements of one store that lie at one address are told where their values differ."""

from __future__ import annotations

import pytest
import torch
import triton
import triton.language as tl
import triton_shared

# Of 8 rows and 4 columns.
APART = [(4, 1), (1, 8), (5, 1), (1, 9), (-4, 1), (-1, 8), (4, -1), (-1, -8), (2, 16), (8, 2)]
MEETING = [(1, 1), (3, 1), (1, 7), (0, 1), (1, 0), (-1, 1), (2, 3), (2, 2), (0, 0)]


@triton.jit
def _by_constants(o, DOWN: tl.constexpr, ALONG: tl.constexpr, SAME: tl.constexpr):
    i = tl.arange(0, 8)[:, None]
    j = tl.arange(0, 4)[None, :]
    places = i * DOWN + j * ALONG
    tl.store(o + 256 + places, (places if SAME else i * 4 + j).to(tl.float32))


@triton.jit(do_not_specialize=["down", "along"])
def _by_arguments(o, down, along, SAME: tl.constexpr):
    i = tl.arange(0, 8)[:, None]
    j = tl.arange(0, 4)[None, :]
    places = i * down + j * along
    tl.store(o + 256 + places, (places if SAME else i * 4 + j).to(tl.float32))


@triton.jit(do_not_specialize=["step"])
def _in_a_row(o, step):
    i = tl.arange(0, 32)
    tl.store(o + i * step, i.to(tl.float32))


def _kinds(kernel, *arguments) -> list[str]:
    o = torch.zeros(512)
    with triton_shared.check() as report:
        kernel[(1,)](o, *arguments)
    return [finding.kind for finding in report.findings]


on_both = pytest.mark.parametrize("kernel", [_by_constants, _by_arguments])


@on_both
@pytest.mark.parametrize("strides", APART)
def test_elements_apart_are_not_accused(kernel, strides: tuple[int, int]) -> None:
    assert _kinds(kernel, *strides, False) == []


@on_both
@pytest.mark.parametrize("strides", MEETING)
def test_elements_that_meet_are_told(kernel, strides: tuple[int, int]) -> None:
    assert _kinds(kernel, *strides, False) == ["duplicate-lanes"]


@on_both
@pytest.mark.parametrize("strides", MEETING)
def test_equal_values_may_meet(kernel, strides: tuple[int, int]) -> None:
    assert _kinds(kernel, *strides, True) == []


@pytest.mark.parametrize(("step", "kinds"), [(1, []), (3, []), (0, ["duplicate-lanes"])])
def test_a_row_may_have_no_step(step: int, kinds: list[str]) -> None:
    assert _kinds(_in_a_row, step) == kinds
