"""The options of one compilation: everything Triton 3.5 to 3.9 reads, and what is ours.

Triton's front end, its jit hooks and torch.compile read these fields by name. A launch line or a
`triton.Config` that was written for another backend of Triton needs no change: all options that one
of them knows are fields here, and docs/launch-options.md says what each means on each device. A
name that no backend knows is Triton's jit to reject, which asks for `__dict__`. Options of the
native compiler that have no field here are there, too: see `target_options`.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from . import knobs
from .target_options import target_options

if TYPE_CHECKING:
    from typing_extensions import Self

DOT_PRECISIONS = ("ieee", "tf32", "tf32x3", "bf16x3", "bf16x6")
_PRECISIONS = "allowed_dot_input_precisions"

MOST_WARPS = 32
"""Of a program: a block of a GPU has at most 1024 threads."""
MOST_CTAS = 16
"""Of a cluster."""

WGMMA_CAPABILITY = 90
"""Of the GPUs whose tensor cores add up products of 8-bit floats with fewer bits than f32 has."""
IMPRECISE = 1 << 30
"""How many such products are added up there, unless a kernel says less: as many as there are."""

_GPU_EXACT = re.compile(r"gpu-exact:sm_(?P<capability>\d+)[af]?")


@dataclass(frozen=True)
class LaunchOptions:
    """What a launch line may set on every device, with the defaults of a CPU."""

    # Read by the front end while it writes TTIR.
    debug: bool = False
    """Keeps `tl.device_assert` and, with `sanitize_overflow`, checks integer arithmetic."""
    sanitize_overflow: bool = True
    arch: str = "cpu"
    supported_fp8_dtypes: tuple[str, ...] = ("fp8e4b15", "fp8e4b8", "fp8e4nv", "fp8e5", "fp8e5b16")
    deprecated_fp8_dot_operand_dtypes: tuple[str, ...] = ()
    default_dot_input_precision: str = "ieee"
    max_num_imprecise_acc_default: int | None = 0

    # Launch options of NVIDIA's backend: they hardly change what a kernel computes.
    num_warps: int = 4
    num_ctas: int = 1
    num_stages: int = 3
    warp_size: int = 32
    cluster_dims: tuple[int, ...] = (1, 1, 1)
    maxnreg: int | None = None
    enable_fp_fusion: bool = field(default_factory=knobs.fp_fusion)
    enable_reflect_ftz: bool = False
    ptx_version: int | None = None
    ptx_options: str | None = None
    min_shared_mem: int | None = None
    sched4reg: bool = False
    clc: bool = False
    launch_cooperative_grid: bool = False
    launch_pdl: bool = False

    # Launch options of AMD's backend, which mean nothing to ours.
    waves_per_eu: int = 0
    matrix_instr_nonkdim: int = 0
    kpack: int = 1
    allow_flush_denorm: bool = False
    schedule_hint: str = ""
    llvm_fn_attrs: Any = ""
    wgp_cu_mode: str = "wgp"

    # Options of one of our devices, which the other ignores.
    mode: str = ""
    cpu: str = ""
    dot: str = ""
    precise: bool = False

    # Read or passed by Triton's jit on every launch.
    backend_name: str = "cpu"
    extern_libs: Any = None
    ir_override: str | None = None
    instrumentation_mode: str = ""
    fpsan_homomorphic_casts: Any = None

    @classmethod
    def parse(cls, given: Mapping[str, Any]) -> Self:
        """Takes from the keywords of a launch what is an option; Triton rejects the others."""
        known = {f.name for f in fields(cls)}
        options = cls(**{k: v for k, v in given.items() if k in known and v is not None})
        for option in target_options():
            if option.is_new and given.get(option.field) is not None:
                option.word(given[option.field])
                options.__dict__[option.field] = given[option.field]
        if given.get(_PRECISIONS) is not None:
            options.__dict__[_PRECISIONS] = tuple(given[_PRECISIONS])
        return options

    def __post_init__(self) -> None:
        _check_power_of_two("num_warps", self.num_warps, MOST_WARPS)
        _check_power_of_two("num_ctas", self.num_ctas, MOST_CTAS)
        if not isinstance(self.num_stages, int) or self.num_stages < 0:
            raise ValueError(
                f"num_stages must be a number of stages, or 0 for none; got {self.num_stages!r}"
            )
        # What only the native compiler names is no field, but is asked for like one.
        self.__dict__.update({option.field: None for option in target_options() if option.is_new})

    @property
    def nameable_dot_precisions(self) -> tuple[str, ...]:
        """What a kernel may name as a dot's `input_precision`: all, or those of the launch line.

        The option has the name of the property by which Triton asks, so it is no field.
        """
        named: tuple[str, ...] = self.__dict__.get(_PRECISIONS, DOT_PRECISIONS)
        return named

    @property
    def checks(self) -> bool:
        """Whether accesses are checked, for `triton_shared.check`, which sets Triton's word."""
        return self.instrumentation_mode in ("check", "check-bounds")

    @property
    def checks_values(self) -> bool:
        """Whether values are, too."""
        return self.instrumentation_mode == "check"

    def hash(self) -> str:
        """Part of the cache key: the same for the same options, in any process."""
        text = repr(sorted(self.__dict__.items()))
        return hashlib.sha256(text.encode()).hexdigest()

    def words(self) -> str:
        """The options as the native compiler reads them."""
        raise NotImplementedError

    def words_of_launch(self) -> str:
        """The same for a kernel that Triton launches."""
        return self.words()

    def words_for(self, device: str) -> list[str]:
        """Those of them that code for a `cpu` or a `gpu` has."""
        options = [option for option in target_options() if option.device == device]
        return [option.word(getattr(self, option.field)) for option in options]


