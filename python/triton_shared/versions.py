"""Versions of Triton, to be compared."""

from __future__ import annotations


def read_version(text: str) -> tuple[int, int]:
    """The first two numbers: (3, 6) of "3.6.0"."""
    major, minor = text.split(".")[:2]
    return int(major), int(minor)
