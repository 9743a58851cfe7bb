"""Every function of libdevice becomes machine code for GPUs, with every type it has."""

from __future__ import annotations

from typing import Any

import pytest
import triton
import triton.language as tl
from test_cases_libdevice import SYMBOLS
from test_libdevice_names import GROUPS, Group, call_all
from triton.backends.compiler import GPUTarget
from triton.language.extra import libdevice
from triton_shared import CompilationError, stages

WORDS = {
    "float16": "fp16", "float32": "fp32", "float64": "fp64",
    **{f"{u}int{n}": f"{u or 'i'}{n}" for u in ("", "u") for n in (8, 16, 32, 64)},
}  # fmt: skip
"""Triton's words for types in signatures."""
THREADS = 32
"""One element each: code is not repeated."""


def compile_group(group: Group, arch: int) -> Any:
    signature = {
        "inputs": tuple(f"*{WORDS[name]}" for name in group.arguments),
        "out_ptr": f"*{WORDS[group.result]}",
        "NAMES": "constexpr",
        "N": "constexpr",
    }
    constants = {"NAMES": group.names, "N": THREADS}
    source = triton.compiler.ASTSource(call_all, signature, constexprs=constants)
    options = {"num_warps": 1}
    return triton.compile(source, target=GPUTarget("shared_cuda", arch, 32), options=options)


@pytest.mark.every(2)
@pytest.mark.parametrize("arch", [80, 90])
@pytest.mark.parametrize("group", GROUPS, ids=str)
def test_functions_become_machine_code(group: Group, arch: int):
    asm = compile_group(group, arch).asm
    assert asm["cubin"].startswith(b"\x7fELF")
    assert ".extern .func" not in asm["ptx"]


@triton.jit
def call_one(x_ptr, NAME: tl.constexpr, ARITY: tl.constexpr):
    x = tl.load(x_ptr)
    if ARITY == 1:
        getattr(libdevice, NAME)(x)
    elif ARITY == 2:
        getattr(libdevice, NAME)(x, x)
    elif ARITY == 3:
        getattr(libdevice, NAME)(x, x, x)
    else:
        getattr(libdevice, NAME)(x, x, x, x)


def missing_types() -> list[tuple[str, str, int]]:
    """Each function with a type that it has not: its name, the type, and how many it takes."""
    found = {}
    for name, arguments, _ in SYMBOLS.values():
        known = {a for n, types, _ in SYMBOLS.values() if n == name for a in types}
        # Signs are no part of what is looked up, so that an unsigned type may stand for another.
        absent = [t for t in WORDS if t not in known and "u" + t not in known and t[0] != "u"]
        found[name] = (name, absent[len(name) % len(absent)], len(arguments))
    return list(found.values())


@pytest.mark.parametrize(("name", "element", "arity"), missing_types(), ids=str)
def test_a_type_that_a_function_has_not_is_named(name: str, element: str, arity: int):
    with pytest.raises(triton.compiler.CompilationError) as caught:
        stages.ast_to_ttir(
            call_one, {"x_ptr": f"*{WORDS[element]}"}, {"NAME": name, "ARITY": arity}
        )
    types = ", ".join([element.replace("float", "fp")] * arity)
    assert f"does not take ({types}); it takes (" in str(caught.value)


UNKNOWN = """
func.func private @frobnicate(f32) -> f32
func.func @kernel(%p: memref<*xf32>, %s: f32,
    %gx: i32, %gy: i32, %gz: i32, %x: i32, %y: i32, %z: i32) {
  %zero = arith.constant 0 : i64
  %v = func.call @frobnicate(%s) : (f32) -> f32
  tts.store %v to %p[%zero] strides [] : f32, memref<*xf32>
  return
}
"""


def test_a_function_that_the_library_has_not_is_named():
    with pytest.raises(CompilationError, match=r"calls '__nv_frobnicate', which is no function of"):
        stages.run(UNKNOWN, "ptx", target="cuda:90")
