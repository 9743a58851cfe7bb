"""Kernels that people recognise, each with its cases: runnable, and each a test."""

from __future__ import annotations

from collections.abc import Iterator

from . import (
    attention,
    cross_entropy,
    dropout,
    embedding,
    layer_norm,
    matmul,
    softmax,
    vector_add,
)
from .case import Case

MODULES = (
    vector_add,
    softmax,
    layer_norm,
    matmul,
    attention,
    embedding,
    cross_entropy,
    dropout,
)


def all_cases() -> Iterator[Case]:
    """The cases of all examples."""
    for module in MODULES:
        yield from module.cases()
