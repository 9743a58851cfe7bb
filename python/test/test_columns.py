"""Columns of places are those of the file, from 1, whichever Triton has written them."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
import triton
import triton.language as tl
import triton_shared
from triton_shared import columns
from triton_shared.source_lines import marked_line
from triton_shared.stages import ast_to_ttir

SOURCE = """\
class Kernels:
    @triton.jit
    def inside(x):
        tl.store(x, 1)

def flat(x):
    tl.store(x, 1)
"""


@pytest.mark.parametrize(
    ("line", "column", "wanted"),
    [(3, 0, 5), (4, 4, 9), (4, 16, 21), (6, 0, 1), (7, 4, 5), (7, 13, 14), (1, 2, 3), (99, 4, 5)],
)
def test_they_become_those_of_the_file(line: int, column: int, wanted: int, tmp_path: Path):
    path = tmp_path / "kernels.py"
    path.write_text(SOURCE)
    made = columns.of_files(f'#loc = loc("x"("{path}":{line}:{column}))')
    assert made == f'#loc = loc("x"("{path}":{line}:{wanted}))'


def test_a_file_that_cannot_be_read_has_functions_without_indentation():
    assert columns.of_files('loc("/nowhere/k.py":3:8)') == 'loc("/nowhere/k.py":3:9)'


def test_nothing_but_places_changes():
    text = 'tt.print "x:1:2" : loc(#loc1)\n%0 = arith.constant dense<"0x12">:i32 loc(unknown)\n'
    assert columns.of_files(text) == text


def test_versions_are_told_apart():
    assert columns.counts_from_zero("3.6.0")
    assert columns.counts_from_zero("3.7.1")
    assert not columns.counts_from_zero("3.8.0")
    assert not columns.counts_from_zero("3.10.0")


def test_texts_of_triton_s_own_backends_are_counted_too():
    def ttir(backend: str) -> str:
        metadata = SimpleNamespace(target=SimpleNamespace(backend=backend))
        text = 'loc("/nowhere/k.py":3:8)'
        return columns.ttir_of(SimpleNamespace(asm={"ttir": text}, metadata=metadata))

    column = 9 if columns.counts_from_zero(triton.__version__) else 8
    assert ttir("cuda") == f'loc("/nowhere/k.py":3:{column})'
    assert ttir("shared_cuda") == ttir("cpu") == 'loc("/nowhere/k.py":3:8)'


def test_carets_count_characters_where_triton_counts_bytes(tmp_path: Path):
    path = tmp_path / "kernel.py"
    path.write_text("é = load(ü) + load(x)\n")
    (line, caret) = marked_line(str(path), 1, 17)
    assert line[caret.index("^") :] == "load(x)"


def indented() -> triton.JITFunction:
    @triton.jit
    def store_one(x, N: tl.constexpr):
        tl.store(x + tl.arange(0, N), 1.0)

    return store_one


@triton.jit
def not_indented(x, N: tl.constexpr):
    tl.store(x + tl.arange(0, N), 1.0)


@pytest.mark.parametrize("kernel", [indented(), not_indented], ids=["indented", "not_indented"])
def test_places_of_a_kernel_lie_on_what_they_are_about(kernel: triton.JITFunction):
    ttir = ast_to_ttir(kernel, {"x": "*fp32"}, {"N": 8})
    lines = Path(__file__).read_text().splitlines()
    found = re.findall(r'"([^"]+)":(\d+):(\d+)', ttir)
    assert found
    for file, line, column in found:
        assert file == __file__
        rest = lines[int(line) - 1][int(column) - 1 :]
        before = lines[int(line) - 1][: int(column) - 1]
        assert rest.startswith(("def ", "tl.", "tl.arange", "x ", "N", "0", "1.0", "8")), rest
        assert not before or before[-1] in " (,"


@pytest.mark.parametrize("kernel", [indented(), not_indented], ids=["indented", "not_indented"])
def test_carets_of_a_check_stand_below_what_they_are_about(kernel: triton.JITFunction):
    with triton_shared.check() as report:
        kernel[(1,)](torch.zeros(6), N=8)
    lines = report.as_text().splitlines()
    caret = next(i for i, line in enumerate(lines) if line.strip() == "^")
    assert lines[caret - 1][lines[caret].index("^") :].startswith(("tl.store", "1.0"))
