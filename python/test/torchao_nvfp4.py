"""torchao's training in NVFP4: 4-bit floats, a factor of 8 bits for 16 of them, and one for all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest import mock

import torch
from torchao_cases import FP8, Run, case, torchao

WEIGHTS = "prototype.moe_training.nvfp4_training.quantize_2d_triton"
UTILITIES = "prototype.moe_training.nvfp4_training.hadamard_utils"
AMAX = "prototype.moe_training.nvfp4_training.hadamard_amax_triton"
ROWS_AND_COLUMNS = "prototype.moe_training.nvfp4_training.hadamard_quantize_row_col_triton"

SIGNS = [1, -1, 1, 1, -1, -1, 1, -1, 1, 1, 1, -1, -1, 1, -1, -1]
SHAPES = ((128, 128), (256, 384))
TILES = ((128, 128), (256, 256))
Scaled = tuple[torch.Tensor, torch.Tensor]


def numbers(*shape: int) -> torch.Tensor:
    """Whole ones, so that sums of 16 are exact, of sizes that differ by rows; some are zero."""
    x = torch.randint(-64, 65, shape) * torch.randint(0, 2, (shape[0], 1)).mul(7).add(1)
    x[:16, :16] = 0
    return x.bfloat16()


def over(x: float, y: torch.Tensor) -> torch.Tensor:
    """`x / y` is not a division in torch, but two steps."""
    return torch.full_like(y, x).div(y)


def scaled(x: torch.Tensor, amax: torch.Tensor, rows: int) -> Scaled:
    """Numbers up to 6, and the factors of blocks of `rows` times 16."""
    blocks = x.float().view(x.shape[0] // rows, rows, -1, 16)
    top = blocks.abs().amax((1, 3), keepdim=True)
    whole = over(448.0 * 6.0, amax)
    factor = ((top / 6.0) * whole).clamp(torch.finfo(FP8).tiny, 448.0).to(FP8)
    up = over(1.0, factor.float() * over(1.0, whole))
    return (blocks * up).clamp(-6, 6).view(x.shape), factor[:, 0, :, 0]


def packed(x: torch.Tensor) -> torch.Tensor:
    """Two numbers of 4 bits in a byte, rounded to nearest."""
    module = torchao("prototype.mx_formats.kernels")
    return module.pack_uint4(module.f32_to_f4_unpacked(x))


def swizzled(factors: torch.Tensor) -> torch.Tensor:
    """As tensor cores take them: tiles of 128 times 4."""
    tiles = factors.view(torch.uint8).view(factors.shape[0] // 128, 4, 32, -1, 4)
    return tiles.permute(0, 3, 2, 1, 4).reshape(len(tiles), -1, 32, 16).view(FP8)


def with_tile(kernel: Any, tile: tuple[int, int], run: Run) -> Run:
    """With the first configuration of the kernel, of other blocks."""

    def patched() -> Any:
        words = dict(zip(("BLOCK_M", "BLOCK_N"), tile, strict=True))
        chosen = kernel.configs[0]
        with mock.patch.object(chosen, "kwargs", {**chosen.kwargs, **words}):
            return run()

    return patched


@case(WEIGHTS, "triton_quantize_2d_weight", shape=SHAPES, tile=TILES)
def nvfp4_weights(shape: tuple[int, int], tile: tuple[int, int]) -> tuple[Run, Run]:
    module = torchao(WEIGHTS)
    x = numbers(*shape)
    amax = x.float().abs().max()

    def reference() -> list[torch.Tensor]:
        made = []
        for y in (x, x.t().contiguous()):
            values, factors = scaled(y, amax, 16)
            made += [packed(values), swizzled(factors.repeat_interleave(16, 0))]
        return made

    run: Callable[[], Any] = lambda: module.triton_weight_quantize_2d(x, amax)  # noqa: E731
    return with_tile(module.triton_quantize_2d_weight, tile, run), reference


def transformed(x: torch.Tensor) -> torch.Tensor:
    """Rows of what is transposed, each 16 numbers times the Hadamard matrix."""
    matrix = torchao(UTILITIES).get_rht_matrix(tuple(SIGNS), "cpu", torch.bfloat16, 16)
    product = x.t().reshape(-1, 16).float() @ matrix.float()
    return product.bfloat16().view(x.shape[::-1])


@case(AMAX, "_hadamard_amax_kernel", shape=(*SHAPES, (48, 128)))
def hadamard_amax(shape: tuple[int, int]) -> tuple[Run, Run]:
    function = torchao(AMAX).triton_rht_amax
    x = numbers(*shape)
    return (
        lambda: function(x, SIGNS),
        lambda: [y.float().abs().max() for y in (transformed(x), x)],
    )


class RowsAndColumns:
    """A matrix by rows, and the transform of what is transposed."""

    def __init__(self, shape: tuple[int, int]):
        self.module = torchao(ROWS_AND_COLUMNS)
        self.rows = numbers(*shape)
        self.columns = transformed(self.rows)
        self.tops = [y.float().abs().max() for y in (self.columns, self.rows)]

    def run(self, **words: Any) -> Any:
        return self.module.triton_rht_quantize_row_col(self.rows, *self.tops, SIGNS, **words)

    def scaled(self) -> list[Scaled]:
        both = zip((self.columns, self.rows), self.tops, strict=True)
        return [scaled(x, top, 1) for x, top in both]


@case(ROWS_AND_COLUMNS, "_hadamard_quantize_row_col_kernel", shape=SHAPES, tile=TILES)
def nvfp4_rows_and_columns(shape: tuple[int, int], tile: tuple[int, int]) -> tuple[Run, Run]:
    inputs = RowsAndColumns(shape)

    def reference() -> list[torch.Tensor]:
        return [
            y for values, factors in inputs.scaled() for y in (packed(values), swizzled(factors))
        ]

    kernel = inputs.module._hadamard_quantize_row_col_kernel
    return with_tile(kernel, tile, inputs.run), reference


def unpacked(x: torch.Tensor) -> torch.Tensor:
    """4-bit floats as f32."""
    module = torchao("prototype.mx_formats.kernels")
    return module.f4_unpacked_to_f32(module.unpack_uint4(x))


@case(ROWS_AND_COLUMNS, "_hadamard_quantize_row_col_kernel", shape=SHAPES)
def nvfp4_stochastic(shape: tuple[int, int]) -> tuple[Run, Run]:
    """Each number is one of its two neighbours, and on average what it was."""
    inputs = RowsAndColumns(shape)
    names = ("col_seed_base", "col_offset_base", "row_offset_base", "row_seed_base")
    words = {name: torch.tensor([i]) for i, name in enumerate(names)}

    def run() -> list[torch.Tensor]:
        found = inputs.run(stochastic_rounding=True, **words)
        made = []
        for codes, (values, _) in zip(found[::2], inputs.scaled(), strict=True):
            off = unpacked(codes) - values
            step = torch.where(values.abs() > 4, 2.0, torch.where(values.abs() > 2, 1.0, 0.5))
            made += [(off.abs() < step).all(), off.mean().abs() < 0.02]
        return [*made, *found[1::2]]

    def reference() -> list[torch.Tensor]:
        return [*[torch.tensor(True)] * 4, *(swizzled(factors) for _, factors in inputs.scaled())]

    return run, reference
