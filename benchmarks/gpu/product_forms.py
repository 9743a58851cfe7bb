"""Matrix products in the forms that people write: descriptors, persistent programs, few rows, parts
of K, batches, groups, weights of few bits. Each has few configurations: those that have been the
best of larger sweeps on an H200."""

from __future__ import annotations

from typing import Any

import torch
import triton
from triton.tools.tensor_descriptor import TensorDescriptor

from . import product_kernels as kernels
from . import tensors
from .kernels import matmul
from .problem import Config, Problem, Tensors
from .tensors import empty, integers, matrix

HALF = torch.float16
_FOUR_BITS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)


def tiles(*blocks: tuple[int, ...]) -> tuple[Config, ...]:
    """Configurations of (rows, columns, depth, warps, stages)."""
    names = ("BM", "BN", "BK", "num_warps", "num_stages")
    return tuple(dict(zip(names, block, strict=True)) for block in blocks)


LARGE = tiles(
    (128, 256, 64, 8, 3), (128, 128, 64, 4, 4), (128, 128, 64, 8, 3), (256, 128, 64, 8, 3),
    (64, 256, 64, 4, 3),
)  # fmt: skip


def _count(m: int, n: int, c: Config) -> int:
    return triton.cdiv(m, c["BM"]) * triton.cdiv(n, c["BN"])


def _processors() -> int:
    """How many programs run at once, one on each."""
    if tensors.DEVICE != "cuda":
        return 3
    return torch.cuda.get_device_properties(0).multi_processor_count


def _exact(t: Tensors) -> torch.Tensor:
    return t[0].double() @ t[1].double()


def _described(size: int, is_persistent: bool) -> Problem:
    def launch(t: Tensors, c: Config) -> Any:
        a, b, out = t
        bm, bn, bk = c["BM"], c["BN"], c["BK"]
        blocks = [(a, [bm, bk]), (b.T, [bn, bk]), (out, [bm, bn])]
        given = [TensorDescriptor.from_tensor(x, block) for x, block in blocks]
        count = _count(size, size, c)
        if is_persistent:
            programs = min(count, _processors())
            return kernels.persistent[(programs,)](*given, size, size, size, **c)
        return kernels.described[(count,)](*given, size, size, size, **c)

    return Problem(
        f"matmul f16 {size} NT by {'persistent ' if is_persistent else ''}descriptors",
        lambda g: (
            matrix(g, size, size, HALF), matrix(g, size, size, HALF, "T"), empty(size, size, HALF)
        ),
        launch,
        LARGE,
        lambda t: torch.matmul(t[0], t[1], out=t[2]),
        _exact,
        2e-3,
        flops=2 * size**3,
    )  # fmt: skip


def _skinny(m: int, size: int, is_split: bool) -> Problem:
    bm = max(16, triton.next_power_of_2(m))
    if is_split:
        blocks = ((64, 128, 4, 3, 4), (64, 64, 4, 5, 2), (128, 128, 4, 3, 2), (64, 64, 8, 3, 4))
    else:
        blocks = ((128, 64, 4, 5), (128, 64, 2, 5), (256, 64, 4, 3), (128, 64, 8, 5))
    names = ("BK", "BN", "num_warps", "num_stages", "PARTS")[: len(blocks[0])]
    configs = tuple({"BM": bm, **dict(zip(names, block, strict=True))} for block in blocks)

    def launch(t: Tensors, c: Config) -> Any:
        strides = (*t[0].stride(), *t[1].stride())
        grid = (_count(m, size, c), c.get("PARTS", 1))
        kernel = kernels.split if is_split else matmul
        return kernel[grid](*t, m, size, size, *strides, **c)

    out = torch.float32 if is_split else HALF
    return Problem(
        f"matmul f16 {m}x{size}x{size}" + (" in parts of K" if is_split else ""),
        lambda g: (matrix(g, m, size, HALF), matrix(g, size, size, HALF), empty(m, size, out)),
        launch,
        configs,
        lambda t: torch.matmul(t[0], t[1]),
        _exact,
        2e-3,
        moved=2 * size * (size + m) + out.itemsize * m * size,
        adds_up=is_split,
    )


