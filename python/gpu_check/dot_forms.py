"""Matrix products of every type that tensor cores take, in the forms that our compiler emits.

One kernel multiplies tiles; a form says of which types, and how large a tile is: that decides
which instruction computes it. Every side gets the same bits.
"""

from __future__ import annotations

import re
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import torch
import triton
import triton.language as tl
import triton_shared
from triton_shared.device import active_driver
from triton_shared.target_options import target_options

SIDES = ("cpu", "ours", "triton")
"""Our CPU leg, our GPU leg, Triton's own backend."""
STEP = 64
"""Of the loop along K, which K must be a multiple of."""


@triton.jit
def multiply(
    a, b, c, out, depth,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr, STEP: tl.constexpr,
    PRECISION: tl.constexpr, IMPRECISE: tl.constexpr, SUM: tl.constexpr,
):  # fmt: skip
    """out[p] = c[p] + a[p] @ b[p].T for each program p; all matrices lie row by row."""
    program = tl.program_id(0).to(tl.int64)
    rows, columns, step = tl.arange(0, ROWS), tl.arange(0, COLUMNS), tl.arange(0, STEP)
    a += program * ROWS * depth
    b += program * COLUMNS * depth
    places = program * ROWS * COLUMNS + rows[:, None] * COLUMNS + columns[None, :]
    total = tl.load(c + places)
    for k in range(0, depth, STEP):
        left = tl.load(a + rows[:, None] * depth + (k + step)[None, :])
        right = tl.load(b + columns[None, :] * depth + (k + step)[:, None])
        total = tl.dot(
            left, right, total,
            input_precision=PRECISION, max_num_imprecise_acc=IMPRECISE, out_dtype=SUM,
        )  # fmt: skip
    tl.store(out + places, total)


@dataclass(frozen=True)
class Form:
    """One kind of product."""

    name: str
    left: torch.dtype
    right: torch.dtype
    rows: int = 64
    columns: int = 64
    sum: torch.dtype = torch.float32
    precision: str = "ieee"
    imprecise: int | None = None
    """What the kernel says about sums of 8-bit floats (`max_num_imprecise_acc`)."""
    same_in_triton: bool = True
    """Whether Triton's own backend has the same instruction for it."""

    @property
    def is_float(self) -> bool:
        """Whether sums are rounded."""
        return self.sum.is_floating_point

    def keywords(self) -> dict[str, Any]:
        """What the kernel is specialised for."""
        sums = {torch.float32: tl.float32, torch.float16: tl.float16, torch.int32: tl.int32}
        return {
            "ROWS": self.rows,
            "COLUMNS": self.columns,
            "STEP": STEP,
            "PRECISION": self.precision,
            "IMPRECISE": self.imprecise,
            "SUM": sums[self.sum],
        }

    def run(
        self, side: str, gpu: str, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor
    ) -> torch.Tensor:
        """c + a @ b.T of a[tiles, rows, K] and b[tiles, columns, K] on a side, as a CPU tensor.

        `gpu` is the GPU whose products the CPU repeats, as in `sm_90a`. The side `model` is the
        runtime's function alone.
        """
        if side == "model":
            from . import dot_model

            return dot_model.run(self, gpu, a, b, c)
        out, _ = self._launch(side, gpu, a, b, c)
        return out.cpu()

    def table(self, gpu: str) -> dict[str, str]:
        """What the compiler says about the products of this form on a GPU."""
        if not knows_gpus():
            from . import dot_model

            return dot_model.core_of(self, gpu) if self.is_float else {}
        a = torch.zeros(1, self.rows, STEP).to(self.left)
        b = torch.zeros(1, self.columns, STEP).to(self.right)
        c = torch.zeros(1, self.rows, self.columns).to(self.sum)
        _, compiled = self._launch("cpu", gpu, a, b, c)
        match = re.search(r"tts.gpu_product = \{(.*?)\}", compiled.asm["linalg"])
        words = re.findall(r'(\w+) = "?([\w-]+)', match[1]) if match else []
        return dict(words)

    def _launch(
        self, side: str, gpu: str, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor
    ) -> tuple[torch.Tensor, Any]:
        device = "cpu" if side == "cpu" else "cuda"
        given = [tensor.contiguous().to(device) for tensor in (a, b, c)]
        out = torch.empty_like(given[2])
        more = {"dot": f"gpu-exact:{gpu}"} if side == "cpu" else {}
        with _side(side):
            compiled = multiply[(len(a),)](*given, out, a.shape[2], **self.keywords(), **more)
            if device == "cuda":
                torch.cuda.synchronize()
        return out, compiled


def knows_gpus() -> bool:
    """Whether the library repeats products of GPUs; an older one does not."""
    return any(option.name == "dot" for option in target_options())


def _side(name: str) -> AbstractContextManager[None]:
    if name == "triton":
        return active_driver(triton.backends.backends["nvidia"].driver())
    return triton_shared.device("cpu" if name == "cpu" else "cuda")


_F16, _BF16, _F32 = torch.float16, torch.bfloat16, torch.float32
_E4M3, _E5M2, _I8 = torch.float8_e4m3fn, torch.float8_e5m2, torch.int8
_SMALL = {"rows": 32, "columns": 32}
"""Too few rows for a `wgmma`."""

FORMS = (
    Form("wgmma f16", _F16, _F16),
    Form("wgmma bf16", _BF16, _BF16),
    Form("wgmma tf32", _F32, _F32, precision="tf32"),
    Form("wgmma e4m3", _E4M3, _E4M3),
    Form("wgmma e5m2", _E5M2, _E5M2),
    Form("wgmma e4m3 x e5m2", _E4M3, _E5M2),
    Form("wgmma e5m2 x e4m3", _E5M2, _E4M3),
    Form("wgmma e4m3, 32 at a time", _E4M3, _E4M3, imprecise=32),
    Form("wgmma e4m3, 64 at a time", _E4M3, _E4M3, imprecise=64, same_in_triton=False),
    Form("wgmma f16 to f16", _F16, _F16, sum=_F16),
    Form("wgmma e4m3 to f16", _E4M3, _E4M3, sum=_F16, same_in_triton=False),
    Form("wgmma i8", _I8, _I8, sum=torch.int32),
    Form("wgmma f16 128x128", _F16, _F16, rows=128, columns=128),
    Form("wgmma f16 turned 16x64", _F16, _F16, rows=16, same_in_triton=False),
    Form("mma f16", _F16, _F16, **_SMALL),
    Form("mma bf16", _BF16, _BF16, **_SMALL),
    Form("mma tf32", _F32, _F32, precision="tf32", same_in_triton=False, **_SMALL),
    Form("mma e4m3 as f16", _E4M3, _E4M3, same_in_triton=False, **_SMALL),
    Form("mma e5m2 as f16", _E5M2, _E5M2, same_in_triton=False, **_SMALL),
    Form("mma f16 to f16", _F16, _F16, sum=_F16, same_in_triton=False, **_SMALL),
    Form("mma i8", _I8, _I8, sum=torch.int32, **_SMALL),
    Form("fma f32", _F32, _F32, same_in_triton=False, **_SMALL),
)
