"""Instructions of one thread that compute: numbers, floats, predicates."""

from __future__ import annotations

from collections.abc import Callable

from .code import Code, Unknown, integer, is_float, members, word
from .reader import SIZES, Instruction

Maker = Callable[[Code, Instruction], None]

_OPERATORS = {"add": "+", "sub": "-", "mul": "*"}
_LOGIC = {"and": "&", "or": "|", "xor": "^"}
_PAIRS = {"f16x2": "f16", "bf16x2": "bf16", "s16x2": "s16", "u16x2": "u16"}
_RELATIONS = {
    "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
    "lo": "<", "ls": "<=", "hi": ">", "hs": ">=",
}  # fmt: skip
_ROUNDINGS = {"rn": "n", "rz": "z", "rm": "m", "rp": "p"}
_FUNCTIONS = {
    "sqrt": "sqrt", "sin": "sin", "cos": "cos", "lg2": "log2", "ex2": "exp2", "tanh": "tanh",
}  # fmt: skip


def _mode(parts: tuple[str, ...]) -> str:
    return next((_ROUNDINGS[part] for part in parts if part in _ROUNDINGS), "n")


def _require(instruction: Instruction, known: set[str]) -> None:
    """All that is appended to the opcode must be known: what is not read might matter."""
    for part in instruction.parts[1:-1]:
        if part not in known:
            raise Unknown(instruction, f"'.{part}'")


def _read(code: Code, instruction: Instruction, operand: str, kind: str) -> str:
    value = code.value(operand, kind)
    return f"flush_f32({value})" if "ftz" in instruction.parts and kind == "f32" else value


def _write(code: Code, instruction: Instruction, kind: str, expression: str) -> None:
    """A float that was computed, flushed and saturated as the opcode says."""
    if kind == "f32":
        expression = f"one_nan({expression})"
        if "ftz" in instruction.parts:
            expression = f"flush_f32({expression})"
        if "sat" in instruction.parts:
            expression = f"saturate({expression})"
    elif "sat" in instruction.parts:
        raise Unknown(instruction, "'.sat'")
    code.assign(instruction.operands[0], kind, expression)


def _for_lanes(code: Code, instruction: Instruction, make: Callable[..., str]) -> bool:
    """Two halves of a register, one after the other; false for types of one."""
    kind = _PAIRS.get(instruction.parts[-1])
    if not kind:
        return False
    target, *sources = instruction.operands
    halves = []
    for shift in (0, 16):
        lanes = [f"(uint16_t)({code.word(source)} >> {shift})" for source in sources]
        if is_float(kind):
            made = f"bits_{kind}({make(kind, [f'{kind}_of({lane})' for lane in lanes])})"
        else:
            made = f"(uint16_t)({make(kind, [f'({integer(kind)}){lane}' for lane in lanes])})"
        halves.append(f"(uint32_t){made} << {shift}")
    code.assign(target, "b32", " | ".join(halves))
    return True


def _directed(instruction: Instruction, function: str, *values: str) -> str:
    """A call that rounds to zero, down or up as the opcode says."""
    kind = instruction.parts[-1]
    if kind not in ("f32", "f64"):
        raise Unknown(instruction, "its rounding")
    given = ", ".join([*values, "0", "0"][:3])
    return f"{function}_{kind}({given}, '{_mode(instruction.parts)}')"


def _sum(code: Code, instruction: Instruction) -> None:
    name, kind = instruction.parts[0], instruction.parts[-1]
    if "cc" in instruction.parts:
        return _carry(code, instruction)
    operator = _OPERATORS[name]
    _require(instruction, {"ftz", "sat", "rn", "rz", "rm", "rp"})
    if _for_lanes(code, instruction, lambda _, v: f"{v[0]} {operator} {v[1]}"):
        return None
    _, a, b = instruction.operands
    if not is_float(kind):
        if "sat" in instruction.parts:
            raise Unknown(instruction, "'.sat'")
        left, right = (f"(uint64_t){code.value(operand, kind)}" for operand in (a, b))
        return code.assign(instruction.operands[0], kind, f"{left} {operator} {right}")
    x, y = _read(code, instruction, a, kind), _read(code, instruction, b, kind)
    made = f"{x} {operator} {y}"
    if _mode(instruction.parts) != "n":
        other = f"-{y}" if name == "sub" else y
        made = _directed(instruction, "mul" if name == "mul" else "add", x, other)
    return _write(code, instruction, kind, made)


