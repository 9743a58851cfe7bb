"""A function of ours in the place of Triton's launches, for a while."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def intercepted_launches(run: Callable[..., Any]) -> Iterator[None]:
    """Inside of the block a launch is `run(launch, kernel, *args, grid=…, warmup=…, …)`.

    `launch` is what was there before and takes the rest; what `run` gives, the caller gets. It
    holds for all threads.
    """
    from triton.runtime.jit import JITFunction

    launch = JITFunction.run

    def replaced(kernel: Any, *args: Any, **named: Any) -> Any:
        return run(launch, kernel, *args, **named)

    JITFunction.run = replaced
    try:
        yield
    finally:
        JITFunction.run = launch
