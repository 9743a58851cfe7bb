"""Models of HuggingFace's classes, compiled by inductor with Triton on CPU tensors.

`python -m clients.packages`, in the folder python, fetches what they need; `make test-all` does so.
"""

from __future__ import annotations

import copy
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import recording
import torch
import torch._inductor.config as inductor
from clients import models, packages
from torch._dynamo.utils import counters
from torch._inductor.utils import fresh_cache, run_and_get_code

pytestmark = pytest.mark.nightly
if not packages.there():
    pytest.skip("packages of clients are not there: clients.packages", allow_module_level=True)

MODELS = [pytest.param(model, id=model.name) for model in models.MODELS]
SOME = [m for m in MODELS if m.id in ("BERT", "Llama", "ConvNeXt")]
TEXTS = [m for m in MODELS if m.id in ("BERT", "GPT-2", "Llama")]
FORGIVEN = 3.0
"""A tensor may be so many times as far from what f64 gives as eager PyTorch's is,"""
FLOOR = 3e-6
"""and this part of the largest number of all of them: some gradients are zero but for rounding."""


@pytest.fixture(autouse=True)
def _triton_for_cpu_tensors() -> Iterator[None]:
    torch._dynamo.reset()
    counters.clear()
    torch.manual_seed(0)
    with fresh_cache(), inductor.patch(cpu_backend="triton", compile_threads=1):
        yield


def doubled(inputs: models.Inputs) -> models.Inputs:
    return {n: x.double() if x.is_floating_point() else x for n, x in inputs.items()}


def require_near(found: list[torch.Tensor], model: torch.nn.Module, inputs: models.Inputs) -> None:
    """They are about as near to what f64 gives as eager PyTorch's results in f32 are."""
    eager = models.step(model, model, inputs)
    wide = copy.deepcopy(model).double()
    exact = models.step(wide, wide, doubled(inputs))
    assert len(found) == len(eager) == len(exact)
    for part in (slice(0, 2), slice(2, None)):
        largest = max(float(x.abs().max()) for x in exact[part])
        for ours, theirs, right in zip(found[part], eager[part], exact[part], strict=True):
            assert ours.dtype == theirs.dtype
            assert ours.shape == theirs.shape
            off, their_off = (float((x.double() - right).abs().max()) for x in (ours, theirs))
            assert off <= FORGIVEN * their_off + FLOOR * largest
    gradients = [torch.cat([g.flatten() for g in all_[2:]]) for all_ in (found, exact)]
    recording.measured((found[:2], exact[:2]), ([gradients[0]], [gradients[1]]), torch.float32)


def test_a_model_is_made_without_other_clients():
    """Imported here, torchao would keep the answer that there is no GPU."""
    code = (
        "import sys; from clients import models; models.MODELS[0].make();"
        "assert 'transformers' in sys.modules and 'torchao' not in sys.modules"
    )
    folder = Path(models.__file__).parents[1]
    subprocess.run([sys.executable, "-c", code], cwd=folder, check=True)


@pytest.mark.parametrize("model", MODELS)
def test_model(model: models.Model):
    made, inputs = model.make(), model.inputs(2)
    found, codes = run_and_get_code(models.step, torch.compile(made), made, inputs)
    assert any("@triton.jit" in code for code in codes)
    require_near(found, made, inputs)


@pytest.mark.parametrize("model", TEXTS)
def test_model_with_batches_of_any_size(model: models.Model):
    made = model.make()
    compiled = torch.compile(made)
    graphs = []
    for batch in (2, 3, 7):
        inputs = model.inputs(batch)
        for tensor in inputs.values():
            torch._dynamo.mark_dynamic(tensor, 0)
        require_near(models.step(compiled, made, inputs), made, inputs)
        graphs.append(counters["stats"]["unique_graphs"])
    assert graphs == [graphs[0]] * 3  # GPT-2 has two: transformers logs a warning between them


@pytest.mark.parametrize("model", SOME)
@inductor.patch(benchmark_epilogue_fusion=False, max_autotune_conv_backends="ATEN")
def test_model_tuned_to_the_utmost(model: models.Model):
    # What torch 2.13 cannot do on CPU tensors: to time what may be fused with a kernel of Triton
    # that has won (its file is indented wrongly, pytorch/pytorch#189589), and to call its kernel
    # of a convolution with a bias (it passes the bias, which the kernel does not take).
    made, inputs = model.make(), model.inputs(2)
    require_near(models.step(torch.compile(made, mode="max-autotune"), made, inputs), made, inputs)