def _multiply(code: Code, instruction: Instruction) -> None:
    parts, kind = instruction.parts, instruction.parts[-1]
    if is_float(kind) or kind in _PAIRS:
        return _sum(code, instruction)
    target, a, b = instruction.operands
    return code.assign(target, *_product(code, instruction, parts[1], kind, a, b))


def _product(
    code: Code, instruction: Instruction, part: str, kind: str, a: str, b: str
) -> tuple[str, str]:
    """The type and value of a product of numbers: its low or high half, or all of it."""
    x, y = code.value(a, kind), code.value(b, kind)
    if part == "lo":
        return kind, f"(uint64_t){x} * (uint64_t){y}"
    if part == "hi":
        return f"u{kind[1:]}", f"mulhi_{kind}({x}, {y})"
    if part != "wide" or SIZES[kind] == 8:
        raise Unknown(instruction)
    wide = f"{kind[0]}{16 * SIZES[kind]}"
    return wide, f"({integer(wide)}){x} * ({integer(wide)}){y}"


def _multiply_add(code: Code, instruction: Instruction) -> None:
    parts, kind = instruction.parts, instruction.parts[-1]
    if is_float(kind):
        return _fuse(code, instruction)
    if "cc" in parts or parts[0] == "madc":
        return _carry(code, instruction)
    _require(instruction, {"lo", "hi", "wide"})
    target, a, b, c = instruction.operands
    wide, product = _product(code, instruction, parts[1], kind, a, b)
    added = f"(uint64_t)({product}) + (uint64_t){code.value(c, wide)}"
    return code.assign(target, wide, added)


def _fuse(code: Code, instruction: Instruction) -> None:
    _require(instruction, {"ftz", "sat", "rn", "rz", "rm", "rp", "relu"})
    kind, parts = instruction.parts[-1], instruction.parts
    if "relu" in parts:
        raise Unknown(instruction, "'.relu'")
    if _for_lanes(code, instruction, lambda _, v: f"fma({', '.join(v)})"):
        return
    x, y, z = (_read(code, instruction, o, kind) for o in instruction.operands[1:])
    function = "fmaf" if kind == "f32" else "fma"
    fused = f"{function}({x}, {y}, {z})"
    if _mode(parts) != "n":
        fused = _directed(instruction, "fma", x, y, z)
    _write(code, instruction, kind, fused)


def _carry(code: Code, instruction: Instruction) -> None:
    """Sums of long numbers: `carry` is the bit that goes to the next word."""
    name, parts, kind = instruction.parts[0], instruction.parts, instruction.parts[-1]
    size, unsigned = SIZES[kind], f"u{kind[1:]}"
    target, *given = instruction.operands
    wide = "unsigned __int128"
    values = [f"({wide}){code.value(operand, unsigned)}" for operand in given]
    if name in ("mad", "madc"):
        part = parts[1]
        if part not in ("lo", "hi") or (kind[0] == "s" and part == "hi"):
            raise Unknown(instruction)
        product = _product(code, instruction, part, unsigned, *given[:2])[1]
        values = [f"({wide})({word(size)})({product})", values[2]]
    first, second = values
    takes = name in ("addc", "madc", "subc")
    total, bit = code.fresh(), 8 * size
    if name in ("sub", "subc"):
        code.add(f"{wide} {total} = {first} - {second}{' - carry' * takes};")
    else:
        code.add(f"{wide} {total} = {first} + {second}{' + carry' * takes};")
    if "cc" in parts:
        code.add(f"carry = {total} >> {bit} & 1;")
    code.assign(target, unsigned, total)


def _divide(code: Code, instruction: Instruction) -> None:
    kind, parts = instruction.parts[-1], instruction.parts
    target, a, b = instruction.operands
    if not is_float(kind):
        values = f"{code.value(a, kind)}, {code.value(b, kind)}"
        return code.assign(target, kind, f"{parts[0]}_{kind}({values})")
    _require(instruction, {"ftz", "rn", "rz", "rm", "rp", "full", "approx"})
    x, y = _read(code, instruction, a, kind), _read(code, instruction, b, kind)
    is_directed = _mode(parts) != "n"
    made = _directed(instruction, "div", x, y) if is_directed else f"{x} / {y}"
    return _write(code, instruction, kind, made)


