"""The C that instructions become: registers are variables, operands are expressions."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass, field

from .reader import SIZES, Instruction, PtxError, Registers, Variable

_WORDS = {1: "uint8_t", 2: "uint16_t", 4: "uint32_t", 8: "uint64_t"}
_AXES = ("x", "y", "z")
_MACHINE = (
    "smid", "nsmid", "clock", "clock_hi", "clock64", "globaltimer", "globaltimer_lo",
    "globaltimer_hi", "tid.x", "ntid.x", "laneid", "warpid", "nwarpid", "lanemask_eq",
    "lanemask_le", "lanemask_lt", "lanemask_ge", "lanemask_gt",
)  # fmt: skip
"""Special registers, in the order of `emu_machine`."""
_SPECIAL = {
    "tid.x": "emu_read_ptx_sreg_tid_x()", "tid.y": "emu_read_ptx_sreg_tid_y()", "tid.z": "0",
    "ntid.x": "emu_read_ptx_sreg_ntid_x()", "ntid.z": "1",
    **{f"ctaid.{a}": f"emu_read_ptx_sreg_ctaid_{a}()" for a in _AXES},
    **{f"nctaid.{a}": f"emu_read_ptx_sreg_nctaid_{a}()" for a in _AXES},
    **{f"clusterid.{a}": f"emu_read_ptx_sreg_ctaid_{a}()" for a in _AXES},
    **{f"nclusterid.{a}": f"emu_read_ptx_sreg_nctaid_{a}()" for a in _AXES},
    **{f"cluster_ctaid.{a}": "0" for a in _AXES}, "cluster_ctarank": "0",
    **{f"cluster_nctaid.{a}": "1" for a in _AXES}, "cluster_nctarank": "1",
}  # fmt: skip
"""A cluster is one block."""


def word(size: int) -> str:
    """The C type of a register of `size` bytes."""
    return _WORDS[size]


def integer(kind: str) -> str:
    """The C type of `u32`, `s16` or `b64`."""
    return ("int" if kind[0] == "s" else "uint") + f"{8 * SIZES[kind]}_t"


def is_float(kind: str) -> bool:
    """Whether it is a type of one float."""
    return kind in ("f16", "bf16", "f32", "f64")


def mangled(name: str) -> str:
    """A name of PTX as one of C."""
    return "v" + re.sub(r"\W", lambda match: f"_{ord(match[0]):x}_", name)


class Unknown(PtxError):
    """An instruction without a meaning here."""

    def __init__(self, instruction: Instruction, why: str = "") -> None:
        said = f": {why}" if why else ""
        super().__init__(f"line {instruction.line}: not known to the emulator{said}: {instruction}")


@dataclass
class Code:
    """One function of C as it grows, and what its names are."""

    symbols: dict[str, str]
    """Memory with a name, by its address as an expression."""
    lines: list[str] = field(default_factory=list)
    scopes: list[dict[str, int]] = field(default_factory=lambda: [{}])
    """Bytes of the registers of each block that is open."""
    words: frozenset[str] = frozenset()
    """Operands of words that are read for an update of a part of them."""
    temporaries: int = 0

    def declare(self, registers: Registers) -> None:
        """Variables for registers."""
        size = 1 if registers.kind == "pred" else SIZES[registers.kind]
        if size not in _WORDS:
            raise PtxError(f"registers of type '{registers.kind}' are not known to the emulator")
        for name in registers.names:
            self.scopes[-1][name] = size
        names = ", ".join(f"{mangled(name)} = 0" for name in registers.names)
        self.add(f"{word(size)} {names};")

    def allocate(self, variable: Variable) -> None:
        """Memory of a thread."""
        size = max(variable.size, 1)
        align = max(variable.align, 8)
        self.add(f"_Alignas({align}) char {mangled(variable.name)}[{size}] = {{0}};")
        self.symbols[variable.name] = f"(uint64_t){mangled(variable.name)}"

    def add(self, line: str) -> None:
        """One more line."""
        self.lines.append(line)

    def fresh(self) -> str:
        """A name that nothing has."""
        self.temporaries += 1
        return f"t{self.temporaries}"

    def size(self, register: str) -> int:
        """Bytes of a register; 0 for what is none."""
        return next((s[register] for s in reversed(self.scopes) if register in s), 0)

    def word(self, operand: str, kind: str = "b64") -> str:
        """The bits of an operand that is read as `kind`."""
        if operand.startswith("!"):
            return f"!{self.word(operand[1:], 'pred')}"
        if self.size(operand):
            return mangled(operand)
        if match := re.fullmatch(r"0[fF]([0-9a-fA-F]{8})", operand):
            return f"0x{match[1]}u"
        if match := re.fullmatch(r"0[dD]([0-9a-fA-F]{16})", operand):
            return f"0x{match[1]}ull"
        if re.fullmatch(r"-?\d*\.\d+(?:[eE][-+]?\d+)?", operand):
            form = ("<d", "<Q") if kind == "f64" else ("<f", "<I")
            (bits,) = struct.unpack(form[1], struct.pack(form[0], float(operand)))
            return f"0x{bits:x}ull"
        if re.fullmatch(r"-?(?:0[xX][0-9a-fA-F]+|\d+)U?", operand):
            bits = int(operand.removesuffix("U"), 0) & (1 << 64) - 1
            return f"0x{bits:x}ull"
        if operand.startswith("%"):
            return self._special(operand[1:])
        return self.address(operand)

    def _special(self, name: str) -> str:
        if name in _SPECIAL:
            return _SPECIAL[name]
        if name == "ntid.y":
            return "(uint32_t)(numThreads / threadsX)"
        if name in _MACHINE:
            return f"emu_machine({_MACHINE.index(name)})"
        raise PtxError(f"the register '%{name}' is not known to the emulator")

    def address(self, operand: str) -> str:
        """`[%rd1+4]` or `name+4` as a number."""
        inner = operand.strip().removeprefix("[").removesuffix("]").strip()
        match = re.fullmatch(r"(.+?)\s*(?:\+\s*(-?\w+))?", inner)
        assert match
        base, offset = match[1].strip(), int(match[2] or "0", 0)
        if self.size(base):
            found = mangled(base)
        elif base in self.symbols:
            found = self.symbols[base]
        elif re.fullmatch(r"-?\d+|0[xX][0-9a-fA-F]+", base):
            found = f"{int(base, 0)}ull"
        else:
            raise PtxError(f"the name '{base}' is not known to the emulator")
        # Addresses of 32 bits wrap as such.
        wide = "uint32_t" if self.size(base) == 4 else "uint64_t"
        return f"({wide})({found} + {offset}ll)" if offset else f"({wide})({found})"

    def value(self, operand: str, kind: str) -> str:
        """An operand as a C value of `kind`: a number, a float or double, or a truth."""
        bits = self.word(operand, kind)
        if kind == "pred":
            return f"({bits} != 0)"
        if is_float(kind):
            return f"{kind}_of(({word(SIZES[kind])})({bits}))"
        return f"({integer(kind)})({word(SIZES[kind])})({bits})"

    def assign(self, register: str, kind: str, expression: str) -> None:
        """Writes a C value of `kind` to a register, wider ones whole."""
        if register == "_":
            self.add(f"(void)({expression});")
            return
        if is_float(kind):
            expression = f"bits_{kind}({expression})"
        elif kind == "pred":
            expression = f"({expression}) != 0"
        else:
            expression = f"({integer(kind)})({expression})"
        if not self.size(register):
            raise PtxError(f"the register '{register}' is not declared")
        self.add(f"{mangled(register)} = {expression};")


def members(operand: str) -> list[str]:
    """The parts of `{%r1, %r2}`; of anything else, itself."""
    if not operand.startswith("{"):
        return [operand]
    return [part.strip() for part in operand.strip("{} ").split(",")]
