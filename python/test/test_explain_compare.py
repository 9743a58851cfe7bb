"""Two reports side by side, and what explain prints on a terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import explain_goldens
import pytest
from test_explain_report import ADD, FILE, call
from triton_shared.explain import compare
from triton_shared.explain.gathering import Question
from triton_shared.explain.report import Report


@pytest.fixture(scope="module")
def reports() -> tuple[Report, Report]:
    ttir = explain_goldens.ttir_of("softmax_kernel", "cuda:90")
    options = ({"num_warps": 2}, {"num_warps": 4})
    left, right = (Report.of(Question(ttir, "cuda:90", one)) for one in options)
    return left, right


def test_facts_that_differ_come_first(reports):
    facts = list(compare.compare_facts(reports[0].data, reports[1].data))
    differs = [one["differs"] for one in facts]
    assert differs == sorted(differs, reverse=True)
    threads = next(one for one in facts if one["what"] == "threads")
    assert (threads["left"], threads["right"], threads["differs"]) == (64, 128, True)
    same = next(one for one in facts if one["what"] == "operations in ttir")
    assert not same["differs"]


def test_texts_that_are_the_same_have_no_rows(reports):
    texts = {t["phase"]: t["rows"] for t in compare.compare_texts(*(one.data for one in reports))}
    assert texts["ttir"] == texts["linalg"] == []
    assert list(texts)[-1] != "cta"
    changed = [(a, b) for kind, a, b in texts["cta"] if kind == "changed"]
    assert any("cta.num_warps = 2" in a and "cta.num_warps = 4" in b for a, b in changed)


def test_rows_hold_every_line_that_differs(reports):
    left, right = (one.data["phases"][-1]["text"].splitlines() for one in reports)
    rows = {t["phase"]: t["rows"] for t in compare.compare_texts(*(one.data for one in reports))}
    shown = [a for _, a, _ in rows["sass"] if a], [b for _, _, b in rows["sass"] if b]
    assert {*left} - {*right} <= {*shown[0]}
    assert {*right} - {*left} <= {*shown[1]}


def test_a_page_of_two_names_what_tells_them_apart(reports):
    page = reports[0].compared(reports[1])
    assert "<title>num_warps=2 and num_warps=4</title>" in page
    assert not re.findall(r"""(?:src|href)=["'](?!#|data:)[^"']*""", page)


def test_a_kept_report_is_compared_on_the_command_line(tmp_path: Path):
    kept, page = tmp_path / "add.json", tmp_path / "two.html"
    assert call(*ADD, "-o", kept).returncode == 0
    done = call(
        f"{FILE}::add_kernel", "-s", ADD[2], "--target", "cuda:90", "--compare", kept, "-o", page
    )
    assert done.returncode == 0, done.stderr
    assert "<title>cpu and cuda:90</title>" in page.read_text()


def test_what_is_no_report_is_not_compared(tmp_path: Path):
    other = tmp_path / "other.json"
    other.write_text(json.dumps({"schema": 0}))
    with pytest.raises(ValueError, match="is no report of this version"):
        Report.load(other)
    done = call(f"{FILE}::add_kernel", "-s", "i32", "--compare", other)
    assert "--compare makes a page: name it with -o" in done.stderr


def on_terminal(columns: int, *words: str) -> str:
    """What a command prints on a terminal of so many columns."""
    leader, follower = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(columns), "TERM": "xterm-256color"}
    environment.pop("NO_COLOR", None)
    process = subprocess.Popen(
        [sys.executable, "-m", "triton_shared.explain", *words],
        stdout=follower, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, env=environment,
    )  # fmt: skip
    os.close(follower)
    printed = b""
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:  # The other end is closed.
            break
        if not part:
            break
        printed += part
    assert process.wait() == 0, printed.decode()
    os.close(leader)
    return printed.decode()


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("text") / "gather.ttir"
    path.write_text(explain_goldens.ttir_of("gather_kernel"))
    return path


@pytest.mark.parametrize("columns", [60, pytest.param(120, marks=pytest.mark.nightly)])
def test_a_table_fits_the_terminal_and_has_colours(text: Path, columns: int):
    printed = on_terminal(columns, str(text))
    assert "\x1b[31m" in printed  # What is gathered is red.
    lines = re.sub(r"\x1b\[[0-9;]*m", "", printed).splitlines()
    assert max(map(len, lines)) <= columns
    assert ("source" in printed) == (columns >= 100)


def test_nothing_but_text_goes_to_a_file(text: Path):
    done = call(text)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    assert done.stderr == ""
