"""The report of a kernel: what it says, in which form, and that it is true of what is compiled."""

from __future__ import annotations

import base64
import contextlib
import gzip
import io
import json
import os
import re
import shlex
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import explain_goldens
import explain_kernels
import jsonschema
import pytest
import torch
import triton_shared
from sass import instructions
from triton_shared import library
from triton_shared.cuda import tools
from triton_shared.explain import gathering
from triton_shared.explain.__main__ import main
from triton_shared.explain.gathering import Question
from triton_shared.explain.report import Report

TARGETS = ("cpu", "cuda:90")
SCHEMA = json.loads((Path(gathering.__file__).with_name("schema.json")).read_text())
FILE = explain_kernels.__file__


@pytest.fixture(scope="module")
def reports() -> dict[tuple[str, str], Report]:
    return {
        ("add_kernel", target): Report.of(
            Question(explain_goldens.ttir_of("add_kernel", target), target)
        )
        for target in TARGETS
    }


def unpacked(page: str) -> str:
    """The page with what a browser shows where parts are compressed."""
    whole = re.compile(
        r'<div data-packed>.*?<script type="text/plain">([^<]*)</script></div>', re.S
    )
    return whole.sub(lambda part: gzip.decompress(base64.b64decode(part[1])).decode(), page)


class Rows(HTMLParser):
    """The lines of a page's panes, and with which lines of the source they are linked."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.links: dict[str, list[set[str]]] = {}
        self._pane = ""
        self.feed(unpacked(page))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if found.get("class") == "pane":
            self._pane = (found["id"] or "").removeprefix("pane-")
            self.links[self._pane] = []
        elif tag == "p" and self._pane:
            self.links[self._pane].append(set((found.get("data-s") or "").split()))
        elif tag == "section":
            self._pane = ""


@pytest.mark.parametrize("target", TARGETS)
class TestAdd:
    def test_the_data_follow_the_schema(self, reports, target: str):
        jsonschema.validate(json.loads(reports["add_kernel", target].json()), SCHEMA)

    def test_a_page_is_small_and_needs_nothing_beside_it(self, reports, target: str):
        page = reports["add_kernel", target].html()
        assert len(page.encode()) < 300_000
        assert not re.findall(r"""(?:src|href)=["'](?!#|data:)[^"']*""", page)
        assert not re.findall(r"@import|url\(", page)

    def test_every_operation_with_a_place_is_linked(self, reports, target: str):
        report = reports["add_kernel", target]
        rows = Rows(report.html()).links
        (source,) = report.data["sources"]
        for phase in report.data["phases"]:
            for operation in phase["operations"]:
                lines = {place["line"] for place in operation["places"]}
                wanted = {str(line - source["first"]) for line in lines}
                assert wanted <= rows[phase["phase"]][operation["line"] - 1]
        ttir = report.data["phases"][0]["operations"]
        assert sum(bool(one["places"]) for one in ttir) >= 19

    def test_every_line_of_the_kernel_reaches_the_machine_code(self, reports, target: str):
        rows = Rows(reports["add_kernel", target].html()).links
        code = set().union(*rows["s" if target == "cpu" else "sass"])
        first = reports["add_kernel", target].data["sources"][0]["first"]
        lines = Path(FILE).read_text().splitlines()
        for text in ("x = tl.load(x_ptr", "y = tl.load(y_ptr", "output = x + y", "tl.store(output"):
            (line,) = [n for n, one in enumerate(lines, start=1) if one.strip().startswith(text)]
            assert str(line - first) in code, text

    def test_places_name_lines_that_hold_their_operations(self, reports, target: str):
        for phase in reports["add_kernel", target].data["phases"]:
            lines = phase["text"].splitlines()
            for operation in phase["operations"]:
                short = operation["op"].rpartition(".")[2]
                assert short in lines[operation["line"] - 1], (phase["phase"], operation)

    def test_the_commands_repeat_the_steps(self, reports, target: str, tmp_path: Path):
        commands = reports["add_kernel", target].data["commands"]
        (tmp_path / "add_kernel.ttir").write_text(commands["input"])
        for step in commands["steps"]:
            tool, *words = shlex.split(step["command"])
            found = {"triton-shared-opt": library.tool(), "python": sys.executable}
            if tool == "nvdisasm":
                found[tool] = tools.find_nvdisasm()
            words.insert(0, str(found.get(tool, tool)))
            done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            # What is no text is a file.
            assert done.stdout or done.stderr or (tmp_path / words[-1]).stat().st_size
        assert (tmp_path / "add_kernel.html").read_text().startswith("<!doctype html>")
        names = [step["what"] for step in commands["steps"]]
        assert {one["phase"] for one in reports["add_kernel", target].data["phases"]} <= {
            "ttir",
            *names,
        }


@pytest.mark.parametrize("target", TARGETS)
def test_a_page_of_attention_is_small_too(target: str):
    page = Report.of(Question(explain_goldens.ttir_of("attention_kernel", target), target)).html()
    assert len(page.encode()) < 1_000_000
    assert len(unpacked(page)) > 2 * len(page)


def test_a_tile_without_dimensions_has_its_drawing():
    report = Report.of(Question(explain_goldens.ttir_of("softmax_kernel", "cuda:90"), "cuda:90"))
    shapes = [
        tile["shape"]
        for phase in report.data["phases"]
        for operation in phase["operations"]
        for tile in operation.get("tiles", ())
    ]
    assert [] in shapes
    assert 'aria-label="layout of one of f32"' in unpacked(report.html())


def test_where_code_of_several_files_is_shown_these_are_named(reports: Any):
    def files(report: Report) -> list[str]:
        return re.findall('<div class="file" title="[^"]*">([^<]*)</div>', report.html())

    softmax = Report.of(Question(explain_goldens.ttir_of("softmax_kernel", "cpu"), "cpu"))
    assert files(softmax) == ["explain_kernels.py", "standard.py"]
    assert files(reports["add_kernel", "cpu"]) == []


def test_a_page_says_for_which_parameters_it_is():
    signature = {"x_ptr": "*fp32:16", "BLOCK_SIZE": "1024"}
    ttir = explain_goldens.ttir_of("add_kernel", "cpu")
    report = Report.of(Question(ttir, "cpu", signature=signature))
    assert "<code>x_ptr: *fp32:16</code>, <code>BLOCK_SIZE: 1024</code>" in report.html()


@pytest.mark.parametrize(
    ("target", "way", "instructions", "wavefronts"),
    [("cuda:80", "cp.async", 2, 4096 // 4 // 128), ("cuda:90", "TMA write", 8, 4096 // 128)],
)
def test_copies_to_shared_memory_are_counted(
    target: str, way: str, instructions: int, wavefronts: int
):
    """Keys are 32x64 elements of 16 bits: a warp of four copies a quarter of 4096 bytes."""
    report = Report.of(Question(explain_goldens.ttir_of("attention_kernel", target), target))
    (cta,) = [one for one in report.data["phases"] if one["phase"] == "cta"]
    moves = [move for one in cta["operations"] for move in one.get("shared", ())]
    copies = [move for move in moves if move["way"] == way]
    assert copies
    for copy in copies:
        assert copy["instructions"] == instructions
        assert copy["wavefronts"] == copy["least"] == wavefronts
    jsonschema.validate(json.loads(report.json()), SCHEMA)
    html = report.html()
    assert f"<td>{way}</td>" in html
    written = [row for row in html.split("<tr") if f"<td>{way}</td>" in row]
    assert all("<code>cta.copy" in row for row in written)
    assert all(re.search(r'<td class="n">\d+</td>', row) for row in written)


@pytest.mark.parametrize("kernel", explain_goldens.KERNELS)
def test_reports_are_as_they_were(kernel: str):
    golden = json.loads((explain_goldens.FOLDER / f"{kernel}.json").read_text())
    found = explain_goldens.make(golden["commands"]["input"])
    again = "if this is right, 'python python/test/explain_goldens.py' keeps it"
    for part, value in golden.items():
        assert found[part] == value, f"{part}: {again}"


@pytest.mark.parametrize("kernel", explain_goldens.KERNELS)
def test_golden_reports_have_a_place_for_each_operation_of_the_source(kernel: str):
    golden = json.loads((explain_goldens.FOLDER / f"{kernel}.json").read_text())
    operations = golden["phases"][0]["operations"]
    without = [one["op"] for one in operations if not one["places"]]
    # Constants that several places share have none; all else comes from a line.
    assert {*without} <= {"arith.constant", "tt.reduce.return", "tt.return", "scf.yield"}, without
    assert len(operations) - len(without) >= 19


def test_lines_of_the_source_do_not_change_the_code_of_a_gpu():
    ttir = explain_goldens.ttir_of("matmul_kernel", "cuda:90")

    assert instructions(ttir, "keep=lines", "-lineinfo") == instructions(ttir, "")


def test_an_access_by_index_names_the_culprit_and_the_way_out():
    ttir = explain_goldens.ttir_of("gather_kernel")
    page = Report.of(Question(ttir)).html()
    assert "multiplies two values that vary over the block" in page
    assert "each a scalar times a range, would be strided" in page
    assert "is itself read from memory" in page


def test_values_are_coloured_by_what_they_are_for():
    ttir = explain_goldens.ttir_of("gather_kernel")
    data = Report.of(Question(ttir)).data
    uses = {one["name"]: one.get("use") for one in data["offsets"]["operations"]}
    assert (uses["live"], uses["squares"]) == ("address", "data")
    page = unpacked(Report.of(Question(ttir)).html())
    assert len(re.findall('<p [^>]*data-use="address"', page)) == sum(
        one.get("use") == "address" for one in data["offsets"]["operations"]
    )


@pytest.mark.parametrize("target", TARGETS)
def test_an_operation_of_a_library_without_a_place_has_that_of_its_call(target: str):
    ttir = """module {
  tt.func public @k(%p: !tt.ptr<f32> loc("k.py":1:0)) {
    %c = arith.constant 1.0 : f32 loc(callsite(unknown at "k.py":2:1))
    %x = tt.load %p : !tt.ptr<f32> loc(callsite(unknown at callsite(unknown at "k.py":3:1)))
    %y = arith.addf %x, %c : f32 loc(callsite("y"(unknown) at "k.py":4:1))
    tt.store %p, %y : !tt.ptr<f32> loc(callsite(fused[unknown, unknown] at "k.py":5:1))
    tt.return loc("k.py":6:1)
  } loc("k.py":1:0)
} loc("k.py":1:0)
"""
    report = Report.of(Question(ttir, target, {}, printed_by_triton=False))
    code = report.data["phases"][-1]["operations"]
    assert {4, 5} <= {place["line"] for one in code for place in one["places"]}


def test_counts_of_operations_lead_from_the_first_module_to_the_last():
    data = Report.of(Question(explain_goldens.ttir_of("matmul_kernel"))).data
    seen: dict[str, int] = {}
    for one in data["passes"]:
        for name, (before, after) in one.get("counts", {}).items():
            assert seen.get(name, before) == before, (one["pass"], name)
            seen[name] = after
    phases = {one["phase"]: one for one in data["phases"]}
    last = [one["op"] for one in phases["memref"]["operations"]]
    at = max(n for n, one in enumerate(data["passes"]) if one["phase"] == "memref")
    kept: dict[str, int] = {}
    for one in data["passes"][: at + 1]:
        kept.update({name: pair[1] for name, pair in one.get("counts", {}).items()})
    assert kept["linalg.matmul"] == last.count("linalg.matmul") == 1


def test_what_a_launch_returned_is_explained(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    x = torch.ones(100)
    with triton_shared.device("cpu"):
        launched = explain_kernels.add_kernel[(1,)](x, x, x.clone(), 100, BLOCK_SIZE=128)
    found = triton_shared.explain(launched)
    assert [access.base for access in found] == ["x_ptr", "y_ptr", "output_ptr"]
    assert found.accesses[0].offset == "128 * pid"
    page = found.write(tmp_path / "add.html")
    assert page.read_text().startswith("<!doctype html>")
    assert json.loads(found.write(tmp_path / "add.json").read_text())["kernel"] == "add_kernel"
    assert "<iframe srcdoc=" in found._repr_html_()
    assert list(launched.explain()) == list(found)
    assert found.report(target="cuda:90", num_warps=8).data["resources"]["threads"] <= 256


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "triton_shared.explain", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def call(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """The same in this process, which has what takes a new one seconds to import."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main([*map(str, words)])
        except SystemExit as left:
            code = left.code
    return subprocess.CompletedProcess(words, int(code), out.getvalue(), err.getvalue())


ADD = (f"{FILE}::add_kernel", "--signature", explain_kernels.SIGNATURES["add_kernel"])


def test_a_kernel_of_a_file_becomes_a_page(tmp_path: Path):
    done = call(*ADD, "-o", tmp_path / "add.html", "--target", "cuda:90", "--option", "num_warps=2")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(tmp_path / "add.html")
    assert "for cuda:90, num_warps=2" in (tmp_path / "add.html").read_text()


def test_a_kernel_of_a_file_becomes_json_or_a_summary():
    done = call(*ADD, "--json")
    jsonschema.validate(json.loads(done.stdout), SCHEMA)
    done = call(*ADD, "--target", "cuda:80")
    assert re.search(r"GPU: \d+ registers, no bytes spilled, 0 bytes of shared memory", done.stdout)
    assert re.search(r"passes: \d+ of \d+ changed something", done.stdout)


def test_a_text_becomes_a_page_with_its_own_lines_as_source(tmp_path: Path):
    text = tmp_path / "gather.ttir"
    content = re.sub(r" loc\(.*?\)\)?|\n#loc.*", "", "\n" + explain_goldens.ttir_of("add_kernel"))
    text.write_text(content)
    done = call(text, "-o", tmp_path / "page.json")
    assert done.returncode == 0, done.stderr
    data: dict[str, Any] = json.loads((tmp_path / "page.json").read_text())
    (source,) = data["sources"]
    assert source["lines"] == content.splitlines()
    load = next(one for one in data["phases"][0]["operations"] if one["op"] == "tt.load")
    assert "tt.load" in source["lines"][load["places"][0]["line"] - 1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([FILE, "-s", "i32"], "a signature is that of one kernel: name it"),
        ([f"{FILE}::nothing", "-s", "i32"], "has no @triton.jit function 'nothing'"),
        ([*ADD[:2], "i32"], "the signature has 1 types, but the kernel has 5 parameters"),
        ([*ADD, "--option", "warps=2"], "there is no option 'warps'"),
        ([*ADD, "-t", "gpu"], "unknown target 'gpu'"),
        ([*ADD, "-o", Path(FILE).parent / "nowhere" / "add.html"], "nowhere' to write to"),
        ([*ADD, "-o", Path(FILE).parent], "is a folder; -o names a file in it"),
        ([*ADD, "--repro", Path(FILE).parent / "nowhere" / "a.ttrepro"], "nowhere' to write to"),
        ([*ADD, "--repro", "add.ttrepro"], "there is no launch to keep in a reproducer"),
        ([*ADD, "--compare", "nothing.json"], "there is no report 'nothing.json'; -o NAME.json"),
        ([*ADD, "--compare", FILE], "is no report of this version of triton_shared.explain; -o"),
    ],
)
def test_what_is_wrong_with_a_command_line_is_said(words: list[str], said: str):
    done = call(*words)
    assert done.returncode in (1, 2)
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_script_is_run_and_nothing_stays_of_that(tmp_path: Path):
    script = tmp_path / "script.py"
    script.write_text("import os; os.environ['OF_A_SCRIPT'] = '1'\n")
    before = dict(os.environ), sys.argv, list(sys.path)
    assert "has compiled no kernel" in call(script).stderr
    assert (dict(os.environ), sys.argv, sys.path) == before


@pytest.mark.nightly
def test_a_kernel_that_two_files_have_is_that_of_the_script(tmp_path: Path):
    text = Path(FILE).read_text() + (
        "\n\nimport torch\nx = torch.ones(8)\nadd_kernel[(1,)](x, x, x, 8, BLOCK_SIZE=8)\n"
    )
    for name in ("one", "other"):
        (tmp_path / f"{name}.py").write_text(text)
        done = run(tmp_path / f"{name}.py", "--no-launch", "-o", tmp_path / "page.json")
        assert done.returncode == 0, done.stderr
        (source,) = json.loads((tmp_path / "page.json").read_text())["sources"]
        assert Path(source["file"]).name == f"{name}.py"


@pytest.mark.nightly
def test_several_kernels_are_no_page(tmp_path: Path):
    script = tmp_path / "script.py"
    script.write_text(
        f"import sys; sys.path.insert(0, {str(Path(FILE).parent)!r})\n"
        "import torch, explain_kernels as k\n"
        "x = torch.ones(8)\n"
        "k.add_kernel[(1,)](x, x, x, 8, BLOCK_SIZE=8)\n"
        "k.softmax_kernel[(1,)](x, x, 8, 8, BLOCK=8)\n"
    )
    done = run(script, "-o", tmp_path / "page.html")
    assert done.returncode == 1
    assert "has compiled 2 kernels, and a page is about one" in done.stderr
    done = run(f"{script}::softmax_kernel", "-o", tmp_path / "page.html")
    assert done.returncode == 0, done.stderr
    done = run(f"{FILE}::add_kernel", "-o", tmp_path / "page.html")
    assert "has compiled no kernel; it must launch one" in done.stderr


CORPUS = sorted((Path(__file__).resolve().parents[2] / "test/corpus/located").glob("*.mlir"))


@pytest.mark.nightly
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_every_kernel_of_the_corpus_has_a_report(path: Path, target: str):
    report = Report.of(Question(path.read_text(), target, {}, printed_by_triton=False))
    jsonschema.validate(json.loads(report.json()), SCHEMA)
    rows = Rows(report.html()).links
    for phase in report.data["phases"]:
        lines = phase["text"].splitlines()
        assert len(rows[phase["phase"]]) == len(lines)
        for operation in phase["operations"]:
            short = operation["op"].rpartition(".")[2]
            assert short in lines[operation["line"] - 1], (phase["phase"], operation)
