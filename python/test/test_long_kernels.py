"""Kernels of many lines: what is made of them grows as they do, and is right."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
import triton
import triton.language as tl

sys.path.insert(0, str(Path(__file__).parents[2]))

from triton_shared import library
from triton_shared.diff import modules

from benchmarks.growth import __main__ as growth
from benchmarks.growth.blocks import BLOCKS, Block
from benchmarks.growth.kinds import KINDS, Kind
from benchmarks.growth.measure import measure

MODES = ("fast", "reference")
KIND = {kind.name: kind for kind in KINDS}


def _llvm_ir(kind: Kind | Block, size: int, mode: str, folder: Path) -> str:
    made = library.compile_text(
        kind.ttir(size, folder, "cpu"), f"mode={mode}", printed_by_triton=True
    )
    assert made.succeeded, made.diagnostics
    return made.artefact("llir").decode()


def _longest_function(text: str) -> int:
    return max(function.split("\n}\n")[0].count("\n") for function in text.split("\ndefine ")[1:])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["reductions", "loads and stores", "ifs"])
def test_code_grows_as_the_kernel_does(name: str, mode: str, tmp_path: Path):
    short, long = (_llvm_ir(KIND[name], lines, mode, tmp_path) for lines in (50, 200))
    assert long.count("\n") < 1.5 * 4 * short.count("\n")


@pytest.mark.parametrize("mode", MODES)
def test_functions_of_a_long_kernel_are_of_bounded_length(mode: str, tmp_path: Path):
    shorter, longer = (_llvm_ir(KIND["sorts"], lines, mode, tmp_path) for lines in (12, 24))
    assert longer.count("\ndefine ") > 1.5 * shorter.count("\ndefine ") > 4
    assert _longest_function(longer) < 1.5 * _longest_function(shorter)


def test_pieces_of_a_long_kernel_hand_on_few_blocks(tmp_path: Path):
    text = _llvm_ir(KIND["loads"], 400, "reference", tmp_path)
    heads = re.findall(r"^define .*piece\d+\((.*)\)", text, flags=re.MULTILINE)
    assert len(heads) > 2
    assert max(head.count("ptr ") for head in heads) < 100


@pytest.mark.parametrize("name", ["ifs", "loops"])
def test_blocks_that_many_hand_on_are_freed_one_by_one(name: str, tmp_path: Path):
    text = _llvm_ir(KIND[name], 120, "reference", tmp_path)
    assert "dealloc_helper" not in text
    assert text.count("@free(") > 120


def test_loops_of_long_code_stay_loops(tmp_path: Path):
    """Unrolled, each line has gathers for several vectors of its block."""
    lines, widest_vector = 100, 16
    text = _llvm_ir(KIND["gathers"], lines, "fast", tmp_path)
    lanes = map(int, re.findall(r"call <(\d+) x float> @llvm\.masked\.gather", text))
    assert 0 < sum(lanes) <= lines * widest_vector


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("name", "lines"),
    [("sorts", 25), ("ifs", 250), ("dots", 150), ("loops", 400), ("masked loads", 150)],
)
def test_a_kernel_in_pieces_computes_the_same(name: str, lines: int, tmp_path: Path):
    file = tmp_path / f"long_{name.replace(' ', '_')}.py"
    file.write_text(KIND[name].source(lines))
    kernel: Any = modules.kernel(str(file), "kernel")
    x = torch.randn(1024, generator=torch.Generator().manual_seed(0)) * 0.01
    index = torch.arange(1024, dtype=torch.int32)
    results = {}
    for mode in MODES:
        results[mode] = torch.zeros(1024)
        compiled = kernel[(1,)](x, results[mode], index, 7, mode=mode)
        assert "piece" in compiled.asm["llir"] or mode == "fast"
    torch.testing.assert_close(results["fast"], results["reference"], rtol=1e-4, atol=1e-4)
    assert results["fast"].abs().sum() > 0


@triton.jit
def _collect(x_ptr, out_ptr, count, LINES: tl.constexpr):
    lanes = tl.arange(0, 16)
    sums = tl.zeros((16,), tl.float32)
    for line in tl.static_range(LINES):
        if line < count:
            x = tl.load(x_ptr + 16 * line + lanes)
            sums = tl.where(lanes == line % 16, sums + tl.sum(x, 0), sums)
    tl.store(out_ptr + lanes, sums)


@pytest.mark.parametrize("mode", MODES)
def test_small_blocks_that_branches_hand_on_outlive_their_piece(mode: str):
    lines, count = 150, 140
    x = torch.arange(16.0 * lines).reshape(lines, 16)
    result = torch.zeros(16)
    compiled: Any = _collect[(1,)](x, result, count, lines, mode=mode)
    assert "piece" in compiled.asm["llir"]
    sums = torch.zeros(16).index_add(0, torch.arange(count) % 16, x[:count].sum(1))
    assert torch.equal(result, sums)


def test_a_thousand_lines_compile_in_bounded_time_and_memory(tmp_path: Path):
    file = tmp_path / "long.mlir"
    file.write_text(KIND["element-wise"].ttir(1000, tmp_path, "cpu"))
    for mode in MODES:
        cost = measure(file, f"mode={mode}")  # Gives up after two minutes: 2 s is usual.
        assert cost.seconds is not None
        assert cost.mebibytes < 1024


@pytest.mark.parametrize("mode", MODES)
def test_ten_thousand_chained_operations_need_no_deep_stack(mode: str, tmp_path: Path):
    lines = "\n".join(f"  %{k + 1} = arith.addi %{k}, %arg1 : i32" for k in range(10_000))
    text = (
        "tt.func public @chain(%out: !tt.ptr<i32>, %arg1: i32) {\n"
        "  %0 = arith.muli %arg1, %arg1 : i32\n"
        f"{lines}\n  tt.store %out, %10000 : !tt.ptr<i32>\n  tt.return\n}}\n"
    )
    file = tmp_path / "chain.mlir"
    file.write_text(text)
    cost = measure(file, f"mode={mode}")
    assert cost.seconds is not None


@pytest.mark.nightly
@pytest.mark.parametrize("way", [*MODES, "PTX"])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.name != "sorts"], ids=str)
def test_time_grows_as_the_kernel_does(kind: Kind, way: str, tmp_path: Path):
    rows = growth.grow(kind, tmp_path, [way], (100, 1000), repeat=3)
    short, long = (rows[0]["costs"][n]["seconds"] for n in ("100", "1000"))
    # Beside other processes a long compilation loses more of its caches than a short one.
    assert long < 2.5 * 10 * short


@pytest.mark.every(2)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_code_for_the_cpu_is_loops_over_a_block(block: Block, mode: str, tmp_path: Path):
    small, large = (_llvm_ir(block, size, mode, tmp_path) for size in (1 << 12, 1 << 16))
    assert large.count("\n") < 4 * small.count("\n")  # 16 would be an element each.


@pytest.mark.nightly
@pytest.mark.parametrize("block", [block for block in BLOCKS if block.name != "sort"], ids=str)
def test_time_grows_as_the_block_of_a_gpu_does(block: Block, tmp_path: Path):
    """Insertions into a vector of all of a thread's elements grew with the square of them."""
    rows = growth.grow(block, tmp_path, ["PTX"], (1 << 12, 1 << 16), repeat=3)
    small, large = (rows[0]["costs"][str(1 << n)]["seconds"] for n in (12, 16))
    assert large < 2.5 * 16 * small


def test_what_costs_too_much_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "broken.mlir"
    file.write_text("module {")
    assert measure(file, "mode=fast").seconds is None
    assert "broken.mlir mode=fast:" in capsys.readouterr().err
