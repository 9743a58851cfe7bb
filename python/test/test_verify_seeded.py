"""A seeded mistake that only a result shows is refused by `verify`, which names its line."""

from __future__ import annotations

from pathlib import Path

import pytest
import triton_shared
from seeded import results
from seeded.seed import Seed
from triton_shared import VerificationError

SEEDS = [pytest.param(seed, id=str(seed)) for seed in results.SEEDS]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_mistake_is_found_where_it_is(seed: Seed) -> None:
    with triton_shared.device("cpu"), pytest.raises(VerificationError) as caught:
        seed.bug()
    assert str(caught.value).startswith(seed.kind)
    blame = caught.value.blame
    assert blame is not None, str(caught.value)
    assert Path(blame.file).resolve() == seed.file
    assert [blame.line] == seed.lines
    assert str(blame) in str(caught.value)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_right_twin_is_not_accused(seed: Seed) -> None:
    with triton_shared.device("cpu"):
        seed.twin()
