"""Kernels that Helion writes, on CPU tensors, in several ways to write them.

`python -m clients.packages`, in the folder python, fetches what they need; `make test-all` does so.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest
import recording
import torch
import torch.nn.functional as F
from clients import packages

pytestmark = pytest.mark.nightly
if not packages.there():
    pytest.skip("packages of clients are not there: clients.packages", allow_module_level=True)

packages.use()
from clients import helion_kernels as kernels  # noqa: E402

Case = tuple[Any, tuple[Any, ...], Callable[..., torch.Tensor]]

WAYS: dict[str, dict[str, Any]] = {
    "pointers": {},
    "block pointers": {"indexing": "block_ptr"},
    "descriptors": {"indexing": "tensor_descriptor"},
}
"""What changes in the configuration that Helion begins with; persistent kernels it has for GPUs."""


def pieces(values: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
    return torch.stack([values[a:b].sum() for a, b in itertools.pairwise(ends)])


def cases() -> dict[str, Case]:
    """Kernel, arguments and reference."""
    torch.manual_seed(0)
    x, columns = torch.randn(100, 80), torch.randn(80)
    q, k, v = (torch.randn(3, 100, 32) for _ in range(3))
    numbers = torch.randint(0, 100, (70,))
    ends = torch.tensor([0, 5, 5, 30, 100])
    return {
        "blend": (kernels.blend, (x, columns, 0.3), lambda a, b, s: a * s + b * (1 - s)),
        "rows_to_probabilities": (kernels.rows_to_probabilities, (x,), lambda x: x.softmax(1)),
        "variance_of_rows": (kernels.variance_of_rows, (x,), lambda x: x.var(1, correction=0)),
        "product_with_bias": (
            kernels.product_with_bias,
            (x, torch.randn(80, 48), torch.randn(48)),
            lambda a, b, c: (a @ b + c).relu(),
        ),
        "attend": (kernels.attend, (q, k, v), F.scaled_dot_product_attention),
        "rows_by_number": (kernels.rows_by_number, (numbers, x), lambda i, x: x[i]),
        "add_by_number": (
            kernels.add_by_number,
            (numbers, torch.randn(70), torch.zeros(100)),
            lambda i, v, s: s.index_add(0, i, v),
        ),
        "sums_of_pieces": (kernels.sums_of_pieces, (x[:, 0].contiguous(), ends), pieces),
    }


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", cases())
def test_helion(name: str, way: str):
    kernel, arguments, reference = cases()[name]
    expected = reference(*arguments)
    bound = kernel.bind(arguments)
    config = bound.config_spec.default_config()
    config.config.update(WAYS[way])
    found = bound.compile_config(config)(*arguments)
    torch.testing.assert_close(found, expected, rtol=2e-5, atol=2e-5)
    recording.measured(([found], [expected]), None, torch.float32)
