"""What a kernel takes of a GPU: registers, spills, shared memory, and how many blocks fit."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from ..errors import TritonSharedError

_USED = re.compile(r"Used (\d+) registers")
_SPILLS = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")

_REGISTERS = 65536
_REGISTER_UNIT = 256
"""Registers are given to warps in such parts."""
_SHARED_OF_SYSTEM = 1024
"""Bytes of shared memory that each block takes besides its own."""


@dataclass(frozen=True)
class Multiprocessor:
    """What one has, by compute capability: CUDA's programming guide, table of limits, and the
    same numbers in libcu++ (`cuda/__device/arch_traits.h`)."""

    warps: int
    blocks: int
    shared_bytes: int


_KNOWN = {
    80: Multiprocessor(64, 32, 164 * 1024),
    86: Multiprocessor(48, 16, 100 * 1024),
    87: Multiprocessor(48, 16, 164 * 1024),
    88: Multiprocessor(48, 16, 100 * 1024),
    89: Multiprocessor(48, 24, 100 * 1024),
    90: Multiprocessor(64, 32, 228 * 1024),
    100: Multiprocessor(64, 32, 228 * 1024),
    103: Multiprocessor(64, 32, 228 * 1024),
    110: Multiprocessor(48, 24, 228 * 1024),
    120: Multiprocessor(48, 24, 100 * 1024),
    121: Multiprocessor(48, 24, 100 * 1024),
}


def describe(facts: dict[str, Any], target: str) -> dict[str, Any] | None:
    """Of a kernel for a GPU, from its metadata; nothing for a CPU.

    "occupancy" is the part of a multiprocessor's warps that can be there at once, with what
    "limits" it; null for a GPU whose limits are not known here.
    """
    log = facts.get("ptxas_log")
    if log is None:
        return None
    used, spills = _USED.search(log), _SPILLS.search(log)
    threads, programs = facts["block"]
    registers = int(used[1]) if used else 0
    arch = int(re.sub(r"\D", "", target))
    return {
        "registers": registers,
        "stack_bytes": int(spills[1]) if spills else 0,
        "spill_store_bytes": int(spills[2]) if spills else 0,
        "spill_load_bytes": int(spills[3]) if spills else 0,
        "shared_bytes": facts["shared"],
        "shared_limit": facts["shared_limit"],
        "threads": threads,
        "programs": programs,
        "occupancy": occupancy(arch, threads * programs, registers, facts["shared"]),
    }


def shared_limit(arch: int) -> int:
    """Bytes of shared memory that a block may have. Raises TritonSharedError for an unknown GPU."""
    if arch not in _KNOWN:
        known = ", ".join(f"cuda:{one}" for one in _KNOWN)
        raise TritonSharedError(
            f"the limits of cuda:{arch} are not known here; take the nearest of {known}"
        )
    return _KNOWN[arch].shared_bytes - _SHARED_OF_SYSTEM


def occupancy(arch: int, threads: int, registers: int, shared: int) -> dict[str, Any] | None:
    """How many blocks and warps fit on a multiprocessor, and what there is too little of.

    `threads` and `shared` bytes are those of a block, `registers` those of a thread.
    """
    machine = _KNOWN.get(arch)
    if machine is None:
        return None
    warps = -(-threads // 32)
    of_warp = -(-max(registers, 1) * 32 // _REGISTER_UNIT) * _REGISTER_UNIT
    fits = {
        "warps": machine.warps // warps,
        "blocks": machine.blocks,
        "registers": _REGISTERS // of_warp // warps,
        "shared memory": machine.shared_bytes // (shared + _SHARED_OF_SYSTEM),
    }
    limit = min(fits, key=lambda name: fits[name])
    return {
        "blocks": fits[limit],
        "warps": fits[limit] * warps,
        "of_warps": machine.warps,
        "limit": limit,
        "fits": fits,
    }
