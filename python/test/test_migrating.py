"""From another triton-shared: each flag of docs/migrating.md, and what comes out of the tool."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest
import torch
from foreign_kernels import CASES, Launched
from tree import BUILD, ROOT

OPT = BUILD / "bin" / "triton-shared-opt"
UPSTREAM = "mlir-opt-22"
PAGE = ROOT / "docs" / "migrating.md"
KERNEL = ROOT / "test" / "corpus" / "ttir" / "matmul_grouped-3.6.0.mlir"
ALL = "--triton-to-linalg-experimental"

ACCESSES = {"tts.load", "tts.store", "tts.gather", "tts.scatter"}
ATTRIBUTES = {"tt.divisibility", "tts.parameter", "tts.size"}

NEXT_STAGES = {
    "builtin": {"module"},
    "func": {"func", "return"},
    "linalg": {"generic", "fill", "reduce", "matmul", "transpose", "index", "yield"},
    "memref": {"reinterpret_cast", "alloc", "copy", "subview", "load", "store"},
    "bufferization": {"to_tensor", "materialize_in_destination"},
    "tensor": {"empty", "extract_slice", "insert_slice", "expand_shape", "collapse_shape",
               "extract", "insert", "from_elements"},
    "scf": {"for", "if", "yield"},
    "affine": {"load", "store"},
    "cf": {"assert"},
}  # fmt: skip
"""What the next stages of Triton-XDNA and hexagon-mlir match, beside all of arith and math."""


def run(text: str | Path, *words: str) -> subprocess.CompletedProcess[str]:
    given = text.read_text() if isinstance(text, Path) else text
    return subprocess.run([OPT, *words], input=given, capture_output=True, text=True)


def rows(heading: str) -> list[list[str]]:
    """The cells of the table under a heading of the page, without its head."""
    section = PAGE.read_text().split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    lines = [line for line in section.splitlines() if line.startswith("| `--")]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]


def flags() -> dict[str, str]:
    """Every flag that the page says is there, alone and with each of its options, and its phase."""
    found = {}
    for row in rows("Flag by flag"):
        (flag,) = re.findall(r"`(--[\w-]+)`", row[0])
        given = [flag, *(f"{flag}={option}" for option in re.findall(r"`([\w-]+=\w+)`", row[1]))]
        found.update(dict.fromkeys(given, row[3]))
    return found


@pytest.fixture(scope="module", params=CASES)
def launched(request: pytest.FixtureRequest) -> Launched:
    torch.manual_seed(0)
    return CASES[request.param]()


@pytest.mark.parametrize(("flag", "phase"), flags().items())
def test_every_flag_of_the_page_ends_where_it_says(flag: str, phase: str):
    before = ["--triton-to-linalg"] if flag == "--verify-triton-checkpoint" else []
    done = run(KERNEL, *before, flag)
    assert done.returncode == 0, done.stderr
    assert "mm_grouped" in done.stdout
    left = set(re.findall(r"\b(tts?\.\w+)\b", done.stdout)) - ATTRIBUTES
    kept = {
        "pids-to-func-args=false": {"tt.get_program_id"},
        "tt-to-func-func=false": {"tt.func", "tt.return"},
        "accesses=structured": ACCESSES,
    }.get(flag.partition("=")[2], set())
    excluded = {"": set(), "structured": {"tt.load", "tt.store", "tt.addptr"}}
    if phase in excluded:
        assert not left & excluded[phase]
    else:
        assert left <= kept | (ACCESSES if phase == "linalg" else set())


@pytest.mark.parametrize("row", rows("What is refused"), ids=lambda row: row[0].strip("`"))
def test_what_the_page_calls_refused_says_what_to_do(row: list[str]):
    done = run(KERNEL, row[0].strip("`"))
    assert done.returncode == 1
    assert "error" in done.stderr
    assert done.stdout == ""


def test_the_page_has_the_flags_of_the_others():
    named = {flag.split("=")[0] for flag in flags()}
    named |= {row[0].strip("`").split("=")[0] for row in rows("What is refused")}
    assert named == {
        "--triton-to-linalg", ALL, "--triton-to-structured", "--triton-to-unstructured",
        "--triton-arith-to-linalg", "--structured-to-memref", "--unstructured-to-memref",
        "--triton-ptr-to-memref", "--triton-to-ptr", "--reconcile-ptr-casts", "--collapse-shape",
        "--add-llvm-debug-info", "--verify-triton-checkpoint", "--reconcile-unrealized-casts",
        "--triton-ptr-to-ptr", "--linalg-to-vector",
    }  # fmt: skip


def test_all_steps_in_a_row_are_the_whole_way():
    steps = (
        "--triton-to-structured --cse --canonicalize --triton-to-unstructured "
        "--triton-arith-to-linalg=tensor-ptr-to-linalg=true --structured-to-memref "
        "--unstructured-to-memref --triton-ptr-to-memref --triton-to-ptr "
        "--reconcile-unrealized-casts --reconcile-ptr-casts --cse --canonicalize "
        "--verify-triton-checkpoint"
    )
    whole, row = run(KERNEL, ALL, "--cse", "--canonicalize"), run(KERNEL, *steps.split())
    assert row.returncode == 0, row.stderr
    assert row.stdout == whole.stdout


def test_steps_of_upstream_follow_in_the_same_command():
    done = run(KERNEL, ALL, "--one-shot-bufferize", "--convert-linalg-to-affine-loops")
    assert done.returncode == 0, done.stderr
    assert "affine.for" in done.stdout
    assert "linalg.matmul" not in done.stdout


def test_kernels_compute_what_torch_does(launched: Launched):
    torch.testing.assert_close(launched.got, launched.expected, rtol=1e-3, atol=1e-3)


def test_only_what_the_next_stages_match_comes_out(launched: Launched):
    assert [op for op in operations(launched) if not is_known(op)] == []


def test_the_signature_is_the_documented_one(launched: Launched):
    """Their drivers find the kernel by `func.func @name(`, and know six numbers behind its own."""
    text = run(launched.kernel.asm["ttir"], ALL).stdout
    (heads,) = re.findall(r"^  func\.func @(\w+)\((.*)\) (?:attributes .*)?\{$", text, re.M)
    assert heads[0] == launched.kernel.metadata.name
    given = re.findall(r"%arg\d+: ([^,{]*[^,{ ])", heads[1])
    assert given[-6:] == ["i32"] * 6
    assert "tts." not in text


def test_a_product_of_whole_blocks_is_one_matmul_and_one_fill():
    """Automatic tiling of Triton-XDNA wants exactly that."""
    made = Counter(operations(CASES["whole_matmul"]()))
    assert made["linalg.matmul"] == 1
    assert made["linalg.fill"] == 1
    assert made["linalg.generic"] == 0


def test_a_softmax_is_two_reductions_of_rows():
    made = Counter(operations(CASES["row_softmax"]()))
    assert made["linalg.reduce"] == 2
    assert made["linalg.transpose"] == 0


def operations(launched: Launched) -> list[str]:
    """The operations that the tool leaves, as upstream's own tool reads them."""
    done = run(launched.kernel.asm["ttir"], ALL)
    assert done.returncode == 0, done.stderr
    read = subprocess.run(
        [UPSTREAM, "--mlir-print-op-generic"], input=done.stdout, capture_output=True, text=True
    )
    assert read.returncode == 0, read.stderr
    return re.findall(r'"(\w+\.[\w.]+)"\(', read.stdout)


def is_known(op: str) -> bool:
    dialect, name = op.split(".", 1)
    return dialect in ("arith", "math") or name in NEXT_STAGES.get(dialect, ())
