"""Which expression of a line an operation comes from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import explain_goldens
import explain_kernels
import pytest
import triton
from triton_shared.explain import expressions
from triton_shared.explain.expressions import add_expressions
from triton_shared.explain.gathering import Question, gather
from triton_shared.explain.highlight import highlight

KERNEL = """\
def kernel(x, y, n):
    é = tl.load(x + y * n, mask=y < n)
    b = tl.dot(é,
               y.to(f32)) * n
    for i in range(n):
        tl.store(x, b[:, None])
"""


def find(path: Path, op: str, line: int, column: int, version: str) -> str | None:
    place: dict[str, Any] = {"file": str(path), "line": line, "column": column}
    add_expressions([{"operations": [{"op": op, "places": [place]}]}], version)
    if "expression" not in place:
        return None
    first, begin, last, end = place["expression"]
    lines = path.read_text().splitlines()[first - 1 : last]
    lines[-1] = lines[-1][: end - 1]
    lines[0] = lines[0][begin - 1 :]
    return "\n".join(lines)


# Columns are those of bytes, as Python has them: `é` is two.
OF_OPERANDS = [
    ("tt.load", 2, 18, "tl.load(x + y * n, mask=y < n)"),
    ("tt.addptr", 2, 22, "x + y * n"),
    ("arith.muli", 2, 26, "y * n"),
    ("arith.cmpi", 2, 38, "y < n"),
    ("tt.dot", 4, 16, "tl.dot(é,\n               y.to(f32))"),
    ("arith.truncf", 4, 21, "y.to(f32)"),
    ("arith.mulf", 4, 29, "tl.dot(é,\n               y.to(f32)) * n"),
    ("scf.for", 5, 20, "range(n)"),
    ("tt.expand_dims", 6, 23, "b[:, None]"),
    ("tt.store", 6, 21, "tl.store(x, b[:, None])"),
    ("tt.func", 1, 1, None),
    ("tt.load", 2, 4, None),
]
THEMSELVES = [
    ("tt.load", 2, 10, "tl.load(x + y * n, mask=y < n)"),
    ("tt.addptr", 2, 18, "x + y * n"),
    ("arith.muli", 2, 22, "y * n"),
    ("tt.dot", 3, 9, "tl.dot(é,\n               y.to(f32))"),
    ("arith.mulf", 3, 9, "tl.dot(é,\n               y.to(f32)) * n"),
    ("scf.for", 5, 5, "for i in range(n)"),
    ("tt.expand_dims", 6, 21, "b[:, None]"),
    ("tt.store", 6, 9, "tl.store(x, b[:, None])"),
    ("tt.func", 1, 1, None),
]


@pytest.mark.parametrize(("op", "line", "column", "found"), OF_OPERANDS)
def test_until_3_7_a_place_is_that_of_the_last_operand(
    op: str, line: int, column: int, found: str | None, tmp_path: Path
):
    path = tmp_path / "kernel.py"
    path.write_text(KERNEL)
    assert find(path, op, line, column, "3.7.1") == found


@pytest.mark.parametrize(("op", "line", "column", "found"), THEMSELVES)
def test_since_3_8_a_place_is_that_of_the_expression(
    op: str, line: int, column: int, found: str | None, tmp_path: Path
):
    path = tmp_path / "kernel.py"
    path.write_text(KERNEL)
    assert find(path, op, line, column, "3.8.0") == found


def test_what_cannot_be_read_has_no_expression(tmp_path: Path):
    path = tmp_path / "kernel.py"
    assert find(path, "tt.load", 2, 17, "3.6.0") is None
    path.write_text("def kernel(:\n  x\n")
    assert find(path, "tt.load", 2, 17, "3.6.0") is None


def test_accesses_and_products_name_their_calls():
    """Whichever Triton is installed."""
    lines = Path(explain_kernels.__file__).read_text().splitlines()
    for kernel in ("add_kernel", "matmul_kernel", "attention_kernel"):
        data = gather(Question(explain_goldens.ttir_of(kernel)))
        for one in data["phases"][0]["operations"]:
            if one["op"] in ("tt.load", "tt.store", "tt.dot", "tt.trans", "tt.make_range"):
                first, begin, last, end = one["places"][0]["expression"]
                assert first == last
                text = lines[first - 1][begin - 1 : end - 1]
                name = {"make_range": "arange"}.get(one["op"][3:], one["op"][3:])
                assert text.startswith(f"tl.{name}("), (triton.__version__, one["op"], text)
                assert text.endswith(")")


def test_most_operations_of_a_kernel_have_an_expression():
    data = gather(Question(explain_goldens.ttir_of("attention_kernel")))
    for phase, part in {"ttir": 0.95, "structured": 0.9, "linalg": 0.9, "llir": 0.75}.items():
        (text,) = [one for one in data["phases"] if one["phase"] == phase]
        placed = [one["places"] for one in text["operations"] if one["places"]]
        known = sum(any("expression" in place for place in places) for places in placed)
        assert known / len(placed) > part, phase


def test_versions_are_told_apart():
    assert expressions.names_operands("3.6.0")
    assert expressions.names_operands("3.7.1")
    assert not expressions.names_operands("3.8.0")
    assert not expressions.names_operands("3.10.0")


def test_expressions_are_marked_one_in_the_other():
    (line,) = highlight("y = f(a + 1)", "source", {1: [(4, 12, 0), (6, 11, 1)]})
    assert line.count("<i ") == line.count("</i>") == 2
    assert line.startswith('y = <i data-e="0">')
    assert line.index('<i data-e="1">a') < line.index("</i>)</i>")
