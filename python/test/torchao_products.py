"""torchao's matrix products: of 8-bit integers and floats, of packed weights, of sparse ones."""

from __future__ import annotations

from typing import Any
from unittest import mock

import torch
from torchao_cases import (
    REAL_TYPES,
    ROUNDING,
    Near,
    Run,
    case,
    normal,
    product,
    small,
    torchao,
    whole,
)  # fmt: skip

# ---------------------------------------------------------------------------------------------
# Integers
# ---------------------------------------------------------------------------------------------

INTEGERS = "kernel.intmm_triton"
SHAPES = ((33, 96, 65), (64, 128, 32), (5, 31, 7))


def first_of(function: Any, arguments: Any, configurations: Any) -> Any:
    """Instead of torchao's own tuning."""
    return configurations[0]


def untuned(module: Any, run: Run) -> Run:
    def patched() -> Any:
        with mock.patch.object(module, "get_best_config_fn", first_of):
            return run()

    return patched


@case(INTEGERS, "matmul_kernel_with_block_pointers", shape=SHAPES, transposed=(False, True))
def int_matmul(shape: tuple[int, ...], transposed: bool) -> tuple[Run, Run]:
    module = torchao(INTEGERS)
    rows, inner, columns = shape
    a = whole(rows, inner)
    b = whole(columns, inner).t() if transposed else whole(inner, columns)
    return (
        untuned(module, lambda: module.int_matmul_cuda(a, b)),
        lambda: a.int() @ b.int(),
    )


@case(
    INTEGERS, "scaled_matmul_kernel_with_block_pointers",
    dtype=REAL_TYPES, shape=SHAPES,
)  # fmt: skip
def int_scaled_matmul(dtype: torch.dtype, shape: tuple[int, ...]) -> tuple[Run, Run]:
    module = torchao(INTEGERS)
    rows, inner, columns = shape
    a, b = whole(rows, inner, most=15), whole(inner, columns, most=15)
    scales = (torch.rand(rows, 1) + 0.5).to(dtype)

    def run() -> torch.Tensor:
        return module.int_scaled_matmul_cuda(a, b, scales.expand(rows, columns))

    # Sums are exact. Triton multiplies integers by f16 as f16, and by bf16 as f32.
    wide = torch.float32 if dtype == torch.bfloat16 else dtype
    return untuned(module, run), lambda: ((a.int() @ b.int()).to(wide) * scales.to(wide)).to(dtype)


@case(
    "prototype.quantized_training.int8_mm", "_scaled_int8_mm_kernel",
    dtype=REAL_TYPES, shape=SHAPES, scalar=(False, True),
)  # fmt: skip
def scaled_int8_mm(dtype: torch.dtype, shape: tuple[int, ...], scalar: bool) -> tuple[Run, Run]:
    module = torchao("prototype.quantized_training.int8_mm")
    rows, inner, columns = shape
    a, b = whole(rows, inner), whole(inner, columns)
    down = (torch.rand(rows) + 0.5).to(dtype)
    across = (torch.rand(() if scalar else (columns,)) + 0.5).to(dtype)

    def reference() -> torch.Tensor:
        return ((a.int() @ b.int()).float() * down.float()[:, None] * across.float()).to(dtype)

    return lambda: module.scaled_int8_mm_cuda(a, b, down, across), reference


# ---------------------------------------------------------------------------------------------
# 8-bit floats in blocks
# ---------------------------------------------------------------------------------------------


def blocks_of(scales: torch.Tensor, rows: int, columns: int, *sizes: int) -> torch.Tensor:
    """A factor for each number of a matrix, from one for each block."""
    full = scales.double().repeat_interleave(sizes[0], 0).repeat_interleave(sizes[1], 1)
    return full[:rows, :columns]


