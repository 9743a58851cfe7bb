"""Kernels of one block of any size, to see how compiling grows with it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from triton_shared.diff import modules
from triton_shared.frontend import ast_to_ttir

SIZES = (1 << 10, 1 << 12, 1 << 14, 1 << 16)
"""Elements of a block."""
NUM_WARPS = 8
"""On a GPU: the largest block is 256 elements of a thread."""

HEAD = """import triton
import triton.language as tl


@triton.jit
def kernel(x, y, index, n, BLOCK: tl.constexpr, SIDE: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row = tl.arange(0, SIDE)[:, None]
    column = tl.arange(0, SIDE)[None, :]
"""


@dataclass(frozen=True)
class Block:
    """A kernel of one block, which is a row of `BLOCK` elements or `SIDE` x `SIDE` of them."""

    name: str
    body: str
    element: str = "fp32"
    """Of `x` and `y`."""

    def __str__(self) -> str:
        return self.name

    def ttir(self, size: int, folder: Path, target: str) -> str:
        """What Triton's front end makes of it for a block of `size` elements."""
        file = folder / f"block_{self.name.replace(' ', '_').replace('-', '_')}.py"
        file.write_text(HEAD + "".join(f"    {line}\n" for line in self.body.splitlines()))
        types = {"x": f"*{self.element}", "y": f"*{self.element}", "index": "*i32", "n": "i32"}
        sizes = {"BLOCK": size, "SIDE": round(size**0.5)}
        kernel = modules.kernel(file, "kernel")
        return ast_to_ttir(kernel, types, sizes, ["x", "y", "index"], target=target)


_DOT = """k = tl.arange(0, 32)
at = x + row * n + k[None, :]
bt = y + k[:, None] * n + column
total = tl.zeros((SIDE, SIDE), tl.float32)
for turn in range(0, n, 32):
    total = tl.dot(tl.load(at), tl.load(bt), total)
    at += 32
    bt += 32 * n
tl.store(y + row * n + column, total)"""

BLOCKS = (
    Block("element-wise", "tl.store(y + i, tl.exp(tl.load(x + i)) * 2.0 + 1.0)"),
    Block("masked", "tl.store(y + i, tl.load(x + i, mask=i < n, other=0.0) + 1.0, mask=i < n)"),
    Block("rounding to f8", "v = tl.load(x + i).to(tl.float8e4nv)\n"
          "tl.store(y + i, v.to(tl.float16))", "fp16"),
    Block("sum", "tl.store(y, tl.sum(tl.load(x + i), 0))"),
    Block("argmax", "tl.store(index, tl.argmax(tl.load(x + i, mask=i < n), 0))"),
    Block("softmax", "v = tl.load(x + i, mask=i < n, other=-float('inf'))\n"
          "v = tl.exp(v - tl.max(v, 0))\ntl.store(y + i, v / tl.sum(v, 0), mask=i < n)"),
    Block("cumsum", "tl.store(y + i, tl.cumsum(tl.load(x + i), 0))"),
    Block("sort", "tl.store(y + i, tl.sort(tl.load(x + i)))"),
    Block("histogram", "counts = tl.histogram(tl.load(index + i), 256)\n"
          "tl.store(index + tl.arange(0, 256), counts)"),
    Block("gather", "tl.store(y + i, tl.load(x + tl.load(index + i)))"),
    Block("atomic add", "tl.atomic_add(y + tl.load(index + i), tl.load(x + i))"),
    Block("random", "tl.store(y + i, tl.rand(n, i))"),
    Block("transpose", "tl.store(y + row * n + column, tl.trans(tl.load(x + row * n + column)))"),
    Block("sum of rows", "v = tl.load(x + row * n + column)\n"
          "tl.store(y + row, tl.sum(v, 1, keep_dims=True))"),
    Block("product f16", _DOT, "fp16"),
    Block("product f32", _DOT),
)  # fmt: skip
