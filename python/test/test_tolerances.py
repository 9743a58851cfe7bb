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
