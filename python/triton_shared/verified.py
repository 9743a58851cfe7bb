"""An autotuner that picks no configuration whose results are wrong.

Before it times configurations for new arguments, each runs once, and what it leaves is compared
with the CPU's reference mode, within the bounds of `python -m triton_shared.diff`.
"""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
import shutil
import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from triton.runtime.autotuner import Autotuner

from .diff import configurations, report, sweeps, widening, worker, workers
from .diff.recording import RecordingError, load
from .diff.replay import Replayed
from .errors import VerificationError, VerificationWarning
from .terminal import counting, working

_ON_CPU = "reference"
"""The target of reference mode, whatever the environment says."""
_HERE = "here"
"""The results of the device that is tuned for."""


@dataclass(frozen=True)
class _Ran:
    """A configuration that has run on the device that is tuned for."""

    config: Any
    launch: Path


class VerifiedAutotuner(Autotuner):  # type: ignore[misc]
    """Triton's autotuner, with a look at results before the look at times."""

    scratch: tuple[str, ...] = ()
    timeout: float = 120.0
    tolerances: Path | None = None
    _verifies: bool = False
    _right: dict[tuple[Any, ...], bool]

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Launches the fastest of the right configurations."""
        if len(self.configs) == 1:
            self._verify_single(args, kwargs)
            return super().run(*args, **kwargs)
        self._verifies = True
        try:
            return super().run(*args, **kwargs)
        finally:
            self._verifies = False

    def prune_configs(self, kwargs: dict[str, Any]) -> list[Any]:
        """The configurations to time: the right ones of those that Triton would time."""
        configs: list[Any] = super().prune_configs(kwargs)
        if not self._verifies:
            return configs
        self._verifies = False
        return self._find_right(configs, kwargs)

    def _verify_single(self, args: Any, kwargs: dict[str, Any]) -> None:
        """Of one configuration Triton times nothing; it is verified once for each key."""
        given = {**dict(zip(self.arg_names, args, strict=False)), **kwargs}
        types = (str(value.dtype) for value in given.values() if hasattr(value, "dtype"))
        key = (*(given[name] for name in self.keys if name in given), *types)
        if key not in self._right:
            self.nargs = dict(zip(self.arg_names, args, strict=False))
            self._find_right(self.configs, kwargs)
            self._right[key] = True

    def _find_right(self, configs: list[Any], kwargs: dict[str, Any]) -> list[Any]:
        import triton

        name = self.base_fn.__name__
        if triton.knobs.runtime.interpret:
            warnings.warn(
                f"kernel '{name}' is interpreted: its configurations are not verified",
                VerificationWarning,
                stacklevel=4,
            )
            return configs
        with tempfile.TemporaryDirectory() as folder:
            ran = self._run_all(configs, kwargs, Path(folder))
            if not ran:
                return configs  # None fits: Triton says so.
            try:
                with workers.session(), working(f"verifying configurations of {name}"):
                    found = self._compare([one.launch for one in ran])
            except RecordingError as error:
                raise VerificationError(f"kernel '{name}' cannot be verified: {error}") from error
        wrong = self._judge(name, ran, found)
        return [config for config in configs if config not in wrong]

    def _run_all(self, configs: list[Any], kwargs: dict[str, Any], folder: Path) -> list[_Ran]:
        what = f"running configurations of {self.base_fn.__name__}"
        ran: list[_Ran] = []
        with counting(what, len(configs)) as told:
            for number, config in enumerate(configs):
                launch = self._run_once(config, kwargs, folder / f"{number:04}")
                if launch:
                    ran.append(_Ran(config, launch))
                told(number + 1, what)
        return ran

    def _run_once(self, config: Any, kwargs: dict[str, Any], place: Path) -> Path | None:
        """Runs a configuration and keeps it with its results; None if it does not fit."""
        current = {**kwargs, **config.all_kwargs()}
        named = {**self.nargs, **current}
        values = [value for name, value in named.items() if name != "grid"]
        ran: list[sweeps.Ran] = []
        with sweeps.kept_memory(values):
            try:
                with sweeps.hooks_of(self, config, named), sweeps.running(ran):
                    self.fn.run(*self.nargs.values(), **current)
            except Exception as error:
                if sweeps.is_passed_over(error):
                    return None
                raise
        before, after = ran[-1]
        before.file, before.sweep = "", 1
        before.save(place)
        worker.keep(Replayed(after.storages, before.ttir, before.types), place / _HERE)
        return place

    def _compare(self, launches: list[Path]) -> configurations.SweepReport:
        """Compares what is there of each configuration with the CPU."""
        source = inspect.getsourcefile(self.base_fn)
        beside = widening.beside(Path(source)) if source else None
        wider = widening.load(self.tolerances or beside)
        found = _compare(launches, self.scratch, self.timeout, wider)
        told = [*report.widened_lines(*(one.second for one in found.configurations))]
        told = [line.strip() for line in told] + wider.unused_lines([self.base_fn.__name__])
        if told:
            kernel = self.base_fn.__name__
            lines = "\n".join((f"kernel '{kernel}': bounds are wider than those of others", *told))
            warnings.warn(lines, VerificationWarning, stacklevel=6)
        return found

    def _judge(
        self, name: str, ran: Sequence[_Ran], found: configurations.SweepReport
    ) -> list[Any]:
        """Warns of each configuration that is wrong, and gives them."""
        words = sweeps.distinct([one.config.all_kwargs() for one in ran])
        told = [sweeps.describe(one) for one in words]
        failed = [one for one in found.configurations if one.verdict == "failed"]
        if failed:
            why = failed[0].first.message or failed[0].second.message
            raise VerificationError(
                f"kernel '{name}' cannot be verified: {why}\n"
                "verify it with smaller arguments first, or use triton.autotune"
            )
        if not found.is_decided:
            raise VerificationError(
                f"configurations of kernel '{name}' disagree, and nothing says which are right:\n"
                + "\n".join(_describe(told, found))
                + "\nname tensors whose content may depend on the configuration with scratch="
            )
        wrong = [
            one.config
            for one, said in zip(ran, found.configurations, strict=True)
            if said.verdict == "wrong"
        ]
        lines = _describe(told, found)
        if len(wrong) == len(ran):
            raise VerificationError(
                f"every configuration of kernel '{name}' is wrong:\n" + "\n".join(lines)
            )
        if wrong:
            warnings.warn(
                f"kernel '{name}': configurations that are wrong are not used\n" + "\n".join(lines),
                VerificationWarning,
                stacklevel=6,
            )
        return wrong


def _compare(
    launches: list[Path],
    scratch: Sequence[str],
    timeout: float,
    wider: widening.Widenings | None = None,
) -> configurations.SweepReport:
    """Compares what is there of each configuration with the CPU."""
    twins: dict[str, list[Path]] = {}
    for launch in launches:
        twins.setdefault(_meaning(launch), []).append(launch)
    workers.replay_all([first for first, *_ in twins.values()], (_ON_CPU,), timeout)
    for first, *others in twins.values():
        for other in others:
            shutil.copytree(first / _ON_CPU, other / _ON_CPU)
    return configurations.compare_sweep(launches, (_ON_CPU, _HERE), scratch, timeout, wider)


def _meaning(launch: Path) -> str:
    """What a launch does on a CPU: its text, its grid and its memory."""
    loaded = load(launch)
    digest = hashlib.sha256(repr((loaded.ttir, loaded.types, loaded.grid)).encode())
    digest.update(repr(loaded.arguments).encode())
    for storage in loaded.storages:
        digest.update(storage.numpy().tobytes())
    return digest.hexdigest()


def _describe(names: Sequence[str], found: configurations.SweepReport) -> list[str]:
    """Each configuration that is wrong, with where and by how much."""
    lines: list[str] = []
    for name, one in zip(names, found.configurations, strict=True):
        if one.verdict == "wrong":
            named = dataclasses.replace(one, configuration=name)
            lines += report.configuration_lines(named, ("the CPU", "this device"))
    return lines


def verified_autotune(
    configs: list[Any],
    key: list[str],
    prune_configs_by: dict[str, Any] | None = None,
    reset_to_zero: list[str] | None = None,
    restore_value: list[str] | None = None,
    pre_hook: Callable[..., Any] | None = None,
    post_hook: Callable[..., Any] | None = None,
    warmup: int | None = None,
    rep: int | None = None,
    use_cuda_graph: bool = False,
    do_bench: Callable[..., Any] | None = None,
    cache_results: bool = False,
    *,
    scratch: Sequence[str] = (),
    timeout: float = 120.0,
    tolerances: Path | str | None = None,
) -> Callable[[Any], VerifiedAutotuner]:
    """`triton.autotune`, which picks no configuration that is wrong.

    Once for each key, every configuration runs, on the arguments of the launch, and is compared
    with the CPU's reference mode. Of those that are wrong, a `VerificationWarning` says where, and
    by how much. Tensors named in `scratch` may hold what depends on the configuration; `timeout` is
    in seconds, for a launch on the CPU. `tolerances` is a file that widens bounds, that beside the
    kernel's file if it is not given; a `VerificationWarning` says which it has. All other
    parameters are those of `triton.autotune`.

    Raises `VerificationError` where no configuration is right, where configurations disagree and
    nothing says which are right, and where the CPU cannot run one in time.
    """

    def decorator(fn: Any) -> VerifiedAutotuner:
        tuner = VerifiedAutotuner(
            fn, fn.arg_names, configs, key, reset_to_zero, restore_value,
            pre_hook=pre_hook, post_hook=post_hook, prune_configs_by=prune_configs_by,
            warmup=warmup, rep=rep, use_cuda_graph=use_cuda_graph, do_bench=do_bench,
            cache_results=cache_results,
        )  # fmt: skip
        tuner.scratch, tuner.timeout, tuner._right = tuple(scratch), timeout, {}
        tuner.tolerances = Path(tolerances) if tolerances else None
        return tuner

    return decorator
