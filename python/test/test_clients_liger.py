"""liger-kernel as it comes from PyPI: every function, forward and backward, against PyTorch."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import liger_layers
import liger_losses
import pytest
import recording
import torch
import torch.nn.functional as F
from liger_cases import CASES, Case, Function, liger, normal, ops


def tensors(result: Any) -> list[torch.Tensor]:
    result = result if isinstance(result, (tuple, list)) else (result,)
    return [member for member in result if isinstance(member, torch.Tensor)]


@pytest.mark.parametrize("make", CASES)
def test_liger(make: Case) -> None:
    torch.manual_seed(0)
    inputs, function, reference = make()
    compare(inputs, function, reference, rtol=1e-4, atol=2e-5)


def compare(
    inputs: tuple[torch.Tensor, ...], function: Function, reference: Function, **tolerance: float
) -> None:
    """Values and gradients of `function` are those of `reference` on the same numbers in f32."""
    results, numbers = [], []
    for run in (reference, function):
        torch.manual_seed(1)
        dtype = torch.float32 if run is reference else inputs[0].dtype
        leaves = [x.to(dtype, copy=True).requires_grad_() for x in inputs]
        # The functions may write to what they are given, so they are given copies.
        outputs = tensors(run(*[leaf.clone() for leaf in leaves]))
        smooth = [y.float() for y in outputs if y.requires_grad]
        sum((y * torch.randn(y.shape)).sum() for y in smooth).backward()
        results.append([y.detach().float() for y in outputs] + [x.grad.float() for x in leaves])
        numbers.append(len(outputs))
    torch.testing.assert_close(results[1], results[0], **tolerance)
    split = numbers[0]
    recording.measured(
        (results[1][:split], results[0][:split]),
        (results[1][split:], results[0][split:]),
        inputs[0].dtype,
    )


SMALL_FLOATS = (
    liger_layers.geglu,
    liger_layers.swiglu,
    liger_layers.swiglu_fused_gate_up,
    liger_layers.relu_squared,
    liger_layers.softmax,
    liger_layers.rms_norm,
    liger_layers.rms_norm_gemma,
    liger_layers.fused_add_rms_norm,
    liger_layers.layer_norm,
    liger_layers.group_norm,
    liger_losses.cross_entropy,
    liger_losses.fused_linear_cross_entropy,
    liger_losses.vocab_parallel_cross_entropy,
    liger_layers.rope,
    liger_layers.qwen2vl_mrope,
    liger_layers.llama4_rope,
    liger_layers.embedding,
    liger_layers.attn_res,
    liger_layers.mhc_pre,
    liger_layers.mhc_post_res,
    liger_layers.fused_moe,
)


@pytest.mark.nightly
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("make", SMALL_FLOATS)
def test_liger_in_small_floats(make: Case, dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    inputs, function, reference = make()
    inputs = tuple(x.to(dtype) for x in inputs)
    compare(inputs, function, reference, rtol=3e-2, atol=6e-2)


@pytest.mark.nightly
def test_dyt(monkeypatch: pytest.MonkeyPatch):
    """Its backward asks what kind of GPU there is; on one kind it makes do without an answer."""
    from liger_kernel.ops import dyt

    monkeypatch.setattr(dyt, "infer_device", lambda: "npu")
    torch.manual_seed(0)
    compare(
        (normal(4, 33), normal(1), normal(33), normal(33)),
        liger.liger_dyt,
        lambda x, alpha, gamma, beta: gamma * torch.tanh(alpha * x) + beta,
        rtol=1e-4,
        atol=2e-5,
    )


@pytest.mark.nightly
def test_mlp_on_host_descriptors():
    """The public function insists on a GPU; the kernels under it, 16 configurations, do not."""
    from liger_kernel.ops import mlp

    torch.manual_seed(0)
    x, gate, up, down = normal(1, 20, 16), normal(24, 16), normal(24, 16), normal(16, 24)
    leaves = [leaf.clone().requires_grad_() for leaf in (x, gate, up)]
    product = F.silu(leaves[0] @ leaves[1].T) * (leaves[0] @ leaves[2].T)
    outside = normal(1, 20, 16)
    (product @ down.T * outside).sum().backward()

    both, config = mlp.gemm_swiglu(x, gate, up, 1.0)
    torch.testing.assert_close(both[..., :24], product.detach(), rtol=1e-4, atol=1e-4)
    mlp.swiglu_backward_dGU(outside, down, both, config, 1.0, 1.0)
    inner = mlp.swiglu_backward_dI(gate, up, both)
    torch.testing.assert_close(inner, leaves[0].grad, rtol=1e-4, atol=1e-4)
    ours = both[..., 24:].reshape(-1, 48).T @ x.reshape(-1, 16)
    theirs = torch.cat((leaves[1].grad, leaves[2].grad))
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-4)


@pytest.mark.nightly
def test_matmul_of_packed_weights(monkeypatch: pytest.MonkeyPatch):
    from liger_kernel.ops.experimental import mm_int8int2 as packed

    torch.manual_seed(0)
    kernel = packed.matmul_kernel
    smallest = min(
        kernel.configs, key=lambda c: c.kwargs["BLOCK_SIZE_M"] * c.kwargs["BLOCK_SIZE_N"]
    )
    monkeypatch.setattr(kernel, "configs", [smallest])
    a = torch.randint(-128, 128, (5, 512), dtype=torch.int8)
    weight = torch.randint(-1, 2, (512, 7), dtype=torch.int8)
    result = packed.matmul(a, packed.pack_weights(weight.clone()))
    assert torch.equal(result, a.int() @ weight.int())


ELSEWHERE = {
    "LigerFusedLinearScaledCrossEntropyTPFunction": "insists on GPUs; without Triton kernels",
    "liger_fused_linear_scaled_cross_entropy_tp": "insists on GPUs; without Triton kernels",
    "LigerMLPFunction": "insists on a GPU; its kernels are run by test_mlp_on_host_descriptors",
    "LigerTiledMLPFunction": "what apply_tiled_mlp applies",
}
"""What this file does not name, and why."""


def test_every_exported_function_is_tested():
    """By its name in one of these files, or by that of the function that calls it."""
    files = (__file__, liger_layers.__file__, liger_losses.__file__)
    text = "".join(Path(file).read_text() for file in files)
    named = set(re.findall(r"\b(?:liger|ops)\.(\w+)", text))
    functions = {name for name in dir(liger) if name.startswith("liger_")}
    calls = "".join(inspect.getsource(getattr(liger, name)) for name in functions & named)
    classes = {
        name
        for name in dir(ops)
        if inspect.isclass(getattr(ops, name)) and name.endswith("Function")
    }
    assert len(functions) >= 30
    assert len(classes) >= 38
    named |= {name for name in classes if re.search(rf"\b{name}\b", calls)}
    assert sorted((functions | classes) - named - ELSEWHERE.keys()) == []
    assert ELSEWHERE.keys() <= functions | classes