def _function(code: Code, instruction: Instruction) -> None:
    """As good as it gets; on a GPU, those that are approximate are off by some units."""
    _require(instruction, {"ftz", "rn", "rz", "rm", "rp", "approx"})
    name, kind = instruction.parts[0], instruction.parts[-1]
    operand = instruction.operands[1]
    if _mode(instruction.parts) != "n":
        if name not in ("rcp", "sqrt"):
            raise Unknown(instruction, "its rounding")
        x = _read(code, instruction, operand, kind)
        given = ("div", "1", x) if name == "rcp" else (name, x)
        return _write(code, instruction, kind, _directed(instruction, *given))
    suffix = "f" if kind == "f32" else ""

    def make(of: str, x: str) -> str:
        if name == "rcp":
            return f"1 / {x}"
        if name == "rsqrt":
            return f"(float)(1 / sqrt({x}))" if of == "f32" else f"1 / sqrt({x})"
        return f"{_FUNCTIONS[name]}{suffix}({x})"

    if _for_lanes(code, instruction, lambda of, v: make(of, v[0])):
        return None
    value = make(kind, _read(code, instruction, operand, kind))
    return _write(code, instruction, kind, value)


def _one(code: Code, instruction: Instruction) -> None:
    """`neg`, `abs`, `not`, `cnot`, `popc`, `clz`, `bfind`, `brev`."""
    name, kind = instruction.parts[0], instruction.parts[-1]
    target, operand = instruction.operands
    if kind in _PAIRS or is_float(kind):
        if name not in ("neg", "abs"):
            raise Unknown(instruction)
        # A change of the sign, also of what is no number.
        size = 4 if kind in _PAIRS else SIZES[kind]
        sign = 0x80008000 if kind in _PAIRS else 1 << (8 * size - 1)
        raw = f"({word(size)})({code.word(operand, kind)})"
        if "ftz" in instruction.parts:
            raw = f"bits_f32(flush_f32(f32_of({raw})))"
        changed = f"{raw} ^ {sign}ull" if name == "neg" else f"{raw} & ~{sign}ull"
        return code.assign(target, f"b{8 * size}", changed)
    value, bits = code.value(operand, kind), 8 * SIZES[kind]
    if kind == "pred":
        return code.assign(target, "pred", f"!{value}")
    unsigned = code.value(operand, f"u{bits}")
    made = {
        "neg": f"0 - (uint64_t){value}",
        "abs": f"{value} < 0 ? 0 - (uint64_t){value} : (uint64_t){value}",
        "not": f"~{value}",
        "cnot": f"{value} == 0",
        "popc": f"__builtin_popcountll({unsigned})",
        "clz": f"{unsigned} ? __builtin_clzll({unsigned}) - {64 - bits} : {bits}",
        "bfind": f"find_first({unsigned}, {bits}, {int(kind[0] == 's')})",
        "brev": f"reverse_bits({unsigned}, {bits})",
    }[name]
    result = "u32" if name in ("popc", "clz", "bfind") else kind
    return code.assign(target, result, made)


def _extreme(code: Code, instruction: Instruction) -> None:
    _require(instruction, {"ftz", "NaN", "xorsign", "abs", "relu"})
    name, parts, kind = instruction.parts[0], instruction.parts, instruction.parts[-1]
    relation = "<" if name == "min" else ">"

    def of_integers(x: str, y: str) -> str:
        chosen = f"{x} {relation} {y} ? {x} : {y}"
        return f"({chosen}) > 0 ? ({chosen}) : 0" if "relu" in parts else chosen

    function = f"{name}_{'nan' if 'NaN' in parts else 'number'}"
    if kind in _PAIRS and "xorsign" not in parts:

        def choose(of: str, v: list[str]) -> str:
            return f"{function}({v[0]}, {v[1]})" if is_float(of) else of_integers(v[0], v[1])

        _for_lanes(code, instruction, choose)
        return
    target, a, b, *more = instruction.operands
    if more:
        raise Unknown(instruction, "three operands")
    if not is_float(kind):
        x, y = code.value(a, kind), code.value(b, kind)
        code.assign(target, kind, of_integers(x, y))
        return
    x, y = _read(code, instruction, a, kind), _read(code, instruction, b, kind)
    if "xorsign" in parts:
        signs = f"(signbit({x}) != 0) != (signbit({y}) != 0)"
        _write(code, instruction, kind, f"({signs} ? -1 : 1) * {function}(fabs({x}), fabs({y}))")
        return
    _write(code, instruction, kind, f"{function}({x}, {y})")


