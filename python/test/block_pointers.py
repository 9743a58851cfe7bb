"""Which versions of Triton still have block pointers, and where they become what."""

from __future__ import annotations

import pytest
import triton

VERSION = tuple(map(int, triton.__version__.split(".")[:2]))
HAS_BLOCK_POINTERS = VERSION < (3, 9)
ARE_OPERATIONS = VERSION < (3, 8)
"""Whether TTIR has them; else the front end makes pointers and masks of them."""

needs_block_pointers = pytest.mark.skipif(
    not HAS_BLOCK_POINTERS, reason="this Triton has no block pointers any more"
)
needs_operations = pytest.mark.skipif(
    not ARE_OPERATIONS, reason="this Triton makes pointers of block pointers"
)
