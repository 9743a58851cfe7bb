"""The options of a compilation for an NVIDIA GPU."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

from .. import knobs
from ..options import DOT_PRECISIONS, LaunchOptions
from . import tools


@dataclass(frozen=True)
class CudaOptions(LaunchOptions):
    """What a launch line may set, with Triton's defaults for a GPU."""

    arch: str = "sm90"
    backend_name: str = "shared_cuda"
    default_dot_input_precision: str = "tf32"

    precise: bool = field(default_factory=knobs.precise)
    """No approximate functions, no tf32 unasked: tells rounding from an error."""

    @property
    def allowed_dot_input_precisions(self) -> tuple[str, ...]:
        """All; but with `precise`, `tl.dot` does not take tf32 where the kernel names nothing.

        Who asks is the only difference between that question and what a kernel may name.
        """
        unasked = self.precise and sys._getframe(1).f_code.co_name == "dot"
        return tuple(p for p in DOT_PRECISIONS if p != "tf32" or not unasked)

    def __post_init__(self) -> None:
        if self.num_warps not in (1, 2, 4, 8, 16, 32):
            raise ValueError(f"num_warps must be a power of two from 1 to 32; got {self.num_warps}")
        if self.num_ctas not in (1, 2, 4, 8, 16):
            raise ValueError(f"num_ctas must be a power of two from 1 to 16; got {self.num_ctas}")

    @property
    def target(self) -> str:
        """The target's name, `cuda:90a`; from Hopper on, with what only this architecture has."""
        capability = self.arch.removeprefix("sm").removesuffix("a")
        return f"cuda:{capability}{'a' if int(capability) >= 90 else ''}"

    @property
    def warps(self) -> int:
        """Of a program, at most: one block does what the blocks of a cluster would."""
        return min(32, self.num_warps * self.num_ctas)

    def words(self) -> str:
        """The options as the native compiler reads them."""
        words = {
            "target": self.target,
            "num-warps": self.warps,
            "num-stages": max(1, self.num_stages),
            "ptxas": tools.find_ptxas(),
            "libdevice": tools.find_libdevice(),
            "precise": "true" if self.precise else "false",
        }
        return " ".join(f"{name}={value}" for name, value in words.items())
