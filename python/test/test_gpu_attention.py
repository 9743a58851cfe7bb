"""Variants of attention and its gradients, compiled for a GPU, in the emulator: tiles that products
take in both orders, loops that share what was written for them, keys in pages."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from triton_shared import emulate
from triton_shared.emulate import EmulatedKernel
from triton_shared.frontend import ast_to_ttir

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.gpu import attention_gradients, attention_kernels, attentions, tensors
from benchmarks.gpu.attentions import Shape
from benchmarks.gpu.problem import Problem

NAMES = {
    torch.float16: "*fp16", torch.bfloat16: "*bf16", torch.float32: "*fp32", torch.int32: "*i32",
    torch.float8_e4m3fn: "*fp8e4nv", torch.float8_e5m2: "*fp8e5",
}  # fmt: skip


class Launcher:
    """Takes the place of a kernel in a module: what is launched runs in the emulator."""

    def __init__(self, kernel: Any, folder: Path, options: dict[str, Any]) -> None:
        self.kernel, self.options = kernel, options
        self.folder = folder / kernel.__name__
        self.folder.mkdir(exist_ok=True)

    def __getitem__(self, grid: tuple[int, ...]) -> Callable[..., None]:
        def launch(*arguments: Any, num_warps: int = 4, num_stages: int = 3, **named: Any) -> None:
            options = {"num_stages": num_stages, **self.options}
            orders = options.pop("orders", (0,))
            compiled = self.compile(arguments, named, num_warps, options)
            for order in orders:
                emulate.launch(compiled, list(arguments), grid, order)

        return launch

    def compile(self, arguments: Any, constants: Any, warps: int, options: Any) -> EmulatedKernel:
        names = [name for name in self.kernel.arg_names if name not in constants]
        kinds, known = dict.fromkeys(constants, "constexpr"), []
        for name, value in zip(names, arguments, strict=True):
            kinds[name] = self.kind(value)
            if isinstance(value, torch.Tensor) or (isinstance(value, int) and value % 16 == 0):
                known.append(name)
        ttir = ast_to_ttir(self.kernel, kinds, constants, known, target="cuda:90a", num_warps=warps)
        # A library that is loaded stays: another kernel has another file.
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        return emulate.compile_kernel(ttir, warps, folder, **options)

    @staticmethod
    def kind(value: Any) -> str:
        if isinstance(value, torch.Tensor):
            return NAMES[value.dtype]
        return "fp32" if isinstance(value, float) else "i32"


@pytest.fixture
def emulated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Launches a problem's kernels in the emulator, and compares."""
    monkeypatch.setattr(tensors, "DEVICE", "cpu")

    def run(problem: Problem, config: dict[str, int], **options: Any) -> None:
        for module in (attention_kernels, attention_gradients):
            for name, kernel in list(vars(module).items()):
                if hasattr(kernel, "arg_names") and not name.startswith("_"):
                    monkeypatch.setattr(module, name, Launcher(kernel, tmp_path, options))
        memory = aligned(problem.make(torch.Generator().manual_seed(0)))
        memory[-1].fill_(float("nan"))
        problem.launch(memory, config)
        expected = problem.expected(memory)
        error = (memory[-1].double() - expected).norm() / expected.norm()
        assert error <= problem.tolerance

    return run


