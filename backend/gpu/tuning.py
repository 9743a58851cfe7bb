"""How the autotuner times configurations on a GPU: all are compiled first, in threads.

Compiling is what a search takes most of its time for, and `ptxas` most of that. Times are Triton's.
If the first configuration that is timed turns out to need the other form of its kernel, for want of
a tensor map, those of the others are compiled in threads as well.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from triton_shared.cuda.other_form import OtherForm

from .. import benchmark, tuning


class Benchmarker:
    """Triton's own loop, for one autotuner."""

    def __init__(self) -> None:
        self._arguments: tuple[Any, ...] | None = None
        self._compiled: list[Any] = []
        self._has_looked = False
        self._clock = tuning.Clock("", 0)

    def __call__(self, run: Any, **how: Any) -> Any:
        """The times of `run`, in milliseconds."""
        from triton.testing import do_bench

        request = benchmark.read(run)
        if request is None:
            return do_bench(run, **how)
        self._compile_all(request)
        times = do_bench(run, **how)
        if not self._has_looked:
            self._has_looked = True
            _compile_other_forms(request, self._compiled)
        self._clock.note(times)
        return times

    def _compile_all(self, request: benchmark.Request) -> None:
        if request.arguments != self._arguments:
            self._arguments, self._compiled = request.arguments, []
        if request.config in self._compiled:
            return
        self._has_looked = False
        self._compiled = list(benchmark.find_configs(request.config))
        self._clock = tuning.Clock(request.kernel.__name__, len(self._compiled))
        tuning.compile_ahead(
            request.kernel, [partial(_compile, request, config) for config in self._compiled]
        )


def _compile(request: benchmark.Request, config: Any) -> Any:
    """A hook may set what the kernel is compiled for, as the blocks of descriptors; it runs again
    before each launch."""
    if config.pre_hook is not None:
        config.pre_hook({**request.named, **config.all_kwargs()})
    return request.compile(config)


def _compile_other_forms(request: benchmark.Request, configs: list[Any]) -> None:
    """Puts them into Triton's cache, if the configuration that was timed has needed its own."""
    timed = _find_other_form(request, request.config)
    if timed is None or not timed.is_made:
        return
    rest = (_find_other_form(request, config) for config in configs if config is not request.config)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for other in rest:
            if other is not None:
                pool.submit(other.compile)


def _find_other_form(request: benchmark.Request, config: Any) -> OtherForm | None:
    try:
        launcher = _compile(request, config).run
    except Exception:  # It says so when it is timed.
        return None
    found = getattr(launcher, "other_form", None)
    return found if isinstance(found, OtherForm) else None
