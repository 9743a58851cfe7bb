"""Every seeded mistake is found, at its line and in its class; its twin is not accused.

Those that only a result shows are in test_verify_seeded.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
import triton_shared
from block_pointers import needs_block_pointers, needs_operations
from seeded import results, suite
from seeded.seed import Seed
from seeded.suite import CHECKED, named_lines
from triton_shared.check.finding import KINDS

# Where block pointers are pointers, 105 is one that a load takes: another line, another tensor;
# and what 214 does not ask to pad has no value.
NEEDED = {
    6: needs_block_pointers, 105: needs_operations, 202: needs_block_pointers,
    214: needs_operations,
}  # fmt: skip
CASES = [pytest.param(seed, id=str(seed), marks=NEEDED.get(seed.number, ())) for seed in CHECKED]


@pytest.mark.parametrize("seed", CASES)
def test_a_mistake_is_found_where_it_is(seed: Seed) -> None:
    with triton_shared.check() as report:
        seed.bug()
    # What may be meant so is no mistake, but is told.
    others = [f.kind for f in report.findings if f.severity != "info" and f.kind != seed.kind]
    assert set(others) <= {seed.follows}
    mistakes = [finding for finding in report.findings if finding.kind == seed.kind]
    assert {found.argument for found in mistakes} == {seed.tensor}
    assert named_lines(report, seed) == seed.lines
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


def test_the_suite_tells_what_is_missed() -> None:
    """`scripts/seeded` prints a line for the class, the line and the twin of all seeds."""
    first = CHECKED[0]
    swapped = replace(first, bug=first.twin, twin=first.bug)
    found = list(suite.seeded([lambda: suite.judge(first), lambda: suite.judge(swapped)], "x", 1))
    assert [(part.right, part.of, part.is_met) for part in found] == [
        (1, 2, False), (1, 2, True), (1, 2, False),
    ]  # fmt: skip
    said = suite.table(found)
    assert "x: line" in said
    assert f"x: twin is not accused: {first}: " in said
    assert "out of bounds" in said


def test_every_seed_has_a_number_of_its_own() -> None:
    numbers = sorted(seed.number for seed in (*CHECKED, *results.SEEDS))
    assert numbers == sorted(set(numbers))
    assert set(numbers) >= set(range(1, 31))
