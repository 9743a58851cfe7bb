"""The options of a compilation for an NVIDIA GPU."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

from .. import knobs
from ..options import IMPRECISE, WGMMA_CAPABILITY, LaunchOptions
from . import other_form, tools

_ARCH = re.compile(r"sm_?(?P<capability>\d+)[af]?")


@dataclass(frozen=True)
class CudaOptions(LaunchOptions):
    """What a launch line may set, with Triton's defaults for a GPU."""

    arch: str = "sm90"
    backend_name: str = "shared_cuda"
    default_dot_input_precision: str = "tf32"
    max_num_imprecise_acc_default: int | None = None
    """As many products of 8-bit floats as there are where `wgmma` adds them up, none elsewhere."""

    precise: bool = field(default_factory=knobs.precise)
    """No approximate functions, no tf32 unasked: tells rounding from an error."""

    @property
    def allowed_dot_input_precisions(self) -> tuple[str, ...]:
        """All; but with `precise`, `tl.dot` does not take tf32 where the kernel names nothing.

        Who asks is the only difference between that question and what a kernel may name.
        """
        unasked = self.precise and sys._getframe(1).f_code.co_name == "dot"
        return tuple(p for p in self.nameable_dot_precisions if p != "tf32" or not unasked)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not _ARCH.fullmatch(self.arch):
            raise ValueError(
                f"arch must be 'sm' and a compute capability, as in sm90; got {self.arch!r}"
            )
        if self.max_num_imprecise_acc_default is None:
            is_imprecise = self.capability == WGMMA_CAPABILITY and not self.precise
            most = IMPRECISE if is_imprecise else 0
            object.__setattr__(self, "max_num_imprecise_acc_default", most)
        if self.maxnreg is not None and self.maxnreg not in range(1, 256):
            raise ValueError(
                f"maxnreg must be a number of registers from 1 to 255; got {self.maxnreg!r}"
            )
        if self.ptx_version is not None and self.ptx_version not in range(10, 1000):
            raise ValueError(
                f"ptx_version must be ten times the version, as 86 for 8.6; got "
                f"{self.ptx_version!r}"
            )

    @property
    def target(self) -> str:
        """The target's name, `cuda:90a`; from Hopper on, with what only this architecture has."""
        return f"cuda:{self.capability}{'a' if self.capability >= 90 else ''}"

    @property
    def capability(self) -> int:
        """The compute capability as a number, 90 for 9.0."""
        match = _ARCH.fullmatch(self.arch)
        assert match
        return int(match["capability"])

    @property
    def fuses(self) -> bool:
        """Whether a product and a sum may become one operation."""
        return self.enable_fp_fusion and not self.precise

    @property
    def ptxas_words(self) -> tuple[str, ...]:
        """What ptxas is told besides: Triton's `PTXAS_OPTIONS`, and those of the launch line."""
        return (*knobs.ptxas_options(), *(self.ptx_options or "").split())

    @property
    def libdevice(self) -> Path:
        """The library whose functions are linked: that of `extern_libs`, or NVIDIA's."""
        named = dict(self.extern_libs or {}).get("libdevice")
        return Path(named) if named else tools.find_libdevice()

    @property
    def warps(self) -> int:
        """Of a program, at most: one block does what the blocks of a cluster would."""
        return min(32, self.num_warps * self.num_ctas)

    @property
    def stages(self) -> int:
        """Of loads in loops: none is one."""
        return max(1, self.num_stages)

    def words(self) -> str:
        """The options as the native compiler reads them."""
        tool = f"ptxas={tools.find_ptxas(self.target)}", f"libdevice={self.libdevice}"
        return " ".join([f"target={self.target}", *tool, *self.words_for("gpu")])

    def words_of_launch(self) -> str:
        """The same where Triton launches the kernel, which has another form without maps."""
        words = self.words()
        if getattr(self, other_form.OPTION) is None:
            words = words.replace("pointer-maps=guarded", "pointer-maps=assumed")
        return words
