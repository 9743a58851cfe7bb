"""A graph's kernels on a page, with the candidates of the search that found them."""

from __future__ import annotations

import json
import re
from typing import Any

import jsonschema
import pytest
import triton_shared.graph as mi
from test_explain_report import SCHEMA
from triton_shared.explain.report import Report


def written() -> Any:
    graph = mi.new_kernel_graph()
    x = graph.new_input(dims=(4, 48), dtype=mi.float32)
    w = graph.new_input(dims=(48, 32), dtype=mi.float32)
    graph.mark_output(graph.matmul(graph.exp(x), w))
    return graph


@pytest.fixture(scope="module")
def report() -> Report:
    best = written().superoptimize(
        candidates=3, finalists=1, warmup_iters=1, profile_iters=2, cache=False, device="cpu"
    )
    dead = best.report().rows[0]
    if dead.stage == "BEST":
        dead = best.report().rows[1]
    dead.stage, dead.why, dead.time = "BOUND", "output 0 <is> off", None
    found = best.explain()
    # The fastest may have a kernel for the operands of the product.
    return found.report(next(n for n, text in enumerate(found.texts) if "tt.dot" in str(text)))


@pytest.mark.nightly
def test_a_page_of_a_found_kernel_shows_all_candidates_and_where_they_ended(report: Report):
    search = report.data["search"]
    page = report.html()
    assert 'id="search"' in page
    body = page[page.index('id="search"') : page.index('id="commands"')]
    assert len(re.findall("<tr", body)) == 1 + len(search["rows"])
    assert f"{len(search['rows'])} candidates for cpu" in body
    assert "output 0 &lt;is&gt; off" in body
    assert body.index(">BEST<") < body.index(">BOUND<")
    jsonschema.validate(json.loads(report.json()), SCHEMA)


def test_a_found_kernel_has_its_source_and_its_launch(report: Report):
    assert any("tl.dot" in line for source in report.data["sources"] for line in source["lines"])
    assert report.data["run"]["problems"] == []
    assert report.data["run"]["roofline"]["flops"] >= 2 * 4 * 48 * 32


@pytest.mark.nightly
def test_a_graph_that_was_not_searched_has_no_candidates(capsys: pytest.CaptureFixture[str]):
    found = written().explain()
    assert found.search is None
    assert len(found.launches) == len(found.texts) == len(found.kernels)
    assert found.kernels[0] in capsys.readouterr().out
    assert 'id="search"' not in found.report().html()
