"""Programs whose kernels `triton.autotune` gives one of the best verified configurations."""

from __future__ import annotations

import ast
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
import triton_shared.graph as mi
from graph_cases import assert_right, gated_mlp, one_kernel, random_inputs
from triton_shared.graph import generate, search
from triton_shared.graph.program import Part, Plan, Program, load, plan_from_json
from triton_shared.graph.tiles import Blocks
from triton_shared.graph.verify import Verdict


def even() -> mi.KernelGraph:
    """A norm and a product, whose sizes every block that is tried divides."""
    graph = mi.new_kernel_graph()
    x = graph.new_input(dims=(16, 128), dtype=mi.float16)
    w = graph.new_input(dims=(128, 128), dtype=mi.float16)
    graph.mark_output(graph.matmul(graph.rms_norm(x, normalized_shape=(128,)), w))
    return graph


def blocks_of(configurations: Any) -> list[tuple[dict[str, int], int, int]]:
    return [(one.kwargs, one.num_warps, one.num_stages) for one in configurations]


def run_each(module: Any, name: str, given: list[Any]) -> list[list[Any]]:
    """What comes out with each configuration of a kernel alone."""
    kernel = getattr(module, name)
    every, found = list(kernel.configs), []
    for one in every:
        kernel.configs = [one]
        found.append(module.execute_mugraph(*given))
    kernel.configs = every
    return found


def _believe_the_estimate(self: search.Search, one: Any) -> None:
    one.row.time, one.row.stage = one.row.estimate, "PROFILED"


