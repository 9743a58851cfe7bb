"""The signature of a variant: Triton's grammar, and the names that follow from it.

"*fp32:16, i32, i32:1, 64" has a word for each parameter: a type, with what is promised of its
value (a multiple of 16, or 1), or the value itself.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import TritonSharedError

C_TYPES = {
    "i1": "int8_t",
    "u1": "uint8_t",
    **{f"i{bits}": f"int{bits}_t" for bits in (8, 16, 32, 64)},
    **{f"u{bits}": f"uint{bits}_t" for bits in (8, 16, 32, 64)},
    # C11 has no such types: a caller passes the bits.
    "fp16": "uint16_t",
    "bf16": "uint16_t",
    "fp32": "float",
    "fp64": "double",
}
"""The C type of a scalar parameter, as the compiled kernel reads it."""

ELEMENTS = (*C_TYPES, "fp8e4nv", "fp8e5", "fp8e4b15", "fp8e4b8", "fp8e5b16")
"""What a pointer may point at."""

POINTER = "CUdeviceptr"
"""One word, which is all that Triton's linker reads; 64 bits on every target."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of a kernel, and what this variant knows about it."""

    name: str
    type: str
    """`*fp32`, `i32`, …; `constexpr` if the value is part of the variant."""
    hint: int | None = None
    """16: the value is a multiple of 16. 1: it is 1, and is not passed."""
    value: Any = None
    """Of a constexpr."""

    @property
    def is_constant(self) -> bool:
        """Whether no caller ever passes it."""
        return self.type == "constexpr"

    @property
    def is_passed(self) -> bool:
        """Whether the launcher of this variant has it."""
        return not self.is_constant and self.hint != 1

    @property
    def c_type(self) -> str:
        """What a C program passes."""
        return POINTER if self.type.startswith("*") else C_TYPES[self.type]

    @property
    def size(self) -> int:
        """Of the C type, in bytes."""
        bits = re.search(r"\d+", self.type)
        return 8 if self.type.startswith("*") or not bits else max(int(bits[0]), 8) // 8


def split(text: str) -> list[str]:
    """Splits at the commas outside of parentheses, and strips the parts."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def parse_signature(text: str, names: Sequence[str]) -> list[Parameter]:
    """Reads a signature for the parameters `names`; says which word is wrong."""
    words = split(text)
    if len(words) != len(names):
        raise TritonSharedError(
            f"the signature has {len(words)} types, but the kernel has {len(names)} parameters: "
            f"{', '.join(names)}\nwrite one for each, and a value for each tl.constexpr"
        )
    return [_parameter(name, word) for name, word in zip(names, words, strict=True)]


def _parameter(name: str, word: str) -> Parameter:
    number = _number(word)
    if number is not None:
        return Parameter(name, "constexpr", value=number)
    kind, colon, hint = word.partition(":")
    if kind.startswith("*"):
        _check_element(name, kind)
    elif kind not in C_TYPES:
        raise TritonSharedError(
            f"parameter '{name}' has the unknown type '{kind}'\n"
            f"use {', '.join(C_TYPES)}, a pointer such as *fp32, or a number for a tl.constexpr"
        )
    if not colon:
        return Parameter(name, kind)
    if (
        hint not in ("1", "16")
        or (hint == "1" and kind.startswith("*"))
        or kind.startswith(("fp", "bf"))
    ):
        raise TritonSharedError(
            f"parameter '{name}' has the unknown hint '{word}'\n"
            "integers can be ':16' (a multiple of 16) or ':1' (equal to 1), pointers ':16'"
        )
    return Parameter(name, kind, int(hint))


def _check_element(name: str, kind: str) -> None:
    """Rejects a pointer to what there is not; `*k` is Triton's pointer to constant memory."""
    element = kind.lstrip("*")
    if element not in ELEMENTS and element.removeprefix("k") not in ELEMENTS:
        raise TritonSharedError(
            f"parameter '{name}' has the type '{kind}', a pointer to the unknown type "
            f"'{element}'\nuse a * before one of {', '.join(ELEMENTS)}"
        )


def _number(word: str) -> int | float | None:
    for read in (int, float):
        try:
            return read(word)
        except ValueError:
            pass
    return None


_C_WORDS = re.compile(
    r"sizeof|int|long|short|char|unsigned|signed|float|double|u?int(8|16|32|64|ptr)_t|size_t"
)
"""What stands in a C expression without being declared: sizes and casts."""


def parse_grid(text: str, parameters: Sequence[Parameter]) -> tuple[str, str, str]:
    """The three C expressions of a grid, which name nothing but parameters."""
    expressions = split(text)
    if len(expressions) != 3 or not all(expressions):
        raise TritonSharedError(
            f"the grid has three C expressions, as in '1024, 1, 1'; got '{text}'"
        )
    names = [parameter.name for parameter in parameters]
    for expression in expressions:
        # A word begins behind what is no part of a number, such as 0x1f or 16u.
        for word in re.findall(r"(?<![\w.])[A-Za-z_]\w*", expression):
            if word not in names and not _C_WORDS.fullmatch(word):
                raise TritonSharedError(
                    f"'{word}' in the grid is no parameter of the kernel\n"
                    f"use numbers and {', '.join(names)}"
                )
    return expressions[0], expressions[1], expressions[2]


def hash_of(signature: str, num_warps: int, num_stages: int) -> str:
    """Triton's hash of a variant: the same signature and options, the same eight digits."""
    words = [*split(signature), _launch(num_warps, num_stages)]
    return hashlib.sha256(" ".join(words).encode()).hexdigest()[:8]


def suffix_of(parameters: Sequence[Parameter], *, names_all: bool) -> str:
    """`0d1d3c`: which parameters are multiples of 16 and which are 1, by position.

    Triton 3.6 names all positions, later versions only these.
    """
    letters = {16: "d", 1: "c"}
    return "".join(
        f"{number}{letters.get(parameter.hint or 0, '')}"
        for number, parameter in enumerate(parameters)
        if names_all or parameter.hint
    )


def algorithm_of(parameters: Sequence[Parameter], num_warps: int, num_stages: int) -> str:
    """`128x1_warps4xstages3`: what a caller chooses between. Hints are chosen by value."""
    constants = "x".join(
        re.sub(r"\W", "_", str(parameter.value))
        for parameter in parameters
        if parameter.is_constant
    )
    return f"{constants}_{_launch(num_warps, num_stages)}"


def _launch(num_warps: int, num_stages: int) -> str:
    return f"warps{num_warps}xstages{num_stages}"
