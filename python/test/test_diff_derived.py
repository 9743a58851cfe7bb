"""`diff --error-bound derived`: bounds that a kernel computes beside its numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
import triton_shared
from triton_shared.diff import derived, recorder, replay
from triton_shared.diff.__main__ import main
from triton_shared.diff.recording import Recording
from triton_shared.errors import CompilationError


@triton.jit
def cancels(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    total = a + tl.load(y + i)
    tl.store(out + i, total - a)


@triton.jit
def softmax(x, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * n + i, mask=i < n, other=float("-inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(out + row * n + i, e / tl.sum(e, 0), mask=i < n)


@triton.jit
def product(a, b, c, K, S: tl.constexpr):
    i, j = tl.arange(0, S)[:, None], tl.arange(0, S)[None, :]
    total = tl.zeros((S, S), tl.float32)
    for k in range(0, K, S):
        total = tl.dot(tl.load(a + i * K + k + j), tl.load(b + (k + i) * S + j), total)
    tl.store(c + i * S + j, total.to(tl.float16))


@triton.jit
def above(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i) * tl.load(y + i)
    tl.store(out + i, tl.where(v > 1.0, v, 0.0))


@triton.jit
def inverse(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, 1.0 / (tl.load(x + i) * tl.load(y + i) - 0.01))


@triton.jit
def masked(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.exp(tl.load(x + i))
    tl.store(out + i, v, mask=v > 1)  # decides


def record(kernel: Any, grid: tuple[int, ...], *given: Any) -> Recording:
    caught: list[Any] = []
    with triton_shared.device("cpu"), recorder.catching(caught, ""):
        kernel[grid](*given)
    recording: Recording = caught[0][0]
    recording.file = ""
    return recording


def leave(launch: Recording, name: str) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """What the kernel leaves on the CPU, in f64, and how far off it may be."""
    view = launch.views()[name]
    found = replay.replay(launch, "cpu").buffers
    return (
        view.of(found).double(),
        view.of(replay.replay(launch, "f64").buffers),
        view.of(derived.derive(launch).buffers),
    )


def random(*shape: int, seed: int = 1) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


class TestBounds:
    def test_what_cancels_has_the_bound_of_what_it_came_from(self):
        x = torch.full((16,), 1e6)
        made, right, bound = leave(record(cancels, (1,), x, random(16), torch.zeros(16), 16), "out")
        # One rounding of a million, not of the one that is left.
        assert bool(((bound > 0.9e6 * 2.0**-24) & (bound < 1.2e6 * 2.0**-24)).all())
        assert 0 < (made - right).abs().max() <= bound.max()

    def test_a_softmax_is_within_few_ulp(self):
        launch = record(softmax, (4,), random(4, 100), torch.zeros(4, 100), 100, 128)
        made, right, bound = leave(launch, "out")
        assert bool(((made - right).abs() <= bound).all())
        # 128 terms in any order, exponentials, and a quotient.
        assert bool((bound < 250 * 2.0**-24 * right).all())

    @pytest.mark.parametrize("K", [16, 256])
    def test_products_of_matrices(self, K: int):
        a, b = random(16, K).half(), random(K, 16, seed=2).half()
        launch = record(product, (1,), a, b, torch.zeros(16, 16).half(), K, 16)
        made, right, bound = leave(launch, "c")
        assert torch.allclose(right, a.double() @ b.double(), atol=1e-9)
        sizes = a.double().abs() @ b.double().abs()
        rounded = right.abs() * 2.0**-11
        assert bool(((made - right).abs() <= bound).all())
        assert bool((bound >= rounded).all())
        assert bool((bound <= rounded + (3 * K + 50) * 2.0**-23 * sizes + 1e-6).all())

    def test_a_choice_that_rounding_may_change_may_be_either(self):
        x = torch.tensor([1.0, 2.0, 1.0, 0.5] * 4)
        y = torch.tensor([1.0, 2.0, 3.0, 0.5] * 4)
        *_, bound = leave(record(above, (1,), x, y, torch.zeros(16), 16), "out")
        near = x * y == 1.0
        assert bool((bound[near] >= 1.0).all())
        assert bool((bound[~near] <= 2.0**-20).all())

    def test_a_divisor_that_may_be_zero_has_none(self):
        x = torch.tensor([0.1] * 8 + [1.0] * 8)
        *_, bound = leave(record(inverse, (1,), x, x, torch.zeros(16), 16), "out")
        assert not bool(bound[:8].isfinite().any())
        assert bool((bound[8:] < 1e-5).all())

    def test_what_has_no_rule_is_named_with_its_line(self):
        launch = record(masked, (1,), random(16), torch.zeros(16), 16)
        with pytest.raises(CompilationError) as caught:
            derived.derive(launch)
        lines = Path(__file__).read_text().splitlines()
        (number,) = [n for n, line in enumerate(lines, 1) if line.endswith("  # decides")]
        assert f"test_diff_derived.py:{number}:" in str(caught.value)
        assert "decides a mask, a branch or an integer by floats" in str(caught.value)


FILE = """
import torch
import triton
import triton.language as tl


@triton.jit
def cancels(x, y, out, EXTRA: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, a + tl.load(y + i) - a + EXTRA)


@triton.jit
def masked(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.exp(tl.load(x + i))
    tl.store(out + i, v, mask=v > 1)


def case_of_sums():
    cancels[(1,)](torch.full((16,), 1e6), torch.rand(16), torch.zeros(16), 0.0, 16)


def case_of_masks():
    masked[(1,)](torch.rand(16), torch.zeros(16), 16)


def cases():
    return [case_of_sums, case_of_masks]
"""


@pytest.fixture(scope="module")
def launches(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Launches by label, compared with derived bounds."""
    folder = tmp_path_factory.mktemp("derived")
    (folder / "sums.py").write_text(FILE)
    words = ["--targets", "cpu,interpreter", "--error-bound", "derived"]
    told = folder / "told.json"
    assert main([str(folder / "sums.py"), *words, "--json", str(told)]) == 0
    return {one["label"]: one for one in json.loads(told.read_text())["launches"]}


class TestCommand:
    @pytest.mark.nightly
    def test_the_bound_is_named(self, launches: dict[str, Any]):
        tensors = {one["argument"]: one for one in launches["case_of_sums"]["tensors"]}
        assert tensors["out"]["policy"] == "derived"
        assert tensors["out"]["margin"] <= 1

    def test_what_is_not_derived_is_told_and_has_another_bound(self, launches: dict[str, Any]):
        found = launches["case_of_masks"]
        assert found["status"] == "equal"
        assert {one["policy"] for one in found["tensors"]} == {"reference"}
        assert "sums.py:18:" in found["underived"]
        assert "decides a mask" in found["underived"]

    def test_configurations_have_none(self, capsys: pytest.CaptureFixture[str]):
        with pytest.raises(SystemExit):
            main(["x.py", "--error-bound", "derived", "--configs"])
        assert "leave out --configs" in capsys.readouterr().err