@pytest.mark.nightly
def test_the_best_verified_configurations_of_a_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """All are of the same cut as the best, which comes first; with each of them it is right."""
    # What is verified, and how, other tests look at; times would not be the same each time.
    monkeypatch.setattr(search, "judge", lambda *_: Verdict(launches=1))
    monkeypatch.setattr(search.Search, "_time_shortly", _believe_the_estimate)
    graph = even()
    best = graph.superoptimize(
        budget=120.0, candidates=10, finalists=1, profile_iters=1, cache=False
    )
    made = mi.generate_triton_program(best.cygraph, top_k=3)
    alike = best.report().alike()
    assert alike[0] is best.report().best
    assert all(row.launches for row in alike)
    module = load(made["code"])
    name = next(
        text.name for text in best.plan.texts() if hasattr(module.__dict__[text.name], "configs")
    )
    given = random_inputs(graph)
    found = run_each(module, name, given)
    assert 2 <= len(found) <= 3
    for outputs in found:
        assert_right(graph, given, outputs)
    assert_right(graph, given, module.execute_mugraph(*given))
    file = tmp_path / "tuned.py"
    file.write_text(made["code"])
    done = subprocess.run([sys.executable, file], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("output 0: largest error ")


def two_kernels(graph: mi.KernelGraph, norm: Blocks, product: Blocks) -> Plan:
    flat = mi.KernelGraph(graph.graph).plan.graph
    nodes = list(flat.nodes)
    scaled = nodes.index(nodes[-1].inputs[0])
    return Plan(flat, (Part((scaled,), norm), Part((len(nodes) - 1,), product)))


def test_each_kernel_has_its_own_list():
    graph = even()
    first = two_kernels(graph, Blocks(1, 0, 0), Blocks(16, 64, 64))
    others = [
        two_kernels(graph, Blocks(4, 0, 0), Blocks(16, 64, 64)),
        two_kernels(graph, Blocks(1, 0, 0), Blocks(16, 32, 128, num_warps=8)),
    ]
    module = load(Program(graph.graph, first).text(others=others))
    kernels = [vars(module)[text.name] for text in first.texts()]
    assert blocks_of(kernels[0].configs) == [({"BLOCK_row": n}, 4, 3) for n in (1, 4)]
    assert [(*one.kwargs.values(), one.num_warps) for one in kernels[1].configs] == [
        (16, 64, 64, 4), (16, 32, 128, 8)
    ]  # fmt: skip
    given = random_inputs(graph)
    assert_right(graph, given, module.execute_mugraph(*given))


def test_configurations_with_other_masks_or_loops_are_left_out():
    """Of 96 columns, 64 leave a rest, and blocks of all of them have no loop."""
    graph = gated_mlp()
    first = one_kernel(graph, Blocks(16, 32, 32))
    others = [one_kernel(graph, Blocks(16, *blocks)) for blocks in ((64, 32), (32, 0), (32, 64))]
    module = load(Program(graph.graph, first).text(others=others))
    assert [(*one.kwargs.values(),) for one in module.kernel_0.configs] == [
        (16, 32, 32), (16, 32, 64)
    ]  # fmt: skip


def test_a_kernel_with_one_configuration_is_as_ever():
    graph = gated_mlp()
    plan = one_kernel(graph, Blocks(16, 32, 32))
    program = Program(graph.graph, plan)
    ragged = one_kernel(graph, Blocks(16, 64, 32))
    assert program.text(others=[plan, ragged]) == program.text()


def test_sizes_that_one_of_the_configurations_does_not_divide_are_refused():
    graph = even()
    first, other = (one_kernel(graph, Blocks(16, columns, 64)) for columns in (32, 128))
    module = load(Program(graph.graph, first).text(others=[other]))
    given = [torch.randn(16, 128).half(), torch.randn(128, 64).half()]
    with pytest.raises(ValueError, match="d2 that is a multiple of 128"):
        module.execute_mugraph(*given)


def test_all_sizes_of_a_kernel_are_its_key():
    """Those of rows, too, which nothing but the grid needs: another number of them is tuned."""
    graph = even()
    first, other = (one_kernel(graph, Blocks(16, columns, 64)) for columns in (32, 128))
    module = load(Program(graph.graph, first).text(others=[other]))
    assert sorted(module.kernel_0.keys) == ["size_d0", "size_d1", "size_d2"]
    for rows in (16, 32):
        given = [torch.randn(rows, 128).half(), torch.randn(128, 128).half()]
        assert_right(graph, given, module.execute_mugraph(*given))
    assert len(module.kernel_0.cache) == 2


def test_kernels_of_a_split_loop_keep_their_blocks():
    """One leaves parts where the other looks for them."""
    graph = gated_mlp()
    first = one_kernel(graph, Blocks(16, 32, 16, split=2))
    others = [one_kernel(graph, Blocks(16, 16, 16, split=2))]
    others.append(one_kernel(graph, Blocks(16, 32, 16, split=2, num_warps=8)))
    module = load(Program(graph.graph, first).text(others=others))
    for name in ("kernel_0_parts", "kernel_0"):
        assert {one.kwargs["BLOCK_column"] for one in getattr(module, name).configs} == {32}
        assert [one.num_warps for one in getattr(module, name).configs] == [4, 8]
    given = random_inputs(graph)
    assert_right(graph, given, module.execute_mugraph(*given))


def test_what_does_not_fit_a_gpu_is_not_among_them(monkeypatch: pytest.MonkeyPatch):
    graph = even()
    best = graph.superoptimize(
        budget=0.0, candidates=1, profile_iters=1, warmup_iters=1, cache=False
    )
    own = best.plan.parts[0].blocks
    wider, longer = (
        replace(best.plan, parts=(replace(best.plan.parts[0], blocks=other),))
        for other in (replace(own, num_warps=8), replace(own, num_stages=5))
    )
    monkeypatch.setattr(mi.KernelGraph, "plans", lambda self, most: [best.plan, wider, longer])
    taken = {4: 1000, 8: 2000}
    monkeypatch.setattr(
        generate, "shared_bytes",
        lambda program, cc: 1 << 30 if (b := program.plan.parts[0].blocks).num_stages == 5
        else taken[b.num_warps],
    )  # fmt: skip
    made = mi.generate_triton_program(best, target_cc=90, top_k=3)
    assert made["shared_memory"] == 2000
    assert made["is_valid"]
    assert made["code"].count("triton.Config(") == 2
    assert "num_stages=5" not in made["code"]


def test_a_graph_that_was_not_searched_has_its_own_plan_only():
    graph = even()
    assert graph.plans(5) == [graph.plan]
    alone = mi.generate_triton_program(graph)["code"]
    assert mi.generate_triton_program(graph, top_k=5)["code"] == alone
    assert "autotune" not in alone
    ast.parse(alone)
    with pytest.raises(mi.GraphError, match="1 or more, not 0"):
        mi.generate_triton_program(graph, top_k=0)


def test_the_report_has_the_parts_of_each_candidate():
    best = even().superoptimize(
        budget=0.0, candidates=1, profile_iters=1, warmup_iters=1, cache=False
    )
    (row,) = [row for row in best.report().rows if row.stage == "BEST"]
    assert plan_from_json(best.plan.graph, row.parts) == best.plan
    assert row.form == best.plan.graph.key