def _check_power_of_two(name: str, value: Any, most: int) -> None:
    if not isinstance(value, int) or value not in [1 << i for i in range(most.bit_length())]:
        raise ValueError(f"{name} must be a power of two from 1 to {most}; got {value!r}")


@dataclass(frozen=True)
class Options(LaunchOptions):
    """What a launch line may set on the CPU."""

    mode: str = field(default_factory=knobs.mode)
    """How the CPU code is made: `reference` is plain loops and libm in a fixed order, `fast` is
    vectors, dots by tiles in registers and functions as polynomials."""

    cpu: str = field(default_factory=knobs.cpu)
    """The CPU that code is made for: `host`, or LLVM's word for one, with what it has besides or
    lacks: `x86-64-v3`, `znver4,-avx512bf16`. A launch needs one that this machine can stand for."""

    dot: str = field(default_factory=knobs.dot)
    """How matrix products are added up: `plain`, in the order of the mode, or bit by bit as
    instructions of a GPU do, as in `gpu-exact:sm_90a`. Then what a kernel does not say about its
    products (tf32, sums of 8-bit floats) is what it is on that GPU."""

    @property
    def dot_capability(self) -> int:
        """Of the GPU whose products are repeated, 90 for 9.0; 0 for none."""
        match = _GPU_EXACT.fullmatch(self.dot)
        return int(match["capability"]) if match else 0

    @property
    def allowed_dot_input_precisions(self) -> tuple[str, ...]:
        """All that a kernel may name, but no `tf32` for the function that picks the default.

        `tl.dot` takes tf32 unasked wherever it is allowed, as on a GPU's tensor cores. A CPU has
        none: there, f32 means f32 unless the kernel (or TRITON_F32_DEFAULT) says tf32, which is
        then rounded to. Triton has no other way to tell the two questions apart than who asks.
        """
        asker = sys._getframe(1).f_code.co_name
        is_default = asker == "dot" and not self.dot_capability
        return tuple(p for p in self.nameable_dot_precisions if p != "tf32" or not is_default)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.mode not in knobs.MODES:
            raise ValueError(f"mode must be one of {', '.join(knobs.MODES)}; got '{self.mode}'")
        if self.dot_capability:
            self.__dict__["default_dot_input_precision"] = "tf32"
            if self.dot_capability == WGMMA_CAPABILITY:
                self.__dict__["max_num_imprecise_acc_default"] = IMPRECISE

    def words(self) -> str:
        """The options as the native compiler reads them."""
        words = self.words_for("cpu")
        if self.cpu != "host":
            words.append(f"target=cpu:{self.cpu}")
        if self.dot_capability:
            # Which instructions a GPU has for a product hangs on how many warps compute it.
            warps = min(MOST_WARPS, self.__dict__["num_warps"] * self.num_ctas)
            words.append(f"num-warps={warps}")
        return " ".join(words)
