"""Kernels compiled for a GPU as Triton's jit does it, without one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
import triton
from triton.backends.compiler import GPUTarget
from triton_shared.emulate import EmulatedKernel, ptx


def word_of(dtype: torch.dtype) -> str:
    """Triton's word for a type: fp32, bf16, i8."""
    return triton.runtime.jit.type_canonicalisation_dict[str(dtype).split(".")[1]]


def compile_kernel(
    kernel: triton.JITFunction,
    types: dict[str, str],
    constants: dict[str, Any],
    warps: int,
    arch: int = 90,
    *,
    stages: int = 3,
    divisible: bool = False,
) -> Any:
    """The compiled kernel, with our backend, for arguments of `types` and these constants; numbers
    and addresses are multiples of 16 if they are `divisible`."""
    attributes = {(place,): [["tt.divisibility", 16]] for place in range(len(types) * divisible)}
    source = triton.compiler.ASTSource(
        kernel,
        {**types, **dict.fromkeys(constants, "constexpr")},
        constexprs=constants,
        attrs=attributes,
    )
    target = GPUTarget("shared_cuda", arch, 32)
    options = {"num_warps": warps, "num_stages": stages}
    return triton.compile(source, target=target, options=options)


def emulated(compiled: Any, folder: Path) -> EmulatedKernel:
    """The same kernel from its PTX, built for this machine in `folder`."""
    metadata = compiled.metadata
    return ptx.compile_ptx(compiled.asm["ptx"], metadata.shared, folder, metadata.hidden)
