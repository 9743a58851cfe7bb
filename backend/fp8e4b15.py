"""The conversions of fp8e4b15, the one float format that the front end leaves to its target.

It is sign, four bits of exponent with bias 15, and three of mantissa: the upper byte of an f16 but
for the exponent's top bit. So both ways are shifts, and no lowering has to know the format.
"""

from __future__ import annotations

from typing import Any

from triton.language import core

_LARGEST = 0x3F00
"""1.75 as the bits of an f16: what larger values become."""


@core.builtin
def convert(arg: Any, dst_ty: Any, fp_downcast_rounding: Any = None, _semantic: Any = None) -> Any:
    """Converts from or to fp8e4b15, by way of f16."""
    if arg.type.scalar.is_fp8e4b15():
        half = _to_half(arg, _semantic)
        return half.to(dst_ty.scalar, _semantic=_semantic)
    if not arg.type.scalar.is_fp16():
        arg = arg.to(core.float16, fp_downcast_rounding="rtz", _semantic=_semantic)
    return _from_half(arg, _semantic)


def _to_half(arg: Any, semantic: Any) -> Any:
    bits = arg.to(core.uint8, bitcast=True, _semantic=semantic).to(core.uint16, _semantic=semantic)
    sign = _shift_left(semantic.and_(bits, _constant(0x80, bits, semantic)), 8, semantic)
    rest = _shift_left(semantic.and_(bits, _constant(0x7F, bits, semantic)), 7, semantic)
    return semantic.or_(sign, rest).to(core.float16, bitcast=True, _semantic=semantic)


def _from_half(arg: Any, semantic: Any) -> Any:
    bits = arg.to(core.uint16, bitcast=True, _semantic=semantic)
    sign = _shift_right(semantic.and_(bits, _constant(0x8000, bits, semantic)), 8, semantic)
    size = semantic.and_(bits, _constant(0x7FFF, bits, semantic))
    largest = _constant(_LARGEST, bits, semantic)
    size = semantic.where(semantic.less_than(size, largest), size, largest)
    half_way = _constant(0x40, bits, semantic)
    rest = _shift_right(semantic.add(size, half_way, False), 7, semantic)
    byte = semantic.or_(sign, rest).to(core.uint8, _semantic=semantic)
    return byte.to(core.float8e4b15, bitcast=True, _semantic=semantic)


def _constant(value: int, like: Any, semantic: Any) -> Any:
    scalar = semantic.scalar_constant(value, core.uint16)
    return semantic.splat(scalar, like.shape) if like.type.is_block() else scalar


def _shift_left(bits: Any, count: int, semantic: Any) -> Any:
    return semantic.shl(bits, _constant(count, bits, semantic))


def _shift_right(bits: Any, count: int, semantic: Any) -> Any:
    return semantic.lshr(bits, _constant(count, bits, semantic))
