"""Kernels that users have reported to be compiled wrong are right on the CPU, and in the emulator.

On a GPU, `scripts/gpu-check --there --threads` runs them.
"""

from __future__ import annotations

import inspect
import subprocess
import sys
from types import ModuleType
from typing import Any

import pytest
import torch
from block_pointers import needs_block_pointers
from gpu_check import threads
from gpu_check.threads import fla_640, fla_984, fla_1262

pytestmark = needs_block_pointers


def run(monkeypatch: pytest.MonkeyPatch, module: ModuleType, *tuned: Any) -> dict[str, Any]:
    """The tensors of a case, after its kernels have run in their first configuration."""
    for kernel in tuned:
        monkeypatch.setattr(kernel, "configs", kernel.configs[:1])
    tensors: dict[str, Any] = module.case()
    return tensors


@pytest.mark.parametrize(
    ("module", "kernel", "scale"), [(fla_640, "chunk_gradients", 100**-0.5), (fla_984, "", None)]
)
def test_gradients_are_those_of_torch(
    module: Any, kernel: str, scale: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    tensors = run(monkeypatch, module, getattr(module, kernel or "factor_gradients"))
    names = inspect.signature(module.expected).parameters
    given = {name: tensors.get(name, scale) for name in names}
    for name, want in module.expected(**given).items():
        torch.testing.assert_close(tensors[name], want, rtol=5e-3, atol=5e-3)


def test_gradients_of_ones_are_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    given = run(monkeypatch, fla_1262, fla_1262.state_gradients, fla_1262.value_gradients)
    assert torch.equal(given["dh"], fla_1262.states_expected(given["q"], given["do"], 1))
    # Each value counts 153 columns for itself and all that come after it.
    rows = given["q"].shape[1]
    behind = torch.arange(rows, 0, -1, dtype=torch.float64) * 153
    want = behind[:, None].expand(-1, given["dv"].shape[2])
    torch.testing.assert_close(given["dv"][0].double(), want, rtol=1e-3, atol=0)


@pytest.mark.nightly
@pytest.mark.parametrize("thread", threads.THREADS[:3], ids=lambda thread: thread.name)
def test_every_configuration_is_right_in_the_emulator(thread: threads.Thread) -> None:
    words = ["--configs", "--targets", "cpu,emulated", *thread.words]
    command = [sys.executable, "-m", "triton_shared.diff", str(thread.source), *words]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
