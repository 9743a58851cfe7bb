"""The generator of `triton_shared.graph` as a fuzzer, and what it has found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
import triton_shared.graph as mi
from graph_cases import assert_right, one_kernel, random_inputs
from triton_shared.campaign import graphing
from triton_shared.graph import __main__ as command
from triton_shared.graph import fuzz, verify
from triton_shared.graph.ir import Graph, make, new_input
from triton_shared.graph.program import Part, Plan, Program
from triton_shared.graph.tiles import Blocks


def test_a_seed_is_a_graph():
    keys = [fuzz.random_graph(seed).key for seed in range(20)]
    assert keys == [fuzz.random_graph(seed).key for seed in range(20)]
    assert len(set(keys)) > 15


@pytest.mark.nightly
def test_a_campaign_asks_all_who_compute_on_a_cpu(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    words = ["fuzz", "--graphs", "2004:3", "--candidates", "1", "--workers", "2"]
    words += ["--voters", "fast,reference,interpreter", "--results", str(tmp_path / "g.sqlite")]
    assert command.main([*words, "--json", str(tmp_path / "g.json")]) == 0
    kinds = json.loads((tmp_path / "g.json").read_text())["kinds"]
    assert kinds["graph-fast"]["ends"] == {"right": 3}
    assert kinds["graph-reference"]["ends"] == {"right": 3}
    # Triton's interpreter has no tanh, and does not round to bf16.
    assert kinds["graph-interpreter"]["ends"] == {"right": 1, "hopeless": 2}
    capsys.readouterr()
    assert command.main(words) == 0
    assert "done" in capsys.readouterr().out, "the same command finds all of them done"


def test_what_a_campaign_finds_wrong_says_which_graph_and_kernels(monkeypatch: pytest.MonkeyPatch):
    _make_relu_wrong(monkeypatch)
    outcome = graphing.run("graph-fast", {"number": 7, "candidates": 1})
    assert outcome.status == "wrong"
    assert "seed 7: BOUND" in outcome.said
    assert "relu" in outcome.said
    assert "Blocks(rows=" in outcome.said


def test_an_unknown_voter_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    words = ["fuzz", "--graphs", "0:1", "--voters", "oracle", "--results", str(tmp_path / "g")]
    assert command.main(words) == 2
    assert "fast, reference, interpreter, triton, shared, not oracle" in capsys.readouterr().err


def test_who_cannot_compute_in_this_process_is_refused():
    with pytest.raises(mi.GraphError, match="another setting of TRITON_INTERPRET"):
        fuzz.run(0, 1, "interpreter")


@pytest.mark.parametrize("seed", [3555, pytest.param(7541, marks=pytest.mark.nightly)])
def test_what_may_overflow_between_kernels_is_not_judged(seed: int):
    """exp of f16 is kept in memory, where it may be infinite: what follows has no bound."""
    assert fuzz.run(seed, 1).status == "right"


def _make_relu_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """All random graphs are one with a relu, whose results are off by one."""
    plain = verify.Judge._compare

    def compare(self: verify.Judge, run: object, found: list, expected: list) -> None:
        if any(node.op == "relu" for node in self.flat.nodes):
            found = [one + 1 for one in found]
        plain(self, run, found, expected)  # type: ignore[arg-type]

    monkeypatch.setattr(verify.Judge, "_compare", compare)
    x = new_input(0, (4, 32), torch.float32)
    graph = Graph((x,), (make("neg", (make("relu", (make("exp", (x,)),)),)),))
    monkeypatch.setattr(fuzz, "random_graph", lambda seed: graph)


def test_what_is_wrong_is_made_smaller_and_kept(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    _make_relu_wrong(monkeypatch)
    words = ["repeat", "7", "--candidates", "1", "--output", str(tmp_path)]
    assert command.main(words) == 1
    printed = capsys.readouterr().out
    assert "return %2" in printed, "what comes after the fault is left out"
    assert (tmp_path / "seed_7" / "repro.py").exists()


@pytest.mark.nightly
def test_random_graphs_are_right(tmp_path: Path):
    words = ["fuzz", "--graphs", "0:100", "--results", str(tmp_path / "graphs.sqlite")]
    assert command.main(words) == 0


class TestFound:
    """By the fuzzer, once."""

    @pytest.mark.every(2)
    @pytest.mark.parametrize("number", [20423, 20553])
    def test_a_product_that_associates_otherwise_rounds_more_and_is_not_wrong(self, number: int):
        done = fuzz.run(number, 1)
        assert (done.status, done.inexact, done.wrong) == ("inexact", 1, ())
        graph = fuzz.random_graph(number)
        (plan,) = fuzz.candidates(graph, number, 1)
        assert verify.verify(graph, plan).gate == "BOUND", "a search does not take it"
        assert verify.Judge(graph, plan).ask_field(), "and it is equal in a field"

    def test_a_sum_over_one_element_of_a_product_with_one_column(self):
        graph = mi.new_kernel_graph()
        x = graph.new_input(dims=(2, 2, 48), dtype=mi.float32)
        w = graph.new_input(dims=(48, 1), dtype=mi.float32)
        graph.mark_output(graph.min(graph.matmul(x, w), -1))
        given = random_inputs(graph)
        plan = one_kernel(graph, Blocks(rows=16, columns=0, depth=32))
        assert_right(graph, given, Program(graph.graph, plan)(given))

    def test_a_graph_that_only_moves_is_right_without_any_error(self):
        x = new_input(0, (3, 17, 31), torch.float16)
        graph = Graph((x,), (make("view", (x,), order=(0, 2, 1)),))
        assert verify.verify(graph, Plan(graph, (Part((1,), Blocks(rows=4, columns=64)),))).is_right

    def test_a_graph_that_only_moves_is_wrong_with_any_error(self):
        x = new_input(0, (32, 32), torch.float32)
        asked = Graph((x,), (make("view", (x,), order=(0, 1)),))
        other = Graph((x,), (make("mul_scalar", (x,), value=1.0 + 2.0**-20),))
        plan = Plan(other, (Part((1,), Blocks(rows=4, columns=64)),))
        verdict = verify.verify(asked, plan)
        assert verdict.gate == "BOUND"
        assert "allowed is 0" in verdict.message