def _in_parts(m: int, n: int, k: int, is_streamed: bool) -> Problem:
    blocks = tiles((128, 128, 64, 4, 4), (128, 128, 64, 8, 3), (64, 128, 64, 4, 4))
    if is_streamed:
        configs = blocks + tiles((128, 256, 64, 8, 3))
    else:
        configs = tuple({**block, "PARTS": parts} for block in blocks[:2] for parts in (4, 8))

    def launch(t: Tensors, c: Config) -> Any:
        strides = (*t[0].stride(), *t[1].stride())
        if is_streamed:
            return kernels.streamed[(_processors(),)](*t, m, n, k, *strides, **c)
        return kernels.split[(_count(m, n, c), c["PARTS"])](*t, m, n, k, *strides, **c)

    return Problem(
        f"matmul f16 {m}x{n}x{k} " + ("by shares of turns" if is_streamed else "in parts of K"),
        lambda g: (matrix(g, m, k, HALF), matrix(g, k, n, HALF), empty(m, n, torch.float32)),
        launch,
        configs,
        lambda t: torch.matmul(t[0], t[1]),
        _exact,
        2e-3,
        flops=2 * m * n * k,
        adds_up=True,
    )


def _batched(count: int, size: int) -> Problem:
    def launch(t: Tensors, c: Config) -> Any:
        return kernels.batched[(_count(size, size, c), count)](*t, size, size, size, **c)

    return Problem(
        f"matmul f16 {count} of {size}",
        lambda g: tuple(matrix(g, count * size, size, HALF).view(count, size, -1) for _ in "abc"),
        launch,
        LARGE,
        lambda t: torch.bmm(t[0], t[1], out=t[2]),
        _exact,
        2e-3,
        flops=2 * count * size**3,
    )


def _gated(m: int, n: int, k: int) -> Problem:
    def inputs(g: torch.Generator) -> Tensors:
        a, gate, b = matrix(g, m, k, HALF), matrix(g, k, n, HALF), matrix(g, k, n, HALF)
        return a / k**0.5, gate, b, empty(m, n, HALF)

    def launch(t: Tensors, c: Config) -> Any:
        return kernels.gated[(_count(m, n, c),)](*t, m, n, k, **c)

    def expected(t: Tensors) -> torch.Tensor:
        a, gate, b = (x.double() for x in t[:3])
        return torch.nn.functional.silu(a @ gate) * (a @ b)

    return Problem(
        f"matmul f16 gated {m}x{n}x{k}",
        inputs,
        launch,
        tiles(
            (128, 128, 64, 8, 3), (128, 128, 64, 8, 4), (128, 64, 64, 4, 4), (64, 128, 64, 4, 4),
            (128, 128, 32, 8, 5),
        ),
        lambda t: torch.mul(torch.nn.functional.silu(t[0] @ t[1]), t[0] @ t[2], out=t[3]),
        expected,
        2e-3,
        flops=4 * m * n * k,
    )  # fmt: skip


def _grouped(heights: tuple[int, ...], size: int) -> Problem:
    rows = (sum(heights), len(heights) * size, sum(heights))

    def inputs(g: torch.Generator) -> Tensors:
        # One piece of memory holds all that has its address in `places`.
        a, b, out = matrix(g, sum(rows), size, HALF).split(rows)
        parts = zip(a.split(heights), b.split(size), out.split(heights), strict=True)
        places = [[x.data_ptr() for x in part] for part in parts]
        shapes = [[height, size, size] for height in heights]
        device = tensors.DEVICE
        return (
            a, b,
            torch.tensor(places, dtype=torch.int64, device=device),
            torch.tensor(shapes, dtype=torch.int32, device=device),
            out,
        )  # fmt: skip

    def expected(t: Tensors) -> torch.Tensor:
        parts = zip(t[0].split(heights), t[1].split(size), strict=True)
        return torch.cat([a.double() @ b.double() for a, b in parts])

    def launch(t: Tensors, c: Config) -> Any:
        _, _, places, shapes, out = t
        blocks = (c["BM"], c["BN"], c["BK"])
        is_whole = all(n % block == 0 for n in (*heights, size) for block in blocks)
        constants = {"COUNT": len(heights), "IS_WHOLE": is_whole, **c}
        return kernels.grouped[(_processors(),)](places, shapes, out, **constants)

    return Problem(
        f"matmul f16 group of {len(heights)}, {sum(heights)}x{size}x{size}",
        inputs,
        launch,
        LARGE,
        None,
        expected,
        2e-3,
        flops=2 * sum(heights) * size**2,
    )


