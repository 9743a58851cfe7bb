"""Instructions by which threads work together: barriers, exchanges, matrix products, copies."""

from __future__ import annotations

import re

from . import memory
from .arithmetic import Maker
from .code import Code, Unknown, members
from .reader import Instruction

_REDUCTIONS = ("add", "min", "max", "and", "or", "xor")
_OPERANDS = {
    "f16": "h", "bf16": "b", "tf32": "t", "e4m3": "4", "e5m2": "5", "s8": "s", "u8": "u",
    "f64": "d",
}  # fmt: skip
_SUMS = {"f32": "f", "f16": "h", "s32": "i", "f64": "d"}


def _barrier(code: Code, instruction: Instruction) -> None:
    """`bar.sync`, `barrier.cta.sync.aligned`, `bar.arrive`, `bar.warp.sync`."""
    given = [code.value(operand, "u32") for operand in instruction.operands]
    parts = set(instruction.parts)
    if {"warp", "sync"} <= parts:
        return code.add(f"emu_bar_warp_sync({given[0]});")
    if parts - {"bar", "barrier", "cta", "sync", "arrive", "aligned"}:
        raise Unknown(instruction)
    if "arrive" in parts:
        return code.add(f"emu_bar_arrive({', '.join(given)});")
    form = "count" if len(given) == 2 else "all"
    return code.add(f"emu_barrier_cta_sync_aligned_{form}({', '.join(given)});")


def _fence(code: Code, instruction: Instruction) -> None:
    """Memory is one for all threads here; only other ways into it are told apart."""
    text = instruction.opcode
    if text in ("fence.proxy.async", "fence.proxy.async.global"):
        code.add("emu_fence_proxy_async();")
    elif text == "fence.proxy.async.shared::cta":
        code.add("emu_fence_proxy_async_shared_cta();")
    elif text.startswith("fence.mbarrier_init"):
        code.add("emu_fence_mbarrier_init_release_cluster();")
    elif "proxy" in text and "tensormap" not in text:
        raise Unknown(instruction)


def _shuffle(code: Code, instruction: Instruction) -> None:
    _, _, mode, _ = instruction.parts
    target, value, lane, clamp, mask = instruction.operands
    register, _, inside = target.partition("|")
    given = ", ".join(code.value(operand, "u32") for operand in (mask, value, lane, clamp))
    code.assign(register.strip(), "b32", f"emu_shfl_sync_{mode}_i32({given})")
    if inside:
        code.assign(inside.strip(), "pred", _is_inside(code, mode, lane, clamp))


def _is_inside(code: Code, mode: str, lane: str, clamp: str) -> str:
    """Whether the lane that a shuffle names is one of the warp."""
    by, own = code.value(lane, "u32"), "(current % kWarp)"
    if mode == "up":
        return f"{own} >= (int){by}"
    if mode == "down":
        return f"{own} + {by} < kWarp"
    return "1"


def _vote(code: Code, instruction: Instruction) -> None:
    _, _, what, _ = instruction.parts
    target, predicate, mask = instruction.operands
    votes = code.fresh()
    lanes = code.value(mask, "u32")
    code.add(f"uint32_t {votes} = emu_vote({lanes}, {code.value(predicate, 'pred')});")
    if what == "ballot":
        return code.assign(target, "b32", votes)
    truth = {
        "any": f"{votes} != 0",
        "all": f"{votes} == {lanes}",
        "uni": f"{votes} == 0 || {votes} == {lanes}",
    }
    return code.assign(target, "pred", truth[what])


def _reduce(code: Code, instruction: Instruction) -> None:
    _, _, operation, kind = instruction.parts
    if operation not in _REDUCTIONS or kind == "f32":
        raise Unknown(instruction)
    target, value, mask = instruction.operands
    number = _REDUCTIONS.index(operation)
    if kind == "u32" and operation in ("min", "max"):
        number += len(_REDUCTIONS)
    given = f"{code.value(mask, 'u32')}, {code.value(value, 'u32')}, {number}"
    code.assign(target, "b32", f"emu_redux({given})")


def _match(code: Code, instruction: Instruction) -> None:
    if instruction.opcode not in ("match.any.sync.b32", "match.any.sync.b64"):
        raise Unknown(instruction)
    target, value, mask = instruction.operands
    kind = instruction.parts[-1]
    given = f"{code.value(mask, 'u32')}, {code.value(value, kind)}"
    code.assign(target, "b32", f"emu_match_any({given})")


def _elect(code: Code, instruction: Instruction) -> None:
    target, mask = instruction.operands
    register, _, predicate = (part.strip() for part in target.partition("|"))
    lane = code.fresh()
    code.add(f"uint32_t {lane} = emu_elect({code.value(mask, 'u32')});")
    if register != "_":
        code.assign(register, "b32", lane)
    code.assign(predicate, "pred", f"{lane} == (uint32_t)(current % kWarp)")


