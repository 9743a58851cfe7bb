"""No attribute of `tt` is dropped in silence: another value makes another program.

The census of scripts/supported-ops looks whether a lowering asks for an attribute; here each is
changed, and what is compiled has to change with it. What may be dropped is in
docs/supported-ops.toml, with the reason.
"""

from __future__ import annotations

import re
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import pytest
import tomllib
from triton_shared import library

ROOT = Path(__file__).resolve().parents[2]

POINTERS = """
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %at = tt.addptr %ps, %i : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
"""
LOAD = POINTERS + "%r = tt.load %at @ : tensor<8x!tt.ptr<f32>>"
STORE = POINTERS + "tt.store %at, %v @ : tensor<8x!tt.ptr<f32>>"
BLOCK = """
  %five = arith.constant 5 : i64
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %b = tt.make_tensor_ptr %p, [%five], [%one], [%zero] {order = array<i32: 0>}
    : !tt.ptr<tensor<8xf32>>
"""
BLOCK_LOAD = BLOCK + "%r = tt.load %b {boundaryCheck = array<i32@} : !tt.ptr<tensor<8xf32>>"
BLOCK_STORE = BLOCK + "tt.store %b, %v {boundaryCheck = array<i32@} : !tt.ptr<tensor<8xf32>>"
DESCRIPTOR = """
  %five = arith.constant 5 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %d = tt.make_tensor_descriptor %p, [%five], [%one] PADDING
    : !tt.ptr<f32>, !tt.tensordesc<tensor<8xf32>>
"""
DESCRIPTOR_LOAD = DESCRIPTOR.replace("PADDING", "@") + (
    "%r = tt.descriptor_load %d[%zero] : !tt.tensordesc<tensor<8xf32>> -> tensor<8xf32>"
)
DESCRIPTOR_REDUCE = DESCRIPTOR.replace("PADDING", "") + (
    "tt.descriptor_reduce @, %d[%zero], %v : !tt.tensordesc<tensor<8xf32>>, tensor<8xf32>"
)
COMBINE = """
  %r = "tt.OP"(%x) <{@}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.OP.return %s : f32
  }) : (tensor<8x8xf32>) -> RESULT"""
REDUCE = COMBINE.replace("OP", "reduce").replace("RESULT", "tensor<8xf32>")
SCAN = COMBINE.replace("OP", "scan").replace("RESULT", "tensor<8x8xf32>")
MAP = """
  %r = "tt.map_elementwise"(%v) <{@
  }) : (tensor<8xf32>) -> tensor<8xf32>"""
DOT = "%r = tt.dot %a, %b, %c@ : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>"
SCALED = (
    "%r = tt.dot_scaled %a, %b, %c @ : tensor<32x32xi8> * tensor<32x32xi8> -> tensor<32x32xf32>"
)
ASSEMBLY = "%r = tt.elementwise_inline_asm @, pure = true} %v : tensor<8xi8> -> tensor<8xi8>"
ATOMIC = "%r = tt.atomic_rmw @, %q, %n : (!tt.ptr<i32>, i32) -> i32"
CAS = "%r = tt.atomic_cas @, %q, %n, %n : (!tt.ptr<i32>, i32, i32) -> i32"
EXTERN = """%r = tt.extern_elementwise %f {libname = "", libpath = "", pure = true, symbol = @}
  : (f32) -> f32"""
TRANSPOSED = "%r = tt.trans %x {order = array<i32: @>} : tensor<8x8xf32> -> tensor<8x8xf32>"
GATHER = (
    "%r = tt.gather %x[%j] {axis = @ : i32} : (tensor<8x8xf32>, tensor<8x8xi32>) -> tensor<8x8xf32>"
)
SQUARES = {"a": "tensor<16x16xf32>", "b": "tensor<16x16xf32>", "c": "tensor<16x16xf32>"}
BYTES = {"a": "tensor<32x32xi8>", "b": "tensor<32x32xi8>", "c": "tensor<32x32xf32>"}
ARGUMENTS = {
    "p": "!tt.ptr<f32>", "q": "!tt.ptr<i32>", "f": "f32", "n": "i32", "c1": "i1",
    "v": "tensor<8xf32>", "x": "tensor<8x8xf32>", "j": "tensor<8x8xi32>",
}  # fmt: skip
KEEPS = '{constraints = "=r,r", packed_element = 4 : i32'

