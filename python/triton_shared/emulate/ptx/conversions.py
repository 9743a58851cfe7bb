"""`cvt`: numbers and floats of one width become those of another."""

from __future__ import annotations

from .code import Code, Unknown, is_float
from .reader import SIZES, Instruction

_WHOLE = {"rni": "n", "rzi": "z", "rmi": "m", "rpi": "p"}
_SMALL = {"e4m3x2": "4", "e5m2x2": "5"}
_KNOWN = {"rn", "rz", "rm", "rp", "rna", "ftz", "sat", "relu", "satfinite", *_WHOLE}


def convert(code: Code, instruction: Instruction) -> None:
    """Any `cvt`."""
    *_, result, kind = instruction.parts
    modifiers = set(instruction.parts[1:-2])
    if modifiers - _KNOWN:
        raise Unknown(instruction)
    if result in ("f16x2", "bf16x2") and kind == "f32":
        return _to_pair(code, instruction, result)
    if result in _SMALL:
        return _to_small(code, instruction, result, kind)
    if kind in _SMALL and result == "f16x2":
        return _from_small(code, instruction, kind)
    if result == "tf32" and kind == "f32":
        return _to_tf32(code, instruction)
    if result not in SIZES or kind not in SIZES:
        raise Unknown(instruction)
    target, source = instruction.operands
    value = code.value(source, kind)
    if "ftz" in modifiers and kind == "f32":
        value = f"flush_f32({value})"
    if is_float(kind) and is_float(result):
        return _between_floats(code, instruction, value)
    if is_float(kind):
        mode = next((_WHOLE[part] for part in instruction.parts if part in _WHOLE), "")
        if not mode:
            raise Unknown(instruction)
        made = f"to_{result}({value}, '{mode}', {int(kind == 'f64')})"
    elif is_float(result):
        if modifiers - {"rn", "rz", "rm", "rp"}:
            raise Unknown(instruction)
        made = _of_whole(instruction, value)
    else:
        made = _clamped(value, kind, result) if "sat" in modifiers else value
    return code.assign(target, result, made)


def _clamped(value: str, kind: str, result: str) -> str:
    bits, signed = 8 * SIZES[result], result[0] == "s"
    most = (1 << bits - 1) - 1 if signed else (1 << bits) - 1
    least = -(1 << bits - 1) if signed else 0
    wide = f"(__int128){value}"
    low = f"(-(__int128){-least}ull)" if least else "(__int128)0"
    return f"({wide} < {low} ? {low} : {wide} > (__int128){most}ull ? (__int128){most}ull : {wide})"


def _between_floats(code: Code, instruction: Instruction, value: str) -> None:
    *_, result, kind = instruction.parts
    parts = instruction.parts
    whole = next((_WHOLE[part] for part in parts if part in _WHOLE), "")
    if whole:
        value = f"round_whole({value}, '{whole}')"
    directed = _direction(parts)
    if directed and result not in (kind, "f64"):
        value = f"narrow_{result}({value}, '{directed}')"
    if "relu" in parts:
        value = f"relu({value})"
    if "sat" in parts:
        value = f"saturate({value})"
    if "ftz" in parts and result == "f32":
        value = f"flush_f32({value})"
    code.assign(instruction.operands[0], result, value)


def _direction(parts: tuple[str, ...]) -> str:
    """`z` to zero, `m` down, `p` up; nothing for to nearest."""
    return next((part[1] for part in parts if part in ("rz", "rm", "rp")), "")


def _of_whole(instruction: Instruction, value: str) -> str:
    """A number as a float."""
    *_, result, kind = instruction.parts
    directed = _direction(instruction.parts)
    form = "double" if kind[0] == "s" else "unsigned"
    if not directed:
        if result in ("f32", "f64"):
            return f"({'float' if result == 'f32' else 'double'}){value}"
        return f"odd_{form}({value})"
    made = f"whole_{form}({value}, '{directed}')"
    return made if result == "f64" else f"narrow_{result}({made}, '{directed}')"


def _to_pair(code: Code, instruction: Instruction, result: str) -> None:
    """Two floats; the first one goes to the upper half."""
    kind = result.removesuffix("x2")
    target, upper, lower = instruction.operands
    halves = []
    for operand in (lower, upper):
        value = code.value(operand, "f32")
        if "rz" in instruction.parts:
            value = f"narrow_{kind}({value}, 'z')"
        if "relu" in instruction.parts:
            value = f"relu({value})"
        if "satfinite" in instruction.parts:
            raise Unknown(instruction)
        halves.append(f"(uint32_t)bits_{kind}({value})")
    code.assign(target, "b32", f"{halves[0]} | {halves[1]} << 16")


def _to_small(code: Code, instruction: Instruction, result: str, kind: str) -> None:
    """Two floats of 8 bits; the first one goes to the upper byte."""
    name = result.removesuffix("x2")
    if "satfinite" not in instruction.parts:
        raise Unknown(instruction)
    target, *sources = instruction.operands
    if kind == "f32":
        upper, lower = (code.value(operand, "f32") for operand in sources)
    elif kind == "f16x2":
        pair = code.word(sources[0])
        upper, lower = f"f16_of((uint16_t)({pair} >> 16))", f"f16_of((uint16_t)({pair}))"
    else:
        raise Unknown(instruction)
    if "relu" in instruction.parts:
        upper, lower = f"relu({upper})", f"relu({lower})"
    code.assign(target, "b16", f"bits_{name}({lower}) | bits_{name}({upper}) << 8")


def _from_small(code: Code, instruction: Instruction, kind: str) -> None:
    if "relu" in instruction.parts:
        raise Unknown(instruction)
    target, source = instruction.operands
    pair = code.fresh()
    code.add(f"uint32_t {pair} = (uint16_t){code.word(source)};")
    low, high = (f"bits_f16(decode('{_SMALL[kind]}', &{pair}, {i}))" for i in (0, 1))
    code.assign(target, "b32", f"(uint32_t){low} | (uint32_t){high} << 16")


def _to_tf32(code: Code, instruction: Instruction) -> None:
    target, source = instruction.operands
    value = code.value(source, "f32")
    if "rna" in instruction.parts:
        return code.assign(target, "b32", f"emu_f2tf32_rna({value})")
    if "rz" in instruction.parts:
        return code.assign(target, "b32", f"bits_f32({value}) & 0xFFFFE000u")
    if "rn" in instruction.parts:
        return code.assign(target, "b32", f"bits_tf32({value})")
    raise Unknown(instruction, "its rounding")
