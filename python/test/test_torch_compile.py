"""torch.compile finds this device by its name and compiles its own kernels with it."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch


def test_inductor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from torch._inductor import config

    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))

    def loss(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        normal = torch.nn.functional.layer_norm(x, (x.shape[-1],), w)
        return torch.softmax(torch.nn.functional.gelu(normal), dim=-1).square().sum()

    x, w = torch.randn(33, 100), torch.randn(100)
    gradients = []
    with config.patch(cpu_backend="triton", compile_threads=1):
        for function in (loss, torch.compile(loss)):
            leaf = w.clone().requires_grad_()
            function(x, leaf).backward()
            gradients.append(leaf.grad)
    torch.testing.assert_close(gradients[0], gradients[1], rtol=1e-5, atol=1e-6)
    generated = "".join(path.read_text() for path in tmp_path.rglob("*.py"))
    assert "@triton.jit" in generated
