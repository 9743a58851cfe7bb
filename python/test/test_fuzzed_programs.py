"""Random programs, the same ones each time: some of each kind, and those that once went wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOUND = [7700024, 8800432, 8800730, 9900336, 9900446, 9900691, 9900708]
"""Scans by the largest or the least of small floats that gave sums."""


def _judge(first: int, count: int, mode: str) -> None:
    words = ["--first", str(first), "--count", str(count), "--mode", mode]
    done = subprocess.run(
        [sys.executable, "-m", "fuzz.programs", *words],
        cwd=ROOT / "python",
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (0, f"{count} programs, 0 wrong\n"), done.stdout


@pytest.mark.parametrize("seed", FOUND)
def test_what_was_found_stays_mended(seed: int):
    _judge(seed, 1, "fast")


@pytest.mark.parametrize(("mode", "count"), [("reference", 40), ("fast", 40)])
def test_random_programs_do_what_their_operations_mean(mode: str, count: int):
    _judge(5550000, count, mode)


@pytest.mark.nightly
@pytest.mark.parametrize("mode", ["reference", "fast"])
def test_many_random_programs_do_what_their_operations_mean(mode: str):
    _judge(6660000, 600, mode)
