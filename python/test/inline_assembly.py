"""Runs inline assembly on arrays."""

from __future__ import annotations

import numpy as np
import triton
import triton.language as tl
from values import given, room


@triton.jit
def assemble(
    inputs,
    out_ptr,
    TEXT: tl.constexpr,
    CONSTRAINTS: tl.constexpr,
    PACK: tl.constexpr,
    N: tl.constexpr,
):
    at = tl.arange(0, N)
    x = tl.load(inputs[0] + at)
    if len(inputs) == 1:
        args = (x,)
    elif len(inputs) == 2:
        args = (x, tl.load(inputs[1] + at))
    else:
        args = (x, tl.load(inputs[1] + at), tl.load(inputs[2] + at))
    y = tl.inline_asm_elementwise(TEXT, CONSTRAINTS, args, out_ptr.dtype.element_ty, True, PACK)
    tl.store(out_ptr + at, y)


LETTERS = {"int8": "r", "uint8": "r", "int16": "h", "uint16": "h", "float16": "h", "bfloat16": "h"}
LETTERS |= {"int32": "r", "uint32": "r", "float32": "f", "int64": "l", "uint64": "l"}
LETTERS |= {"float64": "d"}


def assembled(
    text: str, *inputs: np.ndarray, result: str, pack: int = 1, constraints: str = ""
) -> np.ndarray:
    """What `text` makes of the inputs; by default each element has a register of its own."""
    names = [x.dtype.name for x in inputs]
    letters = ["=" + LETTERS[result], *[LETTERS[name] for name in names]]
    out, read = room(inputs[0].size, result)
    assemble[(1,)](
        tuple(given(x, name) for x, name in zip(inputs, names, strict=True)),
        out,
        TEXT=text,
        CONSTRAINTS=constraints or ",".join(letters),
        PACK=pack,
        N=inputs[0].size,
    )
    return read()
