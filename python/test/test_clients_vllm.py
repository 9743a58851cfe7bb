"""vLLM's Triton kernels, launched by its own Python, against PyTorch's operations.

The release is the one that vllm_modules.py names; `make test` has put its files into .venv.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
import recording
import torch
import vllm_attention
import vllm_cases
import vllm_modules
import vllm_products
import vllm_recurrent
import vllm_rows
import vllm_sampling
from triton_shared.run import cuda_means_cpu

if not vllm_modules.FOLDER.exists():
    pytest.skip("vLLM's files are not there: python/test/vllm_modules.py", allow_module_level=True)

MODULES = (vllm_attention, vllm_products, vllm_recurrent, vllm_rows, vllm_sampling)

QUICK = {"unified_attention", "decode_attention_in_groups", "reshape_and_cache"}
PARAMETERS = [
    pytest.param(c, id=c.name, marks=() if c.name in QUICK else pytest.mark.nightly)
    for c in vllm_cases.CASES
]


def tensors(result: Any) -> list[torch.Tensor]:
    return [result] if isinstance(result, torch.Tensor) else list(result)


def milliseconds(run: Callable[[], Any], clock: Callable[[], float], times: int) -> float:
    """The least of some runs."""
    taken = []
    for _ in range(times):
        start = clock()
        run()
        taken.append(clock() - start)
    return 1000 * min(taken)


def on_the_cpu(run: Callable[[], Any]) -> Callable[[], Any]:
    """What asks for a GPU gets the CPU, as in `python -m triton_shared.run`."""

    def moved() -> Any:
        with cuda_means_cpu():
            return run()

    return moved


@pytest.mark.parametrize("case", PARAMETERS)
def test_vllm(case: vllm_cases.Case):
    torch.manual_seed(0)
    run, reference = case.make()
    run = on_the_cpu(run)
    start = time.process_time()
    first = tensors(run())
    cold = 1000 * (time.process_time() - start)
    expected = tensors(reference())
    assert len(first) == len(expected)
    for got, want in zip(first, expected, strict=True):
        assert got.shape == want.shape
        finite = want.double().nan_to_num(0, 0, 0).abs()
        most = float(finite.max()) if want.numel() else 0.0
        torch.testing.assert_close(
            got.double(), want.double(), rtol=0, atol=case.tolerance * most, equal_nan=True
        )
    if recording.folder():
        cold -= milliseconds(run, time.process_time, 3)
        recording.measured(
            ([x.double() for x in first], [x.double() for x in expected]),
            None,
            first[0].dtype,
            kernels=list(case.kernels),
            cold=round(cold, 1),
            run=milliseconds(run, time.perf_counter, 10),
            eager=milliseconds(reference, time.perf_counter, 10),
        )
