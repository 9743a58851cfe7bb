"""Launches of other packages, kept and repeated: what benchmarks.gpu.clients times."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from triton.runtime.autotuner import Autotuner

sys.path.insert(0, str(Path(__file__).parents[2]))


from benchmarks.gpu.recorded import MOST_CONFIGS, MOST_OF_ONE, layers_of, recording


@triton.jit
def doubled(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, 2 * tl.load(x + at, mask=at < n), mask=at < n)


@triton.heuristics({"SMALL": lambda given: given["n"] < 100})
@triton.autotune(
    configs=[triton.Config({"BLOCK": 16 << i}) for i in range(2 * MOST_CONFIGS)], key=["n"]
)
@triton.jit
def tuned(x, n, BLOCK: tl.constexpr, SMALL: tl.constexpr):
    """Changes what it reads."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + at, tl.load(x + at, mask=at < n) + (1 if SMALL else 2), mask=at < n)


def grid(meta: dict[str, Any]) -> tuple[int]:
    return (triton.cdiv(meta["n"], meta["BLOCK"]),)


def test_of_launches_that_are_compiled_alike_one_is_kept():
    with recording() as found:
        for n in (40, 40, 50, 60):
            doubled[grid](torch.arange(float(n)), torch.zeros(n), n, BLOCK=16)
    assert [launch.name for launch in found] == ["doubled"] * MOST_OF_ONE
    assert len({launch.signature for launch in found}) == MOST_OF_ONE


def test_a_launch_is_repeated_on_what_its_memory_held():
    x, out = torch.arange(40.0), torch.zeros(40)
    with recording() as found:
        doubled[grid](x, out, 40, BLOCK=16)
    (launch,) = found
    x.zero_(), out.zero_()
    launch.restore()
    launch.run()
    assert torch.equal(out, 2 * torch.arange(40.0))
    assert launch.tensors[1] is out


def test_what_a_tuner_tries_is_no_launch_and_is_forgotten():
    x = torch.zeros(200)
    with recording() as found:
        tuned[grid](x, n=200)
    (launch,) = found
    assert launch.name == "tuned"
    (tuner,) = [layer for layer in layers_of(launch.kernel) if isinstance(layer, Autotuner)]
    assert (len(tuner.configs), len(tuner.cache)) == (MOST_CONFIGS, 1)
    launch.forget_tuning()
    assert len(tuner.cache) == 0
    launch.run()
    assert len(tuner.cache) == 1
    assert launch.config == str(tuner.best_config)
    launch.restore()
    assert torch.equal(x, torch.zeros(200))


def test_what_a_tuner_keeps_on_disk_is_not_read(monkeypatch: pytest.MonkeyPatch):
    x = torch.zeros(200)
    with recording() as found:
        tuned[grid](x, n=200)
    (launch,) = found
    (tuner,) = [layer for layer in layers_of(launch.kernel) if isinstance(layer, Autotuner)]
    monkeypatch.setattr(tuner, "cache_results", True)
    asked: list[Any] = []
    monkeypatch.setattr(tuner, "check_disk_cache", lambda *given: asked.append(given))
    launch.forget_tuning()
    launch.run()
    assert not asked


def test_nothing_is_kept_afterwards():
    with recording() as found:
        pass
    doubled[grid](torch.zeros(16), torch.zeros(16), 16, BLOCK=16)
    assert found == []