def _logic(code: Code, instruction: Instruction) -> None:
    name, kind = instruction.parts[0], instruction.parts[-1]
    target, a, b = instruction.operands
    x, y = code.value(a, kind), code.value(b, kind)
    code.assign(target, kind, f"{x} {_LOGIC[name]} {y}")


def _shift(code: Code, instruction: Instruction) -> None:
    """By more than there is, all bits go; signed ones to the right leave the sign."""
    name, kind = instruction.parts[0], instruction.parts[-1]
    target, a, b = instruction.operands
    bits, value, by = 8 * SIZES[kind], code.value(a, kind), code.value(b, "u32")
    if name == "shl":
        made = f"{by} < {bits} ? (uint64_t){value} << {by} : 0"
    elif kind[0] == "s":
        made = f"{value} >> ({by} < {bits} ? {by} : {bits - 1})"
    else:
        made = f"{by} < {bits} ? {value} >> {by} : 0"
    code.assign(target, kind, made)


def _funnel(code: Code, instruction: Instruction) -> None:
    _, way, form, _ = instruction.parts
    target, low, high, by = instruction.operands
    shift = code.value(by, "u32")
    shift = f"{shift} & 31" if form == "wrap" else f"({shift} < 32 ? {shift} : 32)"
    function = "funnel_left" if way == "l" else "funnel_right"
    given = f"{code.value(low, 'u32')}, {code.value(high, 'u32')}, {shift}"
    code.assign(target, "b32", f"{function}({given})")


def _bits(code: Code, instruction: Instruction) -> None:
    """`bfe`, `bfi`, `prmt`, `lop3`."""
    name, kind = instruction.parts[0], instruction.parts[-1]
    target, *given = instruction.operands
    values = [code.value(operand, "u32") for operand in given]
    bits = 8 * SIZES[kind]
    if name == "bfe":
        first = code.value(given[0], f"u{bits}")
        rest = f"{values[1]}, {values[2]}, {bits}, {int(kind[0] == 's')}"
        return code.assign(target, kind, f"extract_bits({first}, {rest})")
    if name == "bfi":
        both = ", ".join(code.value(operand, f"u{bits}") for operand in given[:2])
        made = f"insert_bits({both}, {values[2]}, {values[3]}, {bits})"
        return code.assign(target, kind, made)
    function = {"prmt": "emu_prmt", "lop3": "lookup3"}[name]
    if len(instruction.parts) > 2:
        raise Unknown(instruction)
    return code.assign(target, "b32", f"{function}({', '.join(values)})")


def _relation(code: Code, instruction: Instruction, relation: str, x: str, y: str) -> str:
    kind = instruction.parts[-1]
    if relation in ("num", "nan"):
        odd = f"({x} != {x} || {y} != {y})"
        return odd if relation == "nan" else f"!{odd}"
    is_unordered = is_float(kind) and len(relation) == 3
    operator = _RELATIONS.get(relation[:2] if is_unordered else relation)
    if not operator:
        raise Unknown(instruction)
    if not is_float(kind):
        return f"{x} {operator} {y}"
    odd = f"({x} != {x} || {y} != {y})"
    return f"({odd} || {x} {operator} {y})" if is_unordered else f"(!{odd} && {x} {operator} {y})"


def _compare(code: Code, instruction: Instruction) -> None:
    name, relation, *between, kind = instruction.parts
    target, a, b, *third = instruction.operands
    joined = next((part for part in between if part in _LOGIC), "")
    if name == "set":
        return _set(code, instruction)
    if kind in _PAIRS:
        return _compare_pairs(code, instruction)
    signed = kind.replace("b", "u") if kind[0] == "b" and kind != "bf16" else kind
    x, y = _read(code, instruction, a, signed), _read(code, instruction, b, signed)
    truth = _relation(code, instruction, relation, x, y)
    yes, _, no = target.partition("|")
    kept = code.fresh()
    code.add(f"int {kept} = {truth};")
    for register, value in ((yes, kept), (no, f"!{kept}")):
        if register and joined:
            value = f"{value} {_LOGIC[joined]} {code.value(third[0], 'pred')}"
        if register:
            code.assign(register.strip(), "pred", value)
    return None


