"""Searches for a GPU, played on a CPU: what is verified, compiled, timed and kept there."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
import torch
import triton_shared.graph as mi
from gpu_check import graphs
from graph_cases import assert_right, random_inputs, rms_norm_matmul
from triton_shared.graph import judging, pool, profiler, search
from triton_shared.graph.cost import _H200
from triton_shared.graph.search import Options, Search
from triton_shared.graph.space import RUNS
from triton_shared.graph.targets import chosen
from triton_shared.graph.verify import Verdict

from benchmarks.graph import contest
from benchmarks.graph.cases import CASES

SHORT: dict[str, Any] = {
    "budget": 120.0, "candidates": 2, "profile_iters": 2, "warmup_iters": 1, "device": "cuda",
    "finalists": 1, "cache": False,
}  # fmt: skip


@pytest.fixture(autouse=True)
def timed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Says that there is a GPU, and times there what runs here; gives the targets in turn."""
    monkeypatch.setenv("TRITON_SHARED_GRAPH_CACHE", str(tmp_path / "graphs"))
    monkeypatch.setattr(search, "_capability", lambda options, device: 90)
    monkeypatch.setattr(search, "_facts", lambda: _H200)
    plain = profiler.profile
    seen: list[str] = []

    def profile(graphs: Any, device: str, *words: Any) -> Any:
        assert device == "cuda"
        seen.extend(graph.target for graph in graphs)
        return plain(graphs, "cpu", *words)

    monkeypatch.setattr(search, "profile", profile)
    return seen


def searched(graph: mi.KernelGraph, **options: Any) -> Search:
    return Search(graph, Options(**{**SHORT, **options}), random_inputs(graph))


def quick_graph() -> mi.KernelGraph:
    graph = mi.new_kernel_graph()
    x = graph.new_input(dims=(16, 64), dtype=mi.float16)
    graph.mark_output(graph.relu(graph.exp(x)))
    return graph


@pytest.mark.nightly
def test_candidates_are_verified_on_the_cpu_and_timed_by_both_compilers(timed: list[str]):
    graph = rms_norm_matmul()
    with searched(graph, candidates=1) as run:
        best = run.run()
    assert {"triton", "shared"} == set(timed)
    assert best.target in ("triton", "shared")
    assert (best.report().device, best.report().machine) == ("cuda", "cuda:90")
    rows = [row for row in best.report().rows if row.time is not None]
    assert all(row.launches and row.target for row in rows)
    given = random_inputs(graph)
    assert_right(graph, given, best(given))


def test_the_fastest_is_tried_with_other_warps_and_stages(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(search, "judge", lambda *_: Verdict(launches=1))
    monkeypatch.setattr(search, "fits", lambda *_: None)
    with searched(quick_graph(), target="shared", candidates=1) as run:
        best = run.run()
    rows = [row for row in best.report().rows if row.time is not None]
    assert len(rows) == 1 + len(RUNS)
    assert {"w8 s3" in row.kernels[0] for row in rows} == {True, False}
    assert {row.target for row in rows} == {"shared"}


def test_what_one_compiler_makes_wrong_is_not_taken(monkeypatch: pytest.MonkeyPatch):
    """Neither by the other one: a candidate is right everywhere, or nowhere."""
    monkeypatch.setattr(search, "judge", lambda *_: Verdict(launches=1))
    monkeypatch.setattr(search, "fits", lambda *_: None)
    said = iter(["", "output 0: 1 elements are wrong at full size"])
    monkeypatch.setattr(judging.FullSize, "wrong", lambda self, found: next(said, ""))
    with searched(quick_graph()) as run:
        best = run.run()
    (wrong,) = [row for row in best.report().rows if row.stage == "BOUND"]
    assert wrong.time is None
    assert "shared: output 0: 1 elements are wrong" in wrong.why


def test_a_kernel_that_one_compiler_refuses_is_timed_by_the_other(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(search, "judge", lambda *_: Verdict(launches=1))
    refused = Verdict("SHARED", "too much")
    monkeypatch.setattr(
        search, "fits", lambda graph, plan, cc, target: refused if target == "triton" else None
    )
    with searched(quick_graph(), candidates=1) as run:
        best = run.run()
    assert {row.target for row in best.report().rows[1:] if row.time is not None} <= {"shared"} | {
        best.report().rows[0].target
    }


def test_both_compilers_make_kernels_that_fit_without_a_gpu():
    graph = rms_norm_matmul()
    for target in chosen("fastest"):
        assert judging.fits(graph.graph, graph.plan, 90, target) is None


def test_a_row_of_the_contest_has_all_contenders(monkeypatch: pytest.MonkeyPatch):
    """`scripts/gpu-check --there --graph`, but for the GPU."""

    class Captured:
        def __init__(self, call: Any, sets: Any) -> None:
            self.call = lambda: call(sets[0])

        def microseconds(self) -> float:
            self.call()
            return 1.0

    monkeypatch.setattr(search, "judge", lambda *_: Verdict(launches=1))
    monkeypatch.setattr(search, "fits", lambda *_: None)
    monkeypatch.setattr(contest, "capture", Captured)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    monkeypatch.setattr(torch, "compile", lambda function, **_: function)
    monkeypatch.setattr(contest, "_helion", lambda case: case.torch)
    case = dataclasses.replace(CASES[0], shapes=((16, 32), (32, 48)))
    monkeypatch.setattr(type(case), "inputs", lambda self, device: random_inputs(self.graph()))
    with pool.workers(1) as shared:
        row = contest.run(case, (shared[0], 2), 5.0)
    assert row["wrong"] == ""
    assert row["us"].keys() == {"ours", "eager", "inductor", "helion"}
    assert row["timed"] == row["verified"] > 0
    assert all(error < 1e-2 for error in row["apart"].values())
    assert graphs.table([row]).splitlines()[1].split()[0] == case.name
    assert json.loads(json.dumps(row))["best"]["kernels"]


def test_a_contender_that_does_not_run_costs_no_row(monkeypatch: pytest.MonkeyPatch):
    """It is not there, refuses to be tuned, or cannot be captured: the row says why."""

    def refuse(*_: Any) -> Any:
        raise ImportError("of another torch")

    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    peers = contest.Peers(CASES[0], CASES[0].inputs("cpu"))
    peers.tune("absent", lambda case: None)
    peers.tune("helion", refuse)
    peers.tune("inductor", lambda case: refuse)
    peers.tune("theirs", lambda case: lambda *inputs: None)
    assert list(peers.runs) == ["eager", "theirs"]
    assert peers.refused == dict.fromkeys(("helion", "inductor"), "ImportError: of another torch")
    peers.refuse("theirs", RuntimeError("no capture"))
    assert list(peers.runs) == ["eager"]
    assert peers.refused["theirs"] == "RuntimeError: no capture"


def test_every_case_of_the_contest_is_what_torch_computes():
    for case in CASES:
        small = tuple(tuple(min(n, 64) for n in shape) for shape in case.shapes)
        case = dataclasses.replace(case, shapes=small)
        given = [tensor.double() for tensor in case.inputs("cpu")]
        (one,) = case.graph().graph.evaluate(given)
        assert torch.allclose(one, case.torch(*given), rtol=1e-9)


def test_a_target_that_is_none_is_refused():
    with pytest.raises(mi.GraphError, match="target is one of triton, shared, fastest, not 'x'"):
        chosen("x")