CASES: dict[str, tuple[str, str, str, dict[str, str]]] = {
    "tt.assert.message": ('tt.assert %c1, "@" : i1', "a", "b", {}),
    "tt.atomic_rmw.atomic_rmw_op": (ATOMIC, "max, acq_rel, gpu", "min, acq_rel, gpu", {}),
    "tt.atomic_rmw.sem": (ATOMIC, "add, acq_rel, gpu", "add, relaxed, gpu", {}),
    "tt.atomic_rmw.scope": (ATOMIC, "add, relaxed, cta", "add, relaxed, gpu", {}),
    "tt.atomic_cas.sem": (CAS, "acq_rel, gpu", "relaxed, gpu", {}),
    "tt.atomic_cas.scope": (CAS, "relaxed, cta", "relaxed, gpu", {}),
    "tt.clampf.propagateNan": (
        "%r = tt.clampf %v, %v, %v, propagateNan = @ : tensor<8xf32>", "none", "all", {}
    ),
    "tt.descriptor_reduce.kind": (DESCRIPTOR_REDUCE, "add", "max", {}),
    "tt.dot.inputPrecision": (DOT, "", ", inputPrecision = tf32", SQUARES),
    "tt.dot_scaled.a_elem_type": (
        SCALED, "lhs = e5m2 rhs = e4m3 {fastMath = false}",
        "lhs = e4m3 rhs = e4m3 {fastMath = false}",
        BYTES,
    ),
    "tt.dot_scaled.b_elem_type": (
        SCALED, "lhs = e5m2 rhs = e5m2 {fastMath = false}",
        "lhs = e5m2 rhs = e4m3 {fastMath = false}",
        BYTES,
    ),
    "tt.elementwise_inline_asm.asm_string": (
        ASSEMBLY, f'"not.b32 $0, $1;" {KEEPS}', f'"neg.s32 $0, $1;" {KEEPS}', {"v": "tensor<8xi8>"}
    ),
    "tt.extern_elementwise.symbol": (EXTERN, '"__nv_sinf"', '"__nv_cosf"', {}),
    "tt.fp_to_fp.rounding": (
        "%r = tt.fp_to_fp %v, rounding = @ : tensor<8xf32> -> tensor<8xf16>", "rtz", "rtne", {}
    ),
    "tt.gather.axis": (GATHER, "0", "1", {}),
    "tt.get_num_programs.axis": ("%r = tt.get_num_programs @ : i32", "x", "y", {}),
    "tt.get_program_id.axis": ("%r = tt.get_program_id @ : i32", "x", "y", {}),
    "tt.load.boundaryCheck": (BLOCK_LOAD, ">", ": 0>", {}),
    "tt.load.padding": (BLOCK_LOAD, ": 0>, padding = 1 : i32", ": 0>, padding = 2 : i32", {}),
    "tt.load.cache": (LOAD, "", "cacheModifier = cg", {}),
    "tt.load.evict": (LOAD, "", "evictionPolicy = evict_first", {}),
    "tt.load.isVolatile": (LOAD, "", "{isVolatile = true}", {}),
    "tt.make_range.start": (
        "%r = tt.make_range {@} : tensor<8xi32>",
        "start = 0 : i32, end = 8 : i32", "start = 8 : i32, end = 16 : i32", {},
    ),
    "tt.make_tensor_descriptor.padding": (DESCRIPTOR_LOAD, "", "{padding = 2 : i32}", {}),
    "tt.map_elementwise.pack": (
        MAP,
        "pack = 1 : i32}> ({ ^bb0(%a: f32): tt.map_elementwise.return %a : f32",
        "pack = 2 : i32}> ({ ^bb0(%a: f32, %b: f32): tt.map_elementwise.return %a, %b : f32, f32",
        {},
    ),
    "tt.print.prefix": (
        'tt.print "@" {hex = false, isSigned = array<i32: 0>} : %n : i32', "a", "b", {}
    ),
    "tt.print.hex": (
        'tt.print "a" {hex = @, isSigned = array<i32: 0>} : %n : i32', "true", "false", {}
    ),
    "tt.print.isSigned": (
        'tt.print "a" {hex = false, isSigned = array<i32: @>} : %n : i32', "0", "1", {}
    ),
    "tt.reduce.axis": (REDUCE, "axis = 0 : i32", "axis = 1 : i32", {}),
    "tt.scan.axis": (
        SCAN, "axis = 0 : i32, reverse = false", "axis = 1 : i32, reverse = false", {}
    ),
    "tt.scan.reverse": (
        SCAN, "axis = 0 : i32, reverse = false", "axis = 0 : i32, reverse = true", {}
    ),
    "tt.store.boundaryCheck": (BLOCK_STORE, ">", ": 0>", {}),
    "tt.store.cache": (STORE, "", "cacheModifier = cg", {}),
    "tt.store.evict": (STORE, "", "evictionPolicy = evict_first", {}),
    "tt.trans.order": (TRANSPOSED, "0, 1", "1, 0", {}),
}  # fmt: skip
ELSEWHERE = {
    "tt.atomic_load.sem": "as of tt.atomic_rmw, which it becomes",
    "tt.atomic_load.scope": "as of tt.atomic_rmw",
    "tt.atomic_store.sem": "as of tt.atomic_rmw",
    "tt.atomic_store.scope": "as of tt.atomic_rmw",
    "tt.atomic_poll.sem": "test/Conversion/TritonToStructured/atomics.mlir",
    "tt.atomic_poll.scope": "test/Conversion/TritonToStructured/atomics.mlir",
    "tt.call.callee": "says which function is inlined",
    "tt.func.function_type": "the types of the arguments",
    "tt.func.sym_visibility": "says which function is the kernel",
    "tt.dot.maxNumImpreciseAcc": "test/Conversion/TritonTensorsToLinalg/dot.mlir",
    "tt.dot_scaled.lhs_k_pack": "test/Conversion/TritonTensorsToLinalg/dot-scaled.mlir",
    "tt.dot_scaled.rhs_k_pack": "test/Conversion/TritonTensorsToLinalg/dot-scaled.mlir",
    "tt.elementwise_inline_asm.constraints": "another one needs other assembly",
    "tt.elementwise_inline_asm.packed_element": "another one needs other assembly",
    "tt.elementwise_inline_asm.pure": "test/Conversion/TritonTensorsToLinalg/keep-assembly.mlir",
}
"""Attributes that cannot be changed alone, and where they are tested."""


