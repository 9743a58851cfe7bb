"""How many neighbours a thread holds on a GPU, by types and shapes: in the emulator."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from pathlib import Path

import pytest
import torch
import triton
import triton.language as tl
from test_gpu_parts import TYPES, compile_plain
from triton_shared import emulate, library
from triton_shared.frontend import ast_to_ttir

ORDERS = (0, 1, 2, 3)
FLOATS = ("*fp8e4nv", "*fp16", "*bf16", "*fp32", "*fp64")


def whole(*shape: int, kind: str = "*fp32") -> torch.Tensor:
    """Small whole numbers, which every type has."""
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randint(-4, 5, shape, generator=generator).to(TYPES[kind])


@triton.jit
def _converted(x, y, z, COUNT, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, mask=at < COUNT, other=0.0).to(tl.float32)
    tl.store(y + at, (value + 1.0).to(y.dtype.element_ty), mask=at < COUNT)
    tl.store(z + at, (value * 2.0).to(z.dtype.element_ty), mask=at < COUNT)


def accesses(name: str, size: int, neighbours: int) -> Counter[str]:
    """What a thread does for 16 elements of `size` bytes: all neighbours at once where all take
    part, and one by one where some do."""
    words = {1: "b8", 2: "b16", 4: "b32", 8: "v2.b32", 16: "v4.b32"}
    at_once = min(16, size * neighbours)
    return Counter({f"{name}.global.{words[at_once]}": 16 * size // at_once}) + Counter(
        {f"{name}.global.{words[size]}": 16}
    )


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("loaded", "second", "first"),
    [
        # By day, every two of the places have every two types.
        pytest.param(*kinds, marks=pytest.mark.nightly if sum(map(FLOATS.index, kinds)) % 5 else ())
        for kinds in itertools.product(FLOATS, repeat=3)
    ],
)
def test_elements_are_stored_whole_at_once_whatever_is_loaded(
    loaded: str, second: str, first: str, tmp_path: Path
):
    """Stores of a type are as wide as the widest of the two leaves room for."""
    types = {"x": loaded, "y": first, "z": second, "COUNT": "i32"}
    kernel = compile_plain(_converted, types, {"BLOCK": 2048}, tmp_path)
    neighbours = 16 // max(TYPES[first].itemsize, TYPES[second].itemsize)
    moved = accesses("ld", TYPES[loaded].itemsize, neighbours)
    for kind in (first, second):
        moved += accesses("st", TYPES[kind].itemsize, neighbours)
    assert Counter(re.findall(r"(?:ld|st)\.global\.\S*b\d+", kernel.llvm)) == moved
    x = whole(4096, kind=loaded)
    want = [(x.float() + 1).to(TYPES[first]), (x.float() * 2).to(TYPES[second])]
    for count in (4096, 4096 - 16, 2049, 5):
        y, z = (torch.zeros(4096, dtype=TYPES[kind]) for kind in (first, second))
        emulate.launch(kernel, [x, y, z, count], (2,), 1)
        for found, right in zip((y, z), want, strict=True):
            assert torch.equal(found[:count].float(), right[:count].float())
            assert not found[count:].float().any()


@triton.jit
def _picked(x, rows, out, WIDTH: tl.constexpr, A: tl.constexpr, B: tl.constexpr, N):
    """The sums of rows that a block of two dimensions picks."""
    a, b, column = tl.arange(0, A)[:, None], tl.arange(0, B)[None, :], tl.arange(0, WIDTH)
    row = tl.load(rows + a * B + b)
    inside = (row >= 0)[:, :, None] & (column < N)[None, None, :]
    value = tl.load(x + row[:, :, None] * WIDTH + column[None, None, :], mask=inside, other=0.0)
    tl.store(out + a * B + b, tl.sum(value.to(tl.float32), 2))


@pytest.mark.every(2)
@pytest.mark.parametrize("is_known", [False, True])
@pytest.mark.parametrize(("kind", "width"), [("*fp16", 32), ("*fp32", 32), ("*fp8e4nv", 64)])
@pytest.mark.parametrize("warps", [1, 4])
def test_rows_that_a_block_picks_are_loaded_by_vectors(
    warps: int, kind: str, width: int, is_known: bool, tmp_path: Path
):
    """Where the end of a row parts no neighbours."""
    types = {"x": kind, "rows": "*i32", "out": "*fp32"} | ({} if is_known else {"N": "i32"})
    constants = {"WIDTH": width, "A": 4, "B": 8} | ({"N": width} if is_known else {})
    kernel = compile_plain(_picked, types, constants, tmp_path, warps)
    x, rows = whole(20, width, kind=kind), torch.arange(32, dtype=torch.int32) * 7 % 20 - 2
    if is_known:
        loads = re.findall(r"ld\.global\.\S*b\d+", kernel.llvm)
        of_thread = 32 * width // kernel.threads
        assert loads == ["ld.global.v4.b32"] * (of_thread * x.itemsize // 16)
    for n in (width,) if is_known else (width, 16, 0):
        want = (x[rows.clamp(min=0).long()][:, :n].float() * (rows >= 0)[:, None]).sum(1)
        for order in ORDERS:
            out = torch.full((32,), float("nan"))
            emulate.launch(kernel, [x, rows, out] + [n] * (not is_known), (1,), order)
            assert torch.equal(out, want)


@triton.jit
def _scaled_pairs(x, out, R: tl.constexpr, C: tl.constexpr):
    """Rows by what the largest of two rows beside each other is."""
    at = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    value = tl.load(x + at)
    even, odd = tl.split(tl.reshape(tl.max(tl.abs(value), 1), (R // 2, 2)))
    scale = tl.maximum(even, odd)
    scales = tl.reshape(tl.join(scale, scale), (R,))
    tl.store(out + at, value * scales[:, None])


@pytest.mark.parametrize(("rows", "columns"), [(8, 16), (16, 4), (64, 16), (2, 128)])
@pytest.mark.parametrize("warps", [1, 4])
def test_no_thread_computes_what_another_does_to_have_parts_of_a_tile(
    warps: int, rows: int, columns: int, tmp_path: Path
):
    types, constants = {"x": "*fp32", "out": "*fp32"}, {"R": rows, "C": columns}
    kernel = compile_plain(_scaled_pairs, types, constants, tmp_path, warps)
    stores = re.findall(r"llvm\.store .* : (?:vector<(\d)x)?f32>?, !llvm\.ptr<1>", kernel.llvm)
    of_thread = rows * columns // kernel.threads
    # A thread that has one element may get another one.
    assert of_thread == 1 or sum(int(width or 1) for width in stores) == of_thread
    x = whole(rows, columns)
    pairs = x.abs().amax(1).view(-1, 2).amax(1).repeat_interleave(2)
    for order in ORDERS:
        out = torch.full_like(x, float("nan"))
        emulate.launch(kernel, [x, out], (1,), order)
        assert torch.equal(out, x * pairs[:, None])


@triton.jit
def _interleaved(
    x, y, M, END, N: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, FORM: tl.constexpr
):  # fmt: skip
    """Of each row, the elements of some columns."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    columns = tl.arange(0, BN)[None, :]
    inside = (rows < M) & (columns < N)
    if FORM == "one of three":
        mask = inside & ((columns % 3 == 1) & (columns < END))
    elif FORM == "one of three rows":
        mask = inside & (rows % 3 == 1)
    else:
        mask = inside & (columns != END)
    tl.store(y + rows * N + columns, tl.load(x + rows * N + columns, mask=mask, other=9.0), inside)