def _array(code: Code, operand: str, kind: str) -> str:
    """Registers side by side in memory: its name."""
    name = code.fresh()
    values = ", ".join(code.value(part, kind) for part in members(operand))
    code.add(f"_Alignas(16) uint{kind[1:]}_t {name}[] = {{{values}}};")
    return name


def _matrix(code: Code, instruction: Instruction) -> None:
    """`ldmatrix` and `stmatrix`."""
    match = re.fullmatch(
        r"(ld|st)matrix\.sync\.aligned\.m8n8\.x([124])(\.trans)?\.shared(?:::cta)?\.b16",
        instruction.opcode,
    )
    if not match:
        raise Unknown(instruction)
    turned = int(bool(match[3]))
    place = instruction.operands[0 if match[1] == "st" else 1]
    row = f"place_shared((uint32_t){code.address(place)})"
    if match[1] == "st":
        words = _array(code, instruction.operands[1], "b32")
        return code.add(f"emu_stmatrix({row}, {match[2]}, {turned}, {words});")
    words = code.fresh()
    code.add(f"uint32_t {words}[{match[2]}];")
    code.add(f"emu_ldmatrix({row}, {match[2]}, {turned}, {words});")
    for i, register in enumerate(members(instruction.operands[0])):
        code.assign(register, "b32", f"{words}[{i}]")
    return None


def _product(code: Code, instruction: Instruction) -> None:
    """`mma.sync`; sums of f16 are computed in f32 and rounded once."""
    match = re.fullmatch(
        r"mma\.sync\.aligned\.m(\d+)n8k(\d+)\.row\.col(?:\.satfinite)?\.(\w+)\.(\w+)\.(\w+)\.\3",
        instruction.opcode,
    )
    kind = _OPERANDS.get(match[4]) if match else None
    known = {"hf", "hh", "bf", "tf", "si", "dd"}
    if not match or match[4] != match[5] or f"{kind}{_SUMS.get(match[3])}" not in known:
        raise Unknown(instruction)
    target, left, right, sums = instruction.operands
    width = "b64" if kind == "d" else "b32"
    arrays = [_array(code, operand, width) for operand in (left, right, sums)]
    passed = arrays[2]
    if match[3] == "f16":
        passed = code.fresh()
        code.add(f"float {passed}[4];")
        halves = f"f16_of(((uint16_t *){arrays[2]})[i])"
        code.add(f"for (int i = 0; i < 4; ++i) {passed}[i] = {halves};")
    operands = f"(const char *){arrays[0]}, (const char *){arrays[1]}, {passed}"
    code.add(f"emu_mma('{kind}', {match[1]}, {match[2]}, {operands});")
    if match[3] == "f16":
        halves = f"((uint16_t *){arrays[2]})[i]"
        code.add(f"for (int i = 0; i < 4; ++i) {halves} = bits_f16({passed}[i]);")
    for i, register in enumerate(members(target)):
        code.assign(register, width, f"{arrays[2]}[{i}]")


def _warpgroup(code: Code, instruction: Instruction) -> None:
    """`wgmma`."""
    text = instruction.opcode
    if text in ("wgmma.fence.sync.aligned", "wgmma.commit_group.sync.aligned"):
        return code.add(f"emu_{text.replace('.', '_')}();")
    if text == "wgmma.wait_group.sync.aligned":
        pending = code.value(instruction.operands[0], "u32")
        return code.add(f"emu_wgmma_wait_group_sync_aligned({pending});")
    match = re.fullmatch(
        r"wgmma\.mma_async\.sync\.aligned\.m64n(\d+)k(\d+)\.(f32|f16|s32)\.(\w+)\.(\w+)", text
    )
    if not match or match[4] not in _OPERANDS or match[5] not in _OPERANDS:
        raise Unknown(instruction)
    sums, left, right, *flags = instruction.operands
    kept = code.value(flags[0], "pred")
    is_turned = match[4] in ("f16", "bf16")
    signs, turned = ["1", "1"], ["0", "0"]
    listed = flags[1:]
    if match[3] != "s32":
        signs, listed = listed[:2], listed[2:]
    if is_turned and listed:
        turned = listed if len(listed) == 2 else ["0", *listed]
    held = _array(code, sums, "b32")
    registers = "0"
    if left.startswith("{"):
        registers = f"(const char *){_array(code, left, 'b32')}"
    place = "0" if left.startswith("{") else code.value(left, "u64")
    name = code.fresh()
    numbers = ", ".join([f"{kept}", *(f"{int(flag)}" for flag in (*signs, *turned))])
    code.add(f"int {name}[] = {{{numbers}}};")
    types = f'"{_SUMS[match[3]]}{_OPERANDS[match[4]]}{_OPERANDS[match[5]]}"'
    places = f"{place}, {code.value(right, 'u64')}, {registers}, {held}"
    code.add(f"emu_wgmma({match[1]}, {match[2]}, {types}, {name}, {places});")
    for i, register in enumerate(members(sums)):
        code.assign(register, "b32", f"{held}[{i}]")
    return None


