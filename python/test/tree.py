"""Where the tests find the sources and what was built of them."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).parents[2]

BUILD = ROOT / os.environ.get("TRITON_SHARED_TEST_BUILD", "build")
"""Another build than the usual one, as with sanitizers, wants TRITON_SHARED_LIBRARY too."""
