"""What benchmarks/gpu times on a GPU is right, and the page shows what was measured."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import torch

sys.path.insert(0, str(Path(__file__).parents[2]))


from benchmarks import page
from benchmarks.compile_time import cases, measure
from benchmarks.gpu import problems, tensors
from benchmarks.gpu.problem import clear


@pytest.fixture(autouse=True)
def _without_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tensors, "DEVICE", "cpu")


@pytest.mark.every(2)
@pytest.mark.parametrize("number", range(len(problems.small_problems())))
def test_a_timed_kernel_is_right(number: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(problems, "ROWS", 3)
    problem = problems.small_problems()[number]
    memory = problem.make(torch.Generator().manual_seed(0))
    clear(problem, memory)
    problem.launch(memory, problem.configs[0])
    expected = problem.expected(memory)
    error = (memory[-1].double() - expected).norm() / expected.norm()
    assert error <= problem.tolerance
    if problem.torch:
        again = problem.torch(memory)
        assert torch.allclose(again.double().view_as(expected), expected, rtol=1e-2, atol=1e-2)


def test_every_problem_has_a_name_of_its_own_and_something_to_count():
    found = problems.all_problems()
    assert len({problem.name for problem in found}) == len(found)
    assert all(bool(problem.moved) != bool(problem.flops) for problem in found)
    assert set(problems.QUICK) <= {problem.name for problem in found}


def test_the_page_shows_what_was_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(page, "RESULTS", tmp_path)
    gpu = {"gpu": {"name": "A GPU"}, "torch": "2.11", "triton": "3.6.0"}
    row = {"name": "k", "verdict": "agree", "policies": ["exact"], "margin": 0.0, "registers": 7}
    checked = gpu | {"rows": [row], "memcheck": {"k": "clean"}}
    checked |= {"counts": {"agree": 8}, "tests": {"test_a": 3, "test_b": 4}}
    timed = {"name": "add", "us": {"triton": 10.0, "ours": 5.0}, "ratio": 2.0, "unit": "GB/s"}
    timed |= {"rate": {"ours": 4000.0}, "best": {"ours": {"BLOCK": 512}}}
    launch = {"jit_us": {"ours": 9.0, "triton": 18.0}, "launcher_us": {"ours": 2.0, "triton": 9.0}}
    compiled = {"add": {"total_ms": {"ours": 30.0, "triton": 40.0}}}
    (tmp_path / "gpu-check.json").write_text(json.dumps(checked))
    costs = {"compile": compiled, "launch": launch}
    (tmp_path / "gpu-speed.json").write_text(json.dumps(gpu | {"rows": [timed], "costs": costs}))
    rows = [{"name": "03", "us": {"triton": 9.0, "ours": 6.0}, "ratio": 1.5}]
    rows.append({"name": "06", "us": {"ours": 6.0}})
    rows.append({"name": "08", "us": {}, "failed": {"triton": "2 numbers of the result are NaN"}})
    tuned = {"name": "09", "cores": 16, "seconds": {"triton": 6.0, "ours": 2.0}, "ratio": 3.0}
    tutorials = gpu | {"rows": rows, "tuning": [tuned]}
    (tmp_path / "gpu-tutorials.json").write_text(json.dumps(tutorials))
    shown = page.render()
    assert "| 03 | 1.500 | 6 | 9 |\n| 06 | - | 6 | - |\n| 08 | - | - | NaN |" in shown
    assert "| 09 | 3.00 | 2.0 | 6.0 |" in shown
    assert "one A GPU" in shown
    told = "8 agree. Under compute-sanitizer's memcheck: 1 of 1 clean."
    assert f", and the launches of the Python tests: 7 of 2 files agree. {told}" in shown
    assert "| add | 2.000 | 5.00 | 10.00 | - | 4000 GB/s | BLOCK=512 |" in shown
    assert "| add | 30 | 40 | 0.75 |" in shown
    assert "9.0 µs (2.0 µs of it" in shown
    (tmp_path / "gpu-check.json").write_text(json.dumps(checked | {"tests": {}}))
    assert f"by the bounds of [gpu.md](gpu.md). {told}" in page.render()


@pytest.mark.every(2)
@pytest.mark.parametrize("case", cases.CASES, ids=str)
def test_both_compilers_make_a_cubin_of_what_is_compiled(case: cases.Case):
    for side in measure.SIDES:
        cost = measure.compile_case(case, side)
        assert list(cost.stages)[-2:] == ["ptx", "cubin"]
        assert 0 < cost.own < cost.whole


def test_what_is_tuned_is_what_the_tutorial_tries_on_hopper():
    found = [
        (*list(case.constants.values())[1:3], *case.options.values()) for case in cases.tuned()
    ]
    assert len(set(found)) == len(found) == 21
    assert all(warps == 4 or (bm, bn) == (128, 128) for bm, bn, warps, _ in found)


def test_times_to_compile_are_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    costs = {"ours": measure.Cost({"ptx": 0.03, "cubin": 0.01}, 0.06, 0.2)}
    costs["triton"] = measure.Cost({"ttgir": 0.08, "cubin": 0.0}, 0.12, 0.1)
    monkeypatch.setattr(measure, "compile_case", lambda case, side: costs[side])
    row = measure.compare(cases.CASES[0], repeat=2)
    tuning = measure.compare_all(cases.CASES[:3], repeat=2)
    report = {"cpu": "A CPU", "triton": "3.6.0", "ptxas": "12.8", "rows": [row], "tuning": tuning}
    (tmp_path / "compile-time.json").write_text(json.dumps(report))
    monkeypatch.setattr(page, "RESULTS", tmp_path)
    shown = page.render()
    assert "| matmul f16 NN | 40, 80 | 60, 120 | 100, 200 | 0.50 | 0.50 | 0.50 |" in shown
    assert "The 3 configurations" in shown
    assert "0.6 s by the clock with ours, 0.3 s with Triton: 2.00." in shown


def test_the_page_in_docs_is_fresh():
    assert page.render() == (page.ROOT / "docs" / "performance.md").read_text()
