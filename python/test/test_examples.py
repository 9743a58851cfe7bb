"""Every example at every type and shape, within the bounds that its roundings allow."""

from __future__ import annotations

import pytest
from examples import all_cases
from examples.case import Case, check


@pytest.mark.parametrize("case", list(all_cases()), ids=str)
def test_agrees_with_torch(case: Case):
    outcome = check(case)
    assert outcome.right, f"{outcome.worst:.2f} times the bound, error {outcome.max_error:.3g}"
