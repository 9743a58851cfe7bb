"""The search of `triton_shared.graph`: what it tries, verifies, times, keeps and tells."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
import triton_shared.graph as mi
from graph_cases import PAPER, assert_right, attention, gated_mlp, random_inputs, rms_norm_matmul
from triton_shared.graph import operations, search, search_cache
from triton_shared.graph.cost import machine
from triton_shared.graph.partition import cuts
from triton_shared.graph.rules import expanded
from triton_shared.graph.search import Options, Search
from triton_shared.graph.space import Choices, plans
from triton_shared.graph.verify import Verdict


@pytest.fixture(autouse=True)
def _own_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITON_SHARED_GRAPH_CACHE", str(tmp_path / "graphs"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every candidate counts as right: for tests of what comes after."""
    monkeypatch.setattr(search, "judge", lambda *_: Verdict())


SHORT: dict[str, Any] = {"budget": 30.0, "candidates": 3, "profile_iters": 4, "warmup_iters": 1}


def quick_graph() -> mi.KernelGraph:
    graph = mi.new_kernel_graph()
    x = graph.new_input(dims=(16, 64), dtype=mi.float16)
    graph.mark_output(graph.relu(graph.exp(x)))
    return graph


class TestCuts:
    def test_each_cut_makes_all_outputs(self):
        for case in PAPER:
            flat = expanded(case().graph)
            outputs = {flat.nodes.index(node) for node in flat.outputs}
            for cut, _ in cuts(flat, 40):
                assert outputs <= {place for roots in cut for place in roots}

    def test_the_first_is_one_kernel(self):
        for case in PAPER:
            cut, why = next(cuts(expanded(case().graph), 40))
            assert (len(cut), why) == (1, "")

    def test_products_of_one_input_share_a_kernel(self):
        flat = expanded(gated_mlp().graph)
        products = tuple(i for i, node in enumerate(flat.nodes) if node.op == "matmul")
        assert products in [roots for cut, _ in cuts(flat, 40) for roots in cut]

    def test_what_cannot_be_says_why(self):
        graph = mi.new_kernel_graph()
        x = graph.new_input(dims=(2, 20, 30), dtype=mi.float16)
        graph.mark_output(graph.sum(graph.exp(graph.sum(x, 0)), 1))
        whys = [why for _, why in cuts(graph.graph, 40) if why]
        assert all(whys)


class TestSpace:
    def test_plans_are_ordered_and_bounds_are_below_estimates(self):
        flat = expanded(rms_norm_matmul().graph)
        for target in (None, 90):
            for cut, _ in cuts(flat, 4):
                made = plans(flat, cut, Choices(machine(target)))
                assert made
                assert [one[1] for one in made] == sorted(one[1] for one in made)
                assert all(bound <= estimate for _, estimate, bound in made)

    def test_machines_are_known_by_capability(self):
        assert machine(90).shared == 227 * 1024
        with pytest.raises(ValueError, match="target_cc is ten times the capability: 80, 86"):
            machine(55)