def _small_weights(m: int, size: int) -> Problem:
    few = tiles((64, 64, 128, 4, 4), (16, 64, 128, 4, 5), (16, 128, 128, 4, 4), (16, 64, 256, 4, 3))
    many = tiles(
        (128, 256, 64, 8, 3), (128, 128, 64, 4, 4), (128, 128, 64, 8, 3), (64, 128, 64, 4, 4)
    )

    def inputs(g: torch.Generator) -> Tensors:
        scale = matrix(g, 1, size, HALF).view(-1)
        weights = matrix(g, size, size, torch.int8)
        # Results are numbers that f16 has.
        return matrix(g, m, size, HALF) / 128, weights, scale, empty(m, size, HALF)

    def launch(t: Tensors, c: Config) -> Any:
        return kernels.with_small_weights[(_count(m, size, c),)](*t, m, size, size, **c)

    return Problem(
        f"matmul f16 by i8 {m}x{size}x{size}",
        inputs,
        launch,
        few if m <= 16 else many,
        None,
        lambda t: t[0].double() @ t[1].double() * t[2].double(),
        2e-3,
        moved=size * (size + 2) + 4 * m * size if m <= 16 else 0,
        flops=0 if m <= 16 else 2 * m * size * size,
    )


def _decode(x: torch.Tensor, scale: torch.Tensor, kind: str) -> torch.Tensor:
    """Scaled numbers as f64."""
    if kind == "e2m1":
        code = torch.stack((x & 15, x >> 4), dim=-1).flatten(-2).long()
        sizes = torch.tensor(_FOUR_BITS, dtype=torch.float64, device=x.device)
        value = torch.where(code < 8, sizes[code % 8], -sizes[code % 8])
    else:
        value = x.view(torch.float8_e4m3fn).double()
    return value * torch.exp2(scale.double() - 127).repeat_interleave(32, 1)


def block_scaled(size: int, left: str, right: str) -> Problem:
    """A product of formats as `tl.dot_scaled` names them."""
    names = {"e4m3": "mxfp8", "e2m1": "mxfp4"}

    def operand(g: torch.Generator, kind: str) -> torch.Tensor:
        if kind == "e2m1":
            return integers(g, 0, 256, size, size // 2, dtype=torch.uint8)
        return matrix(g, size, size, torch.float8_e4m3fn).view(torch.uint8)

    def inputs(g: torch.Generator) -> Tensors:
        scales = [integers(g, 125, 128, size, size // 32, dtype=torch.uint8) for _ in "ab"]
        return operand(g, left), operand(g, right), *scales, empty(size, size, HALF)

    def launch(t: Tensors, c: Config) -> Any:
        grid = (_count(size, size, c),)
        return kernels.block_scaled[grid](*t, size, size, size, A=left, B=right, **c)

    return Problem(
        f"matmul {names[left]} by {names[right]} {size}",
        inputs,
        launch,
        tiles(
            (128, 256, 128, 8, 3), (128, 128, 128, 8, 3), (128, 128, 128, 4, 3),
            (128, 64, 128, 4, 3), (64, 128, 128, 4, 3),
        ),
        None,
        lambda t: _decode(t[0], t[2], left) @ _decode(t[1], t[3], right).T,
        2e-3,
        flops=2 * size**3,
    )  # fmt: skip


def all_forms() -> list[Problem]:
    """The rows of the table, in its order."""
    described = [_described(size, kind) for kind in (False, True) for size in (4096, 8192)]
    skinny = [_skinny(m, 8192, False) for m in (1, 16, 64)]
    skinny += [_skinny(m, 8192, True) for m in (16, 64)]
    parts = [_in_parts(512, 512, 16384, False), _in_parts(1536, 1536, 8192, True)]
    groups = [_batched(32, 1024), _grouped((512, 1024, 2048, 4096), 4096)]
    groups += [_gated(4096, 11008, 4096)]
    weights = [_small_weights(m, 8192) for m in (16, 4096)]
    pairs = [("e4m3", "e4m3"), ("e4m3", "e2m1"), ("e2m1", "e2m1")]
    scaled = [block_scaled(4096, *pair) for pair in pairs]
    return [*described, *skinny, *parts, *groups, *weights, *scaled]


def small_forms() -> list[Problem]:
    """One of each kind, for a look at the kernels themselves where there is no GPU."""
    described = [_described(size, kind) for kind in (False, True) for size in (128, 264)]
    skinny = [_skinny(m, 80, kind) for kind in (False, True) for m in (1, 17)]
    parts = [_in_parts(129, 72, 300, kind) for kind in (False, True)]
    groups = [_batched(3, 72), _grouped((17, 129, 300), 128), _gated(129, 72, 300)]
    scaled = [block_scaled(256, *pair) for pair in (("e4m3", "e2m1"), ("e2m1", "e2m1"))]
    return [*described, *skinny, *parts, *groups, _small_weights(17, 72), *scaled]
