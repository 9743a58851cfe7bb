"""Pages of docs/ whose commands print what the page shows."""

from __future__ import annotations

from pathlib import Path

import pytest
import triton
from transcripts import replay

PINNED = triton.__version__.startswith("3.6.")


@pytest.mark.skipif(not PINNED, reason="the page shows the names that Triton 3.6 gives")
def test_ahead_of_time(tmp_path: Path):
    assert replay("ahead-of-time.md", tmp_path) == 6
