"""Two reports side by side, and what explain prints on a terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import explain_goldens
import explain_kernels
import jsonschema
import pytest
import torch
import triton_shared
from test_explain_report import ADD, FILE, SCHEMA, call
from triton_shared.explain import compare, instructions, launches
from triton_shared.explain.gathering import Question, gather
from triton_shared.explain.report import Report
from triton_shared.explain.upstream_texts import place_mlir


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
    keys = [{*map(compare.without_accidents, lines)} for lines in (left, right)]
    for lines, other, found in ((left, keys[1], shown[0]), (right, keys[0], shown[1])):
        assert {one for one in lines if compare.without_accidents(one) not in other} <= {*found}


def test_a_page_of_two_names_what_tells_them_apart(reports):
    page = reports[0].compared(reports[1])
    assert "<title>num_warps=2 and num_warps=4</title>" in page
    kernel = reports[0].data["kernel"]
    assert re.search(rf"{kernel}: \d+ of \d+ facts differ", page)
    assert not re.findall(r"""(?:src|href)=["'](?!#|data:)[^"']*""", page)


@pytest.fixture(scope="module")
def blocks(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """Words that compare blocks of 512 elements with a report of blocks of 256."""
    kept = tmp_path_factory.mktemp("blocks") / "small.json"
    signature = "*fp32:16, *fp32:16, *fp32:16, i32, 256"
    assert call(f"{FILE}::add_kernel", "-s", signature, "-o", kept).returncode == 0
    other = "*fp32:16, *fp32:16, *fp32, i32, 512"
    return (f"{FILE}::add_kernel", "-s", other, "--compare", str(kept))


def test_headings_of_two_signatures_say_which_parameters_differ(blocks, tmp_path: Path):
    page = tmp_path / "two.html"
    done = call(*blocks, "-o", page)
    assert done.returncode == 0, done.stderr
    left, right = "output_ptr=*fp32:16, BLOCK_SIZE=256", "output_ptr=*fp32, BLOCK_SIZE=512"
    assert f"<title>{left} and {right}</title>" in page.read_text()
    assert page.read_text().count(f"<th>{left}</th>") == 2
    table = on_terminal(200, *blocks)
    assert left in table
    assert right in table


def test_what_differs_is_data_with_the_same_headings(blocks):
    done = call(*blocks, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    jsonschema.validate(found, {**SCHEMA["$defs"]["comparison"], "$defs": SCHEMA["$defs"]})
    assert found["names"] == [
        "output_ptr=*fp32:16, BLOCK_SIZE=256", "output_ptr=*fp32, BLOCK_SIZE=512"
    ]  # fmt: skip
    fact = next(one for one in found["facts"] if one["what"] == "parameter BLOCK_SIZE")
    assert (fact["left"], fact["right"], fact["differs"]) == ("256", "512", True)


def test_targets_and_options_that_differ_are_both_in_the_headings(reports):
    left, right = ({**one.data, "signature": {"n": "i32"}} for one in reports)
    assert compare.names_of(left, {**right, "target": "cuda:80"}) == (
        "cuda:90, num_warps=2", "cuda:80, num_warps=4"
    )  # fmt: skip
    assert compare.names_of(left, {**left, "options": {}}) == ("num_warps=2", "default")
    assert compare.names_of(left, left) == ("left", "right")


def test_a_text_without_a_signature_is_not_told_apart_by_parameters(reports):
    left, right = reports[0].data, {**reports[1].data, "signature": {"n": "i32"}}
    assert compare.names_of(left, right) == ("num_warps=2", "num_warps=4")
    assert all("parameter" not in one["what"] for one in compare.compare_facts(left, right))


def test_both_compilers_have_the_launch_s_signature():
    x = torch.rand(100)
    found = triton_shared.explain(
        explain_kernels.add_kernel, x, x, x.clone(), 100, grid=(1,), BLOCK_SIZE=128
    )
    question = Question(str(found.texts[0]), "cuda:90", launch=found.launches[0]())
    assert question.by_triton().launch is None
    assert question.by_triton().signature["BLOCK_SIZE"] == "128"


def test_two_texts_of_a_kernel_are_told_apart_by_the_first_fact_that_differs(reports):
    left = reports[0].data
    right = {**left, "accesses": [*left["accesses"], left["accesses"][0]]}
    names = compare.names_of(left, right)
    assert names == ("access 3: –", "access 3: strided load 1024 of strides 1")


def test_the_signature_of_a_launch_is_that_of_its_text():
    x = torch.rand(100)
    found = triton_shared.explain(
        explain_kernels.add_kernel, x, x, x.clone(), 100, grid=(1,), BLOCK_SIZE=128
    )
    (launch,) = found.launches
    assert launches.signature_of(launch()) == {
        "x_ptr": "*fp32", "y_ptr": "*fp32", "output_ptr": "*fp32", "n_elements": "i32",
        "BLOCK_SIZE": "128",
    }  # fmt: skip


def test_a_kept_report_is_compared_on_the_command_line(tmp_path: Path):
    kept, page = tmp_path / "add.json", tmp_path / "two.html"
    assert call(*ADD, "-o", kept).returncode == 0
    done = call(
        f"{FILE}::add_kernel", "-s", ADD[2], "--target", "cuda:90", "--compare", kept, "-o", page
    )
    assert done.returncode == 0, done.stderr
    assert "<title>cpu and cuda:90</title>" in page.read_text()


@pytest.fixture(scope="module")
def compilers() -> tuple[Report, Report]:
    """What the two compilers make of the same text."""
    question = Question(explain_goldens.ttir_of("softmax_kernel", "cuda:90"), "cuda:90")
    left, right = (
        Report.of(replace(question, compiler=one)) for one in ("triton", "triton-shared")
    )
    return left, right


def test_what_triton_makes_is_a_report_with_places(compilers):
    triton = compilers[0].data
    jsonschema.validate(json.loads(compilers[0].json()), SCHEMA)
    assert [one["phase"] for one in triton["phases"]] == ["ttir", "ttgir", "llir", "ptx", "sass"]
    (stored,) = (
        source["first"] + number
        for source in triton["sources"]
        for number, text in enumerate(source["lines"])
        if source["file"] == FILE and "tl.store" in text
    )
    for phase, word in zip(
        triton["phases"], ("tt.store", "tt.store", "call", "st.global", "STG"), strict=True
    ):
        lines = phase["text"].splitlines()
        for operation in phase["operations"]:
            short = operation["op"].rpartition(".")[2]
            assert short in lines[operation["line"] - 1], (phase["phase"], operation)
        assert any(
            operation["op"].startswith(word) and place["line"] == stored
            for operation in phase["operations"]
            for place in operation["places"]
        ), phase["phase"]
        assert "loc(" not in phase["text"]
        assert "!dbg" not in phase["text"]


def test_the_page_of_triton_s_code_has_all_its_phases(compilers):
    page = compilers[0].html()
    assert 'id="pane-ttgir"' in page
    assert "· triton " in page
    assert 'id="passes"' not in page


@pytest.mark.parametrize("kernel", explain_goldens.KERNELS)
def test_places_in_triton_s_text_are_those_that_our_compiler_reads(kernel: str):
    ttir = explain_goldens.ttir_of(kernel, "cuda:90")
    ours = gather(Question(ttir, printed_by_triton=False))["phases"][0]["operations"]
    expected = [(one["op"], str(one["places"])) for one in ours if one["places"]]
    found = [
        (
            one["op"],
            str(
                [
                    {"column": p["column"], "file": p["file"], "line": p["line"]}
                    for p in one["places"]
                ]
            ),
        )
        for one in place_mlir(ttir)["operations"]
    ]
    assert {*expected} <= {*found}
    # Ours prints no module and no implied end, and moves out of loops what stays the same.
    left_out = ("module", "tt.func", "tt.return")
    if not any(op == "scf.for" for op, _ in found):
        assert [one for one in found if one[0] not in left_out] == [
            one for one in expected if one[0] not in left_out
        ]


def test_two_compilers_are_told_apart_by_name_and_phases(compilers):
    page = compilers[0].compared(compilers[1])
    assert "<title>triton and triton-shared</title>" in page
    texts = {t["phase"]: t["rows"] for t in compare.compare_texts(*(one.data for one in compilers))}
    assert {kind for kind, _, _ in texts["ttgir and cta"]} == {"beside"}
    facts = {one["what"] for one in compare.compare_facts(*(one.data for one in compilers))}
    assert {"registers", "compiler", "operations in sass"} <= facts
    assert "operations in cta" not in facts


def test_instructions_of_all_lines_are_those_of_the_code(compilers):
    left, right = (one.data for one in compilers)
    lines = list(instructions.by_line(left, right))
    load = next(one for one in lines if "tl.load" in one["text"])
    for name in ("left", "right"):
        assert any(op.startswith("LDG") for op, _ in load[name]["kinds"])
        assert sum(n for _, n in load[name]["kinds"]) == load[name]["total"]
    for name, report in (("left", left), ("right", right)):
        placed = sum(one[name]["total"] for one in lines)
        assert 0 < placed <= len(report["phases"][-1]["operations"])
    counts = list(instructions.count(left, right))
    by_difference = [abs(one["left"] - one["right"]) for one in counts]
    assert by_difference == sorted(by_difference, reverse=True)
    assert sum(one["left"] for one in counts) == len(left["phases"][-1]["operations"])


def test_registers_of_other_numbers_are_no_difference(compilers):
    data = compilers[0].data
    renamed = re.sub(
        r"%r(\d+)", lambda found: f"%r{int(found[1]) + 100}", data["phases"][3]["text"]
    )
    other = {**data, "phases": [*data["phases"][:3], {**data["phases"][3], "text": renamed}]}
    assert renamed != data["phases"][3]["text"]
    texts = {t["phase"]: t["rows"] for t in compare.compare_texts(data, other)}
    assert [row for row in texts["ptx"] if row[0] == "changed" and ".reg" not in row[1]] == []


def test_triton_s_code_is_compared_on_the_command_line(tmp_path: Path):
    words = (f"{FILE}::add_kernel", "-s", ADD[2], "--compare", "triton")
    page = tmp_path / "two.html"
    done = call(*words, "-t", "cuda:90", "-o", page, "--option", "num_warps=2")
    assert done.returncode == 0, done.stderr
    assert "<title>triton and triton-shared</title>" in page.read_text()
    done = call(*words, "-t", "cuda:90")
    assert re.search(r"add_kernel: \d+ differences", done.stdout)
    assert re.search(r"registers\W+\d+\W+\d+", done.stdout)
    done = call(*words)
    assert done.returncode == 1
    assert "name one as the target of both: --target cuda:90" in done.stderr


def test_options_that_triton_has_not_are_not_said_to_be_taken():
    ttir = explain_goldens.ttir_of("add_kernel", "cuda:90")
    given = {"num_warps": 2, "mode": "fast"}
    report = Report.of(Question(ttir, "cuda:90", given, compiler="triton"))
    assert report.data["options"] == {"num_warps": 2}
    assert report.data["resources"]["threads"] == 64


def test_what_is_no_report_is_not_compared(tmp_path: Path):
    other = tmp_path / "other.json"
    other.write_text(json.dumps({"schema": 0}))
    with pytest.raises(ValueError, match="is no report of this version"):
        Report.load(other)
    done = call(f"{FILE}::add_kernel", "-s", "i32", "--compare", other, "-o", tmp_path / "x.json")
    assert "-o cannot end with .json" in done.stderr


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
    lines = re.sub(r"\x1b\[[?0-9;]*[A-Za-z]", "", printed).splitlines()
    assert max(map(len, lines)) <= columns
    assert ("source" in printed) == (columns >= 100)


def test_nothing_but_text_goes_to_a_file(text: Path):
    done = call(text)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    assert done.stderr == ""
