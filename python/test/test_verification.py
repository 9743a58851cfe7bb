"""`triton_shared.verify`: right kernels pass, and what only looks right is refused by name."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import triton
import triton.language as tl
import triton_shared
from triton_shared import VerificationError
from triton_shared.verification import bounds, inputs
from triton_shared.verification.cases import Case


@triton.jit
def softmax_rows(x, out, n, stride, column_stride, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * stride + at * column_stride, mask=at < n, other=-float("inf"))
    p = tl.exp(v - tl.max(v, 0))
    tl.store(out + row * n + at, p / tl.sum(p, 0), mask=at < n)


def softmax(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty(x.shape, dtype=x.dtype)
    rows, n = x.shape
    softmax_rows[(rows,)](x, out, n, *x.stride(), BLOCK=triton.next_power_of_2(n))
    return out


def torch_softmax(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, 1)


@triton.jit
def affine(x, out, n, factor, SHIFT: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) * factor + SHIFT, mask=at < n)


def run_affine(x: torch.Tensor, out: torch.Tensor, factor: float, n: int | None = None) -> None:
    count = x.numel() if n is None else n
    affine[(triton.cdiv(max(count, 1), 64),)](x, out, count, factor, SHIFT=1.0, BLOCK=64)


def right(x: torch.Tensor) -> torch.Tensor:
    x = x.contiguous()
    out = torch.empty_like(x)
    run_affine(x, out, 3.0)
    return out


def reference(x: torch.Tensor) -> torch.Tensor:
    return x * 3.0 + 1.0


X = torch.randn(100, generator=torch.Generator().manual_seed(1))


def refused(call: Any, *given: Any, expect: Any = reference, **how: Any) -> str:
    with pytest.raises(VerificationError) as caught:
        triton_shared.verify(call, expect, given or (X,), cases=0 if not how else 20, **how)
    return str(caught.value)


class TestRightKernels:
    def test_of_any_shape_and_stride(self):
        x = torch.randn(6, 40, generator=torch.Generator().manual_seed(1))
        done = triton_shared.verify(softmax, torch_softmax, (x,), cases=6)
        assert done.cases >= 4
        assert 0 < done.margin <= 1

    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
    def test_of_other_types(self, dtype: torch.dtype):
        assert triton_shared.verify(right, reference, (X.to(dtype),), cases=0).margin <= 1

    def test_what_writes_to_its_inputs_where_it_may(self):
        def in_place(x: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
            run_affine(x, out, 3.0)
            return out

        def expected(x: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
            return out.copy_(x * 3.0 + 1.0)

        given = (X, torch.zeros(100))
        triton_shared.verify(in_place, expected, given, cases=0, mutates=[1])
        assert refused(in_place, *given, expect=expected).startswith("changed input: ")


class TestCheats:
    def test_zero_output(self):
        def call(x: torch.Tensor) -> torch.Tensor:
            right(x)
            return torch.zeros_like(x)

        assert refused(call).startswith("zero output: 100 of 100 elements are beyond their bound")

    def test_constant_output(self):
        def call(x: torch.Tensor) -> torch.Tensor:
            right(x)
            return torch.full_like(x, 1.0)

        assert refused(call).startswith("constant output: ")

    def test_cached_output(self):
        kept: dict[int, torch.Tensor] = {}

        def call(x: torch.Tensor) -> torch.Tensor:
            made = right(x)
            return kept.setdefault(x.data_ptr(), made)

        message = refused(call)
        assert message.startswith("cached output: other inputs leave the result as it was\n")
        assert message.endswith("with inputs 100 float32")

    @pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
    def test_down_cast(self, dtype: torch.dtype):
        def call(x: torch.Tensor) -> torch.Tensor:
            return right(x.to(dtype)).to(x.dtype)

        assert refused(call).startswith("down-cast (as if computed in tf32 or less): ")

    def test_a_narrower_result(self):
        assert refused(lambda x: right(x).half()).startswith(
            "down-cast: the result is torch.float16"
        )

    def test_touched_padding(self):
        def call(x: torch.Tensor) -> torch.Tensor:
            out = torch.empty_like(x)
            run_affine(x, out, 3.0, n=x.numel() + 3)
            return out

        assert refused(call).startswith("touched padding: memory around a tensor that it made")

    def test_changed_input(self):
        def call(x: torch.Tensor) -> torch.Tensor:
            out = right(x)
            run_affine(x, x, 1.0, n=1)
            return out

        assert refused(call).startswith("changed input: ")

    def test_unwritten_output(self):
        def call(x: torch.Tensor) -> torch.Tensor:
            out = torch.empty_like(x)
            run_affine(x, out, 3.0, n=x.numel() - 1)
            return out

        assert refused(call).startswith("unwritten output: 1 of 100 elements")

    def test_no_kernel(self):
        assert refused(reference).startswith("no kernel: no kernel of Triton was launched\n")

    def test_wrong_result_and_wrong_shape(self):
        assert refused(lambda x: right(x) + 1).startswith("wrong result: 100 of 100 elements")
        assert refused(lambda x: right(x)[1:]).startswith("wrong shape: (99,) instead of (100,)")
        assert refused(lambda x: (right(x), x)).startswith("wrong shape: 2 results instead of 1")

    def test_an_error_is_told_with_its_inputs(self):
        def call(x: torch.Tensor) -> torch.Tensor:
            raise ValueError("not today")

        assert refused(call) == "error: ValueError: not today\nwith inputs 100 float32"


class TestFuzz:
    def test_a_kernel_for_one_shape_is_found_with_a_small_case(self):
        def call(x: torch.Tensor) -> torch.Tensor:
            x = x.contiguous()
            out = torch.empty_like(x)
            affine[(1,)](x, out, x.numel(), 3.0, SHIFT=1.0, BLOCK=64)
            return out

        x = torch.randn(60, generator=torch.Generator().manual_seed(1))
        message = refused(call, x, shapes=True)
        assert message.startswith("unwritten output: ")
        triton_shared.verify(call, reference, (x,), cases=5, shapes=False)

    def test_a_kernel_that_ignores_strides_is_found(self):
        def call(x: torch.Tensor) -> torch.Tensor:
            out = torch.empty(x.shape, dtype=x.dtype)
            run_affine(x, out, 3.0)
            return out

        assert "with strides" in refused(call, torch.randn(4, 8), shapes=False)

    def test_sizes_that_are_equal_stay_equal_and_numbers_go_with_them(self):
        given = Case((torch.zeros(4, 6), torch.zeros(6, 3), 6, 0.5))
        seen: list[Case] = []
        inputs.fuzz(seen.append, given, 20, True)
        for case in seen:
            a, b, k, factor = case.inputs
            assert a.shape[1] == b.shape[0] == k
            assert factor == 0.5
        assert len({case.inputs[0].shape for case in seen}) > 3

    def test_indices_name_elements(self):
        given = Case((torch.zeros(8), torch.tensor([0, 7, 3])))
        seen: list[Case] = []
        inputs.fuzz(seen.append, given, 20, True)
        assert all(int(case.inputs[1].max()) < len(case.inputs[0]) for case in seen)


def test_a_sum_may_have_any_order_and_no_other_error():
    terms = torch.randn(4096, generator=torch.Generator().manual_seed(1)).abs()
    value = terms.double().sum().reshape(1)
    expected = bounds.Expected(
        value, terms.sum().reshape(1), value, torch.tensor([4096.0]).double(), 4096
    )
    one_by_one = torch.zeros(1)
    for term in terms:
        one_by_one += term
    assert bounds.margin(one_by_one, expected).item() <= 1
    assert bounds.margin(value.float() * 1.01, expected).item() > 1
