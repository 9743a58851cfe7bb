"""How the autotuner times configurations on a GPU: all are compiled first, in threads.

Compiling is what a search takes most of its time for, and `ptxas` most of that. Times are Triton's.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from .. import benchmark, tuning


class Benchmarker:
    """Triton's own loop, for one autotuner."""

    def __init__(self) -> None:
        self._arguments: tuple[Any, ...] | None = None
        self._compiled: list[Any] = []
        self._clock = tuning.Clock("", 0)

    def __call__(self, run: Any, **how: Any) -> Any:
        """The times of `run`, in milliseconds."""
        from triton.testing import do_bench

        request = benchmark.read(run)
        if request is None:
            return do_bench(run, **how)
        self._compile_all(request)
        times = do_bench(run, **how)
        self._clock.note(times)
        return times

    def _compile_all(self, request: benchmark.Request) -> None:
        if request.arguments != self._arguments:
            self._arguments, self._compiled = request.arguments, []
        if request.config in self._compiled:
            return
        self._compiled = list(benchmark.find_configs(request.config))
        self._clock = tuning.Clock(request.kernel.__name__, len(self._compiled))
        tuning.compile_ahead(
            request.kernel, [partial(_compile, request, config) for config in self._compiled]
        )


def _compile(request: benchmark.Request, config: Any) -> None:
    """A hook may set what the kernel is compiled for, as the blocks of descriptors; it runs again
    before each launch."""
    if config.pre_hook is not None:
        config.pre_hook({**request.named, **config.all_kwargs()})
    request.compile(config)
