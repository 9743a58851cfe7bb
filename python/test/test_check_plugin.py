"""The pytest plug-in and the reports for other tools."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import triton_shared
from seeded import bounds, numbers, races
from triton_shared.check import Report

TESTS = """
import pytest, torch, triton, triton.language as tl

@triton.jit
def fill(y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, i, mask=i < n)

def launch(n):
    fill[(4,)](torch.zeros(128)[:100], n, B=32)

def test_right():
    launch(100)

def test_wrong():
    launch(101)

@pytest.mark.triton_check("off")
def test_not_checked():
    launch(101)

@pytest.mark.triton_check("bounds")
def test_always_checked():
    launch(101)
"""


def _run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_kernels.py").write_text(TESTS)
    plugin = "" if _is_installed() else "-ptriton_shared.check.pytest_plugin"
    command = [sys.executable, "-m", "pytest", "-q", "-pno:cacheprovider", plugin, *words]
    return subprocess.run(
        [word for word in command if word], cwd=folder, capture_output=True, text=True
    )


def _is_installed() -> bool:
    from importlib.metadata import entry_points

    return bool(entry_points(group="pytest11", name="triton_check"))


def test_tests_fail_whose_kernels_do_something_wrong(tmp_path: Path) -> None:
    done = _run(tmp_path, "--triton-check")
    assert "FAILED test_kernels.py::test_wrong" in done.stdout, done.stdout + done.stderr
    assert "out of bounds: tl.store writes behind the end of 'y'" in done.stdout
    assert "2 failed, 2 passed" in done.stdout
    done = _run(tmp_path, "--triton-check-bounds", "test_kernels.py")
    assert "2 failed, 2 passed" in done.stdout


def test_without_the_option_only_marked_tests_are_checked(tmp_path: Path) -> None:
    done = _run(tmp_path, "-k", "not right")
    assert "FAILED test_kernels.py::test_always_checked" in done.stdout, done.stdout
    assert "1 failed, 2 passed" in done.stdout


def test_a_mode_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(
        "import pytest\n"
        "def pytest_collection_modifyitems(items):\n"
        "    for item in items:\n"
        "        item.add_marker(pytest.mark.triton_check('no'), append=False)\n"
    )
    done = _run(tmp_path, "-k", "right")
    assert "takes one of all, bounds, off; got 'no'" in done.stdout + done.stderr


def _report() -> Report:
    with triton_shared.check() as report:
        for seed in (bounds.SEEDS[0], races.SEEDS[1], numbers.SEEDS[0], numbers.SEEDS[2]):
            seed.bug()
    return report


def test_sarif_has_what_the_standard_requires() -> None:
    log = json.loads(_report().as_sarif())
    assert log["version"] == "2.1.0"
    assert "sarif-2.1.0" in log["$schema"]
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"]
    ids = [rule["id"] for rule in driver["rules"]]
    assert len(ids) == len(set(ids))
    assert {result["ruleId"] for result in run["results"]} >= {
        "out-of-bounds", "race", "undefined-lanes", "not-finite"
    }  # fmt: skip
    for result in run["results"]:
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in ("none", "note", "warning", "error")
        assert result["message"]["text"]
        places = [*result["locations"], *result.get("relatedLocations", [])]
        for place in places:
            physical = place["physicalLocation"]
            assert physical["artifactLocation"]["uri"].startswith("file:///")
            assert physical["region"]["startLine"] >= 1
            assert physical["region"]["startColumn"] >= 1
    related = [place for result in run["results"] for place in result.get("relatedLocations", [])]
    assert all("text" in place["message"] for place in related)
    assert related


def test_the_command_writes_sarif(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(TESTS + "\nlaunch(101)\n")
    words = ["--format", "sarif", "--output", "report.sarif", "script.py"]
    done = subprocess.run(
        [sys.executable, "-m", "triton_shared.check", *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1, done.stderr
    (run,) = json.loads((tmp_path / "report.sarif").read_text())["runs"]
    (result,) = run["results"]
    assert result["ruleId"] == "out-of-bounds"
    line = result["locations"][0]["physicalLocation"]["region"]["startLine"]
    assert "tl.store" in script.read_text().splitlines()[line - 1]


@pytest.mark.parametrize("wrong", [float("inf"), float("nan")])
def test_json_has_no_words_of_its_own(wrong: float) -> None:
    x, ones = torch.tensor([1.0] * 31 + [0.0]), torch.ones(32)
    with triton_shared.check() as report:
        numbers.divide[(1,)](ones if wrong == wrong else x, x, torch.zeros(32), B=32)
    text = report.as_json()
    (found,) = json.loads(text, parse_constant=pytest.fail)["findings"]
    assert found["elements"][0]["value"] == str(wrong)
