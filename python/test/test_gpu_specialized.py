"""Kernels in which one more warp copies for those that compute: in the emulator."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from product_forms import by_pointers
from test_gpu_boxes import flat, matrix
from test_product_forms import launched
from triton_shared import emulate, library
from triton_shared.frontend import ast_to_ttir
from tutorial_forms import tutorial_09_by_pointers

from benchmarks.gpu.attention_kernels import described_attention

ORDERS = (0, 1, 2, 3)
COPIES = "cta.producer_warps"


def described(rows: int, columns: int, element: str = "fp16") -> str:
    return f"tensordesc<{element}[{rows}, {columns}]>"


def compiled(
    kernel: Any,
    types: dict[str, str],
    constants: dict[str, int],
    folder: Path,
    warps: int = 8,
    where: str = "auto",
) -> emulate.EmulatedKernel:
    kinds = {**types, **dict.fromkeys(constants, "constexpr")}
    ttir = ast_to_ttir(kernel, kinds, constants, [], target="cuda:90a", num_warps=warps)
    return emulate.compile_kernel(ttir, warps, folder, specialize_warps=where)


@triton.jit
def _persistent(
    a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, IS_TURNED: tl.constexpr
):
    tiles = tl.cdiv(M, BM) * tl.cdiv(N, BN)
    for number in tl.range(tl.program_id(0), tiles, tl.num_programs(0), flatten=True):
        m, n = number % tl.cdiv(M, BM) * BM, number // tl.cdiv(M, BM) * BN
        sums = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            y = b.load([n, k]).T if IS_TURNED else b.load([k, n])
            sums = tl.dot(a.load([m, k]), y, sums)
        c.store([m, n], sums.to(c.dtype))


@pytest.mark.parametrize("is_turned", [False, True])
@pytest.mark.parametrize(("warps", "rows"), [(4, 64), (8, 128)])
def test_programs_of_many_tiles(warps: int, rows: int, is_turned: bool, tmp_path: Path):
    """The ring goes on from tile to tile, also where it had none, or one turn, or not all slots."""
    n_block = (64, 32) if is_turned else (32, 64)
    types = {"a": described(rows, 32), "b": described(*n_block), "c": described(rows, 64)}
    types |= dict.fromkeys("MNK", "i32")
    constants = {"BM": rows, "BN": 64, "BK": 32, "IS_TURNED": is_turned}
    kernel = compiled(_persistent, types, constants, tmp_path, warps)
    assert COPIES in kernel.llvm
    assert kernel.threads == 32 * (warps + 1)
    for order, (m, n, k) in enumerate([(150, 130, 96), (150, 200, 130), (1, 17, 5), (130, 129, 0)]):
        a = matrix(m, max(k, 1), torch.float16)
        b = matrix(*((n, max(k, 1)) if is_turned else (max(k, 1), n)), torch.float16)
        want = (a.double() @ (b.T if is_turned else b).double()).half() * (k > 0)
        for programs in (1, 2, 20):
            c = matrix(m, n, torch.float16)
            emulate.launch(kernel, [*flat([a, b, c]), m, n, k], (programs,), order)
            assert torch.equal(c, want)


@triton.jit
def _both_ways(a, b, c, x, y, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    ahead = tl.zeros((BM, BN), tl.float32)
    back = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        tile = a.load([0, k])
        ahead = tl.dot(tile, b.load([k, 0]), ahead)
        back = tl.dot(tile, c.load([K - BK - k, 0]), back)
    x.store([0, 0], ahead)
    y.store([0, 0], back)


def test_products_of_one_tile_whose_copies_are_placed_between_them(tmp_path: Path):
    """Copies of a group are asked for before its first product, wherever the source says where
    they are from."""
    operands = {"a": described(64, 32), "b": described(32, 64), "c": described(32, 64)}
    results = dict.fromkeys("xy", described(64, 64, "fp32"))
    constants = {"BM": 64, "BN": 64, "BK": 32}
    kernel = compiled(
        _both_ways, {**operands, **results, "K": "i32"}, constants, tmp_path, 4, "always"
    )
    assert COPIES in kernel.llvm
    a, b, c = matrix(64, 160, torch.float16), *(matrix(160, 64, torch.float16) for _ in "bc")
    turned = c.view(5, 32, 64).flip(0).reshape(160, 64)
    for order in ORDERS:
        x, y = (torch.full((64, 64), float("nan")) for _ in "xy")
        emulate.launch(kernel, [*flat([a, b, c, x, y]), 160], (1,), order)
        torch.testing.assert_close(x, a.float() @ b.float())
        torch.testing.assert_close(y, a.float() @ turned.float())


def test_a_launch_knows_of_the_warp(tmp_path: Path):
    types = dict.fromkeys("abc", described(64, 64)) | dict.fromkeys("MNK", "i32")
    constants = {"BM": 64, "BN": 64, "BK": 64, "IS_TURNED": False}
    kinds = {**types, **dict.fromkeys(constants, "constexpr")}
    ttir = ast_to_ttir(_persistent, kinds, constants, [], target="cuda:90a", num_warps=4)
    for where, threads in (("auto", 160), ("never", 128)):
        words = f"target=cuda:90a num-warps=4 specialize-warps={where} to-phase=gpu"
        done = library.compile_text(ttir, words, printed_by_triton=True)
        assert json.loads(done.metadata)["block"] == [threads, 1]
        assert (
            f"array<i32: {threads}, 1, 1>"
            in compiled(_persistent, types, constants, tmp_path, warps=4, where=where).llvm
        )


def test_a_ring_keeps_its_slots(tmp_path: Path):
    """A result of f32 leaves room for three slots if it is staged in parts; with longer blocks of K
    there is room for two, and products would wait for each copy."""
    for element, depth, copies in (("fp16", 64, True), ("fp32", 64, True), ("fp16", 128, False)):
        constants = {"BM": 128, "BN": 256, "BK": depth, "IS_TURNED": True}
        types = {"a": described(128, depth), "b": described(256, depth)}
        types |= {"c": described(128, 256, element)} | dict.fromkeys("MNK", "i32")
        kinds = {**types, **dict.fromkeys(constants, "constexpr")}
        ttir = ast_to_ttir(_persistent, kinds, constants, [], target="cuda:90a", num_warps=8)
        assert (COPIES in emulate.lower(ttir, 8, tmp_path)) == copies


@triton.jit
def _attention(
    q, k, v, out, length, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
    IS_CAUSAL: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0) * BM
    query = q.load([row, 0])
    top = tl.full([BM], float("-inf"), tl.float32)
    total, sums = tl.zeros([BM], tl.float32), tl.zeros([BM, D], tl.float32)
    for begin in range(0, min(row, length) if IS_CAUSAL else length, BN):
        scores = tl.dot(query, k.load([begin, 0]).T)
        if not IS_CAUSAL:
            inside = begin + tl.arange(0, BN) < length
            scores = tl.where(inside[None, :], scores, float("-inf"))
        new = tl.maximum(top, tl.max(scores, 1))
        p, old = tl.exp2(scores - new[:, None]), tl.exp2(top - new)
        total = total * old + tl.sum(p, 1)
        sums = tl.dot(p.to(tl.float16), v.load([begin, 0]), sums * old[:, None])
        top = new
    if IS_CAUSAL:
        for begin in range(row, min(row + BM, length), BN):
            scores = tl.dot(query, k.load([begin, 0]).T)
            rows, columns = row + tl.arange(0, BM), begin + tl.arange(0, BN)
            seen = (columns[None, :] <= rows[:, None]) & (columns < length)[None, :]
            scores = tl.where(seen, scores, float("-inf"))
            new = tl.maximum(top, tl.max(scores, 1))
            p, old = tl.exp2(scores - new[:, None]), tl.exp2(top - new)
            total = total * old + tl.sum(p, 1)
            sums = tl.dot(p.to(tl.float16), v.load([begin, 0]), sums * old[:, None])
            top = new
    out.store([row, 0], (sums / total[:, None]).to(out.dtype))


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("dims", [64, 128])
def test_attention(dims: int, is_causal: bool, tmp_path: Path):
    """Groups of warps wait for copies alone; loops of the same tiles share their ring. Where one
    block fills a multiprocessor, those that compute get registers of the group that copies. Where
    two blocks have room nobody copies for others: either form has two loops, of blocks with a mask
    and of those without."""
    types = dict.fromkeys(("q", "out"), described(128, dims))
    types |= dict.fromkeys("kv", described(64, dims)) | {"length": "i32"}
    constants = {"D": dims, "BM": 128, "BN": 64, "IS_CAUSAL": is_causal}
    kernel = compiled(_attention, types, constants, tmp_path)
    is_specialized = dims == 128
    assert (COPIES in kernel.llvm) == is_specialized
    if dims == 64:
        assert "setmaxregister" not in kernel.llvm
    else:
        assert kernel.threads == 384
        shares = re.findall(r"nvvm.setmaxregister +(\w+ \d+)", kernel.llvm)
        assert shares == ["decrease 40", "increase 232"]
    # Groups of warps multiply in turns.
    assert ("bar.arrive" in kernel.llvm) == is_specialized
    # Two rings of three slots, the queries, and the result in the place of these.
    assert kernel.shared < (2 * 3 * 64 + 128) * dims * 2 + 2048
    for order, length in enumerate((256, 200, 1)):
        generator = torch.Generator().manual_seed(length)
        q, k, v = torch.randn(3, length, dims, generator=generator).half()
        scores = q.double() @ k.double().T
        if is_causal:
            scores = scores.tril() + torch.full_like(scores, float("-inf")).triu(1)
        want = torch.softmax(scores * torch.log(torch.tensor(2.0)), 1) @ v.double()
        out = torch.zeros(length, dims).half()
        programs = -(-length // 128)
        emulate.launch(kernel, [*flat([q, k, v, out]), length], (programs,), order)
        assert (out.double() - want).norm() < 2e-3 * want.norm()


@triton.jit
def _attention_to_memory(
    queries, keys, values, place, heads, length, scale,
    D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
):  # fmt: skip
    rows = heads * length
    q = tl.make_tensor_descriptor(queries, [rows, D], [D, 1], [BM, D])
    k = tl.make_tensor_descriptor(keys, [rows, D], [D, 1], [BN, D])
    v = tl.make_tensor_descriptor(values, [rows, D], [D, 1], [BN, D])
    out = tl.make_tensor_descriptor(place, [rows, D], [D, 1], [BM, D])
    described_attention(q, k, v, out, length, scale, D, BM, BN)


def test_who_is_done_waits_for_products_of_others(tmp_path: Path):
    """Threads store the result, through memory that had the queries: the other group may still
    multiply these. Only its own wait tells that a product that goes on is over."""
    types = dict.fromkeys(("queries", "keys", "values", "place"), "*fp16")
    types |= {"heads": "i32", "length": "i32", "scale": "fp32"}
    constants = {"D": 128, "BM": 128, "BN": 128}
    kinds = {**types, **dict.fromkeys(constants, "constexpr")}
    aligned = list(types)[:4]
    ttir = ast_to_ttir(
        _attention_to_memory, kinds, constants, aligned, target="cuda:90a", num_warps=8
    )
    kernel = emulate.compile_kernel(ttir, 8, tmp_path)
    assert COPIES in kernel.llvm
    q, k, v = torch.randn(3, 256, 128, generator=torch.Generator().manual_seed(0)).half()
    want = torch.softmax(q.double() @ k.double().T, 1) @ v.double()
    for order in range(4):
        out = torch.zeros(256, 128).half()
        emulate.launch(kernel, [q, k, v, out, 1, 256, 1.0], (2,), order)
        assert (out.double() - want).norm() < 2e-3 * want.norm()


@pytest.mark.every(2)
@pytest.mark.parametrize("element", ["fp16", "bf16"])
@pytest.mark.parametrize(
    ("columns", "softmax"),
    [(128, "exact"), (64, "deferred"), (64, "speculative"), (128, "speculative")],
)
def test_turns_of_attention_are_computed_ahead(
    columns: int, softmax: str, element: str, tmp_path: Path
):
    """One turn, which is the first and the last one, and some; scores twice as large as those
    before make speculation go wrong, and a scale below zero turns their order round."""
    types = dict.fromkeys(("q", "out"), described(128, 128, element))
    types |= dict.fromkeys("kv", described(columns, 128, element))
    types |= {"length": "i32", "scale": "fp32"}
    constants = {"D": 128, "BM": 128, "BN": columns}
    kinds = {**types, **dict.fromkeys(constants, "constexpr")}
    ttir = ast_to_ttir(described_attention, kinds, constants, [], target="cuda:90a", num_warps=8)
    kernel = emulate.compile_kernel(ttir, 8, tmp_path, online_softmax=softmax)
    assert "wgmma.wait_group.sync.aligned 1" in kernel.llvm
    # A warp whose powers were too large computes its scores again.
    assert ("nvvm.mma.sync" in kernel.llvm) == (softmax == "speculative")
    dtype, bound = (torch.half, 2e-3) if element == "fp16" else (torch.bfloat16, 1e-2)
    for order, (turns, scale) in enumerate(((1, 0.5), (3, -0.5))):
        length = turns * columns
        generator = torch.Generator().manual_seed(length)
        q = torch.randn(128, 128, generator=generator).to(dtype)
        k, v = torch.randn(2, length, 128, generator=generator).to(dtype)
        k *= torch.arange(1, length + 1)[:, None] / columns
        want = torch.softmax(q.double() @ k.double().T * scale, 1) @ v.double()
        out = torch.zeros(128, 128).to(dtype)
        emulate.launch(kernel, [*flat([q, k, v, out]), length, scale], (1,), order)
        assert (out.double() - want).norm() < bound * want.norm()


def test_a_limit_of_registers_keeps_those_of_all(tmp_path: Path):
    """Threads that begin with few could not be given more than there are."""
    types = dict.fromkeys(("q", "out"), described(128, 128))
    types |= dict.fromkeys("kv", described(64, 128)) | {"length": "i32"}
    constants = {"D": 128, "BM": 128, "BN": 64, "IS_CAUSAL": 0}
    kinds = {**types, **dict.fromkeys(constants, "constexpr")}
    ttir = ast_to_ttir(_attention, kinds, constants, [], target="cuda:90a", num_warps=8)
    for limit, producers in ((0, 4), (168, 1)):
        words = f"target=cuda:90a num-warps=8 max-registers={limit} to-phase=gpu"
        done = library.compile_text(ttir, words, printed_by_triton=True)
        assert json.loads(done.metadata)["block"] == [32 * (8 + producers), 1]


@triton.jit
def _in_branches(a, b, c, M, K, first, B: tl.constexpr):
    """Two loops of different tiles; one of them in every second turn of a loop by a condition."""
    m = tl.program_id(0) * B
    while m < M:
        sums = tl.zeros((B, B), tl.float32)
        if (m // B) % 2 == first:
            for k in range(0, K, B):
                sums = tl.dot(a.load([m, k]), b.load([k, 0]), sums)
        for k in range(K - B, -1, -B):
            sums = tl.dot(a.load([m, k]), b.load([k, 0]).T, sums)
        c.store([m, 0], sums.to(c.dtype))
        m += tl.num_programs(0) * B


def test_several_loops_within_others(tmp_path: Path):
    types = dict.fromkeys("abc", described(64, 64)) | dict.fromkeys(("M", "K", "first"), "i32")
    kernel = compiled(_in_branches, types, {"B": 64}, tmp_path, warps=4)
    assert COPIES in kernel.llvm
    m, k = 64 * 5, 64 * 3
    a, b = matrix(m, k, torch.float16), matrix(k, 64, torch.float16)
    turned = torch.cat([block.T for block in b.split(64)])
    for order in ORDERS:
        first = order % 2
        want = (a.double() @ turned.double()).view(5, 64, 64)
        want[first::2] += (a.double() @ b.double()).view(5, 64, 64)[first::2]
        c = matrix(m, 64, torch.float16)
        emulate.launch(kernel, [*flat([a, b, c]), m, k, first], (2,), order)
        assert torch.equal(c, want.view(m, 64).half())


@pytest.mark.parametrize("warps", [4, 8])
def test_boxes_under_a_guard(warps: int, tmp_path: Path):
    """Programs at the edge go through a loop whose copies threads make, in the room of the ring."""
    trial = by_pointers(200, 128, 128)
    text, values, grid, _ = launched(trial)
    kernel = emulate.compile_kernel(text, warps, tmp_path, specialize_warps="always")
    assert COPIES in kernel.llvm
    assert "cp.async.cg" in kernel.llvm
    bytes_of_ring = 3 * (64 * 32 + 32 * 32) * 2
    assert kernel.shared < bytes_of_ring + 64 * 32 * 4 + 128
    for order in ORDERS:
        trial.out.zero_()
        emulate.launch(kernel, values, grid, order)
        assert trial.is_right()


@pytest.mark.parametrize(("warps", "is_turned"), [(4, False), (8, False), (4, True)])
def test_tiles_by_pointers_that_are_boxes_in_all_turns(warps: int, is_turned: bool, tmp_path: Path):
    """A persistent program asks once whether its blocks end within the matrices: one more warp
    copies where they do, and threads where they do not, in the room of the ring. Some programs have
    both, more tiles than lanes ask about at once, or none."""
    sizes = [(256, 128, 96), (208, 112, 96), (64, 48, 32), (640, 320, 32), (640, 336, 32)]
    trials = [tutorial_09_by_pointers(*size, is_turned) for size in sizes]
    text, *_ = launched(trials[0])
    kernel = emulate.compile_kernel(text, warps, tmp_path)
    assert COPIES in kernel.llvm
    assert "vote.sync" in kernel.llvm
    assert "cp.async.cg" in kernel.llvm
    for trial in trials:
        _, values, grid, _ = launched(trial)
        for order in ORDERS:
            trial.out.zero_()
            emulate.launch(kernel, values, grid, order)
            assert trial.is_right()


@triton.jit
def _listed(a, b, c, rows, count, K, B: tl.constexpr):
    for number in range(tl.program_id(0), count, tl.num_programs(0)):
        m = tl.load(rows + number)
        sums = tl.zeros((B, B), tl.float32)
        for k in range(0, K, B):
            sums = tl.dot(a.load([m, k]), b.load([k, 0]), sums)
        c.store([number * B, 0], sums.to(c.dtype))


def test_places_that_are_read_from_memory(tmp_path: Path):
    """One more warp would have to read them, too: the program stays as it was."""
    types = dict.fromkeys("abc", described(64, 64)) | {"rows": "*i32", "count": "i32", "K": "i32"}
    kernel = compiled(_listed, types, {"B": 64}, tmp_path, warps=4, where="always")
    assert COPIES not in kernel.llvm
    assert "cp.async.bulk.tensor" in kernel.llvm
    a, b = matrix(192, 128, torch.float16), matrix(128, 64, torch.float16)
    rows, c = torch.tensor([128, 0], dtype=torch.int32), matrix(128, 64, torch.float16)
    emulate.launch(kernel, [*flat([a, b, c]), rows, 2, 128], (1,))
    product = (a.double() @ b.double()).half()
    assert torch.equal(c, torch.cat([product[128:], product[:64]]))


@triton.jit
def _plain(a, b, c, K, B: tl.constexpr, IS_ASKED: tl.constexpr):
    sums = tl.zeros((B, B), tl.float32)
    for k in tl.range(0, K, B, warp_specialize=IS_ASKED):
        sums = tl.dot(a.load([0, k]), b.load([k, 0]), sums)
    c.store([0, 0], sums.to(c.dtype))


@pytest.mark.parametrize(
    ("is_asked", "where", "copies"),
    [(0, "auto", False), (1, "auto", True), (0, "always", True), (1, "never", False)],
)
def test_who_decides(is_asked: int, where: str, copies: bool, tmp_path: Path):
    """A plain product gains nothing; its author or the launch may want it all the same."""
    types = dict.fromkeys("abc", described(64, 64)) | {"K": "i32"}
    constants = {"B": 64, "IS_ASKED": is_asked}
    kernel = compiled(_plain, types, constants, tmp_path, warps=4, where=where)
    assert (COPIES in kernel.llvm) == copies
    a, b = matrix(64, 200, torch.float16), matrix(200, 64, torch.float16)
    for k in (200, 64, 0):
        c = matrix(64, 64, torch.float16)
        emulate.launch(kernel, [*flat([a, b, c]), k], (1,), 3)
        assert torch.equal(c, (a[:, :k].double() @ b[:k].double()).half())


@triton.jit
def _through_threads(a, b, c, M, K, B: tl.constexpr):
    for m in range(tl.program_id(0) * B, M, tl.num_programs(0) * B):
        sums = tl.zeros((B, B), tl.float32)
        for k in range(0, K, B):
            left = a.load([m, k])
            sums = tl.dot(left, b.load([k, 0]), sums) + tl.sum(left, 1)[:, None]
        c.store([m, 0], sums.to(c.dtype))


def test_operands_that_threads_read_too(tmp_path: Path):
    """The barriers of slots count products alone: the program stays as it was."""
    types = dict.fromkeys("abc", described(64, 64)) | {"M": "i32", "K": "i32"}
    kernel = compiled(_through_threads, types, {"B": 64}, tmp_path, warps=4, where="always")
    assert COPIES not in kernel.llvm
    a, b = matrix(128, 128, torch.float16), matrix(128, 64, torch.float16)
    c = matrix(128, 64, torch.float16)
    emulate.launch(kernel, [*flat([a, b, c]), 128, 128], (1,))
    assert torch.equal(c, (a.double() @ b.double() + a.double().sum(1, keepdim=True)).half())
