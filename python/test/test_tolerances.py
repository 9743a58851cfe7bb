"""How far apart two right results of a kernel may be."""

from __future__ import annotations

import torch
from triton_shared.diff import census, tolerances

EXPONENTIAL = """
tt.func public @k(%x: tensor<4xf32>) {
  %0 = math.exp %x : tensor<4xf32>
  tt.return
}
"""
RECIPROCAL = EXPONENTIAL.replace("math.exp %x", "math.sqrt %x")
FAST = EXPONENTIAL.replace(
    "math.exp %x",
    'tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_fast_expf"}',
)


def ulps(ttir: str, value: float, dtype: str = "float32") -> float:
    """The bound at `value`, in units in its last place."""
    left = torch.tensor([value], dtype=torch.float64)
    reference = tolerances.Reference(left)
    bound = tolerances.choose(left, dtype, census.take(ttir), reference, None)
    steps = tolerances.choose(left, dtype, census.take(ttir), None, None)
    assert (bound.policy, steps.policy) == ("reference", "steps")
    assert bound.allowed.isfinite().all()
    ulp = tolerances.rounding(getattr(torch, dtype)).ulp(left)
    assert (steps.allowed / ulp).item() <= (bound.allowed / ulp).item()
    return float((bound.allowed / ulp).item())


def test_an_exponential_is_as_exact_as_its_argument():
    """22 ulp were seen on a GPU at e^-25.8, 35 at a quotient near e^-46."""
    for kernel in (EXPONENTIAL, FAST):
        assert ulps(kernel, 1.0) == 6
        assert 22 < ulps(kernel, 6.4e-12) < 60
        assert 35 < ulps(kernel, 1.05e-20) < 100


def test_other_functions_do_not_depend_on_the_size():
    assert ulps(RECIPROCAL, 1.0) == ulps(RECIPROCAL, 6.4e-12) == 4


def test_a_narrow_result_is_not_off_by_more():
    assert ulps(EXPONENTIAL, 6.4e-4, "float16") < 6.1


def test_numbers_without_a_size_have_a_bound():
    for value in (0.0, float("inf"), float("nan")):
        left = torch.tensor([value], dtype=torch.float64)
        facts = census.take(EXPONENTIAL)
        for reference in (tolerances.Reference(left), None):
            bound = tolerances.choose(left, "float32", facts, reference, None)
            assert bound.allowed.isfinite().all()
            assert (bound.allowed >= 0).all()


def test_the_largest_numbers_have_a_last_place():
    value = torch.tensor([1.15e308, 1.0, 5e-324], dtype=torch.float64)
    above = torch.nextafter(value, torch.full_like(value, torch.inf))
    assert torch.equal(tolerances.rounding(torch.float64).ulp(value), above - value)


def test_a_scaled_product_may_be_summed_in_any_order():
    kernel = """
tt.func public @k(%a: tensor<16x64xi8>, %s: tensor<16x4xi8>, %b: tensor<128x8xf16>) {
  %0 = tt.dot_scaled %a scale %s, %b, %c lhs = e2m1 rhs = fp16 {fastMath = false} : """
    kernel += "tensor<16x64xi8>, tensor<16x4xi8> * tensor<128x8xf16> -> tensor<16x8xf32>\n"
    assert census.take(kernel).approximation == 66
    of_bytes = kernel.replace("64xi8>, tensor", "64xf8E5M2>, tensor")
    assert census.take(of_bytes).approximation == 34


def test_sums_of_small_products_may_be_cut_off():
    """By as much as tensor cores do: 13 bits below the largest term, for each of them."""
    line = "%0 = tt.dot %a, %b, %c : tensor<4x4xf8E5M2> * tensor<4x4xf8E4M3FN> -> tensor<4x4xf32>"
    terms = torch.tensor([4.0], dtype=torch.float64)
    reference = tolerances.Reference(terms, terms, terms)
    for kernel, unit in ((line, 2.0**-13), (line.replace("f8E5M2", "f16"), 2.0**-24)):
        bound = tolerances.choose(terms, "float32", census.take(kernel), reference, None)
        assert bound.policy == "accumulated"
        assert 32 * unit <= bound.allowed.item() < 33 * unit + 2.0**-21
