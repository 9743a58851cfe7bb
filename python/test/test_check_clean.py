"""Nothing is said against kernels that are right, and they compute what they did."""

from __future__ import annotations

from typing import Any

import corpus_runs
import liger_losses
import pytest
import torch
import triton_shared
from corpus_runs import RUNS
from examples import all_cases
from examples.case import Case, check
from liger_cases import CASES
from seeded.clean_kernels import (
    CORPUS,
    MISTAKEN,
    NAMES,
    all_kernels,
    first_examples,
    run_of_corpus,
    run_of_liger,
)


def _examples() -> list[object]:
    """The first case of every kernel, and the others at night."""
    first = {str(case) for case in first_examples()}
    return [
        pytest.param(case, id=str(case), marks=() if str(case) in first else pytest.mark.nightly)
        for case in all_cases()
    ]


@pytest.mark.parametrize("case", _examples())
def test_examples_are_clean(case: Case) -> None:
    with triton_shared.check() as report:
        outcome = check(case)
    assert outcome.right
    assert report.is_clean, report.as_text()
    assert report.launches


@pytest.mark.every(2)
@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.nightly if i % 4 else ()) for i, n in enumerate(NAMES)],
)
def test_the_corpus_is_clean_and_computes_the_same(name: str) -> None:
    case = CORPUS[name]
    plain = corpus_runs.compile_and_launch(case, RUNS[name])
    buffers, report = run_of_corpus(name)
    mistakes = {finding.kind for finding in report.findings if finding.severity != "info"}
    assert mistakes == ({MISTAKEN[name]} if name in MISTAKEN else set()), report.as_text()
    assert report.launches == 1
    for name, buffer in plain.items():
        # A product and a sum may be rounded once or twice.
        torch.testing.assert_close(buffers[name], buffer, equal_nan=True)


@pytest.mark.nightly
@pytest.mark.parametrize("make", CASES)
def test_liger_is_clean(make: Any) -> None:
    report = run_of_liger(make)
    assert report.is_clean, report.as_text()
    # One function is made of torch's own, here.
    assert report.launches or make is liger_losses.fused_linear_scaled_cross_entropy


def test_the_list_is_long() -> None:
    """Of the corpus each entry is a kernel; of the others each has one of its own, or more."""
    assert len(all_kernels()) >= 100