@case(
    "kernel.blockwise_quantization", "blockwise_fp8_gemm_kernel",
    shape=((32, 256, 128), (21, 128, 96), (7, 320, 130)), block=(128, 64),
)  # fmt: skip
def blockwise_fp8_gemm(shape: tuple[int, ...], block: int) -> tuple[Run, Run]:
    function = torchao("kernel.blockwise_quantization").blockwise_fp8_gemm
    rows, inner, columns = shape
    across, down = -(-inner // block), -(-columns // block)
    a, b = small(rows, inner), small(columns, inner)
    a_s, b_s = torch.rand(rows, across) + 0.5, torch.rand(down, across) + 0.5

    def reference() -> Near:
        left = a.double() * blocks_of(a_s, rows, inner, 1, block)
        right = b.double() * blocks_of(b_s, columns, inner, block, block)
        return product(left, right.t(), torch.bfloat16)

    return lambda: function(a, a_s, b, b_s, block), reference


TRAINING = "prototype.blockwise_fp8_training.kernels"
OUTPUTS = (torch.float32, torch.bfloat16)


@case(
    TRAINING, "triton_fp8_gemm_1x128_128x128_kernel",
    dtype=OUTPUTS, shape=((64, 256, 256), (128, 128, 128)),
)  # fmt: skip
def gemm_1x128_128x128(dtype: torch.dtype, shape: tuple[int, ...]) -> tuple[Run, Run]:
    function = torchao(TRAINING).triton_fp8_gemm_1x128_128x128
    rows, inner, columns = shape
    a, b = small(rows, inner), small(columns, inner).t()
    a_s = (torch.rand(inner // 128, rows) + 0.5).t()
    b_s = (torch.rand(columns // 128, inner // 128) + 0.5).t()

    def reference() -> Near:
        left = a.double() * blocks_of(a_s, rows, inner, 1, 128)
        return product(left, b.double() * blocks_of(b_s, inner, columns, 128, 128), dtype)

    return lambda: function(a, b, a_s, b_s, 128, dtype), reference


@case(
    TRAINING, "triton_fp8_gemm_1x128_128x1_kernel",
    dtype=OUTPUTS, shape=((64, 256, 192), (128, 128, 64)),
)  # fmt: skip
def gemm_1x128_128x1(dtype: torch.dtype, shape: tuple[int, ...]) -> tuple[Run, Run]:
    function = torchao(TRAINING).triton_fp8_gemm_1x128_128x1
    rows, inner, columns = shape
    a, b = small(rows, inner), small(columns, inner).t()
    a_s = (torch.rand(inner // 128, rows) + 0.5).t()
    b_s = torch.rand(inner // 128, columns) + 0.5

    def reference() -> Near:
        left = a.double() * blocks_of(a_s, rows, inner, 1, 128)
        return product(left, b.double() * blocks_of(b_s, inner, columns, 128, 1), dtype)

    return lambda: function(a, b, a_s, b_s, 128, dtype), reference


# ---------------------------------------------------------------------------------------------
# Weights of 4 bits
# ---------------------------------------------------------------------------------------------

PACKED = "prototype.hqq"
HALVES = "prototype.hqq.kernels:_mixed_mm_kernel"


class Mixed:
    """A matrix times one of whole numbers from -8 to 7, or 0 to 15, which are scaled in groups.

    A group is as long as a step of the loop, with all programs that share a sum: of others, the
    kernel takes the scales of other columns or groups, whoever compiles it.
    """

    def __init__(self, dtype: torch.dtype, packed: torch.dtype, transposed: bool, group: int):
        self.module = torchao(PACKED)
        rows, inner, columns = 37, 256, 256
        low = -8 if packed == torch.int8 else 0
        digits = torch.randint(low, low + 16, (inner, columns))
        scales, zeros = (normal(inner // group, columns, dtype=dtype) for _ in range(2))
        # As the kernel does, with a rounding after each step.
        steps = digits.view(-1, group, columns).to(dtype)
        weights = ((steps - zeros[:, None]) * scales[:, None]).view(inner, columns)
        self.dtype = dtype
        self.a = normal(rows, inner, dtype=dtype)
        self.weights = weights.t() if transposed else weights
        packs = self.module.pack_2xint4(digits.to(packed))
        self.words = (packs, scales, zeros, group, transposed)

    def run(self, **words: Any) -> torch.Tensor:
        return self.module.triton_mixed_mm(self.a, *self.words, **words)

    def reference(self) -> Near:
        return product(self.a, self.weights, self.dtype)


@case(
    PACKED, HALVES, dtype=REAL_TYPES, packed=(torch.uint8, torch.int8), transposed=(False, True),
)  # fmt: skip
def mixed_mm(dtype: torch.dtype, packed: torch.dtype, transposed: bool) -> tuple[Run, Run]:
    mixed = Mixed(dtype, packed, transposed, 32)
    return mixed.run, mixed.reference


@case(PACKED, HALVES, dtype=(torch.float32, torch.float16), parts=(2, 4))
def mixed_mm_in_parts(dtype: torch.dtype, parts: int) -> tuple[Run, Run]:
    """Programs that share a sum, and add to it."""
    kernels = torchao(f"{PACKED}.kernels")
    chosen = [c for c in kernels.get_configs_io_bound() if c.kwargs["SPLIT_K"] == parts][:1]
    mixed = Mixed(dtype, torch.uint8, False, 32 * parts)

    def run() -> torch.Tensor:
        with mock.patch.object(kernels.mixed_mm_kernel_max_autotune, "configs", chosen):
            return mixed.run(kernel_type="max_autotune")

    def reference() -> Near:
        near = mixed.reference()
        # Parts are rounded, and so are their sums; each may be larger than the whole.
        size = mixed.a.double().abs() @ mixed.weights.double().abs()
        return Near(near.want, near.bound + size * 2 * parts * ROUNDING[dtype])

    return run, reference


@case(PACKED, HALVES, dtype=REAL_TYPES)
def mixed_mm_in_given_blocks(dtype: torch.dtype) -> tuple[Run, Run]:
    mixed = Mixed(dtype, torch.int8, False, 32)
    mixed.a = mixed.a[:32]
    blocks = {"BLOCK_M": 16, "BLOCK_N": 64, "BLOCK_K": 32}
    return lambda: mixed.run(kernel_type="debug", **blocks), mixed.reference


# ---------------------------------------------------------------------------------------------
# Sparse weights
# ---------------------------------------------------------------------------------------------


def sparse(rows: int, columns: int, block: tuple[int, int], dtype: torch.dtype) -> torch.Tensor:
    """A matrix with half of its blocks, and a row of blocks without any."""
    kept = torch.rand(rows // block[0], columns // block[1]) < 0.5
    kept[1] = False
    values = whole(rows, columns, most=7).to(dtype) if dtype == torch.int8 else (
        normal(rows, columns, dtype=dtype)
    )  # fmt: skip
    full = values * kept.repeat_interleave(block[0], 0).repeat_interleave(block[1], 1)
    return full.to(dtype).to_sparse_bsr(block)


@case(
    "kernel.bsr_triton_ops", "_bsr_strided_addmm_kernel_impl",
    dtype=(torch.float16, torch.bfloat16, torch.float32), block=((16, 16), (32, 64)),
    columns=(32, 8), alphas=(False, True),
)  # fmt: skip
def bsr_dense_addmm(
    dtype: torch.dtype, block: tuple[int, int], columns: int, alphas: bool
) -> tuple[Run, Run]:
    function = torchao("kernel.bsr_triton_ops").bsr_dense_addmm
    rows, inner = 4 * block[0], 3 * block[1]
    weights = sparse(rows, inner, block, dtype)
    dense, added = normal(inner, columns, dtype=dtype), normal(rows, columns, dtype=dtype)
    left = (torch.rand(rows) + 0.5).to(dtype) if alphas else None
    right = (torch.rand(columns) + 0.5).to(dtype) if alphas else None
    alpha, beta = (0.5, 2.0) if alphas else (1, 1)

    def run() -> torch.Tensor:
        return function(
            added, weights, dense, alpha=alpha, beta=beta, left_alpha=left, right_alpha=right
        )

    def reference() -> Near:
        factor = torch.tensor(float(alpha), dtype=torch.float64)
        if left is not None and right is not None:
            factor = factor * left.double()[:, None] * right.double()
        return product(weights.to_dense(), dense, dtype, factor, beta * added.double())

    return run, reference