@pytest.mark.parametrize(
    ("form", "widths"),
    [
        ("one of three", {"b32"}), ("one of three rows", {"v4.b32"}),
        ("all but one", {"b32", "v4.b32"}),
    ],
)  # fmt: skip
def test_columns_that_are_one_of_many_are_loaded_one_by_one(
    form: str, widths: set[str], tmp_path: Path
):
    """No group of neighbours is whole there: nothing is tried at once."""
    types = {"x": "*fp32", "y": "*fp32", "M": "i32", "END": "i32"}
    sizes = {"N": 112, "BM": 8, "BN": 128, "FORM": form}
    kernel = compile_plain(_interleaved, types, sizes, tmp_path)
    found = re.findall(r"ld\.global\.(v4\.b32|b32)", kernel.llvm)
    assert set(found) == widths
    x = whole(20, 112)
    rows, columns = torch.arange(20)[:, None], torch.arange(112)[None, :]
    for end in (0, 50, 112):
        taken = {
            "one of three": (columns % 3 == 1) & (columns < end),
            "one of three rows": (rows % 3 == 1) & (columns >= 0),
            "all but one": (columns != end) & (rows >= 0),
        }[form]
        y = torch.zeros_like(x)
        emulate.launch(kernel, [x, y, 20, end], (3,))
        assert torch.equal(y, torch.where(taken, x, 9.0))


@triton.jit
def _scaled_rows(x, w, y, M, N, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    weight = tl.load(w + columns, mask=columns < N, other=0.0)
    for row in range(tl.program_id(0), M, tl.num_programs(0)):
        value = tl.load(x + row * N + columns, mask=columns < N, other=0.0)
        tl.store(y + row * N + columns, value * weight, mask=columns < N)


@pytest.mark.every(2)
@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize(("count", "together"), [(781, 1), (784, 16)])
def test_rows_that_begin_anywhere_are_read_by_neighbouring_threads(
    kind: str, count: int, together: int, tmp_path: Path
):
    """Also beside a weight that could be read 16 bytes at a time."""
    types = {"x": kind, "w": kind, "y": kind, "M": "i32", "N": "i32"}
    known = ["x", "w", "y", *(["N"] if together > 1 else [])]
    kinds = types | {"BLOCK": "constexpr"}
    ttir = ast_to_ttir(_scaled_rows, kinds, {"BLOCK": 1024}, known, target="cuda:90a")
    kernel = emulate.compile_kernel(ttir, 4, tmp_path)
    done = library.compile_text(ttir, "target=cuda:90a num-warps=4 to-phase=cta")
    assert done.succeeded, done.diagnostics
    cta = done.artefact("cta").decode()
    (layout,) = re.findall(r"tts\.store .*tensor<1024x\w+, #(layout\d*)>", cta)
    lane = re.search(rf"#{layout} = .*lane = \[\[(\d+)\]", cta)
    assert lane
    size = TYPES[kind].itemsize
    assert int(lane[1]) == (min(8, 16 // size) if together > 1 else 1)
    x, w = whole(7, count, kind=kind), whole(1, count, kind=kind)[0]
    y = torch.zeros_like(x)
    emulate.launch(kernel, [x, w, y, 7, count], (3,))
    assert torch.equal(y.double(), x.double() * w.double())
