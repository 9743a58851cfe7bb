"""Every type that `wgmma` multiplies, in the emulator, against products of whole numbers in torch.

Sums of these are exact in each type, however they are grouped: what is looked at is which element
goes where. Which instructions there are, and where sums are added, is counted in what is lowered.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from corpus_runs import TORCH_TYPES
from test_gpu_cubins import ARCHS, assert_fine, to_cubin
from test_gpu_emulated import ORDERS
from test_gpu_pipelined import _attention
from triton_shared import emulate, frontend

OUTPUTS = {"fp32": tl.float32, "fp16": tl.float16, "i32": tl.int32}


@triton.jit
def _product(
    a, b, o, K,
    LEFT_ALONG_K: tl.constexpr, RIGHT_ALONG_K: tl.constexpr, SUM: tl.constexpr,
    IMPRECISE: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    m, n, ks = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    total = tl.zeros((BM, BN), SUM)
    for k in range(0, K, BK):
        at = k + ks[None, :]
        left = tl.load(a + (m[:, None] * K + at if LEFT_ALONG_K else at * BM + m[:, None]))
        at = k + ks[:, None]
        right = tl.load(b + (n[None, :] * K + at if RIGHT_ALONG_K else at * BN + n[None, :]))
        total = tl.dot(
            left, right, total, input_precision="tf32", max_num_imprecise_acc=IMPRECISE,
            out_dtype=SUM,
        )  # fmt: skip
    tl.store(o + m[:, None] * BN + n[None, :], total)


@dataclass(frozen=True)
class Product:
    """A product of one tile; types are Triton's words."""

    left: str
    right: str
    sum: str = "fp32"
    block: tuple[int, int, int] = (64, 32, 64)
    turns: int = 3
    is_left_along_k: bool = True
    is_right_along_k: bool = True
    imprecise: int | None = None
    warps: int = 4
    stages: int = 3

    @property
    def depth(self) -> int:
        return self.block[2] * self.turns

    def lower_to_ttir(self) -> str:
        signature = {"a": f"*{self.left}", "b": f"*{self.right}", "o": f"*{self.sum}", "K": "i32"}
        constants = {
            "LEFT_ALONG_K": self.is_left_along_k, "RIGHT_ALONG_K": self.is_right_along_k,
            "SUM": OUTPUTS[self.sum], "IMPRECISE": self.imprecise,
            **dict(zip(("BM", "BN", "BK"), self.block, strict=True)),
        }  # fmt: skip
        return frontend.ast_to_ttir(
            _product, signature, constants, ("a", "b", "o", "K"), target="cuda:90"
        )

    def check(self, folder: Path) -> str:
        """Launches it in every order of threads. Returns what was launched."""
        kernel = emulate.compile_kernel(self.lower_to_ttir(), self.warps, folder, self.stages)
        rng = torch.Generator().manual_seed(7)
        rows, columns, _ = self.block
        a, b = (torch.randint(-3, 4, (size, self.depth), generator=rng) for size in (rows, columns))
        given: list[Any] = []
        for values, kind, along_k in (
            (a, self.left, self.is_left_along_k), (b, self.right, self.is_right_along_k),
        ):  # fmt: skip
            stored = values if along_k else values.T
            given.append(stored.contiguous().to(torch.float32).to(TORCH_TYPES[kind]))
        for order in ORDERS:
            out = torch.zeros(rows, columns, dtype=TORCH_TYPES[self.sum])
            emulate.launch(kernel, [*given, out, self.depth], (1,), order)
            assert torch.equal(out.to(torch.int64), a @ b.T)
        return kernel.llvm


def instructions(llvm: str) -> set[str]:
    """The forms of `wgmma` in what was launched."""
    return set(re.findall(r"wgmma\.mma_async\.sync\.aligned\.(\S+)", llvm))


