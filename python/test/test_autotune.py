"""The autotuner on the CPU: what is the same there is compiled and timed once."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from triton.language.extra import cuda


@triton.jit
def double(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) * 2, mask=at < n)


@triton.jit
def warps_of(out, n):
    tl.store(out, cuda.num_warps())


@triton.jit
def stages_of(out, n, num_stages: tl.constexpr):
    tl.store(out, num_stages)


@pytest.fixture
def compiled() -> Iterator[list[int]]:
    """The `num_warps` of every kernel that is compiled."""
    seen: list[int] = []
    triton.knobs.compilation.listener = lambda **event: seen.append(event["metadata"]["num_warps"])
    yield seen
    triton.knobs.compilation.listener = None


def tune(kernel: Any, configs: list[triton.Config], **more: Any) -> Any:
    kernel.device_caches.clear()
    return triton.autotune(configs, key=["n"], **more)(kernel)


def run_double(tuned: Any, n: int = 100) -> None:
    x, out = torch.arange(float(n)), torch.zeros(n)
    tuned[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, out, n)
    assert torch.equal(out, 2 * x)


def fields(blocks: tuple[int, ...]) -> list[triton.Config]:
    return [
        triton.Config({"BLOCK": block}, num_warps=warps, num_stages=stages, maxnreg=registers)
        for block in blocks
        for warps in (2, 4, 8)
        for stages, registers in ((2, None), (3, 64))
    ]


def test_what_differs_in_fields_of_a_gpu_is_compiled_and_timed_once(
    compiled: list[int], monkeypatch: pytest.MonkeyPatch
):
    calls = count_benchmarks(monkeypatch)
    configs = fields((32, 128))
    tuned = tune(double, configs)
    run_double(tuned)
    assert compiled == [2, 2], "one of each block"
    assert len(calls) == 2
    assert tuned.best_config in (configs[0], configs[6]), "the first of its twins"
    assert list(tuned.configs_timings) == configs
    assert len({tuple(times) for times in tuned.configs_timings.values()}) == 2


def test_other_arguments_are_timed_again(monkeypatch: pytest.MonkeyPatch):
    calls = count_benchmarks(monkeypatch)
    tuned = tune(double, fields((32,)))
    for n in (100, 200, 100):
        run_double(tuned, n)
    assert len(calls) == 2
    tuned.cache.clear()
    x, out = torch.arange(100.0), torch.zeros(100)
    for _ in range(2):  # The very same arguments, and the user wants new times.
        tuned.cache.clear()
        tuned[(4,)](x, out, 100)
    assert len(calls) == 4


def test_a_kernel_that_asks_for_its_warps_gets_the_answer_of_its_configuration(
    compiled: list[int],
):
    tuned = tune(warps_of, [triton.Config({}, num_warps=warps) for warps in (2, 8)])
    out = torch.zeros(1, dtype=torch.int32)
    tuned[(1,)](out, 1)
    assert compiled == [2, 8]
    assert out.item() == tuned.best_config.num_warps
    for warps in (1, 4):
        warps_of[(1,)](out, 1, num_warps=warps)
        assert out.item() == warps


def test_a_kernel_that_asks_for_its_warps_does_so_when_it_comes_from_the_cache(
    compiled: list[int],
):
    for _ in range(2):
        tuned = tune(warps_of, [triton.Config({}, num_warps=warps) for warps in (2, 8)])
        tuned[(1,)](torch.zeros(1, dtype=torch.int32), 1)
    assert compiled == [2, 8, 2, 8]


def test_a_parameter_with_the_name_of_a_field_means_something(compiled: list[int]):
    configs = [triton.Config({}, num_stages=stages) for stages in (1, 2)]
    tuned = tune(stages_of, configs)
    out = torch.zeros(1, dtype=torch.int32)
    tuned[(1,)](out, 1)
    assert len(compiled) == 2
    assert out.item() == tuned.best_config.num_stages


def test_a_kernel_keeps_the_number_of_warps_that_it_was_launched_with():
    x, out = torch.arange(20.0), torch.zeros(20)
    for warps in (2, 8):
        assert double[(1,)](x, out, 20, BLOCK=32, num_warps=warps).metadata.num_warps == warps


def test_heuristics_may_look_at_every_field(compiled: list[int]):
    chosen = triton.heuristics({"BLOCK": lambda args: 16 * args["num_warps"]})(double)
    configs = [triton.Config({}, num_warps=warps) for warps in (2, 8)]
    double.device_caches.clear()
    tuned = triton.autotune(configs, key=["n"])(chosen)
    x, out = torch.arange(20.0), torch.zeros(20)
    tuned[(1,)](x, out, 20)
    assert compiled == [2, 8]


def test_a_benchmark_of_the_user_s_own_is_asked_for_every_configuration():
    asked: list[int] = []

    def own(run: Callable[[], Any], quantiles: Any) -> list[float]:
        run()
        asked.append(1)
        return [1.0, 1.0, 1.0]

    run_double(tune(double, fields((32,)), do_bench=own))
    assert len(asked) == 6


def count_benchmarks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    calls: list[int] = []
    original = triton.testing.do_bench

    def counted(run: Callable[[], Any], **how: Any) -> Any:
        calls.append(1)
        return original(run, warmup=1, rep=2, **how)

    monkeypatch.setattr(triton.testing, "do_bench", counted)
    return calls


def test_configurations_are_compiled_in_threads(monkeypatch: pytest.MonkeyPatch):
    """The front end may go on with one while the compiler is at another: both meet here."""
    from triton_shared.backend import compiler

    together = threading.Barrier(2, timeout=60)
    original = compiler._make_ttir

    def make_ttir(*given: Any) -> Any:
        together.wait()
        return original(*given)

    monkeypatch.setattr(compiler, "_make_ttir", make_ttir)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    run_double(tune(double, fields((16, 64))), 101)


def test_what_does_not_compile_fails_in_its_own_configuration(compiled: list[int]):
    configs = [triton.Config({"BLOCK": block}) for block in (24, 32)]
    tuned = tune(double, configs)
    with pytest.raises(triton.CompilationError, match="power of 2"):
        run_double(tuned, 102)


def test_what_threads_cannot_parse_is_compiled_when_it_runs(monkeypatch: pytest.MonkeyPatch):
    """Python 3.11 fails to parse in several threads at once, from time to time."""
    parse = double.parse
    failed: list[threading.Thread] = []

    def parse_here() -> Any:
        if threading.current_thread() is threading.main_thread():
            return parse()
        failed.append(threading.current_thread())
        raise SystemError("AST constructor recursion depth mismatch")

    monkeypatch.setattr(double, "parse", parse_here)
    # Blocks of their own: what an earlier run has kept on disk is not parsed.
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    run_double(tune(double, fields((16, 64))))
    assert len(failed) >= 2


def test_a_hook_of_a_configuration_runs_before_the_kernel_is_compiled():
    """It may set what the kernel is compiled for."""
    hooks: list[int] = []
    configs = [
        triton.Config({"BLOCK": block}, pre_hook=lambda args: hooks.append(args["BLOCK"]))
        for block in (32, 128)
    ]
    run_double(tune(double, configs), 103)
    assert set(hooks) == {32, 128}


def test_tuning_ends_in_time_and_takes_the_best_so_far(
    compiled: list[int], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("TRITON_SHARED_TUNING_SECONDS", "1e-9")
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    configs = fields((16, 32, 64, 128, 256))
    tuned = tune(double, configs)
    run_double(tuned, 104)
    assert tuned.best_config == configs[0], "the only one that was timed"
    assert len(compiled) == 2, "no more than were compiled beside it"
    times = [timing[0] for timing in tuned.configs_timings.values()]
    assert times[0] < float("inf")
    assert times[-1] == float("inf")


@pytest.mark.parametrize("text", ["many", "-1", "inf", "nan"])
def test_a_bound_that_is_none_is_refused(text: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TRITON_SHARED_TUNING_SECONDS", text)
    with pytest.raises(ValueError, match="must be a number of seconds"):
        run_double(tune(double, fields((32, 64))), 105)


def test_results_are_kept_on_disk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    configs = [triton.Config({"BLOCK": block}) for block in (32, 64)]
    first = tune(double, configs, cache_results=True)
    run_double(first, 106)
    monkeypatch.setattr("triton_shared.backend.tuning.measure", None)  # Nobody may call it.
    second = tune(double, configs, cache_results=True)
    run_double(second, 106)
    assert second.best_config == first.best_config
    assert list(tmp_path.glob("*/*.autotune.json"))


def test_a_long_kernel_is_run_a_few_times_and_a_hopeless_one_twice():
    from triton_shared.backend import tuning

    runs: list[int] = []

    def run_for(seconds: float) -> Callable[[], None]:
        return lambda: (runs.append(1), time.sleep(seconds))[0]

    long = tuning.measure(run_for(0.06), float("inf"), (0.5, 0.2, 0.8))
    assert len(runs) == 4, "once before it is timed, then three times"
    assert long[1] <= long[0] <= long[2]
    runs.clear()
    hopeless = tuning.measure(run_for(0.06), 1.0, (0.5, 0.2, 0.8))
    assert len(runs) == 3
    assert hopeless == [hopeless[0]] * 3


@pytest.mark.parametrize("is_terminal", [False, True])
def test_progress_is_shown_on_a_terminal_only(
    is_terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal, raising=False)
    run_double(tune(double, fields((32, 64))), 107)
    said = capsys.readouterr().err
    assert ("tuning double: 3 of 12" in said) == is_terminal
    assert said.endswith("\r") == is_terminal, "nothing is left of it"
