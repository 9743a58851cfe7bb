"""Every seeded mistake is found, at its line and in its class; its twin is not accused.

Those that only a result shows are in test_verify_seeded.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import triton_shared
from block_pointers import needs_block_pointers, needs_operations
from seeded import (
    bounds,
    hints,
    numbers,
    public,
    public_bounds,
    races,
    results,
    unwritten,
)
from seeded.seed import Seed
from triton_shared.check.finding import KINDS

FILES = (bounds, hints, numbers, public, public_bounds, races, unwritten)
SEEDS = sorted((seed for file in FILES for seed in file.SEEDS), key=lambda seed: seed.number)
# Where block pointers are pointers, 105 is one that a load takes: another line, another tensor.
NEEDED = {6: needs_block_pointers, 105: needs_operations}
CASES = [pytest.param(seed, id=str(seed), marks=NEEDED.get(seed.number, ())) for seed in SEEDS]


@pytest.mark.parametrize("seed", CASES)
def test_a_mistake_is_found_where_it_is(seed: Seed) -> None:
    with triton_shared.check() as report:
        seed.bug()
    # What may be meant so is no mistake, but is told.
    others = [f.kind for f in report.findings if f.severity != "info" and f.kind != seed.kind]
    assert set(others) <= {seed.follows}
    mistakes = [finding for finding in report.findings if finding.kind == seed.kind]
    assert mistakes
    named = []
    for found in mistakes:
        assert found.argument == seed.tensor
        named += [found.places[0], *(found.other.places[:1] if found.other else [])]
    assert {Path(place.file).resolve() for place in named} == {seed.file}
    assert sorted({place.line for place in named}) == seed.lines
    assert report.is_clean == (KINDS[seed.kind] == "info")
    text = report.as_text()
    assert len(text.splitlines()) <= 25 * len(report.findings)


@pytest.mark.parametrize("seed", CASES)
def test_a_right_twin_is_not_accused(seed: Seed) -> None:
    with triton_shared.check() as report:
        seed.twin()
    assert report.is_clean, report.as_text()
    assert seed.kind not in {finding.kind for finding in report.findings}
    assert report.launches


def test_every_seed_has_a_number_of_its_own() -> None:
    numbers = sorted(seed.number for seed in (*SEEDS, *results.SEEDS))
    assert numbers == sorted(set(numbers))
    assert set(numbers) >= set(range(1, 31))