SMALL = {"fp8e4nv": "e4m3", "fp8e5": "e5m2"}
NAMES = {**SMALL, "fp16": "f16", "bf16": "bf16", "fp32": "tf32", "i8": "s8"}
DEPTHS = {"fp32": 8, "fp16": 16, "bf16": 16}
PAIRS = [(left, right) for left in SMALL for right in SMALL]
ALL = [*((pair, "fp32") for pair in PAIRS), *((pair, "fp16") for pair in PAIRS)]
ALL += [(("fp16", "fp16"), "fp32"), (("fp16", "fp16"), "fp16"), (("bf16", "bf16"), "fp32")]
ALL += [(("fp32", "fp32"), "fp32"), (("i8", "i8"), "i32")]


def form(pair: tuple[str, str], sums: str, columns: int) -> str:
    """How PTX names the instruction."""
    name = {"fp32": "f32", "fp16": "f16", "i32": "s32"}[sums]
    depth = DEPTHS.get(pair[0], 32)
    return f"m64n{columns}k{depth}.{name}.{NAMES[pair[0]]}.{NAMES[pair[1]]}"


@pytest.mark.every(2)
@pytest.mark.parametrize(("along_k"), [(True, True), (True, False), (False, True), (False, False)])
@pytest.mark.parametrize(("pair", "sums"), ALL)
def test_types_and_majors(
    pair: tuple[str, str], sums: str, along_k: tuple[bool, bool], tmp_path: Path
):
    product = Product(*pair, sums, is_left_along_k=along_k[0], is_right_along_k=along_k[1])
    assert instructions(product.check(tmp_path)) == {form(pair, sums, 32)}


@pytest.mark.every(2)
@pytest.mark.parametrize(
    "columns", [8, 64, 256, *(pytest.param(n, marks=pytest.mark.nightly) for n in (16, 128))]
)
@pytest.mark.parametrize("along_k", [True, False])
@pytest.mark.parametrize(
    ("pair", "sums"),
    [
        (("fp8e4nv", "fp8e5"), "fp32"), (("fp16", "fp16"), "fp16"), (("i8", "i8"), "i32"),
        (("fp32", "fp32"), "fp32"),
    ],
)  # fmt: skip
def test_columns(pair: tuple[str, str], sums: str, along_k: bool, columns: int, tmp_path: Path):
    product = Product(*pair, sums, block=(64, columns, 64), turns=2, is_right_along_k=along_k)
    assert instructions(product.check(tmp_path)) == {form(pair, sums, columns)}


@pytest.mark.parametrize(("rows", "warps"), [(64, 8), (128, 8), (256, 8), (128, 16)])
@pytest.mark.parametrize(
    ("pair", "sums"), [(("fp8e4nv", "fp8e4nv"), "fp32"), (("fp16", "fp16"), "fp16")]
)
def test_several_groups(pair: tuple[str, str], sums: str, rows: int, warps: int, tmp_path: Path):
    product = Product(*pair, sums, block=(rows, 64, 64), turns=2, warps=warps)
    assert len(instructions(product.check(tmp_path))) == 1


# Sums that begin at zero, of each of a turn's parts along K, and in which steps.
@pytest.mark.parametrize(
    ("imprecise", "parts"),
    [(None, 0), (0, 4), (16, 4), (32, 4), (48, 4), (64, 2), (96, 2), (128, 1)],
)
def test_imprecise_sums(imprecise: int | None, parts: int, tmp_path: Path):
    product = Product("fp8e5", "fp8e4nv", block=(64, 32, 128), turns=2, imprecise=imprecise)
    llvm = product.check(tmp_path)
    # Without parts there are two loops: of boxes, and of copies by threads.
    assert llvm.count("wgmma.mma_async") == (4 if parts else 8)
    assert llvm.count("setp.ne.b32 p, 0, 0;") == parts
    assert llvm.count("llvm.fadd") == 16 * parts


def test_parts_of_many_columns_and_rows(tmp_path: Path):
    product = Product("fp8e4nv", "fp8e4nv", block=(128, 128, 64), turns=2, imprecise=32)
    assert instructions(product.check(tmp_path)) == {form(("fp8e4nv", "fp8e4nv"), "fp32", 32)}


