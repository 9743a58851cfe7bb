"""Diagnostics show the lines of the kernel that they are about."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest
import torch
import triton
import triton.language as tl
from triton_shared.errors import CompilationError
from triton_shared.source_lines import with_source_lines


@pytest.fixture
def kernel_file(tmp_path: Path) -> Path:
    path = tmp_path / "kernel.py"
    path.write_text("def kernel():\n    value = load(pointer)\n")
    return path


def test_a_diagnostic_has_its_source_line_and_a_caret(kernel_file: Path):
    shown = with_source_lines(f"{kernel_file}:2:13: error: bad load\n").splitlines()
    assert shown[1:] == ["    value = load(pointer)", "            ^"]


def test_a_note_at_the_same_place_does_not_repeat_the_line(kernel_file: Path):
    text = f"{kernel_file}:2:13: error: bad\n{kernel_file}:2:13: note: why\n"
    assert len(with_source_lines(text).splitlines()) == 4


def test_a_place_that_cannot_be_read_is_left_alone():
    text = "ttir:7:10: error: bad"
    assert with_source_lines(text) == text


@triton.jit
def assembly(x_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    y = tl.inline_asm_elementwise(
        "mov.u32 $0, %envreg0;", "=r,r", [x], dtype=tl.int32, is_pure=True, pack=1
    )
    tl.store(x_ptr + i, y)


def test_a_refused_kernel_shows_the_line_of_its_source():
    with pytest.raises(CompilationError) as raised:
        assembly[(1,)](torch.zeros(8, dtype=torch.int32), N=8)
    lines = str(raised.value).splitlines()
    error = next(i for i, line in enumerate(lines) if ": error: " in line)
    # Triton 3.9 names the line of the call, 3.6 that of its arguments.
    assert lines[error + 1].strip() in inspect.getsource(assembly.fn)
    assert lines[error + 2].strip() == "^"
