"""Kernels that are right, each under checks: of the corpus, the examples, and liger."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import corpus_runs
import liger_layers  # noqa: F401
import liger_losses  # noqa: F401
import torch
import triton_shared
from corpus_runs import RUNS
from examples import all_cases
from examples.case import Case, check
from liger_cases import CASES, Function
from triton_shared.check import Report

CORPUS = {case["name"]: case for case in corpus_runs.load_corpus().CASES}
NAMES = sorted(RUNS.keys() & CORPUS.keys())

MISTAKEN = {"atomics_i32": "undefined-lanes", "atomics_u64": "undefined-lanes"}
"""Kernels of the corpus that are wrong: they exchange with lanes that an atomic update left out."""


def first_examples() -> Iterator[Case]:
    """The first case of every kernel of the examples."""
    seen: set[str] = set()
    for case in all_cases():
        name = str(case).split("-")[0]
        if name not in seen:
            seen.add(name)
            yield case


def run_of_corpus(name: str) -> tuple[dict[str, torch.Tensor], Report]:
    """A kernel of the corpus with checks: what it leaves, and the report."""
    case = CORPUS[name]
    checked = {**case, "opts": {**case["opts"], "instrumentation_mode": "check"}}
    with triton_shared.check() as report:
        buffers = corpus_runs.compile_and_launch(checked, RUNS[name])
    return buffers, report


def run_and_differentiate(inputs: tuple[torch.Tensor, ...], function: Function) -> None:
    """A function of liger and its gradients."""
    leaves = [x.clone().requires_grad_(x.is_floating_point()) for x in inputs]
    made = function(*leaves)
    outputs = made if isinstance(made, (tuple, list)) else (made,)
    smooth = [y.float() for y in outputs if isinstance(y, torch.Tensor) and y.requires_grad]
    sum((y * torch.rand(y.shape)).sum() for y in smooth).backward()


def run_of_liger(make: Any) -> Report:
    """A function of liger with checks."""
    torch.manual_seed(0)
    inputs, function, _ = make()
    with triton_shared.check() as report:
        run_and_differentiate(inputs, function)
    return report


def run_example(case: Case) -> Report:
    """An example with checks."""
    with triton_shared.check() as report:
        check(case)
    return report


def all_kernels() -> list[tuple[str, Callable[[], Report]]]:
    """All of them by name, without those that are wrong."""
    found: list[tuple[str, Callable[[], Report]]] = []
    for name in NAMES:
        if name not in MISTAKEN:
            found.append((name, lambda name=name: run_of_corpus(name)[1]))
    for case in first_examples():
        found.append((str(case), lambda case=case: run_example(case)))
    for marked in CASES:
        make = marked.values[0]
        found.append((make.__name__, lambda make=make: run_of_liger(make)))
    return found