def _compare_pairs(code: Code, instruction: Instruction) -> None:
    _, relation, *between, kind = instruction.parts
    if set(between) - {"ftz"}:
        raise Unknown(instruction)
    target, a, b = instruction.operands
    for register, shift in zip(target.split("|"), (0, 16), strict=True):
        of = _PAIRS[kind]
        x, y = (f"{of}_of((uint16_t)({code.word(o)} >> {shift}))" for o in (a, b))
        one = Instruction(instruction.line, f"setp.{relation}.{of}", instruction.operands)
        code.assign(register.strip(), "pred", _relation(code, one, relation, x, y))


def _set(code: Code, instruction: Instruction) -> None:
    """`set.lt.u32.f32`: all bits, or 1.0."""
    _, relation, *between, result, kind = instruction.parts
    if set(between) - {"ftz"} or result not in ("u32", "s32", "f32"):
        raise Unknown(instruction)
    target, a, b = instruction.operands
    x, y = _read(code, instruction, a, kind), _read(code, instruction, b, kind)
    yes = "0x3f800000u" if result == "f32" else "0xffffffffu"
    code.assign(target, "b32", f"{_relation(code, instruction, relation, x, y)} ? {yes} : 0")


def _select(code: Code, instruction: Instruction) -> None:
    kind = f"b{8 * SIZES[instruction.parts[-1]]}"
    target, a, b, predicate = instruction.operands
    chosen = f"{code.value(predicate, 'pred')} ? {code.value(a, kind)} : {code.value(b, kind)}"
    code.assign(target, kind, chosen)


def _copy_sign(code: Code, instruction: Instruction) -> None:
    kind = instruction.parts[-1]
    target, sign, size = instruction.operands
    bits = f"b{8 * SIZES[kind]}"
    top = f"{1 << (8 * SIZES[kind] - 1)}ull"
    made = f"({code.value(sign, bits)} & {top}) | ({code.value(size, bits)} & ~{top})"
    code.assign(target, bits, made)


def _test(code: Code, instruction: Instruction) -> None:
    _, what, kind = instruction.parts
    target, operand = instruction.operands
    tests = {"finite": "isfinite", "infinite": "isinf", "notanumber": "isnan", "normal": "isnormal"}
    value = code.value(operand, kind)
    if what == "number":
        return code.assign(target, "pred", f"!isnan({value})")
    if what not in tests:
        raise Unknown(instruction)
    return code.assign(target, "pred", f"{tests[what]}({value})")


def _move(code: Code, instruction: Instruction) -> None:
    """Also what packs registers into a wider one, and takes it apart."""
    kind = instruction.parts[-1]
    target, source = instruction.operands
    if kind == "pred":
        return code.assign(target, "pred", code.value(source, "pred"))
    bits = 8 * SIZES[kind]
    if source.startswith("{"):
        parts = members(source)
        width = bits // len(parts)
        joined = " | ".join(
            f"(uint64_t){code.value(part, f'u{width}')} << {i * width}"
            for i, part in enumerate(parts)
        )
        return code.assign(target, f"b{bits}", joined)
    if target.startswith("{"):
        parts = members(target)
        width = bits // len(parts)
        whole = code.fresh()
        code.add(f"uint64_t {whole} = {code.value(source, f'u{bits}')};")
        for i, part in enumerate(parts):
            code.assign(part, f"u{width}", f"{whole} >> {i * width}")
        return None
    return code.assign(target, f"b{bits}", code.value(source, f"b{bits}"))


MAKERS: dict[str, Maker] = {
    **dict.fromkeys(("add", "sub"), _sum),
    **dict.fromkeys(("addc", "subc", "madc"), _carry),
    "mul": _multiply, "mad": _multiply_add, "fma": _fuse,
    **dict.fromkeys(("div", "rem"), _divide),
    **dict.fromkeys((*_FUNCTIONS, "rcp", "rsqrt"), _function),
    **dict.fromkeys(("neg", "abs", "not", "cnot", "popc", "clz", "bfind", "brev"), _one),
    **dict.fromkeys(("min", "max"), _extreme),
    **dict.fromkeys(_LOGIC, _logic),
    **dict.fromkeys(("shl", "shr"), _shift), "shf": _funnel,
    **dict.fromkeys(("bfe", "bfi", "prmt", "lop3"), _bits),
    **dict.fromkeys(("setp", "set"), _compare),
    "selp": _select, "copysign": _copy_sign, "testp": _test, "mov": _move,
}  # fmt: skip
"""By the first word of the opcode."""
