"""Every seeded mistake is found, at its line and in its class; its twin is not accused."""

from __future__ import annotations

from pathlib import Path

import pytest
import triton_shared
from block_pointers import needs_block_pointers
from seeded import bounds, races, unwritten
from seeded.seed import Seed

SEEDS = sorted([*bounds.SEEDS, *races.SEEDS, *unwritten.SEEDS], key=lambda seed: seed.number)
CASES = [
    pytest.param(seed, id=str(seed), marks=needs_block_pointers if seed.number == 6 else ())
    for seed in SEEDS
]


@pytest.mark.parametrize("seed", CASES)
def test_a_mistake_is_found_where_it_is(seed: Seed) -> None:
    with triton_shared.check() as report:
        seed.bug()
    assert {finding.kind for finding in report.findings} == {seed.kind}
    named = []
    for found in report.findings:
        assert found.tensor.argument == seed.tensor
        named += [found.places[0], *(found.other.places[:1] if found.other else [])]
    assert {Path(place.file).resolve() for place in named} == {seed.file}
    assert sorted({place.line for place in named}) == seed.lines
    assert not report.is_clean
    text = report.as_text()
    assert len(text.splitlines()) <= 25 * len(report.findings)


@pytest.mark.parametrize("seed", CASES)
def test_a_right_twin_is_not_accused(seed: Seed) -> None:
    with triton_shared.check() as report:
        seed.twin()
    assert report.is_clean, report.as_text()
    assert report.launches


def test_every_seed_has_a_number_of_its_own() -> None:
    numbers = [seed.number for seed in SEEDS]
    assert numbers == sorted(set(numbers))