def lower(body: str, types: dict[str, str]) -> str:
    """The kernel in phase `linalg`; what the body computes is returned."""
    used = {n: t for n, t in (ARGUMENTS | types).items() if re.search(rf"%{n}\b", body)}
    signature = ", ".join(f"%{name}: {kind}" for name, kind in used.items())
    text = f"tt.func public @k({signature}) {{\n{body}\n"
    if "%r = " in body:
        arrow = " -> " if " -> " in body.rpartition("%r = ")[2] else " : "
        kind = body.rpartition(arrow)[2].strip()
        kind = {
            "tensor<8x!tt.ptr<f32>>": "tensor<8xf32>",
            "!tt.ptr<tensor<8xf32>>": "tensor<8xf32>",
        }.get(kind, kind)
        text += f'tt.print "r" {{hex = false, isSigned = array<i32: 0>}} : %r : {kind}\n'
    made = library.compile_text(text + "tt.return\n}\n", "to-phase=linalg")
    assert made.succeeded, text + made.diagnostics
    return made.artefact("linalg").decode()


def without_places(text: str) -> str:
    return re.sub(r"loc\(.*?\)$|^#loc.*$", "", text, flags=re.MULTILINE)


@pytest.mark.parametrize("name", CASES)
def test_another_value_makes_another_program(name: str):
    body, first, second, types = CASES[name]
    one, two = (without_places(lower(body.replace("@", v), types)) for v in (first, second))
    assert one != two


def test_a_dropped_attribute_would_be_found():
    """One that may be dropped, and is: two values make the same program."""
    body = SCALED.replace("@", "lhs = e5m2 rhs = e4m3 {fastMath = @}")
    one, two = (without_places(lower(body.replace("@", v), BYTES)) for v in ("true", "false"))
    assert one == two


def test_every_attribute_is_changed_or_excused():
    loader = SourceFileLoader("supported_ops", str(ROOT / "scripts/supported-ops"))
    spec = spec_from_loader("supported_ops", loader)
    assert spec
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # Where dataclasses look for their module.
    loader.exec_module(module)
    excuses = tomllib.loads((ROOT / "docs/supported-ops.toml").read_text())["attribute"]
    every = {f"{op.name}.{name}" for op in module.operations() for name in op.attributes}
    excused = {
        name
        for name in every
        for entry in excuses
        if re.fullmatch(f"(?:{entry['operation']})" + re.escape("." + entry["name"]), name)
    }
    assert sorted(every - excused - CASES.keys() - ELSEWHERE.keys()) == []
    assert sorted((CASES.keys() | ELSEWHERE.keys()) - every) == []
