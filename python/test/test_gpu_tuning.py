"""The autotuner on a GPU: what it times has been compiled before, in threads."""

from __future__ import annotations

import sys
import threading
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from test_gpu_cubins import compiled
from triton_shared.backend import compiler

__all__ = ["compiled"]


@triton.jit
def scale(x, out, n, by: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) * by, mask=at < n)


@pytest.fixture
def timed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """For each configuration that is timed: how many kernels have been compiled by then."""
    made: list[int] = []
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    # Python 3.11 fails to parse in several threads at once, from time to time.
    parse, alone = scale.parse, threading.Lock()

    def parse_alone() -> Any:
        with alone:
            return parse()

    monkeypatch.setattr(scale, "parse", parse_alone)
    monkeypatch.setattr(
        triton.knobs.compilation, "listener", lambda **_: made.append(threading.get_ident())
    )
    seen: list[int] = []

    def time(run: Any, **_: Any) -> list[float]:
        seen.append(len(made))
        run()
        return [1.0, 1.0, 1.0]

    monkeypatch.setattr(triton.testing, "do_bench", time)
    return seen


def tune(configs: list[triton.Config], n: int) -> None:
    scale.device_caches.clear()
    x = torch.empty(n, device="meta")
    triton.autotune(configs, key=["n"])(scale)[(1,)](x, x, n)


def test_all_are_compiled_before_the_first_is_timed(
    compiled: list[Any], timed: list[int], monkeypatch: pytest.MonkeyPatch
):
    """The front end may go on with one while the compiler is at another: both meet here."""
    together = threading.Barrier(2, timeout=60)
    original = compiler._make_ttir

    def make_ttir(*given: Any) -> Any:
        together.wait()
        return original(*given)

    monkeypatch.setattr(compiler, "_make_ttir", make_ttir)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    tune([triton.Config({"by": 3, "BLOCK": block}) for block in (32, 64, 128, 256)], 1000)
    assert timed[:4] == [4, 4, 4, 4]


def test_what_does_not_compile_is_named_when_it_is_timed(compiled: list[Any], timed: list[int]):
    configs = [triton.Config({"by": 5, "BLOCK": block}) for block in (64, 24)]
    with pytest.raises(triton.CompilationError, match="power of 2"):
        tune(configs, 1001)
    assert len(timed) == 2


def test_a_hook_sets_what_its_configuration_is_compiled_for(compiled: list[Any], timed: list[int]):
    seen: list[int] = []
    configs = [
        triton.Config({"by": 7, "BLOCK": block}, pre_hook=lambda given: seen.append(given["BLOCK"]))
        for block in (32, 64)
    ]
    tune(configs, 1002)
    assert seen[:2] == [32, 64]
    assert timed[:2] == [2, 2]


@pytest.mark.parametrize("is_terminal", [False, True])
def test_a_terminal_sees_how_far_the_search_is(
    is_terminal: bool,
    compiled: list[Any],
    timed: list[int],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal, raising=False)
    tune([triton.Config({"by": 9, "BLOCK": block}) for block in (32, 64, 128)], 1003)
    said = capsys.readouterr().err
    for words in ("compiling 3 configurations of scale", "tuning scale: 2 of 3"):
        assert (words in said) == is_terminal, words
