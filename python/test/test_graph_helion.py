"""What graphs of the benchmark are in Helion, on CPU tensors: right, before a GPU times it."""

from __future__ import annotations

import dataclasses

import pytest
from clients import packages
from triton_shared.graph.judging import FullSize

from benchmarks.graph.cases import CASES, Case

pytestmark = pytest.mark.nightly
if not packages.there():
    pytest.skip("packages of clients are not there: clients.packages", allow_module_level=True)

packages.use()
from benchmarks.graph import helion_kernels  # noqa: E402


def small(case: Case) -> Case:
    """With smaller sizes, equal where they were."""
    sizes = {4096: 128, 6144: 160, 256: 64}
    shapes = tuple(tuple(sizes.get(n, n) for n in shape) for shape in case.shapes)
    return dataclasses.replace(case, shapes=shapes)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_graph_in_helion(case: Case):
    case = small(case)
    inputs = case.inputs("cpu")
    found = helion_kernels.kernel(case.name, "none")(*inputs)
    assert FullSize(case.graph().graph, inputs).wrong([found]) == ""
