"""Nothing is said against kernels that are right, and they compute what they did."""

from __future__ import annotations

import corpus_runs
import pytest
import torch
import triton_shared
from corpus_runs import RUNS
from examples import all_cases
from examples.case import Case, check

CORPUS = {case["name"]: case for case in corpus_runs.load_corpus().CASES}
NAMES = sorted(RUNS.keys() & CORPUS.keys())

MISTAKEN = {"atomics_i32": "undefined-lanes", "atomics_u64": "undefined-lanes"}
"""Kernels of the corpus that are wrong: they exchange with lanes that an atomic update left out."""


def _examples() -> list[object]:
    """The first case of every kernel, and the others at night."""
    seen: set[str] = set()
    marked = []
    for case in all_cases():
        name = str(case).split("-")[0]
        marks = [pytest.mark.nightly] if name in seen else []
        seen.add(name)
        marked.append(pytest.param(case, id=str(case), marks=marks))
    return marked


@pytest.mark.parametrize("case", _examples())
def test_examples_are_clean(case: Case) -> None:
    with triton_shared.check() as report:
        outcome = check(case)
    assert outcome.right
    assert report.is_clean, report.as_text()
    assert report.launches


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.nightly if i % 4 else ()) for i, n in enumerate(NAMES)],
)
def test_the_corpus_is_clean_and_computes_the_same(name: str) -> None:
    case = CORPUS[name]
    plain = corpus_runs.compile_and_launch(case, RUNS[name])
    checked = {**case, "opts": {**case["opts"], "instrumentation_mode": "check"}}
    with triton_shared.check() as report:
        buffers = corpus_runs.compile_and_launch(checked, RUNS[name])
    mistakes = {finding.kind for finding in report.findings if finding.severity != "info"}
    assert mistakes == ({MISTAKEN[name]} if name in MISTAKEN else set()), report.as_text()
    assert report.launches == 1
    for name, buffer in plain.items():
        # A product and a sum may be rounded once or twice.
        torch.testing.assert_close(buffers[name], buffer, equal_nan=True)
