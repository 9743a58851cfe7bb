"""Tensors as arguments of a launch, whatever tells where they lie: their library, or attributes."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from kernels import scale

N = 16


@pytest.fixture(scope="module")
def launch() -> Any:
    """Runs a kernel compiled for f32 on any `x`, past Triton's own look at it."""
    compiled = scale[(1,)](torch.ones(N), torch.empty(N), N, 2.0, BLOCK=N)

    def run(x: Any) -> torch.Tensor:
        out = torch.zeros(N)
        head = (1, 1, 1, 0, compiled.function, compiled.packed_metadata, None, None, None)
        compiled.run(*head, x, out, N, 2.0, N)
        return out

    return run


class Named(torch.Tensor):
    """A class of somebody's own."""


class Elsewhere:
    """What has a tensor's attributes, and is none."""

    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor, self.dtype, self.is_cpu = tensor, tensor.dtype, True

    def data_ptr(self) -> int:
        return self.tensor.data_ptr()


def values() -> torch.Tensor:
    return torch.arange(N, dtype=torch.float32)


FORMS = {
    "tensor": values,
    "view": lambda: torch.arange(-3, N, dtype=torch.float32)[3:],
    "parameter": lambda: torch.nn.Parameter(values()),
    "with gradient": lambda: values().requires_grad_(),
    "result of a gradient": lambda: values().requires_grad_() * 1,
    "of a class of its own": lambda: values().as_subclass(Named),
    "attributes alone": lambda: Elsewhere(values()),
    "address": lambda: values().data_ptr(),
    "inference": lambda: torch.inference_mode()(values)(),
    "expanded": lambda: values().expand(2, N),
    "without dimensions": lambda: values()[0],
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_tensor_is_found(form: str, launch: Any):
    for _ in range(2):  # The second time, nothing is asked twice.
        kept = values()
        x = kept.data_ptr() if form == "address" else FORMS[form]()
        result = launch(x)
        want = values() * 2
        assert result[: 1 if form == "without dimensions" else N].equal(
            want[: 1 if form == "without dimensions" else N]
        )


WRONG = (torch.float16, torch.float64, torch.bool, torch.int8, torch.float8_e5m2)


@pytest.mark.parametrize("dtype", WRONG, ids=str)
def test_another_type_is_refused_each_time(dtype: torch.dtype, launch: Any):
    wrong = torch.zeros(N).to(dtype)
    for _ in range(2):
        launch(values())
        with pytest.raises(TypeError, match="argument 'x_ptr' of kernel 'scale' points at"):
            launch(wrong)
        assert launch(values()).equal(values() * 2)


def test_memory_that_is_not_there_is_refused_each_time(launch: Any):
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        fake = torch.empty(N)
    for wrong in (torch.empty(N, device="meta"), fake):
        for _ in range(2):
            launch(values())
            with pytest.raises((ValueError, TypeError, RuntimeError), match=r"kernel 'scale'"):
                launch(wrong)


def test_types_of_one_library_that_are_told_apart(launch: Any):
    """f32 and i32 have as many bits."""
    launch(values())
    with pytest.raises(TypeError, match="points at i32"):
        launch(torch.zeros(N, dtype=torch.int32))


@pytest.mark.parametrize("is_method", [False, True])
def test_a_launcher_takes_no_keywords(is_method: bool):
    compiled = scale[(1,)](torch.ones(N), torch.empty(N), N, 2.0, BLOCK=N)
    run = compiled.run.__call__ if is_method else compiled.run
    with pytest.raises(TypeError, match="takes no keywords"):
        run(1, 1, 1, stream=0)
    with pytest.raises(TypeError, match="needs grid, stream, function"):
        run(1, 1, 1)
