"""The autotuner on the CPU: what is the same there is compiled and timed once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
