"""What the tests of torchao's kernels share: the list of cases, and how a result is judged.

A case returns two functions without arguments: what torchao's own wrapper makes of some tensors,
and what it should be, by torchao's own reference or PyTorch's operations. Numbers that are only
near to it have a bound (`Near`); all else is equal, bit by bit.
"""

from __future__ import annotations

import importlib
import itertools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple
from unittest import mock

import torch
from clients import packages
from triton_shared.run import cuda_means_cpu

Run = Callable[[], Any]
Make = Callable[..., tuple[Run, Run]]

FP8 = torch.float8_e4m3fn
SMALL_TYPES = (FP8, torch.float8_e5m2)
REAL_TYPES = (torch.float32, torch.bfloat16, torch.float16)
ROUNDING = {torch.float64: 2.0**-53, torch.float32: 2.0**-24, torch.float16: 2.0**-11,
            torch.bfloat16: 2.0**-8}  # fmt: skip
"""The largest relative error of a number that is rounded; of bf16, whichever way it is."""


class Near(NamedTuple):
    """A tensor, and how far each of its numbers may be off."""

    want: torch.Tensor
    bound: torch.Tensor


@dataclass(frozen=True)
class Case:
    """One wrapper of torchao on some tensors, and the kernels that it launches."""

    make: Make
    parameters: dict[str, Any]
    kernels: frozenset[str]
    """Each with its module, `module:kernel`, below `torchao`."""

    @property
    def name(self) -> str:
        words = [_word(value) for value in self.parameters.values()]
        return "-".join([self.make.__name__, *words])


CASES: list[Case] = []


def _word(value: Any) -> str:
    if isinstance(value, torch.dtype):
        return str(value).removeprefix("torch.")
    return "x".join(map(str, value)) if isinstance(value, tuple) else str(value)


def case(module: str, *kernels: str, **parameters: Any) -> Callable[[Make], Make]:
    """Adds cases to the list, one for each choice of parameters; kernels may name a module."""
    names = frozenset(k if ":" in k else f"{module}:{k}" for k in kernels)

    def add(make: Make) -> Make:
        for values in itertools.product(*parameters.values()):
            CASES.append(Case(make, dict(zip(parameters, values, strict=True)), names))
        return make

    return add


@contextmanager
def as_on_a_gpu() -> Iterator[None]:
    """Inside the block, torch says that it has the newest GPU that torchao asks for."""
    with (
        cuda_means_cpu(),
        mock.patch.object(torch.version, "cuda", "12.8"),
        mock.patch.object(torch.cuda, "get_device_capability", return_value=(10, 0)),
    ):
        yield


@contextmanager
def any_key() -> Iterator[None]:
    """Inside the block, a kernel that is tuned may name what it has not, as before Triton 3.9.

    One of torchao's does so, in a package of many others.
    """
    from triton.runtime.autotuner import Autotuner

    make = Autotuner.__init__

    def made(self: Any, fn: Any, names: Any, configs: Any, key: Any, *args: Any, **words: Any):
        known = [name for name in key if name in names]
        make(self, fn, names, configs, known, *args, **words)

    with mock.patch.object(Autotuner, "__init__", made):
        yield


def torchao(module: str) -> Any:
    """A module below `torchao`, whose kernels are not tuned."""
    packages.use()
    with as_on_a_gpu(), any_key():
        loaded = importlib.import_module(f"torchao.{module}")
    _first_configurations()
    return loaded


def _first_configurations() -> None:
    from triton.runtime.autotuner import Autotuner

    for name, module in list(sys.modules.items()):
        if name.startswith("torchao."):
            for value in vars(module).values():
                if isinstance(value, Autotuner):
                    # Several kernels, and their wrappers, share a list.
                    value.configs = value.configs[:1]


@contextmanager
def launched_kernels() -> Iterator[set[str]]:
    """Inside the block, the set has every kernel that was launched, as `module:kernel`."""
    from triton.runtime.jit import JITFunction

    names: set[str] = set()
    run = JITFunction.run

    def noting(self: Any, *args: Any, **kwargs: Any) -> Any:
        names.add(f"{self.fn.__module__.removeprefix('torchao.')}:{self.fn.__name__}")
        return run(self, *args, **kwargs)

    with mock.patch.object(JITFunction, "run", noting):
        yield names


def normal(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(shape).to(dtype)


def whole(*shape: int, most: int = 127, dtype: torch.dtype = torch.int8) -> torch.Tensor:
    """Whole numbers from `-most - 1` to `most`."""
    return torch.randint(-most - 1, most + 1, shape).to(dtype)


def small(*shape: int) -> torch.Tensor:
    """Normal numbers as 8-bit floats."""
    return normal(*shape).to(FP8)


def product(
    a: torch.Tensor, b: torch.Tensor, kind: torch.dtype, factor: Any = 1.0, added: Any = 0.0
) -> Near:
    """`a @ b * factor + added`, of which a kernel adds up the products in f32 in some order."""
    wide = torch.promote_types(kind, torch.float32)
    a, b = a.double(), b.double()
    want = (a @ b) * factor + added
    size = (a.abs() @ b.abs()) * abs(factor) + abs(torch.as_tensor(added))
    # One rounding for each product, and some for factors.
    bound = size * (a.shape[-1] + 4) * ROUNDING[wide] + want.abs() * 2 * ROUNDING[kind]
    return Near(want, bound)


def check(got: torch.Tensor, want: torch.Tensor | Near) -> None:
    """Fails if a result is not as it should be."""
    if isinstance(want, Near):
        off = (got.double() - want.want).abs()
        assert got.shape == want.want.shape
        far = off > want.bound
        assert not far.any(), f"{int(far.sum())} of {far.numel()} are off by up to {off.max()}"
        return
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    different = bits(got) != bits(want)
    assert not different.any(), (
        f"{int(different.sum())} of {different.numel()} differ, first at "
        f"{different.nonzero()[0].tolist()}: {got[different][:4]} instead of {want[different][:4]}"
    )


def bits(x: torch.Tensor) -> torch.Tensor:
    """A tensor's bits as whole numbers."""
    kind = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[x.element_size()]
    return x.contiguous().view(kind)


def numbers(x: torch.Tensor | Near) -> torch.Tensor:
    """What is measured of a result: bytes that hold two numbers each count as they are."""
    return (x.want if isinstance(x, Near) else x).detach().double()


def quantized(
    x: torch.Tensor, axes: tuple[int, ...], kind: torch.dtype = FP8
) -> tuple[torch.Tensor, torch.Tensor]:
    """8-bit floats whose largest along some axes is 448, and the factor that gives `x` again."""
    wide = x.float()
    factor = wide.abs().amax(axes, keepdim=True) / 448
    return (wide / factor).to(kind), factor
