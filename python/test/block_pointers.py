"""Which versions of Triton still have block pointers."""

from __future__ import annotations

import pytest
import triton

HAS_BLOCK_POINTERS = tuple(map(int, triton.__version__.split(".")[:2])) <= (3, 7)
needs_block_pointers = pytest.mark.skipif(
    not HAS_BLOCK_POINTERS, reason="this Triton has no block pointers any more"
)
