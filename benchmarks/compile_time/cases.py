"""Which kernels are compiled, with which configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import triton

from benchmarks.gpu import attention_kernels
from benchmarks.gpu import kernels as plain
from benchmarks.gpu import product_kernels as products

from . import kernels

Options = Mapping[str, int]
MATMUL = ("a", "b", "c", "M", "N", "K", "a_row", "b_row")
"""What lies at, or is, a multiple of sixteen."""


@dataclass(frozen=True)
class Case:
    """A kernel as a launch would specialise it."""

    name: str
    kernel: Any
    types: Mapping[str, str]
    """Of the parameters that are no constants."""
    constants: Mapping[str, Any]
    options: Options
    multiples: Sequence[str] = field(default=())

    def __str__(self) -> str:
        return self.name

    def source(self) -> Any:
        """The same for Triton's front end."""
        names = self.kernel.arg_names
        signature = {
            name: "constexpr" if name in self.constants else self.types[name] for name in names
        }
        attributes = {(names.index(name),): [["tt.divisibility", 16]] for name in self.multiples}
        return triton.compiler.ASTSource(
            self.kernel, signature, constexprs=dict(self.constants), attrs=attributes
        )


def _options(warps: int, stages: int) -> Options:
    return {"num_warps": warps, "num_stages": stages}


def _matmul(name: str, element: str, out: str, order: str, depth: int) -> Case:
    names = ("M", "N", "K", "a_row", "a_column", "b_row", "b_column")
    one = {"a_column": 1, "b_row" if order == "NT" else "b_column": 1}
    types = {"a": f"*{element}", "b": f"*{element}", "c": f"*{out}", **dict.fromkeys(names, "i32")}
    blocks = {"BM": 128, "BN": 256, "BK": depth, "PRECISION": "tf32"}
    multiples = [x for x in ("a", "b", "c", *names) if x not in one]
    return Case(f"matmul {name}", plain.matmul, types, {**one, **blocks}, _options(8, 3), multiples)


def _described(name: str, kernel: Any) -> Case:
    blocks = {"BM": 128, "BN": 256, "BK": 64}
    types = {
        "a": "tensordesc<fp16[128, 64]>", "b": "tensordesc<fp16[256, 64]>",
        "c": "tensordesc<fp16[128, 256]>", "M": "i32", "N": "i32", "K": "i32",
    }  # fmt: skip
    return Case(f"matmul f16 {name}", kernel, types, blocks, _options(8, 3), "MNK")


def _attention(dims: int) -> Case:
    types = {**dict.fromkeys(("q", "k", "v", "out"), "*fp16"), "length": "i32", "scale": "fp32"}
    blocks = {"D": dims, "BM": 128, "BN": 64}
    multiples = ["q", "k", "v", "out", "length"]
    name = f"attention f16 {dims}"
    return Case(name, attention_kernels.attention, types, blocks, _options(8, 3), multiples)


def described_attention(
    dims: int, is_causal: bool, bm: int = 128, bn: int = 64, warps: int = 8, stages: int = 3
) -> Case:
    """Attention of the tutorial's form."""
    rows, columns = f"tensordesc<fp16[{bm}, {dims}]>", f"tensordesc<fp16[{bn}, {dims}]>"
    types = {"q": rows, "k": columns, "v": columns, "out": rows}
    types |= {"tops": "*fp32", "length": "i32", "scale": "fp32"}
    constants = {"D": dims, "BM": bm, "BN": bn, "IS_CAUSAL": is_causal}
    name = f"{'causal ' if is_causal else ''}attention f16 {dims} by descriptors"
    multiples = ["tops", "length"]
    return Case(name, kernels.attention, types, constants, _options(warps, stages), multiples)


def _row(name: str, kernel: Any, pointers: Sequence[str], element: str) -> Case:
    types = {**dict.fromkeys(pointers, f"*{element}"), "columns": "i32", "eps": "fp32"}
    multiples = [*pointers, "columns"]
    return Case(name, kernel, types, {"BLOCK": 4096}, _options(8, 3), multiples)


CASES = (
    _matmul("f16 NN", "fp16", "fp16", "NN", 64),
    _matmul("f16 NT", "fp16", "fp16", "NT", 64),
    _matmul("fp8 NT", "fp8e4nv", "fp16", "NT", 128),
    _described("by descriptors", products.described),
    _described("persistent", products.persistent),
    *(_attention(dims) for dims in (128, 64)),
    *(described_attention(dims, causal) for causal in (False, True) for dims in (128, 64)),
    _row("layer norm f16", plain.layer_norm, ("x", "weight", "bias", "out"), "fp16"),
    _row("softmax f32", plain.softmax, ("x", "out"), "fp32"),
)


def tuned() -> list[Case]:
    """The configurations that Triton's tutorial of attention tries on Hopper: causal, 64 wide."""
    shapes = [(bm, bn) for bm in (64, 128) for bn in (32, 64, 128)]
    return [
        described_attention(64, True, bm, bn, warps, stages)
        for bm, bn in shapes
        for stages in (2, 3, 4)
        for warps in (4, 8)
        if warps == 4 or bm * bn >= 128 * 128
    ]
