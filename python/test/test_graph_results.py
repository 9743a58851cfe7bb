"""What searches have found is shown in docs as it was measured, and is what was wanted."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchmarks.graph import cases, page
from benchmarks.page import graph_table

FILES = ("graph", "graph-cpu")


def rows(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(page.RESULTS.with_stem(name).read_text())["rows"]
    return found


def test_the_candidates_in_docs_are_fresh():
    results = json.loads(page.RESULTS.read_text())
    assert page.render(page.PAGE.read_text(), results) == page.PAGE.read_text()


def test_the_figure_has_a_dot_for_each_candidate_that_was_timed():
    (axes,) = page.draw(rows("graph")).axes
    found = [line for line in axes.lines if line.get_marker() == "o"]
    dots = sum(len(line.get_xdata()) for line in found)
    timed = sum(one["us"] is not None for row in rows("graph") for one in row["candidates"])
    assert dots == timed + len(cases.CASES)
    assert all(case.name in page.FIGURE.read_text() for case in cases.CASES)


def test_a_page_without_a_place_for_results_is_refused():
    with pytest.raises(ValueError, match="0 places for what was measured"):
        page.render("# A page\n", json.loads(page.RESULTS.read_text()))


def _without_helion(row: dict[str, Any]) -> dict[str, Any]:
    timed = {name: dict(row[name]) for name in ("us", "ratio")}
    for column in timed.values():
        column.pop("helion", None)
    return {**row, **timed}


def test_helion_has_columns_where_it_was_timed():
    first, second = (_without_helion(row) for row in rows("graph")[:2])
    assert "helion" not in graph_table([first, second])
    first["us"]["helion"], first["ratio"] = 20.0, {**first["ratio"], "helion": 1.37}
    head, _, with_it, without = graph_table([first, second]).splitlines()
    assert "| helion | ours, µs |" in head
    assert "| 1.37 |" in with_it
    assert "| 20.0 |" in with_it
    assert without.count("| - ") == 2


@pytest.mark.parametrize("name", FILES)
def test_all_that_was_timed_was_verified_and_nothing_was_wrong(name: str):
    assert [row["name"] for row in rows(name)] == [case.name for case in cases.CASES]
    for row in rows(name):
        assert row["wrong"] == ""
        assert row["timed"] == row["verified"]


@pytest.mark.parametrize("name", FILES)
def test_inductor_is_slower(name: str):
    assert all(row["ratio"]["inductor"] >= 1 for row in rows(name))
