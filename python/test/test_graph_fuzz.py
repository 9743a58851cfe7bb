"""The generator of `triton_shared.graph` as a fuzzer, and what it has found."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import triton_shared.graph as mi
from graph_cases import assert_right, one_kernel, random_inputs
from triton_shared.graph import __main__ as command
from triton_shared.graph import fuzz, verify
from triton_shared.graph.ir import Graph, make, new_input
from triton_shared.graph.program import Program
from triton_shared.graph.tiles import Blocks


def test_a_seed_is_a_graph():
    keys = [fuzz.random_graph(seed).key for seed in range(20)]
    assert keys == [fuzz.random_graph(seed).key for seed in range(20)]
    assert len(set(keys)) > 15


def test_the_command_counts_what_it_has_verified(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    words = ["fuzz", "--seed", "3", "--count", "2", "--each", "1", "--output", str(tmp_path)]
    assert command.main(words) == 0
    assert capsys.readouterr().out.startswith("2 graphs, 2 candidates, 0 wrong, ")


def test_what_is_wrong_is_made_smaller_and_kept(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    plain = verify.Judge._compare

    def compare(self: verify.Judge, run: object, found: list, expected: list) -> None:
        if any(node.op == "relu" for node in self.flat.nodes):
            found = [one + 1 for one in found]
        plain(self, run, found, expected)  # type: ignore[arg-type]

    monkeypatch.setattr(verify.Judge, "_compare", compare)
    x = new_input(0, (4, 32), torch.float32)
    graph = Graph((x,), (make("neg", (make("relu", (make("exp", (x,)),)),)),))
    monkeypatch.setattr(fuzz, "random_graph", lambda seed: graph)
    words = ["fuzz", "--seed", "7", "--count", "1", "--each", "1", "--output", str(tmp_path)]
    assert command.main(words) == 1
    printed = capsys.readouterr().out
    assert "return %2" in printed, "what comes after the fault is left out"
    assert (tmp_path / "seed_7" / "repro.py").exists()


@pytest.mark.nightly
def test_random_graphs_are_right(tmp_path: Path):
    words = ["fuzz", "--count", "100", "--jobs", "2", "--output", str(tmp_path)]
    assert command.main(words) == 0


class TestFound:
    """By the fuzzer, once."""

    def test_a_sum_over_one_element_of_a_product_with_one_column(self):
        graph = mi.new_kernel_graph()
        x = graph.new_input(dims=(2, 2, 48), dtype=mi.float32)
        w = graph.new_input(dims=(48, 1), dtype=mi.float32)
        graph.mark_output(graph.min(graph.matmul(x, w), -1))
        given = random_inputs(graph)
        plan = one_kernel(graph, Blocks(rows=16, columns=0, depth=32))
        assert_right(graph, given, Program(graph.graph, plan)(given))