def aligned(memory: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
    """The same at multiples of 16 bytes, as on a GPU."""
    moved = []
    for tensor in memory:
        room = torch.empty(tensor.numel() + 16, dtype=tensor.dtype)
        skip = -room.data_ptr() % 16 // tensor.element_size()
        place = room[skip : skip + tensor.numel()].view(tensor.shape)
        moved.append(place.copy_(tensor))
    return tuple(moved)


def config(rows: int, columns: int, warps: int, stages: int = 2) -> dict[str, int]:
    return {"BM": rows, "BN": columns, "num_warps": warps, "num_stages": stages}


FULL, CAUSAL = Shape(2, 192, 64), Shape(2, 192, 64, causal=True)


@pytest.mark.every(2)
@pytest.mark.parametrize("warps", [4, 8])
@pytest.mark.parametrize("shape", [FULL, CAUSAL], ids=["full", "causal"])
@pytest.mark.parametrize("of_queries", [False, True], ids=["keys", "queries"])
def test_gradients(emulated: Callable[..., None], shape: Shape, of_queries: bool, warps: int):
    """Each tile is there once; products take it as it lies and transposed."""
    emulated(attentions.gradients(shape, of_queries), config(64, 64, warps))


@pytest.mark.parametrize("specialize", ["never", "always"])
def test_gradients_with_and_without_a_warp_that_copies(
    emulated: Callable[..., None], specialize: str
):
    problem = attentions.gradients(CAUSAL, of_queries=True)
    emulated(problem, config(64, 64, 8), specialize_warps=specialize)


@pytest.mark.every(2)
@pytest.mark.parametrize(
    "shape",
    [
        CAUSAL,
        Shape(2, 192, 64, causal=True, dtype=torch.bfloat16),
        Shape(4, 128, 64, causal=True, group=2),
        Shape(1, 256, 64, window=100),
        Shape(2, 128, 40),
        Shape(1, 128, 256),
    ],
    ids=lambda shape: shape.name(),
)
@pytest.mark.parametrize("warps", [4, 8])
def test_variants(emulated: Callable[..., None], shape: Shape, warps: int):
    """Values that are loaded before the scores are there stay where they were copied to."""
    emulated(attentions.masked(shape), config(64, 64, warps))


@pytest.mark.every(2)
@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
@pytest.mark.parametrize("dims", [32, 64, 128])
@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.float8_e5m2], ids=str)
def test_8_bit_floats(emulated: Callable[..., None], dtype: torch.dtype, dims: int, causal: bool):
    """Lanes exchange powers in words: a product leaves them where the next one does not read."""
    problem = attentions.turned(Shape(1, 256, dims, dtype=dtype, causal=causal))
    emulated(problem, config(64, 64, 4))
    emulated(problem, config(128, 128, 8))


@pytest.mark.every(2)
@pytest.mark.parametrize("specialize", ["never", "always"])
@pytest.mark.parametrize("blocks", [(64, 64), (128, 64), (64, 128)], ids=str)
def test_a_mask_in_every_turn(
    emulated: Callable[..., None], blocks: tuple[int, int], specialize: str
):
    """Turns below the diagonal lose it; the first block of rows has none of them."""
    shape = Shape(1, 256, 64, causal=True)
    options = {"specialize_warps": specialize}
    emulated(attentions.in_one_loop(shape), config(*blocks, 4), **options)


def test_keys_in_pages(emulated: Callable[..., None]):
    """Rows that lie anywhere are loaded in pieces of 16 bytes: each begins at a multiple."""
    made = attentions.paged(3, 256, 64, 16, 16)
    emulated(made, {"SPLITS": 2, "BN": 64, "num_warps": 4, "num_stages": 2})


@pytest.mark.parametrize("lengths", [(130, 64, 1), (257, 192)], ids=str)
def test_sequences_one_behind_the_other(emulated: Callable[..., None], lengths: tuple[int, ...]):
    emulated(attentions.varied(lengths, 2, 64), config(64, 64, 4))


@pytest.mark.parametrize("window", [1, 63, 64, 130])
def test_a_window_has_turns_without_masks_only_where_it_is_wide(
    emulated: Callable[..., None], window: int
):
    emulated(attentions.masked(Shape(1, 256, 64, window=window)), config(64, 64, 4))


FORMS: dict[str, Callable[[int], Problem]] = {
    "full": lambda dims: attentions.plain(Shape(1, 256, dims)),
    "causal": lambda dims: attentions.masked(Shape(1, 256, dims, causal=True)),
    "causal in one loop": lambda dims: attentions.in_one_loop(Shape(1, 256, dims, causal=True)),
    "8 bits": lambda dims: attentions.turned(Shape(1, 256, dims, dtype=torch.float8_e4m3fn)),
    "window": lambda dims: attentions.masked(Shape(1, 384, dims, window=150)),
    "gradients of keys": lambda dims: attentions.gradients(Shape(1, 256, dims), False),
    "gradients of queries": lambda dims: attentions.gradients(Shape(1, 256, dims), True),
}


FILLED_UP = ("causal", "window")
"""Those of kernels that take heads of any size: of the others, sizes are powers of two."""


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("form", "dims"),
    [(form, dims) for form in FORMS for dims in (32, 64, 128, 256)]
    + [(form, 96) for form in FILLED_UP],
)
def test_every_configuration_that_is_timed(emulated: Callable[..., None], form: str, dims: int):
    """Nobody writes what others still read, in whatever order threads run."""
    problem = FORMS[form](dims)
    for one in problem.configs:
        emulated(problem, one, orders=(0, 1, 2))
