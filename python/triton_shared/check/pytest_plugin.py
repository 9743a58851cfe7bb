"""The pytest plug-in: `pytest --triton-check` checks the kernels that tests launch.

A test fails if its kernels do something wrong, with the report as the reason, though all of its own
assertions hold.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

_MODES = ("all", "bounds", "off")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options."""
    group = parser.getgroup("triton")
    for option, mode, told in (
        ("--triton-check", "all", "fail tests whose kernels do something wrong"),
        ("--triton-check-bounds", "bounds", "look for accesses outside of tensors alone: faster"),
    ):
        group.addoption(
            option,
            dest="triton_check",
            action="store_const",
            const=mode,
            default="off",
            help=f"run Triton's kernels on the CPU and {told}",
        )


def pytest_configure(config: pytest.Config) -> None:
    """Makes the marker known."""
    config.addinivalue_line(
        "markers", "triton_check(mode='all'): check this test's kernels; 'bounds', or 'off'"
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Runs a test in a block of `triton_shared.check`."""
    mode = _mode(item)
    if mode == "off":
        return (yield)
    from . import check

    with check(bounds_only=mode == "bounds") as report:
        outcome = yield
    if not report.is_clean:
        pytest.fail(report.as_text(), pytrace=False)
    return outcome


def _mode(item: pytest.Item) -> str:
    """What the test's marker says, else the option."""
    marker = item.get_closest_marker("triton_check")
    if marker is None:
        return str(item.config.getoption("triton_check"))
    (mode,) = marker.args or ("all",)
    if mode not in _MODES:
        raise pytest.UsageError(
            f"the marker triton_check takes one of {', '.join(_MODES)}; got {mode!r}"
        )
    return str(mode)
