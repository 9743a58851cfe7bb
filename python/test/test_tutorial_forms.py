"""Kernels of the forms of Triton's tutorials 03, 08, 09 and 10: on the CPU, in the emulator, and as
machine code for two GPUs."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
import tutorial_forms as forms
from test_gpu_cubins import ARCHS, assert_fine, find_loops, to_cubin
from test_product_forms import check
from triton.tools.disasm import get_sass
from triton_shared.frontend import ast_to_ttir

FLOAT8 = torch.float8_e4m3fn
FORMS_09 = list(itertools.product((False, True), (False, True), (False, True)))
SOME_FORMS_09 = ((True, False, False, torch.float16), (True, True, True, FLOAT8))
"""Two that differ in everything else; all others run at night."""


def at_night(case: Any, some: Any) -> Any:
    return case if case in some else pytest.param(*case, marks=pytest.mark.nightly)


@pytest.mark.parametrize(
    "size",
    [(130, 60, 33), pytest.param((65, 136, 72), marks=pytest.mark.nightly)],
    ids=str,
)
@pytest.mark.parametrize(
    "form", ["tutorial_03", "tutorial_08", "tutorial_08_by_pointers", "tutorial_09_by_pointers"]
)
def test_products_of_pointers(form: str, size: tuple[int, int, int], tmp_path: Path):
    check(getattr(forms, form)(*size), tmp_path)


@pytest.mark.parametrize(
    ("in_halves", "is_asked", "own", "element"),
    [
        at_night((*form, element), SOME_FORMS_09)
        for form, element in itertools.product(FORMS_09, (torch.float16, FLOAT8))
    ],
)
def test_persistent_products(
    in_halves: bool, is_asked: bool, own: bool, element: torch.dtype, tmp_path: Path
):
    trial = forms.tutorial_09(130, 136, 72, in_halves, is_asked, own, element)
    llvm = check(trial, tmp_path, arch_codes=False)
    assert "wgmma.mma_async" in llvm
    # Rows of 32 bytes and more are stored by the copy engine.
    assert "cp.async.bulk.tensor.2d.global.shared::cta" in llvm


@pytest.mark.parametrize(
    ("left", "right", "group"),
    [
        at_night(case, [("e4m3", "e2m1", 32)])
        for case in (
            ("e4m3", "e4m3", 32),
            ("e4m3", "e2m1", 32),
            ("e2m1", "e2m1", 32),
            # Scales that are floats of 8 bits, for 16 neighbours each.
            ("e2m1", "e2m1", 16),
        )
    ],
)
def test_block_scaled_products(left: str, right: str, group: int, tmp_path: Path):
    assert "wgmma.mma_async" in check(forms.tutorial_10(left, right, group), tmp_path)


#
# Machine code of the sizes that the tutorials try
#


def described(rows: int, columns: int, element: str) -> str:
    return f"tensordesc<{element}[{rows}, {columns}]>"


def assert_compiles(
    kernel: Any, types: dict[str, str], constants: dict[str, Any], warps: int, stages: int,
    archs: tuple[str, ...] = ARCHS, between_loops: int = 0,
) -> None:  # fmt: skip
    """`between_loops`: bytes that threads may keep in memory while products go on; no loop of
    products accesses more than one word of them."""
    kinds = {**types, **dict.fromkeys(constants, "constexpr")}
    hints = [name for name, kind in types.items() if not kind.startswith("tensordesc")]
    ttir = ast_to_ttir(
        kernel, kinds, constants, hints, target="cuda:90a", num_warps=warps, num_stages=stages
    )
    for arch in archs:
        facts = to_cubin(ttir, arch, warps, stages)
        assert_fine("tutorial", replace(facts, stack=max(0, facts.stack - between_loops)))
        if not facts.stack:
            continue
        for loop in find_loops(get_sass(facts.cubin)):
            assert sum(one.startswith("LDL") for one in loop) <= 1


SIZES_09 = [
    (128, bn, bk, warps, stages)
    for bn, bk, warps, stages in itertools.product((128, 256), (64, 128), (4, 8), (2, 3, 4))
    # Others have no room in registers or in shared memory, whoever compiles them.
    if bn // warps <= 32 and (bn + 128) * bk * 2 * stages <= 227 * 1024
]
SOME_09 = [(128, 256, 64, 8, 4), (128, 128, 64, 4, 3)]


def compile_09(
    size: tuple[int, ...], in_halves: bool, is_asked: bool, own: bool, element: str
) -> None:
    bm, bn, bk, warps, stages = size
    shapes = {"a": (bm, bk), "b": (bn, bk), "c": (bm, bn // (1 + in_halves))}
    types = {
        name: f"*{element}" if own else described(*shape, element) for name, shape in shapes.items()
    }
    types |= dict.fromkeys("MNK", "i32")
    constants = {"BM": bm, "BN": bn, "BK": bk, "PROGRAMS": 132}
    constants |= {"IN_HALVES": in_halves, "IS_ASKED": is_asked}
    kernel = forms.persistent_by_own_descriptors if own else forms.persistent_by_descriptors
    assert_compiles(kernel, types, constants, warps, stages, archs=("90a",))


@pytest.mark.parametrize("in_halves", [False, True])
@pytest.mark.parametrize("size", SOME_09, ids=str)
def test_code_of_persistent_products(size: tuple[int, ...], in_halves: bool):
    compile_09(size, in_halves, False, False, "fp16")


@pytest.mark.nightly
@pytest.mark.parametrize("element", ["fp16", "fp8e4nv"])
@pytest.mark.parametrize(("in_halves", "is_asked", "own"), FORMS_09)
@pytest.mark.parametrize("size", SIZES_09, ids=str)
def test_code_of_all_persistent_products(
    size: tuple[int, ...], in_halves: bool, is_asked: bool, own: bool, element: str
):
    _, columns, _, warps, _ = size
    if element == "fp8e4nv" and (columns // warps > 16 or not in_halves):
        pytest.skip("sums in parts take as many registers again: threads have too few")
    compile_09(size, in_halves, is_asked, own, element)


@pytest.mark.nightly
@pytest.mark.parametrize("warps", [4, 8])
@pytest.mark.parametrize("kernel", [forms.with_assumptions, forms.persistent_by_pointers], ids=str)
def test_code_of_products_of_pointers(kernel: Any, warps: int):
    numbers = ["M", "N", "K", "a_row", "b_row", "c_row"]
    types = dict.fromkeys("abc", "*fp16") | dict.fromkeys(numbers, "i32")
    constants: dict[str, Any] = dict.fromkeys(("a_column", "b_column", "c_column"), 1)
    constants |= {"BM": 128, "BN": 32 * warps, "BK": 64}
    plain = kernel is forms.with_assumptions
    constants |= {"ACTIVATION": "leaky"} if plain else {"PROGRAMS": 132}
    # A loop for each way in which tiles may lie shares what is known of the tile, and the places of
    # rows that an index picks.
    between = 0 if plain else 128
    assert_compiles(kernel, types, constants, warps, 3, between_loops=between)


def compile_08(kernel: Any, warps: int, archs: tuple[str, ...] = ARCHS) -> None:
    types = dict.fromkeys(("a_list", "b_list", "c_list"), "*i64")
    types |= {"sizes": "*i32", "rows": "*i32", "results": "*fp16", "count": "i32"}
    constants = {"PROGRAMS": 132, "BM": 128, "BN": 32 * warps, "BK": 64}
    assert_compiles(kernel, types, constants, warps, 3, archs)


@pytest.mark.nightly
@pytest.mark.parametrize("warps", [4, 8])
def test_code_of_groups(warps: int):
    compile_08(forms.group_by_descriptors, warps)


@pytest.mark.parametrize("warps", [4, 8])
def test_places_of_results_take_no_registers_from_sums(warps: int):
    """128 rows of which nobody knows where they begin: 255 registers had room for the sums and few
    addresses."""
    compile_08(forms.group_by_pointers, warps, archs=("90a",))
