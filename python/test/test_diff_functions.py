"""How far off functions of libdevice may be on a GPU."""

from __future__ import annotations

import pytest
import torch
from triton_shared.diff import census, tolerances
from triton_shared.diff.tolerances import Reference


def call(symbol: str, element: str) -> str:
    return (
        f'%1 = tt.extern_elementwise %x {{libname = "", libpath = "", pure = true, '
        f'symbol = "__nv_{symbol}"}} : (tensor<8x{element}>) -> tensor<8x{element}>\n'
    )


@pytest.mark.parametrize(
    ("symbol", "element", "units", "absolute"),
    [
        *[("tanhf", "f32", 4, 0), ("hypot", "f64", 4, 0), ("erff", "f32", 4, 0)],
        *[("lgammaf", "f32", 6, 0), ("tgamma", "f64", 10, 0), ("tgammaf", "f32", 10, 0)],
        *[("j0f", "f32", 9, 2.2e-6), ("y1", "f64", 9, 5e-12), ("yn", "f64", 17, 5e-12)],
    ],
)
def test_a_function_may_be_off_as_documented(
    symbol: str, element: str, units: int, absolute: float
):
    found = census.take(call(symbol, element))
    assert found.approximation == units
    assert found.absolute == absolute


def test_where_a_bessel_function_is_small_its_error_is_absolute():
    value = torch.tensor([1e-9], dtype=torch.float64)
    for text in (call("j0f", "f32"), call("tanhf", "f32")):
        found = census.take(text)
        bound = tolerances.choose(value, "float32", found, Reference(value), None)
        assert bound.policy == "reference"
        assert bound.allowed.item() == pytest.approx(found.absolute, abs=1e-12)
    assert census.take(call("j0f", "f32") * 2).absolute == pytest.approx(4.4e-6)


@pytest.mark.parametrize("name", ["exp", "exp2", "__nv_exp2", "__nv_fast_exp"])
def test_a_power_below_the_smallest_normal_number_may_be_zero(name: str):
    value = torch.tensor([2.0**-127], dtype=torch.float64)
    for element, is_allowed in (("f32", True), ("f64", False)):
        if name.startswith("__nv_"):
            symbol = name.removeprefix("__nv_") + ("f" if element == "f32" else "")
            found = census.take(call(symbol, element))
        else:
            found = census.take(f"    %0 = math.{name} %x : tensor<8x{element}>")
        bound = tolerances.choose(value, "float32", found, Reference(value), None)
        assert bool(bound.allowed >= value) == is_allowed