class TestSearch:
    def test_the_best_is_right_and_the_report_says_what_was_tried(self):
        graph = rms_norm_matmul()
        best = graph.superoptimize(config="mlp", **{**SHORT, "candidates": 2})
        given = random_inputs(graph)
        assert_right(graph, given, best(given))
        report = best.report()
        assert report.best is not None
        assert report.best.time is not None
        assert report.best.iterations == 4
        assert report.best.launches > 8
        assert sum(report.counts().values()) == len(report.rows)
        assert report.device == "cpu"

    def test_a_searched_graph_cannot_be_changed(self, believed: None):
        best = quick_graph().superoptimize(**SHORT)
        with pytest.raises(mi.GraphError, match="cannot be changed"):
            best.new_input(dims=(1,), dtype=mi.float16)

    def test_wrong_candidates_are_counted_and_never_chosen(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ):
        plain = search.judge
        seen: list[Any] = []

        def judge(graph: Any, plan: Any, *others: Any) -> Verdict:
            seen.append(plan)
            if len(seen) == 3:
                return plain(graph, plan, *others)
            sizes = (("d0", 16), ("d1", 64)) if len(seen) == 1 else ()
            return Verdict("EXACT" if sizes else "SHARED", "said so", sizes=sizes)

        monkeypatch.setattr(search, "judge", judge)
        best = quick_graph().superoptimize(**SHORT, reproducers=str(tmp_path / "wrong"))
        assert best.report().counts() == {"SHARED": 1, "EXACT": 1, "BEST": 1}
        assert best.plan == seen[2]
        left = {row.stage: row.reproducer for row in best.report().rows}
        assert Path(left["EXACT"]).exists()
        assert not left["SHARED"]

    def test_a_sampler_says_what_is_tried_and_sees_what_came_of_it(self, believed: None):
        seen: list[Any] = []

        def sampler(rows: Any) -> Any:
            places = sorted(range(len(rows)), key=lambda place: -rows[place].estimate)
            for place in (places[0], places[0], places[1], places[2]):
                seen.append([row.stage for row in rows if row.stage])
                yield place

        def search() -> mi.KernelGraph:
            return quick_graph().superoptimize(**{**SHORT, "budget": 90.0}, sampler=sampler)

        rows = search().report().rows
        assert [row.stage for row in rows if row.stage != "CUT"].count("PROFILED") <= 2
        estimates = [row.estimate for row in rows if row.stage != "CUT"]
        assert len(estimates) == 3
        assert estimates == sorted(estimates, reverse=True)
        assert [len(stages) for stages in seen] == [0, 1, 1, 2]
        assert not search().report().is_cached

    def test_a_sampler_that_asks_for_what_there_is_not(self):
        with pytest.raises(mi.GraphError, match="asks for candidate -1; there are "):
            quick_graph().superoptimize(**SHORT, sampler=lambda rows: [-1])

    def test_what_does_not_compile_leaves_a_reproducer(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ):
        row = dataclasses.replace(operations.TABLE["relu"], triton="tl.positive({0})")
        monkeypatch.setitem(operations.TABLE, "relu", row)
        with pytest.raises(mi.SearchError, match="COMPILE"):
            quick_graph().superoptimize(**{**SHORT, "candidates": 1}, reproducers=str(tmp_path))
        (path,) = tmp_path.glob("*/repro.py")
        assert "COMPILE: " in path.read_text()

    def test_if_nothing_is_right_the_error_has_the_table(self, monkeypatch: pytest.MonkeyPatch):
        row = dataclasses.replace(operations.TABLE["relu"], triton="tl.maximum({0}, 1.0)")
        monkeypatch.setitem(operations.TABLE, "relu", row)
        graph = mi.new_kernel_graph()
        x = graph.new_input(dims=(16, 64), dtype=mi.float16)
        graph.mark_output(graph.relu(x))
        with pytest.raises(mi.SearchError, match="no candidate is right\nno  stage  us"):
            graph.superoptimize(**SHORT)

    def test_a_candidate_that_cannot_win_is_not_compiled(
        self, believed: None, monkeypatch: pytest.MonkeyPatch
    ):
        monkeypatch.setattr(Search, "_time_shortly", _takes_nothing)
        run = Search(quick_graph(), Options(**SHORT, cache=False))
        run._explore()
        assert run.report.counts()["PRUNED"] > 0
        assert run.report.counts()["PROFILED"] == 1

    def test_without_time_one_candidate_is_tried(self, believed: None):
        best = quick_graph().superoptimize(**{**SHORT, "budget": 0.0, "candidates": 9})
        assert best.report().counts() == {"BEST": 1} or "CUT" in best.report().counts()

    @pytest.mark.nightly
    def test_processes_verify_side_by_side(self):
        best = quick_graph().superoptimize(**SHORT, jobs=2)
        assert all(row.launches for row in best.report().rows if row.time)

    def test_the_report_says_how_often_was_timed_even_if_time_was_up(self, believed: None):
        """Not how often was asked for."""
        best = quick_graph().superoptimize(
            **{**SHORT, "budget": 0.0, "candidates": 1, "profile_iters": 200000}
        )
        assert best.report().best is not None
        assert 0 < best.report().best.iterations < 200000

    @pytest.mark.nightly
    def test_a_cluster_verifies(self):
        distributed = pytest.importorskip("distributed")
        with distributed.LocalCluster(n_workers=1, threads_per_worker=1) as cluster:
            best = quick_graph().superoptimize(**SHORT, dask=cluster.scheduler_address)
        assert all(row.launches for row in best.report().rows if row.time)

    def test_shared_memory_is_asked_for_the_given_target(self):
        best = quick_graph().superoptimize(**SHORT, target_cc=90)
        assert best.report().machine == "cuda:90"
        assert best.report().device == "cpu"


class TestForAGpuThatIsNotThere:
    def test_estimates_order_what_was_verified_and_nothing_is_said_to_be_timed(self):
        graph = quick_graph()
        best = graph.superoptimize(**SHORT, target_cc=90, device="estimate")
        given = random_inputs(graph)
        assert_right(graph, given, best(given))
        report = best.report()
        assert report.best is not None
        assert report.best.launches > 0
        assert not [row for row in report.rows if row.time is not None or row.stage == "PROFILED"]
        tried = [row for row in report.rows if row.stage in ("ESTIMATED", "BEST")]
        assert report.best.estimate == min(row.estimate for row in tried)
        told = "candidates for cuda:90, by estimates, none of them timed: "
        assert told in report.as_text()
        assert "cuda:90, by estimates, none of them timed" in report.as_html()

    def test_what_is_wrong_at_full_size_is_not_the_best(
        self, believed: None, monkeypatch: pytest.MonkeyPatch
    ):
        told = iter(["output 0: 1 elements are wrong at full size"])
        monkeypatch.setattr(search.FullSize, "wrong", lambda self, found: next(told, ""))
        best = quick_graph().superoptimize(
            **{**SHORT, "candidates": 2}, target_cc=90, device="estimate"
        )
        assert best.report().counts()["BOUND"] == 1
        assert best.report().counts()["BEST"] == 1

    def test_which_gpu_is_asked_for(self):
        with pytest.raises(mi.GraphError, match="target_cc says of which GPU"):
            quick_graph().superoptimize(**SHORT, device="estimate")

    def test_a_gpu_that_is_to_be_timed_must_be_there(self):
        if torch.cuda.is_available():
            pytest.skip("there is one")
        with pytest.raises(mi.GraphError, match="device='estimate' with target_cc"):
            quick_graph().superoptimize(**SHORT, device="cuda")


