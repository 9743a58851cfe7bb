"""Every seeded mistake is found, at its line and in its class; its twin is not accused."""

from __future__ import annotations

from pathlib import Path

import pytest
import triton_shared
from block_pointers import needs_block_pointers
from seeded import bounds
from seeded.seed import Seed

SEEDS = [*bounds.SEEDS]
CASES = [
    pytest.param(seed, id=str(seed), marks=needs_block_pointers if seed.number == 6 else ())
    for seed in SEEDS
]


@pytest.mark.parametrize("seed", CASES)
def test_a_mistake_is_found_where_it_is(seed: Seed) -> None:
    with triton_shared.check() as report:
        seed.bug()
    assert [finding.kind for finding in report.findings] == [seed.kind]
    (found,) = report.findings
    assert found.place
    assert Path(found.place.file).resolve() == seed.file
    assert [found.place.line] == seed.lines
    assert found.tensor.argument == seed.tensor
    assert not report.is_clean
    assert len(report.as_text().splitlines()) <= 25


@pytest.mark.parametrize("seed", CASES)
def test_a_right_twin_is_not_accused(seed: Seed) -> None:
    with triton_shared.check() as report:
        seed.twin()
    assert report.is_clean, report.as_text()
    assert report.launches == 1


def test_seeds_are_numbered_without_gaps() -> None:
    assert [seed.number for seed in SEEDS] == list(range(1, len(SEEDS) + 1))
