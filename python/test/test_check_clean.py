"""Nothing is said against kernels that are right, and they compute what they did."""

from __future__ import annotations

from typing import Any

import corpus_runs
import liger_layers  # noqa: F401
import liger_losses
import pytest
import torch
import triton_shared
from corpus_runs import RUNS
from examples import all_cases
from examples.case import Case, check
from liger_cases import CASES, Function

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


def run_and_differentiate(inputs: tuple[torch.Tensor, ...], function: Function) -> None:
    leaves = [x.clone().requires_grad_(x.is_floating_point()) for x in inputs]
    made = function(*leaves)
    outputs = made if isinstance(made, (tuple, list)) else (made,)
    smooth = [y.float() for y in outputs if isinstance(y, torch.Tensor) and y.requires_grad]
    sum((y * torch.rand(y.shape)).sum() for y in smooth).backward()


@pytest.mark.nightly
@pytest.mark.parametrize("make", CASES)
def test_liger_is_clean(make: Any) -> None:
    torch.manual_seed(0)
    inputs, function, _ = make()
    with triton_shared.check() as report:
        run_and_differentiate(inputs, function)
    assert report.is_clean, report.as_text()
    # One function is made of torch's own, here.
    assert report.launches or make is liger_losses.fused_linear_scaled_cross_entropy


def test_the_list_is_long() -> None:
    """Of the corpus each entry is a kernel; of the others each has one of its own, or more."""
    examples = {str(case).split("-")[0] for case in all_cases()}
    assert len(NAMES) + len(examples) + len(CASES) >= 100
