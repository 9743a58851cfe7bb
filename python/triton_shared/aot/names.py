"""Names that C and C++ can have, and that launchers do not use themselves."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from ..errors import TritonSharedError

_KEYWORDS = re.compile(
    r"alignas|alignof|and|and_eq|asm|auto|bitand|bitor|bool|break|case|catch|char|"
    r"char16_t|char32_t|char8_t|class|compl|concept|const|const_cast|consteval|constexpr|"
    r"constinit|continue|co_await|co_return|co_yield|decltype|default|delete|do|double|"
    r"dynamic_cast|else|enum|explicit|export|extern|false|float|for|friend|goto|if|"
    r"inline|int|long|mutable|namespace|new|noexcept|not|not_eq|nullptr|operator|or|"
    r"or_eq|private|protected|public|register|reinterpret_cast|requires|restrict|return|"
    r"short|signed|sizeof|static|static_assert|static_cast|struct|switch|template|this|"
    r"thread_local|throw|true|try|typedef|typeid|typename|typeof|union|unsigned|using|"
    r"virtual|void|volatile|wchar_t|while|xor|xor_eq"
)
"""Of C and of C++: headers serve both."""

_TAKEN = re.compile(
    r"launch_result|stream|running|arguments|escape|gridX|gridY|gridZ|encode|launch_grid|"
    r"setjmp|tritonSharedEscape|memset|size_t|jmp_buf|intptr_t|uintptr_t|NULL|errno|"
    r"stdin|stdout|stderr|linux|unix"
    r"|_[A-Z_]\w*|(hidden|recipe)\d+|u?int\d+_t|(CU|CUDA_|U?INT\d)\w*"
)
"""What launchers call other things, and macros of systems."""


def require_parameters(names: Iterable[str], taken: Collection[str] = ()) -> None:
    """Raises TritonSharedError for a parameter that a launcher in C cannot have.

    `taken` are names that this launcher gives to something else.
    """
    for name in names:
        if why := _fault(name, taken):
            raise TritonSharedError(
                f"no parameter of a launcher in C can be called '{name}': it is {why}\n"
                "give the parameter of the kernel another name"
            )


def require_function(name: str, option: str) -> None:
    """Raises TritonSharedError for what cannot be a function's name; `option` sets another."""
    if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
        raise TritonSharedError(
            f"no function in C can be called '{name}': names are letters, digits and '_'\n"
            f"choose another one with {option}"
        )


def require_free_function(name: str, option: str) -> None:
    """The same for a name to which nothing is added."""
    require_function(name, option)
    if _KEYWORDS.fullmatch(name):
        raise TritonSharedError(
            f"no function in C can be called '{name}': it is a word of C or C++\n"
            f"choose another one with {option}"
        )


def _fault(name: str, taken: Collection[str]) -> str:
    if _KEYWORDS.fullmatch(name):
        return "a word of C or C++"
    if name in taken or _TAKEN.fullmatch(name):
        return "taken by the launcher or its headers"
    return "" if name.isidentifier() else "no name in C"
