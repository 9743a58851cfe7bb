"""Inline assembly of TMA becomes calls of mbarrier.c and tma.c.

Every instruction is predicated: only the thread that asks for copies executes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_PREDICATED = re.compile(r"@(\$\d+) (.+)", re.DOTALL)
_MBARRIER = re.compile(r"mbarrier\.(init|inval)\.shared\.b64 \[(\$\d+)\](?:, (\S+))?")
_EXPECT = re.compile(r"mbarrier\.arrive\.expect_tx\.shared\.b64 _, \[(\$\d+)\], (\S+)")
_ARRIVE = re.compile(r"mbarrier\.arrive\.shared\.b64 _, \[(\$\d+)\]")
_LOAD = re.compile(
    r"cp\.async\.bulk\.tensor\.(\d)d\.shared::cluster\.global\.tile"
    r"\.mbarrier::complete_tx::bytes \[(\$\d+)\], \[(\$\d+), \{([^}]*)\}\], \[(\$\d+)\]"
)
_STORE = re.compile(
    r"cp\.async\.bulk\.tensor\.(\d)d\.global\.shared::cta\.tile\.bulk_group "
    r"\[(\$\d+), \{([^}]*)\}\], \[(\$\d+)\]"
)
_GROUP = re.compile(r"cp\.async\.bulk\.(commit_group|wait_group(?:\.read)?)(?: (\d+))?")
_RANKS = range(1, 6)
FUNCTIONS = (
    ("void", "@emu_mbarrier_init_shared", "ptr, i32"),
    ("void", "@emu_mbarrier_inval_shared", "ptr"),
    ("i64", "@emu_mbarrier_arrive_shared", "ptr"),
    ("i64", "@emu_mbarrier_arrive_expect_tx_scope_cta_space_cta", "ptr, i32"),
    ("void", "@emu_trap", ""),
    ("void", "@emu_cp_async_bulk_commit_group", ""),
    ("void", "@emu_cp_async_bulk_wait_group", "i32"),
    ("void", "@emu_cp_async_bulk_wait_group_read", "i32"),
    *(
        (
            "void",
            f"@emu_cp_async_bulk_tensor_g2s_cta_tile_{rank}d",
            f"ptr, ptr, ptr, {'i32, ' * rank}i64, i32",
        )
        for rank in _RANKS
    ),
    *(
        (
            "void",
            f"@emu_cp_async_bulk_tensor_s2g_tile_{rank}d",
            f"ptr, ptr, {'i32, ' * rank}i64, i32",
        )
        for rank in _RANKS
    ),
)
"""What the functions call: type, name, types of the arguments."""

Value = Callable[[str], str]
"""An operand of the text, `$3` or a number, with its type."""


class _Calls:
    """The lines of a function that makes the calls of predicated statements."""

    def __init__(self, value: Value) -> None:
        self.lines: list[str] = []
        self._value = value

    def add(self, statement: str) -> bool:
        """The call of one statement; false if it is of another kind."""
        value = self._value
        if match := _MBARRIER.fullmatch(statement):
            count = f", {value(match[3])}" if match[3] else ""
            self._call(f"mbarrier_{match[1]}_shared", f"{self._shared(match[2])}{count}")
        elif match := _EXPECT.fullmatch(statement):
            given = f"{self._shared(match[1])}, {value(match[2])}"
            self._call("mbarrier_arrive_expect_tx_scope_cta_space_cta", given, "i64")
        elif match := _ARRIVE.fullmatch(statement):
            self._call("mbarrier_arrive_shared", self._shared(match[1]), "i64")
        elif match := _LOAD.fullmatch(statement):
            places = f"{self._shared(match[2])}, {self._shared(match[5])}, {value(match[3])}"
            given = f"{places}, {self._coordinates(match[4])}, i64 0, i32 0"
            self._call(f"cp_async_bulk_tensor_g2s_cta_tile_{match[1]}d", given)
        elif statement == "trap":
            self._call("trap", "")
        elif match := _STORE.fullmatch(statement):
            places = f"{self._shared(match[4])}, {value(match[2])}"
            given = f"{places}, {self._coordinates(match[3])}, i64 0, i32 0"
            self._call(f"cp_async_bulk_tensor_s2g_tile_{match[1]}d", given)
        elif match := _GROUP.fullmatch(statement):
            function = match[1].replace(".", "_")
            self._call(f"cp_async_bulk_{function}", f"i32 {match[2]}" if match[2] else "")
        else:
            return False
        return True

    def _call(self, function: str, given: str, result: str = "void") -> None:
        self.lines.append(f"  call {result} @emu_{function}({given})")

    def _coordinates(self, listed: str) -> str:
        return ", ".join(self._value(part) for part in listed.split(","))

    def _shared(self, operand: str) -> str:
        """A number that counts from the begin of shared memory, as a pointer."""
        name = f"%shared{len(self.lines)}"
        self.lines.append(f"  {name} = getelementptr i8, ptr @cta_shared, {self._value(operand)}")
        return f"ptr {name}"


def make(statements: list[str], value: Value) -> list[str] | None:
    """The lines that do what predicated statements say, or none if they are of another kind."""
    calls = _Calls(value)
    predicates = set()
    for statement in statements:
        match = _PREDICATED.fullmatch(statement)
        if not match or not calls.add(match[2].strip()):
            return None
        predicates.add(match[1])
    if len(predicates) != 1:
        return None
    begin = [f"  br {value(predicates.pop())}, label %does, label %ends", "does:"]
    return [*begin, *calls.lines, "  br label %ends", "ends:"]
