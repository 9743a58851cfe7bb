"""Figures of results: what is read of files, and that all of it is drawn."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path

import pytest
from tree import ROOT
from triton_shared import plots
from triton_shared.campaign import results
from triton_shared.campaign.case import Case, Outcome
from triton_shared.errors import TritonSharedError
from triton_shared.plots.__main__ import main

RESULTS = ROOT / "benchmarks" / "results"


def launch(kernel: str, status: str, *tensors: tuple[str, str, float]) -> dict:
    """A launch as reports of `diff` have it."""
    return {
        "label": f"{kernel} case",
        "kernel": kernel,
        "status": status,
        "tensors": [
            {"argument": argument, "dtype": dtype, "wrong": int(margin > 1), "margin": margin}
            for argument, dtype, margin in tensors
        ],
    }


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("campaign") / "results.sqlite"
    ends = [
        ("diff", "a", "equal", {"launches": [launch("add", "equal", ("out", "float32", 0.25))]}),
        ("diff", "b", "different", {"launches": [launch("add", "x", ("out", "float16", 3.0))]}),
        ("diff", "c", "failed", {"launches": [launch("sum", "failed")]}),
        ("diff", "d", "crash", None),
        ("check", "one.py::x", "found", {"findings": [{"kind": "race"}, {"kind": "race"}]}),
        ("check", "two.py::y", "clean", {"findings": []}),
    ]
    cases = [
        (Case(kind, name, {}), Outcome(status, "", result)) for kind, name, status, result in ends
    ]
    with results.writing(path) as file:
        file.want([case for case, _ in cases] + [Case("diff", "waits", {})], {})
        file.keep(cases)
    return path


def texts(figure: object) -> list[str]:
    (axes,) = figure.axes
    return [label.get_text() for label in axes.get_yticklabels()]


def test_errors_of_a_campaign_are_those_of_its_launches(campaign: Path):
    assert plots.read_errors(campaign) == [
        plots.Error("add case: out", "float32", 0.25),
        plots.Error("add case: out", "float16", 3.0),
    ]


def test_a_report_with_infinite_error_is_read(tmp_path: Path):
    path = tmp_path / "report.json"
    path.write_text(json.dumps({"launches": [launch("add", "x", ("out", "float32", 2.0))]}))
    text = path.read_text().replace("2.0", '"inf"')
    path.write_text(text)
    (found,) = plots.read_errors(path)
    assert math.isinf(found.used)
    assert texts(plots.errors([found])) == ["add case: out"]


def test_coverage_counts_what_is_right_what_is_wrong_and_what_did_not_run(campaign: Path):
    assert plots.read_coverage(campaign) == {
        ("add", "float32"): Counter(right=1),
        ("add", "float16"): Counter(wrong=1),
        ("sum", "?"): Counter({"not run": 1}),
        ("d", "?"): Counter({"not run": 1}),
        ("one.py", "race"): Counter(wrong=2),
        ("two.py", "clean"): Counter(right=1),
    }


def test_operations_that_ran_on_one_target_are_half_covered(tmp_path: Path):
    path = tmp_path / "operations.json"
    path.write_text(
        json.dumps({"CPU": {"tt.dot": {"f16": "t", "f32": "t"}}, "GPU": {"tt.dot": {"f16": "t"}}})
    )
    assert plots.read_coverage(path) == {
        ("tt.dot", "f16"): Counter(right=2),
        ("tt.dot", "f32"): Counter({"right": 1, "not run": 1}),
    }


def test_a_bar_has_the_quartiles_that_were_kept(tmp_path: Path):
    path = tmp_path / "speed.json"
    rows = [
        {"name": "add", "ratio": 1.5, "ratio_spread": [1.2, 1.6]},
        {"name": "old", "ratio": 0.5},
        {"name": "not compiled", "ratio": None},
    ]
    path.write_text(json.dumps({"rows": rows}))
    bars = plots.read_speed(path)
    assert bars == [plots.Bar("add", 1.5, 1.2, 1.6), plots.Bar("old", 0.5)]
    (axes,) = plots.speed(bars).axes
    assert [bar.get_x() + bar.get_width() for bar in axes.patches] == [1.5, 0.5]
    (whiskers,) = [one for one in axes.collections if len(one.get_segments()) == 1]
    assert [point[0] for point in whiskers.get_segments()[0]] == [1.2, 1.6]


def test_each_square_is_as_wide_as_its_share(campaign: Path):
    figure = plots.coverage({("add", "f32"): Counter(right=3, wrong=1)})
    (axes,) = figure.axes
    assert [round(bar.get_width(), 3) for bar in axes.patches] == [0.675, 0.225, 0.0]
    assert [text.get_text() for text in axes.texts] == ["4"]


@pytest.mark.parametrize(
    ("kind", "file"),
    [
        ("speed", RESULTS / "gpu-speed.json"),
        ("speed", RESULTS / "cpu.json"),
        ("error", RESULTS / "gpu-check.json"),
        ("coverage", ROOT / "docs" / "executed-operations.json"),
    ],
)
def test_results_of_this_project_become_figures(kind: str, file: Path, tmp_path: Path):
    made = tmp_path / "figure.svg"
    assert main([kind, str(file), "-o", str(made), "--only", "d"]) == 0
    first = made.read_text()
    assert first.startswith("<?xml")
    assert main([kind, str(file), "-o", str(made), "--only", "d"]) == 0
    assert made.read_text() == first


@pytest.mark.parametrize(
    ("kind", "content", "said"),
    [
        ("speed", "{}", "has no ratios"),
        ("error", '{"launches": []}', "has no result that was compared"),
        ("coverage", "[]", "covers nothing"),
        ("error", "not json", "neither a campaign nor JSON"),
    ],
)
def test_what_has_nothing_to_draw_is_said(
    kind: str, content: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "file.json"
    path.write_text(content)
    assert main([kind, str(path), "-o", str(tmp_path / "x.svg")]) == 1
    assert said in capsys.readouterr().err


def test_rows_that_are_not_there_are_said(campaign: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["error", str(campaign), "-o", "x.svg", "--only", "nothing"]) == 1
    assert "no row has 'nothing' in its name" in capsys.readouterr().err


def test_without_matplotlib_the_way_out_is_said(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(TritonSharedError, match=r"pip install 'triton-shared\[plots\]'"):
        plots.errors([plots.Error("a", "f32", 0.5)])
