"""torchao's Triton kernels, launched by its own Python, against its references or PyTorch's.

`python -m clients.packages`, in the folder python, fetches what they need; `make test-all` does so.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import recording
import torch
import torchao_attention
import torchao_blocks
import torchao_cases
import torchao_experts
import torchao_mx
import torchao_nvfp4
import torchao_products
import torchao_tensorwise
from clients import packages
from torchao_cases import Near
from triton.compiler.errors import CompilationError

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.filterwarnings("ignore:bsr_dense_addmm uses", "ignore:Sparse BSR tensor"),
]
if not packages.there():
    pytest.skip("packages of clients are not there: clients.packages", allow_module_level=True)

MODULES = (
    torchao_attention, torchao_blocks, torchao_experts, torchao_mx, torchao_nvfp4,
    torchao_products, torchao_tensorwise,
)  # fmt: skip

THREADS = "asks a thread of a GPU for its number, or waits for others: part of all_to_all_v"
RANKS = "reads the symmetric memory of several GPUs, by addresses that their driver gives"
NOT_LAUNCHED = {
    "prototype.float8nocompile.kernels.fp8_dynamic_tensorwise:to_fp8_col_major_t":
        "no function of torchao launches it",
    "prototype.moe_training.kernels.mxfp8.comms:_mxfp8_all_to_all_v_kernel": RANKS,
    "prototype.moe_training.kernels.mxfp8.comms:_exchange_row_offsets": RANKS,
    **{
        f"prototype.moe_training.kernels.triton_utils:{name}": THREADS
        for name in (
            "sync_threads", "send_signal", "wait_signal", "blockwise_barrier", "get_flat_bid",
            "get_tid", "get_ntid", "get_flat_tid",
        )
    },
}  # fmt: skip
"""Kernels of torchao that no case launches, and why."""


REFUSED = {
    "Block pointers have been removed": "Triton has no block pointers any more",
    "too many indices for tensor of rank 0": "Triton indexes a number no more",
}
"""What the frontend of Triton 3.9 says to code for older ones."""


@contextmanager
def skipping_what_newer_triton_refuses() -> Iterator[None]:
    try:
        yield
    except CompilationError as error:
        for text, reason in REFUSED.items():
            if text in str(error):
                pytest.skip(reason)
        raise


def results(found: Any) -> list[Any]:
    return [found] if isinstance(found, torch.Tensor | Near) else list(found)


@pytest.mark.parametrize("case", [pytest.param(c, id=c.name) for c in torchao_cases.CASES])
def test_torchao(case: torchao_cases.Case):
    torch.manual_seed(0)
    run, reference = case.make(**case.parameters)
    with (
        torchao_cases.as_on_a_gpu(),
        torchao_cases.launched_kernels() as launched,
        skipping_what_newer_triton_refuses(),
    ):
        found = results(run())
    expected = results(reference())
    assert launched == case.kernels
    assert len(found) == len(expected)
    for got, want in zip(found, expected, strict=True):
        torchao_cases.check(got, want)
    words = case.parameters
    recording.measured(
        ([torchao_cases.numbers(x) for x in found], [torchao_cases.numbers(x) for x in expected]),
        None,
        words.get("dtype") or words.get("kind") or found[0].dtype,
        kernels=sorted(name.partition(":")[2] for name in case.kernels),
    )


def jit_functions() -> dict[str, set[str]]:
    """Every function of torchao that Triton compiles, and the names that it uses."""
    found = {}
    folder = packages.FOLDER / "torchao"
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text()
        if "triton.jit" not in text:
            continue
        module = ".".join(path.relative_to(folder).with_suffix("").parts)
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef) and any(
                ast.unparse(decorator).startswith("triton.jit") for decorator in node.decorator_list
            ):
                names = {x.id for x in ast.walk(node) if isinstance(x, ast.Name)}
                found[f"{module}:{node.name}"] = names
    return found


def test_every_kernel_of_torchao_is_launched():
    functions = jit_functions()
    run = {kernel for case in torchao_cases.CASES for kernel in case.kernels}
    assert run <= functions.keys()
    # What a kernel calls runs with it.
    ready = list(run)
    while ready:
        for name in functions[ready.pop()]:
            called = {f for f in functions if f.partition(":")[2] == name} - run
            run |= called
            ready += called
    assert NOT_LAUNCHED.keys() == functions.keys() - run
