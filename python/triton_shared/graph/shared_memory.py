"""How much shared memory a plan's kernels take on a GPU: compiled for it, on any machine.

What was compiled here is in Triton's cache when it is launched.
"""

from __future__ import annotations

import math
from typing import Any

from .ir import Graph, Sizes
from .program import Program
from .split_loops import MEMORY
from .targets import TARGETS
from .tiles import KernelText

_WORDS = {"torch.float16": "*fp16", "torch.bfloat16": "*bf16", "torch.float32": "*fp32"}


def shared_bytes(program: Program, target_cc: int, target: str = "triton") -> int:
    """The most bytes that one of its kernels takes. Raises what the compiler raises."""
    import triton
    from triton.backends.compiler import GPUTarget

    sizes = program.plan.graph.sizes
    module = program.module(sizes)
    where = GPUTarget(TARGETS[target], target_cc, 32)
    most = 0
    for text in program.plan.texts(sizes):
        kernel = getattr(module, text.name)
        special = specialization(text, kernel, program.plan.graph, sizes)
        source = triton.compiler.ASTSource(kernel, *special)
        options = {"num_warps": text.blocks.num_warps, "num_stages": text.blocks.num_stages}
        compiled = triton.compile(source, target=where, options=options)
        most = max(most, int(compiled.metadata.shared))
    return most


def specialization(
    text: KernelText, kernel: Any, graph: Graph, sizes: Sizes
) -> tuple[dict[str, str], dict[str, int], dict[tuple[int, ...], list[list[Any]]]]:
    """Types, constants and divisors of arguments, as a launch of contiguous tensors has them."""
    tensors = {parameter: node for node, parameter in text.tensors.items()}
    axes = {axis.name: axis for axis in text.axes}
    types: dict[str, str] = {}
    constants: dict[str, int] = {}
    divisors: dict[tuple[int, ...], list[list[Any]]] = {}
    for place, name in enumerate(kernel.arg_names):
        word, _, rest = name.partition("_")
        if name == MEMORY:
            types[name] = "*fp32"
            divisors[(place,)] = [["tt.divisibility", 16]]
            continue
        if name in tensors:
            types[name] = _WORDS[str(tensors[name].dtype)]
            divisors[(place,)] = [["tt.divisibility", 16]]
            continue
        if word == "BLOCK":
            types[name], constants[name] = "constexpr", axes[rest].extent
            continue
        if word == "size":
            value = sizes[rest]
        else:
            inner = graph.symbols[tensors[word]][int(rest[1:]) + 1 :]
            value = math.prod(sizes[symbol] for symbol in inner if symbol)
        if value == 1:
            types[name], constants[name] = "constexpr", 1
            continue
        types[name] = "i32"
        if value % 16 == 0:
            divisors[(place,)] = [["tt.divisibility", 16]]
    return types, constants, divisors