def _mbarrier(code: Code, instruction: Instruction) -> None:
    text = re.sub(
        r"\.shared(?:::cta)?\b|\.(?:release|acquire|relaxed)\b|\.cta\b",
        "",
        "." + "".join(f".{part}" for part in instruction.parts[1:]).lstrip("."),
    )
    text = text.lstrip(".")
    operands = instruction.operands

    def place(operand: str) -> str:
        return f"place_shared((uint32_t){code.address(operand)})"

    if text == "init.b64":
        given = f"{place(operands[0])}, {code.value(operands[1], 'u32')}"
        code.add(f"emu_mbarrier_init_shared({given});")
    elif text == "inval.b64":
        code.add(f"emu_mbarrier_inval_shared({place(operands[0])});")
    elif text == "arrive.b64":
        if len(operands) > 2:
            raise Unknown(instruction)
        code.assign(operands[0], "u64", f"emu_mbarrier_arrive_shared({place(operands[1])})")
    elif text in ("arrive.expect_tx.b64", "expect_tx.b64"):
        *state, at, count = operands
        function = f"emu_mbarrier_{text.removesuffix('.b64').replace('.', '_')}_scope_cta_space_cta"
        call = f"{function}({place(at)}, {code.value(count, 'u32')})"
        code.add(f"{call};") if not state else code.assign(state[0], "u64", call)
    elif text in ("try_wait.parity.b64", "test_wait.parity.b64"):
        target, at, parity = operands[:3]
        call = f"emu_mbarrier_try_wait_parity_scope_cta_space_cta({place(at)}, "
        code.assign(target, "pred", f"{call}{code.value(parity, 'u32')})")
    else:
        raise Unknown(instruction)


_BOX = re.compile(
    r"cp\.async\.bulk\.tensor\.(\d)d\.(?:(?P<load>shared::c\w+\.global(?:\.tile)?"
    r"\.mbarrier::complete_tx::bytes)|(?P<store>global\.shared::cta(?:\.tile)?\.bulk_group))"
)


def _bulk(code: Code, instruction: Instruction) -> None:
    """Copies of TMA."""
    text = instruction.opcode
    if text == "cp.async.bulk.commit_group":
        return code.add("emu_cp_async_bulk_commit_group();")
    if text in ("cp.async.bulk.wait_group", "cp.async.bulk.wait_group.read"):
        pending = code.value(instruction.operands[0], "u32")
        return code.add(f"emu_cp_async_bulk_wait_group({pending});")
    match = _BOX.fullmatch(text)
    if not match:
        raise Unknown(instruction)

    def box(operand: str) -> tuple[str, str]:
        map_, _, coordinates = operand.strip("[] ").partition(",")
        given = ", ".join(code.value(part, "u32") for part in members(coordinates.strip()))
        return f"(void *){code.address(map_)}", given

    def shared(operand: str) -> str:
        return f"place_shared((uint32_t){code.address(operand)})"

    rank = match[1]
    if match["load"]:
        target, source, barrier = instruction.operands
        tensor_map, given = box(source)
        places = f"{shared(target)}, {shared(barrier)}, {tensor_map}, {given}, 0, 0"
        return code.add(f"emu_cp_async_bulk_tensor_g2s_cta_tile_{rank}d({places});")
    target, source = instruction.operands
    tensor_map, given = box(target)
    places = f"{shared(source)}, {tensor_map}, {given}, 0, 0"
    return code.add(f"emu_cp_async_bulk_tensor_s2g_tile_{rank}d({places});")


def _copy(code: Code, instruction: Instruction) -> None:
    if instruction.opcode.startswith("cp.async.bulk"):
        return _bulk(code, instruction)
    return memory.copy(code, instruction)


def _prefetch(code: Code, instruction: Instruction) -> None:
    """Where something will be read says nothing of what is computed."""


MAKERS: dict[str, Maker] = {
    **dict.fromkeys(("bar", "barrier"), _barrier),
    **dict.fromkeys(("fence", "membar"), _fence),
    "shfl": _shuffle, "vote": _vote, "redux": _reduce, "match": _match, "elect": _elect,
    **dict.fromkeys(("ldmatrix", "stmatrix"), _matrix),
    "mma": _product, "wgmma": _warpgroup, "mbarrier": _mbarrier, "cp": _copy,
    **dict.fromkeys(
        ("prefetch", "prefetchu", "griddepcontrol", "setmaxnreg", "nanosleep", "discard"),
        _prefetch,
    ),
}  # fmt: skip
"""By the first word of the opcode."""
