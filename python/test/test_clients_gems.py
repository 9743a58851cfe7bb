"""Kernels of flag-gems on CPU tensors, on PyTorch's own samples of the operations they stand for.

`python -m clients.packages`, in the folder python, fetches what they need; `make test-all` does so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import recording
import torch
import triton
from clients import gems, opinfo, packages
from triton.compiler.errors import CompilationError

pytestmark = pytest.mark.nightly
if not packages.there():
    pytest.skip("packages of clients are not there: clients.packages", allow_module_level=True)


@pytest.fixture(name="package")
def _package() -> Iterator[Any]:
    with gems.session() as package:
        yield package


@contextmanager
def _skipping_what_newer_triton_refuses() -> Iterator[None]:
    """flag-gems writes block pointers, which Triton 3.9 refuses for any backend; and behind 3.6 it
    launches a kernel for the second time without its constants, which launchers count."""
    try:
        yield
    except CompilationError as error:
        if "Block pointers have been removed" not in str(error):
            raise
        pytest.skip("Triton has no block pointers any more")
    except TypeError as error:
        if triton.__version__.startswith("3.6.") or not re.search(r"takes \d+ arg", str(error)):
            raise
        pytest.skip("flag-gems leaves out constants")


CASES = [
    (name, kind)
    for name in gems.OPERATIONS
    for kind in ("float32", "float16", "bfloat16")
    if opinfo.supports(name, getattr(torch, kind))
    and (kind == "float32" or name not in gems.ONLY_IN_F32)
]


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_gems(name: str, kind: str, package: Any):
    launched: list[str] = []
    dtype = getattr(torch, kind)
    for call in opinfo.calls(name, dtype, 2):
        expected = opinfo.Expected.of(call)
        with (
            _skipping_what_newer_triton_refuses(),
            gems.counted_launches() as names,
            package.use_gems(),
        ):
            found = call()
        assert expected.difference(found) == ""
        launched += names
        floats = [
            (ours, theirs)
            for ours, theirs in zip(found, expected.values, strict=True)
            if isinstance(ours, torch.Tensor) and ours.is_floating_point() and ours.numel()
        ]
        if expected.decided and floats:
            ours, theirs = zip(*floats, strict=True)
            recording.measured((list(ours), list(theirs)), None, dtype)
    assert launched


def test_random_numbers_of_gems_follow_the_seed(package: Any):
    def numbers(seed: int | None = None) -> torch.Tensor:
        if seed is not None:
            torch.manual_seed(seed)
        with package.use_gems():
            return torch.randn(20_000)

    with _skipping_what_newer_triton_refuses(), gems.counted_launches() as names:
        first, second, again = numbers(5), numbers(), numbers(5)
    assert "randn_kernel" in names
    assert torch.equal(first, again)
    assert not torch.equal(first, second)
    for found in (first, second):
        assert abs(float(found.mean())) < 0.03
        assert abs(float(found.std()) - 1) < 0.03
