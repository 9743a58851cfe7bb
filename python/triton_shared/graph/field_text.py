"""A compiled kernel over a prime field: its linalg with residues in the place of floats.

    %v = arith.addf %a, %b : f32    becomes    %v = func.call @field_add(%a, %b) : (i64, i64) -> i64

A number is two residues in an i64, modulo P below and modulo Q above, where P = 2 Q + 1: exponents
live modulo Q, so exp(x) = W^x modulo P keeps exp(a + b) = exp(a) exp(b). Nothing is known of
exp(x) modulo Q, which is 0. Rounding is left out, constants are the fractions that they are, and
roots are the power (m + 1) / 4, which keeps sqrt(a b) = sqrt(a) sqrt(b). An order has no meaning
here: the larger of two is that of their i64, so what takes a maximum must take the same one.
"""

from __future__ import annotations

import math
import re
import struct
from fractions import Fraction

from .program import render

Q = 1073740571
P = 2 * Q + 1
"""Both are prime, and 3 modulo 4."""
W = 4
"""What exp is a power of, modulo P; it has the order Q."""
_FLOATS = {"f16": "<e", "bf16": "<f", "f32": "<f"}
"""How `struct` calls them; bf16 is the upper half of f32."""
_WORD = r"(?:bf16|f16|f32)"
_TYPE = re.compile(rf"(?<=[x ]){_WORD}(?=[>,) \n])")
_CONSTANT = re.compile(rf"arith\.constant (dense<)?([-+.\w]+)(>)? : (tensor<[\dx]*)?({_WORD})\b")
_CALL = re.compile(rf"((?:arith|math)\.\w+) ((?:%[\w#]+(?:, )?)+)(?: fastmath<\w+>)? : {_WORD}\b")
_CAST = re.compile(rf"arith\.(?:extf|truncf) (%[\w#]+) : {_WORD} to {_WORD}\b")
_INTEGER = re.compile(rf"arith\.sitofp (%[\w#]+) : i32 to {_WORD}\b")
_EQUAL = re.compile(rf"arith\.cmpf oeq, (%[\w#]+), (%[\w#]+) : {_WORD}\b")
_LEFT = re.compile(rf"\b(?:arith|math)\.(?!select\b)\w+ [^(\n]*(?<=[x ]){_WORD}\b")
_PRODUCT = re.compile(
    r"linalg\.matmul ins\((%\w+), (%\w+) : ([^)]*)\) outs\(([^)]*)\) -> (tensor<\w+>)"
)

_FUNCTIONS = {
    "arith.addf": "add",
    "arith.subf": "sub",
    "arith.mulf": "mul",
    "arith.divf": "div",
    "arith.negf": "neg",
    "math.exp": "exp",
    "math.sqrt": "sqrt",
}
_MAXIMA = ("arith.maximumf", "arith.maxnumf")

_GENERIC = """\
linalg.generic {{indexing_maps = [affine_map<(m, n, k) -> (m, k)>, \
affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], \
iterator_types = ["parallel", "parallel", "reduction"]}} ins({a}, {b} : {types}) outs({out}) {{
^bb0(%field_a: i64, %field_b: i64, %field_c: i64):
  %field_ab = func.call @field_mul(%field_a, %field_b) : (i64, i64) -> i64
  %field_sum = func.call @field_add(%field_ab, %field_c) : (i64, i64) -> i64
  linalg.yield %field_sum : i64
}} -> {made}"""


class OutsideOfTheField(ValueError):
    """A kernel has an operation that no residue can take part in."""


def residues(number: float | Fraction) -> tuple[int, int]:
    """A finite number modulo P and modulo Q."""
    value = Fraction(number)
    below, above = (value.numerator * pow(value.denominator, -1, m) % m for m in (P, Q))
    return below, above


def packed(number: float) -> int:
    """A number as an i64; what a maximum begins with, NaN or -inf, is smaller than none."""
    if number == -math.inf or math.isnan(number):
        return 0
    below, above = residues(number)
    return below | above << 32


def retyped(linalg: str) -> str:
    """The module over the field. Raises OutsideOfTheField."""
    text = _CONSTANT.sub(_constant, linalg)
    text = _PRODUCT.sub(_product, text)
    text = _CAST.sub(r"arith.bitcast \1 : i64 to i64", text)
    text = _INTEGER.sub(r"func.call @field_integer(\1) : (i32) -> i64", text)
    text = _EQUAL.sub(r"arith.cmpi eq, \1, \2 : i64", text)
    text = _CALL.sub(_call, text)
    if left := _LEFT.search(text):
        raise OutsideOfTheField(f"'{left[0]}' has no meaning in a field")
    text = _TYPE.sub("i64", text)
    head, module, body = text.partition("module {\n")
    return head + module + render("field.mlir.j2", p=P, q=Q, w=W) + body


def _constant(found: re.Match[str]) -> str:
    opened, digits, closed, tensor, word = found.groups()
    value = _value(digits, word)
    if value == math.inf:
        raise OutsideOfTheField("infinity has no meaning in a field")
    made = f"{opened or ''}{packed(value)}{closed or ''} : {tensor or ''}"
    return f"arith.constant {made}i64"


def _value(digits: str, word: str) -> float:
    """What MLIR's digits or bits are in this type."""
    code = _FLOATS[word]
    if digits.startswith("0x"):
        number = int(digits, 16) << (16 if word == "bf16" else 0)
        made = number.to_bytes(struct.calcsize(code), "little")
    else:
        made = struct.pack(code, float(digits))
    return float(struct.unpack(code, made)[0])


def _product(found: re.Match[str]) -> str:
    a, b, types, out, made = found.groups()
    return _GENERIC.format(a=a, b=b, types=types, out=out, made=made)


def _call(found: re.Match[str]) -> str:
    name, operands = found[1], found[2]
    if name in _MAXIMA:
        return f"arith.maxui {operands} : i64"
    if name not in _FUNCTIONS:
        return found[0]
    types = ", ".join(["i64"] * operands.count("%"))
    return f"func.call @field_{_FUNCTIONS[name]}({operands}) : ({types}) -> i64"
