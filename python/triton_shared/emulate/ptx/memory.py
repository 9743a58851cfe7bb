"""Instructions that read and write memory."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .arithmetic import Maker
from .code import Code, Unknown, is_float, members, word
from .reader import SIZES, Instruction, Statement

_SPACES = {"global": 1, "shared": 3, "shared::cta": 3, "local": 0, "param": 0, "const": 0}
_HINT = re.compile(
    r"(?:nc|volatile|relaxed|acquire|release|acq_rel|weak|sc|gpu|sys|cta|cluster|ca|cg|cs|cv|lu|"
    r"wb|wt|noftz|L1::\w+|L2::\w+|level::\w+|mmio|unified)"
)
"""What says nothing about the value."""
_ATOMICS = ("add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec")


def _space(instruction: Instruction) -> str:
    return next((part for part in instruction.parts if part in _SPACES), "")


def _count(instruction: Instruction) -> int:
    return next((int(p[1]) for p in instruction.parts if re.fullmatch(r"v[248]", p)), 1)


def _require(instruction: Instruction, known: tuple[str, ...] = ()) -> None:
    for part in instruction.parts[1:-1]:
        is_known = part in _SPACES or part in known or _HINT.fullmatch(part)
        if not is_known and not re.fullmatch(r"v[248]", part):
            raise Unknown(instruction, f"'.{part}'")


def _place(code: Code, instruction: Instruction, operand: str) -> tuple[str, str]:
    """A name with the address, and the number of the space."""
    name = code.fresh()
    code.add(f"uint64_t {name} = {code.address(operand)};")
    space = _space(instruction)
    if space:
        return name, str(_SPACES[space])
    # A generic address: whose it is, only a launch knows.
    return name, f"find_space({name})"


def words_with_parts(body: Iterable[Statement]) -> frozenset[str]:
    """Operands of both `ld` and `atom.cas` of 32 bits.

    So LLVM updates two bytes where an instruction for those is missing: it reads the aligned word
    around them, which a buffer may hold a part of only, and swaps it.
    """
    found: dict[str, set[str]] = {"ld": set(), "atom": set()}
    for one in body:
        if isinstance(one, Instruction) and one.parts[0] in found and _is_of_word(one):
            found[one.parts[0]].update(one.operands[1:2])
    return frozenset(found["ld"] & found["atom"])


def _is_of_word(instruction: Instruction) -> bool:
    is_known = instruction.parts[0] == "ld" or "cas" in instruction.parts
    return is_known and instruction.parts[-1] in ("b32", "u32") and _count(instruction) == 1


def _is_word(code: Code, instruction: Instruction, operand: str) -> bool:
    return operand in code.words and _is_of_word(instruction)


def _load(code: Code, instruction: Instruction) -> None:
    _require(instruction)
    kind, count = instruction.parts[-1], _count(instruction)
    target, source = instruction.operands[:2]
    place, space = _place(code, instruction, source)
    held, size = code.fresh(), SIZES[kind]
    code.add(f"{word(size)} {held}[{count}];")
    if _is_word(code, instruction, source):
        code.add(f"load_word({place}, {space}, {held});")
    else:
        code.add(f"load({place}, {size * count}, {space}, {held});")
    raw = kind if kind[0] == "s" else f"b{8 * size}"
    for i, register in enumerate(members(target)):
        if register != "_":
            code.assign(register, raw, f"{held}[{i}]")


def _store(code: Code, instruction: Instruction) -> None:
    _require(instruction)
    kind, count = instruction.parts[-1], _count(instruction)
    target, source = instruction.operands[:2]
    place, space = _place(code, instruction, target)
    held, size = code.fresh(), SIZES[kind]
    values = ", ".join(code.value(part, f"b{8 * size}") for part in members(source))
    code.add(f"{word(size)} {held}[{count}] = {{{values}}};")
    code.add(f"store({place}, {size * count}, {space}, {held});")


def _updated(instruction: Instruction, kind: str, old: str, given: list[str]) -> str:
    operation = next(part for part in instruction.parts[1:] if part in _ATOMICS)
    new = given[0]
    if operation == "cas":
        return f"{old} == {given[0]} ? {given[1]} : {old}"
    if operation in ("min", "max"):
        if is_float(kind):
            raise Unknown(instruction)
        return f"{old} {'<' if operation == 'min' else '>'} {new} ? {old} : {new}"
    return {
        "add": f"{old} + {new}",
        "and": f"{old} & {new}",
        "or": f"{old} | {new}",
        "xor": f"{old} ^ {new}",
        "exch": new,
        "inc": f"{old} >= {new} ? 0 : {old} + 1",
        "dec": f"{old} == 0 || {old} > {new} ? {new} : {old} - 1",
    }[operation]


def _update(code: Code, instruction: Instruction) -> None:
    """`atom` and `red`: threads run one at a time, so that nothing comes between."""
    _require(instruction, _ATOMICS)
    kind = instruction.parts[-1]
    operands = list(instruction.operands)
    results = members(operands.pop(0)) if instruction.parts[0] == "atom" else []
    target = operands.pop(0)
    place, space = _place(code, instruction, target)
    lanes = 2 if kind in ("f16x2", "bf16x2") else 1
    one = kind.removesuffix("x2")
    size = SIZES[one]
    groups = [members(operand) for operand in operands]
    total = size * lanes * len(groups[0])
    begin = f"begin_update({place}, {total}, {space})"
    is_word = _is_word(code, instruction, target)
    if is_word:
        code.add(f"char {place}w[4];")
        code.add(f"int {place}h = begin_word({place}, {space}, {place}w);")
        begin = f"{place}h ? {place}w : {begin}"
    code.add(f"char *{place}m = {begin};")
    for i in range(len(groups[0])):
        words = [f"({word(size * lanes)})({code.word(group[i], one)})" for group in groups]
        before = []
        for lane in range(lanes):
            at, old = code.fresh(), code.fresh()
            code.add(f"char *{at} = {place}m + {(i * lanes + lane) * size};")
            code.add(f"{word(size)} {old};")
            code.add(f"memcpy(&{old}, {at}, {size});")
            parts = [f"({word(size)})({w} >> {lane * 8 * size})" for w in words]
            made = _updated_bits(instruction, one, old, parts)
            code.add(f"{word(size)} {old}n = {made};")
            code.add(f"memcpy({at}, &{old}n, {size});")
            before.append(f"(uint64_t){old} << {lane * 8 * size}")
        if results and results[i] != "_":
            code.assign(results[i], f"b{8 * size * lanes}", " | ".join(before))
    if is_word:
        code.add(f"if ({place}h) emu_end_word({place}, {place}w, {place}h);")


def _updated_bits(instruction: Instruction, kind: str, old: str, given: list[str]) -> str:
    """The word that is there afterwards."""
    if kind[0] == "b" and kind != "bf16":
        kind = f"u{kind[1:]}"
    if is_float(kind):
        values = [f"{kind}_of({part})" for part in given]
        return f"bits_{kind}({_updated(instruction, kind, f'{kind}_of({old})', values)})"
    cast = f"({'int' if kind[0] == 's' else 'uint'}{8 * SIZES[kind]}_t)"
    return _updated(instruction, kind, f"{cast}{old}", [f"{cast}{part}" for part in given])


def _copy(code: Code, instruction: Instruction) -> None:
    """`cp.async` and its groups; `threads` has those of TMA."""
    text = instruction.opcode
    if text == "cp.async.commit_group":
        return code.add("emu_cp_async_commit_group();")
    if text == "cp.async.wait_all":
        code.add("emu_cp_async_commit_group();")
        return code.add("emu_cp_async_wait_group(0);")
    if text == "cp.async.wait_group":
        return code.add(f"emu_cp_async_wait_group({code.value(instruction.operands[0], 'u32')});")
    if not re.fullmatch(
        r"cp\.async\.c[ag]\.shared(?:::cta)?\.global(?:\.L2::(?:cache_hint|128B|256B|64B))*", text
    ):
        raise Unknown(instruction)
    target, source, size, *rest = instruction.operands
    hinted = "cache_hint" in text
    valid = rest[0] if len(rest) > hinted else size
    places = f"(uint32_t){code.address(target)}, {code.address(source)}"
    count, kept = code.value(size, "u32"), code.value(valid, "u32")
    return code.add(f"emu_copy(1, {places}, {count}, {kept});")


def _to_space(code: Code, instruction: Instruction) -> None:
    """`cvta`: generic addresses are those of this machine."""
    parts = instruction.parts
    target, source = instruction.operands
    # The address of a name in shared memory is a number there, and so is what a register has.
    value = code.value(source, "u64") if code.size(source) else code.address(source)
    if "shared" in parts or "shared::cta" in parts:
        base = "(uint64_t)cta_shared"
        value = f"{value} - {base}" if "to" in parts else f"{value} + {base}"
    code.assign(target, "u64", value)


MAKERS: dict[str, Maker] = {
    "ld": _load, "ldu": _load, "st": _store, "atom": _update, "red": _update,
    "cvta": _to_space,
}  # fmt: skip
copy = _copy