def _takes_nothing(self: Search, one: Any) -> None:
    one.row.stage, one.row.time = "PROFILED", 1e-12


class TestSizes:
    def test_a_call_takes_the_entry_that_is_nearest(self):
        graph = quick_graph()
        table = mi.superoptimize_for(graph, [[(16, 64)], [(32, 512)]], **{**SHORT, "candidates": 1})
        assert [one.sizes for one in table.entries] == [{"d0": 16, "d1": 64}, {"d0": 32, "d1": 512}]
        assert table.entry({"d0": 8, "d1": 100}) is table.entries[0]
        assert table.entry({"d0": 40, "d1": 300}) is table.entries[1]
        for shape in ((8, 100), (40, 300), (1, 1)):
            given = [torch.randn(shape).half()]
            assert_right(graph, given, table(given))

    def test_shapes_that_do_not_fit_are_refused(self):
        with pytest.raises(mi.GraphError, match="a size of 1 is another graph"):
            mi.superoptimize_for(quick_graph(), [[(1, 64)]])
        with pytest.raises(mi.GraphError, match="no shapes"):
            mi.superoptimize_for(quick_graph(), [])


class TestReport:
    def test_as_text_json_and_html(self, believed: None):
        report = quick_graph().superoptimize(**SHORT).report()
        text = report.as_text()
        assert text.splitlines()[0].split()[:3] == ["no", "stage", "us"]
        assert text.splitlines()[-1].endswith(" 1 BEST")
        assert mi.Report.from_json(json.loads(report.dumps())) == report
        page = report.as_html()
        assert "http" not in page.replace("<!doctype html>", "")
        assert page.count("<tr class=") == len(report.rows)

    def test_a_graph_that_was_not_searched_has_no_report(self):
        assert not quick_graph().is_searched
        with pytest.raises(mi.GraphError, match="was not searched: superoptimize gives one"):
            quick_graph().report()


class TestCache:
    def test_a_search_is_made_once(self, believed: None, monkeypatch: pytest.MonkeyPatch):
        first = quick_graph().superoptimize(**SHORT)
        monkeypatch.setattr(Search, "_explore", None)
        again = quick_graph().superoptimize(**SHORT)
        assert again.report().is_cached
        assert again.plan == first.plan

    def test_operands_in_another_order_are_the_same_graph(self, believed: None):
        def product(is_exchanged: bool) -> mi.KernelGraph:
            graph = mi.new_kernel_graph()
            x, y = graph.new_input(dims=(16, 64)), graph.new_input(dims=(16, 1))
            graph.mark_output(graph.exp(graph.mul(*((y, x) if is_exchanged else (x, y)))))
            return graph

        product(False).superoptimize(**SHORT)
        again = product(True).superoptimize(**SHORT)
        assert again.report().is_cached
        given = [torch.randn(5, 17).half(), torch.randn(5, 1).half()]
        assert_right(product(True), given, again(given))

    def test_another_graph_or_other_options_are_searched(self, believed: None):
        name = search_cache.key(quick_graph().graph, "cpu", "a")
        assert name != search_cache.key(quick_graph().graph, "cpu", "b")
        assert name != search_cache.key(attention().graph, "cpu", "a")

    def test_a_damaged_file_is_as_none(self, believed: None):
        first = quick_graph().superoptimize(**SHORT)
        (path,) = search_cache.folder().glob("*.json")
        path.write_text(path.read_text()[:-20])
        again = quick_graph().superoptimize(**SHORT)
        assert not again.report().is_cached
        assert again.graph.key == first.graph.key

    def test_another_process_takes_it(self, believed: None):
        quick_graph().superoptimize(**SHORT)
        (path,) = search_cache.folder().glob("*.json")
        program = f"""
from triton_shared.graph import search_cache
print(search_cache.read({path.stem!r})[1].is_cached)
"""
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        assert done.stdout == "True\n", done.stderr


@pytest.mark.nightly
@pytest.mark.parametrize("case", PAPER, ids=lambda case: case.__name__)
def test_every_graph_of_the_paper_is_found(case: Any):
    graph = case()
    best = graph.superoptimize(budget=60.0, candidates=12, profile_iters=20, cache=False)
    counts = best.report().counts()
    wrong = {gate for gate in counts if gate in ("EXACT", "BOUND", "SHAPES", "POISON", "LAUNCH")}
    assert not wrong, best.report().as_text()
    given = random_inputs(graph)
    assert_right(graph, given, best(given))
