"""`triton_shared.explain`: what is said of the accesses of a kernel, whatever form it comes in."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import triton
import triton.language as tl
import triton_shared
from triton_shared.explain import KINDS, explain_texts
from triton_shared.explain.table import plain

SCRIPT = """
import sys

import torch
import triton
import triton.language as tl


@triton.jit
def pairs(x, table, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = i < n
    a = tl.load(x + i, mask=live)
    b = tl.load(table + i * i, mask=live)
    tl.store(out + i, a + b, mask=live)


x = torch.zeros(10000)
print("n is", sys.argv[1])
pairs[(2,)](x, x, x.clone(), int(sys.argv[1]), BLOCK=128)
"""


@triton.jit
def copy_rows(x_ptr, out_ptr, n, stride, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    columns = tl.arange(0, COLUMNS)
    live = (rows < n)[:, None] & (columns % 2 == 0)[None, :]
    x = tl.load(x_ptr + rows[:, None] * stride + columns[None, :], mask=live)
    total = tl.load(x_ptr)
    tl.store(out_ptr + columns[None, :] * n + rows[:, None], x + total, mask=live)


def test_explains_without_launching(capsys: pytest.CaptureFixture[str]):
    x, out = torch.ones(64), torch.zeros(64)
    found = triton_shared.explain(copy_rows, x, out, 4, 8, grid=(1,), ROWS=4, COLUMNS=8)
    assert torch.equal(out, torch.zeros(64))
    assert [access.kind for access in found] == ["strided", "scalar", "transposed"]
    load = found.accesses[0]
    assert load.shape == (4, 8)
    assert load.dimensions[0].bounds == ("0", "n - 4 * program_id(0)")
    assert [d.stride for d in load.dimensions] == ["stride", "1"]
    assert "does not compare one index with a scalar" in load.masks[0].text
    assert load.place
    assert load.place.file == __file__
    assert "copy_rows" in capsys.readouterr().out


@triton.autotune([triton.Config({"ROWS": 2}), triton.Config({"ROWS": 4})], key=["n"])
@triton.jit
def tuned(x_ptr, n, ROWS: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, ROWS) * n, 1.0)


def test_all_configurations_of_a_tuned_kernel_are_explained():
    found = triton_shared.explain(tuned, torch.ones(64), 4, grid=(1,))
    assert sorted(access.shape for access in found) == [(2,), (4,)]


def test_a_function_that_is_no_kernel_is_refused():
    with pytest.raises(TypeError, match=r"decorate the function with @triton\.jit"):
        triton_shared.explain(print, 1)


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "triton_shared.explain", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    return path


def test_a_script_is_run_and_explained(script: Path):
    done = run("--json", script, "200")
    assert done.returncode == 0, done.stderr
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert [r["kind"] for r in records[:-1]] == ["strided", "gathered", "strided"]
    line = SCRIPT.splitlines().index("    b = tl.load(table + i * i, mask=live)") + 1
    why = records[1]["why"]
    assert (why["reason"], why["file"], why["line"]) == (
        "multiplies two values that vary over the block",
        str(script),
        line,
    )
    assert records[-1]["counts"].items() >= {"kernel": "pairs", "strided": 2, "gathered": 1}.items()
    assert "n is 200" in done.stderr


def test_a_script_without_kernels_says_so(tmp_path: Path):
    path = tmp_path / "empty.py"
    path.write_text("pass\n")
    done = run(path)
    assert done.returncode == 1
    assert "has compiled no kernel; it must launch one" in done.stderr


def test_a_missing_file_is_named(tmp_path: Path):
    assert "there is no file" in run(tmp_path / "nothing.ttir").stderr


@triton.jit
def rows_and_tails(x_ptr, out_ptr, n, first, BLOCK: tl.constexpr):
    start = tl.program_id(0) * 8
    unused = start
    for row in range(start, start + 8):
        total = tl.zeros((BLOCK,), tl.float32)
        for start in range(first, n, BLOCK):  # Not the one above, whose name it has.
            columns = start + tl.arange(0, BLOCK)
            total += tl.load(x_ptr + row * n + columns, mask=columns < n, other=0.0)
            unused += start
        tl.store(out_ptr + row, tl.sum(total))


def test_an_induction_variable_has_its_name_in_the_source():
    x = torch.ones(64)
    found = triton_shared.explain(rows_and_tails, x, x, 8, 3, grid=(1,), BLOCK=16)
    load = found.accesses[0]
    assert load.offset == "row * n + start"
    assert load.dimensions[0].bounds == ("0", "n - start")


TTIR = """
tt.func public @k(%p: !tt.ptr<f32>, %q: !tt.ptr<i32>) {
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %qs = tt.splat %q : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %from = tt.addptr %qs, %i : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %index = tt.load %from : tensor<8x!tt.ptr<i32>>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %at = tt.addptr %ps, %index : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  %x = tt.load %at : tensor<8x!tt.ptr<f32>>
  tt.store %at, %x : tensor<8x!tt.ptr<f32>>
  tt.return
}
"""


def test_a_text_is_explained_line_by_line():
    found = explain_texts([TTIR])
    assert found.counts() == dict.fromkeys(KINDS, 0) | {"strided": 1, "gathered": 2}
    lines = plain(found).splitlines()
    assert lines[0] == "k: 1 strided, 2 gathered"
    assert lines[1] == "  line 6: strided load of 8; stride 1"
    assert lines[2] == "  line 9: gathered load of 8"
    assert lines[3] == "    a value in line 6 is itself read from memory"
    assert str(found) == plain(found)


def test_a_text_that_is_no_ttir_is_an_error():
    with pytest.raises(triton_shared.CompilationError, match="expected"):
        explain_texts(["tt.func @k( {"])


@triton.jit
def flat(x_ptr, out_ptr, n: tl.constexpr, A: tl.constexpr, B: tl.constexpr, BLOCK: tl.constexpr):
    """Writes a block of pages of A rows of B elements, with rows and pages swapped."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    column, row, page = i % B, i // B % A, i // (A * B)
    x = tl.load(x_ptr + row * (n // A) + page * B + column, mask=i < n)
    tl.store(out_ptr + i, x, mask=i < n)


@pytest.mark.parametrize("block", [16, 64, 256])
@pytest.mark.parametrize(("pages", "a", "b"), [(3, 5, 8), (4, 4, 16), (7, 2, 4), (2, 3, 32)])
def test_flattened_rows_are_read_where_they_lie(pages: int, a: int, b: int, block: int):
    n = pages * a * b
    x, out = torch.arange(n, dtype=torch.float32), torch.full((n + block,), -1.0)
    flat[(triton.cdiv(n, block),)](x, out, n, a, b, BLOCK=block)
    assert torch.equal(out[:n], x.view(a, pages, b).transpose(0, 1).flatten())
    assert (out[n:] == -1).all()


@triton.jit
def unsigned(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.uint32) * BLOCK + tl.arange(0, BLOCK).to(tl.uint32)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n), mask=i < n)


def test_unsigned_places_are_strided():
    x, out = torch.arange(50.0), torch.zeros(64)
    unsigned[(4,)](x, out, 50, BLOCK=16)
    assert torch.equal(out[:50], x)
    assert torch.equal(out[50:], torch.zeros(14))
    found = triton_shared.explain(unsigned, x, out, 50, grid=(4,), BLOCK=16)
    assert [access.kind for access in found] == ["strided", "strided"]


@triton.jit
def hashed(out_ptr, N: tl.constexpr):
    pid = tl.program_id(0)
    place = (pid.to(tl.uint32) * 16777619 + tl.arange(0, N).to(tl.uint32)).to(tl.int64)
    tl.store(out_ptr + pid * N + tl.arange(0, N), place % 97, mask=place < 2**31)


def test_unsigned_hashes_wrap_around():
    out = torch.full((600 * 4,), -1)
    hashed[(600,)](out, N=4)
    place = (torch.arange(600)[:, None] * 16777619 + torch.arange(4)) % 2**32
    assert torch.equal(out, torch.where(place < 2**31, place % 97, -1).flatten())
