"""Every test runs on the CPU device of this package, with a cache of its own session."""

from __future__ import annotations

import os
import zlib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import recording
from guarded import Memory

if TYPE_CHECKING:
    from fake_cuda import FakeCuda


def pytest_configure() -> None:
    if recording.folder():
        recording.watch_compiler()
    if kernels := recording.kernel_folder():
        recording.keep_kernels(kernels)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--every", type=int, default=1, help="of tests that are not marked so, run every n-th case"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves every n-th case of a test that is marked so, of all parts of its list, and the others
    for the night."""
    cases: dict[tuple[int, str], list[pytest.Item]] = defaultdict(list)
    for item in items:
        marker = item.get_closest_marker("every")
        # Those that the list itself leaves for the night are none of the n.
        if not item.get_closest_marker("nightly"):
            every = marker.args[0] if marker else config.getoption("every")
            cases[every, item.nodeid.partition("[")[0]].append(item)
    for (every, _), some in cases.items():
        # Neighbours in a list often differ in one parameter only.
        some.sort(key=lambda item: zlib.crc32(item.nodeid.encode()))
        for number, item in enumerate(some):
            if number % every:
                item.add_marker(pytest.mark.nightly)


def pytest_runtest_setup() -> None:
    recording.start()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" and not report.skipped:
        recording.keep(report.nodeid, report.passed)


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    os.environ["TRITON_CACHE_DIR"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(autouse=True)
def _on_the_cpu() -> Iterator[None]:
    import triton_shared

    with triton_shared.device("cpu"):
        yield


@pytest.fixture
def cuda() -> Iterator[FakeCuda]:
    """Launches on a GPU that is not there."""
    import fake_cuda
    import triton_shared

    fake_cuda.choose()
    with triton_shared.device("cuda"):
        yield fake_cuda.FakeCuda()


@pytest.fixture
def fresh_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, for this test alone."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("TRITON_CACHE_DIR", str(folder))
    return folder


@pytest.fixture
def memory() -> Iterator[Memory]:
    """Buffers with poison round them, looked at again when the test has ended."""
    memory = Memory()
    yield memory
    memory.check()
