"""A plug-in of pytest that records the launches of tests that pass, to replay them on a GPU.

GPU_CHECK_RECORD=FOLDER python -m pytest -p gpu_check.record_tests python/test/test_cases_*
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from triton_shared.diff import recorder
from triton_shared.diff.recording import Recording

LAUNCHES = 4
"""Of one test, at most."""
LARGEST = 2 << 20
"""Bytes of memory of one launch, at most."""


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, None]:
    """Records while a test runs; keeps what is worth it if it passes."""
    if item.get_closest_marker("not_replayed"):
        yield
        return
    caught: list[tuple[Recording, Any]] = []
    with recorder.catching(caught, item.nodeid.rsplit("/", 1)[-1], skips=True):
        outcome = yield
    if outcome.excinfo is not None:
        return
    folder = Path(os.environ["GPU_CHECK_RECORD"])
    test = hashlib.sha256(item.nodeid.encode()).hexdigest()[:10]
    for number, (recording, _) in enumerate(filter(_is_wanted, caught[:LAUNCHES])):
        recording.save(folder / f"tests-{Path(recording.file).stem}-{test}-{number}")


def _is_wanted(launch: tuple[Recording, Any]) -> bool:
    recording, _ = launch
    if sum(storage.numel() for storage in recording.storages) > LARGEST:
        return False
    # Only what stands at module level can be found again.
    module = sys.modules.get(Path(recording.file).stem)
    return hasattr(module, recording.kernel)
