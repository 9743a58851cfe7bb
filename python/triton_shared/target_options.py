"""The options of code: `include/triton-shared/Target/TargetOptions.def`, asked of the library.

An option that is added to that list is one of a launch line at once, under its name with `_` for
`-`. Where a launch line already has a word of Triton's for it, `FROM_LAUNCH_LINE` says which.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from typing import Any

from . import library

FROM_LAUNCH_LINE = {
    "mode": "mode",
    "dot": "dot",
    "check": "checks",
    "check-values": "checks_values",
    "num-warps": "warps",
    "num-stages": "stages",
    "precise": "precise",
    "fuse-multiply-add": "fuses",
    "flush-denormals": "enable_reflect_ftz",
    "max-registers": "maxnreg",
    "ptx-version": "ptx_version",
}
"""Options that follow from fields of `LaunchOptions`, and the attribute that has their value."""


@dataclass(frozen=True)
class TargetOption:
    """One line of the list."""

    name: str
    """As the compiler reads it: `num-warps`."""
    device: str
    """`cpu` or `gpu`; nothing reads it on the other one."""
    default: str
    values: str
    """What it may be, in words: `a number`, `true or false`, `reference or fast`."""
    help: str

    @property
    def field(self) -> str:
        """Its name on a launch line."""
        return FROM_LAUNCH_LINE.get(self.name, self.name.replace("-", "_"))

    @property
    def is_new(self) -> bool:
        """Whether nothing but the list names it."""
        return self.name not in FROM_LAUNCH_LINE

    def word(self, value: Any) -> str:
        """`name=value` for the compiler; None is the default. Raises ValueError."""
        text = self.default if value is None else str(value)
        if isinstance(value, bool):
            text = text.lower()
        is_known = text.isdigit() if self.values == "a number" else text in self._choices
        if not is_known:
            raise ValueError(f"{self.field} must be {self.values}; got {value!r}")
        return f"{self.name}={text}"

    @property
    def _choices(self) -> list[str]:
        return self.values.split(" or ")


@functools.cache
def target_options() -> tuple[TargetOption, ...]:
    """All of them."""
    return tuple(TargetOption(**option) for option in json.loads(library.target_options()))
