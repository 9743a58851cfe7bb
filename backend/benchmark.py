"""How the autotuner times configurations: what is the same on a CPU is compiled and timed once.

Configurations for GPUs often differ in fields alone that mean nothing here, as `num_stages`. The
first of such twins is timed, and the others get its times: the autotuner takes the first of the
fastest, so the best configuration stays one of the user's, and is launched with its own fields.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import getclosurevars
from typing import Any

from .watched import READS_WARPS

_OF_A_GPU = frozenset(
    {
        "num_warps", "num_ctas", "num_stages", "maxnreg", "warp_size", "cluster_dims",
        "launch_pdl", "enable_reflect_ftz", "ptx_version", "ptx_options", "min_shared_mem",
        "sched4reg", "clc", "waves_per_eu", "matrix_instr_nonkdim", "kpack",
        "allow_flush_denorm", "schedule_hint", "llvm_fn_attrs", "wgp_cu_mode",
    }
)  # fmt: skip
"""Options of GPUs that change nothing on a CPU, unless the kernel asks for the number of warps."""


@dataclass(frozen=True)
class _Request:
    """What the autotuner wants to have timed."""

    kernel: Any
    config: Any
    arguments: tuple[Any, ...]

    def is_twin(self, other: Any) -> bool:
        """Whether a configuration makes the same code, called in the same way."""
        return self._meaning(self.config) == self._meaning(other)

    def _meaning(self, config: Any) -> tuple[Any, ...]:
        ignored = _OF_A_GPU - set(self.kernel.arg_names)
        if _reads_warps(self.kernel):
            ignored -= {"num_warps"}
        named = {n: value for n, value in config.all_kwargs().items() if n not in ignored}
        return named, config.pre_hook


class Benchmarker:
    """Triton's own loop, for one autotuner."""

    def __init__(self) -> None:
        self._arguments: tuple[Any, ...] = ()
        self._timed: list[tuple[Any, Any]] = []

    def __call__(self, run: Callable[[], Any], **how: Any) -> Any:
        """The times of `run`, in milliseconds, or those of a twin with the same arguments."""
        from triton.testing import do_bench

        request = _read(run)
        if request is None:
            return do_bench(run, **how)
        if request.arguments != self._arguments or request.config in dict(self._timed):
            self._arguments, self._timed = request.arguments, []
        twin = next((times for other, times in self._timed if request.is_twin(other)), None)
        times = do_bench(run, **how) if twin is None else twin
        self._timed.append((request.config, times))
        return times


def _read(run: Callable[[], Any]) -> _Request | None:
    """What is asked for; None if that is not the autotuner, or not a kernel without heuristics.

    The autotuner hands over a function without arguments, and its variables say what it is about.
    """
    from triton.runtime import Autotuner, JITFunction

    try:
        seen = getclosurevars(run).nonlocals
    except TypeError:
        return None
    tuner, config, given = (seen.get(name) for name in ("self", "config", "full_nargs"))
    if not isinstance(tuner, Autotuner) or not isinstance(tuner.fn, JITFunction):
        return None
    if config is None or given is None:
        return None
    own = config.all_kwargs()
    arguments = tuple((n, _identity(v)) for n, v in given.items() if n not in own and n != "grid")
    return _Request(tuner.fn, config, arguments)


def _identity(argument: Any) -> Any:
    """What tells an argument from others, without keeping its memory."""
    if argument is None or isinstance(argument, (bool, int, float, str)):
        return argument
    if hasattr(argument, "data_ptr"):
        return argument.data_ptr(), tuple(argument.shape), str(argument.dtype)
    return id(argument)


def _reads_warps(kernel: Any) -> bool:
    compiled = (made for caches in kernel.device_caches.values() for made in caches[0].values())
    return any(getattr(made.metadata, READS_WARPS, False) for made in compiled)