# Where `wgmma` cannot multiply them as they are, they become f16.
@pytest.mark.parametrize("sums", ["fp32", "fp16"])
def test_fewer_along_k_than_one_instruction_takes(sums: str, tmp_path: Path):
    llvm = Product("fp8e4nv", "fp8e5", sums, block=(64, 32, 16)).check(tmp_path)
    assert instructions(llvm) == {form(("fp16", "fp16"), sums, 32)}


@pytest.mark.parametrize("sums", ["fp32", "fp16"])
def test_fewer_rows_than_one_instruction_has(sums: str, tmp_path: Path):
    llvm = Product("fp8e4nv", "fp8e5", sums, block=(32, 32, 32)).check(tmp_path)
    assert instructions(llvm) == set()
    assert "nvvm.mma.sync" in llvm


# The left operand of the second product is computed, its right one lies across K.
@pytest.mark.parametrize(("rows", "warps"), [(64, 4), (128, 8)])
def test_attention_in_8_bits(rows: int, warps: int, tmp_path: Path):
    columns, dims = 96, 64
    signature = {**dict.fromkeys("qkv", "*fp8e4nv"), "o": "*fp32", "n": "i32"}
    constants = {"D": dims, "BM": rows, "BN": 32}
    ttir = frontend.ast_to_ttir(
        _attention, signature, constants, ("q", "k", "v", "o", "n"), target="cuda:90"
    )
    kernel = emulate.compile_kernel(ttir, warps, tmp_path)
    small = ("fp8e4nv", "fp8e4nv")
    assert instructions(kernel.llvm) == {form(small, "fp32", 32), form(small, "fp32", dims)}
    rng = torch.Generator().manual_seed(7)
    q, k, v = (
        torch.randn(size, dims, generator=rng).to(torch.float8_e4m3fn)
        for size in (rows, columns, columns)
    )
    scores = q.double() @ k.double().T * 0.1
    powers = torch.exp2(scores - scores.amax(1, keepdim=True))
    weight = powers.sum(1, keepdim=True)
    expected = powers @ v.double() / weight
    # Powers have three bits after the first one, and are multiples of 2^-9.
    allowed = (powers * 2.0**-4 + 2.0**-10) @ v.double().abs() / weight + 1e-4
    for order in ORDERS:
        out = torch.zeros(rows, dims)
        emulate.launch(kernel, [q, k, v, out, columns], (1,), order)
        assert ((out - expected).abs() <= allowed).all()


LARGE: dict[str, Any] = {"block": (128, 256, 128), "warps": 8}


# Nothing that ptxas serialises, no register in memory; nor on a GPU that has no `wgmma`, in tiles
# that fit into its registers.
@pytest.mark.every(2)
@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize(
    "product",
    [
        Product("fp8e4nv", "fp8e4nv", **LARGE),
        Product("fp8e4nv", "fp8e5", is_right_along_k=False, **LARGE),
        Product("fp8e4nv", "fp8e4nv", imprecise=32, **LARGE),
        Product("fp8e5", "fp8e4nv", imprecise=128, block=(128, 128, 128)),
        Product("fp8e4nv", "fp8e4nv", "fp16", **LARGE),
        Product("fp16", "fp16", "fp16", block=(128, 256, 64), warps=8),
        Product("fp16", "fp16", block=(64, 8, 64), is_right_along_k=False),
        Product("i8", "i8", "i32", is_left_along_k=False, is_right_along_k=False, **LARGE),
        Product("fp32", "fp32", is_right_along_k=False, block=(128, 256, 32), warps=8),
    ],
    ids=repr,
)
def test_machine_code(product: Product, arch: str):
    if arch == "80":
        product = replace(product, block=(64, 64, 32), imprecise=None, warps=4)
    assert_fine(repr(product), to_cubin(product.lower_to_ttir(), arch, product.warps))
