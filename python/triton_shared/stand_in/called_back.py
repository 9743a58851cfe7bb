"""What torch calls back, on the CPU that stands in for a GPU: gradients, operations with bodies of
Python. torch leaves a mode of functions while it is in one of them; what it calls from there asks
for "cuda", too."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any
from unittest import mock

import torch
from torch._C import _dispatch_has_kernel_for_dispatch_key as has_body
from torch._library import custom_ops

Mode = Callable[[], AbstractContextManager[Any]]


@contextmanager
def in_mode(mode: Mode) -> Iterator[None]:
    """Inside the block, what torch calls back runs in a mode of its own; an operation that is given
    a body for CUDA has that for the CPU."""
    engine = _within(mode, torch.autograd.graph._engine_run_backward)
    with ExitStack() as stack:
        for module in (torch.autograd, torch.autograd.graph):
            stack.enter_context(mock.patch.object(module, "_engine_run_backward", engine))
        for operation in list(custom_ops.OPDEFS.values()):
            bodies = operation._backend_fns
            within = {device: _within(mode, body) for device, body in bodies.items()}
            stack.enter_context(mock.patch.dict(bodies, within))
        stack.enter_context(mock.patch.object(torch.library.Library, "impl", _given(mode)))
        yield


def _given(mode: Mode) -> Callable[..., None]:
    """What gives an operation its body for a kind of device; the CPU's own comes before CUDA's."""
    give = torch.library.Library.impl

    def impl(self: Any, op_name: Any, fn: Any, dispatch_key: str = "", **words: Any) -> None:
        body = _within(mode, fn)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "(?s).*Overriding a previously registered kernel")
            give(self, op_name, body, dispatch_key, **words)
        name = op_name if isinstance(op_name, str) else op_name.name()
        if (dispatch_key or self.dispatch_key) == "CUDA" and not has_body(
            name if "::" in name else f"{self.ns}::{name}", "CPU"
        ):
            give(self, op_name, body, "CPU", **words)

    return impl


def _within(mode: Mode, function: Any) -> Any:
    """The function, in a mode; what is no function of Python is left as it is."""
    if not hasattr(function, "__code__"):
        return function

    @functools.wraps(function)
    def within(*args: Any, **words: Any) -> Any:
        with mode():
            return function(*args, **words)

    return within
