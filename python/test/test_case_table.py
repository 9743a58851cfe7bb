"""docs/cases.md names tests that exist, for every case."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CASES = [*map(str, range(1, 41)), *(f"W{number}" for number in range(1, 17))]


def rows() -> list[list[str]]:
    table = [line for line in (ROOT / "docs/cases.md").read_text().splitlines() if "|" in line]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[2:]]


def test_every_case_has_a_row():
    assert [case for case, *_ in rows()] == CASES


def test_every_lowering_has_a_test():
    for case, _, lowering, _ in rows():
        assert (ROOT / "test" / f"{lowering.strip('`')}.mlir").is_file(), case


def test_every_named_test_exists():
    for case, _, _, runs in rows():
        for part in runs.split("; "):
            file, names = part.split(": ", 1)
            if file == "corpus":
                continue
            source = (ROOT / f"python/test/test_cases_{file}.py").read_text()
            for name in re.findall(r"`(\w+)`", names):
                assert f"def test_{name}(" in source, f"{case}: {file}: {name}"
