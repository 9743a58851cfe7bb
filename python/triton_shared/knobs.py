"""What a user can set: the environment is read here and nowhere else.

Every knob is a function, so that a changed environment counts at the next compilation. The launch
settings alone are read once, when the native library is loaded: a launch takes a few microseconds.
`library.launches(...)` changes them for a block.
"""

from __future__ import annotations

import functools
import os
import warnings
from dataclasses import dataclass
from pathlib import Path

_PREFIX = "TRITON_SHARED_"
_OURS = (
    "ACTIVE", "CHECKS", "CPU", "DOT", "DUMP", "GRAPH_CACHE", "GRID_ORDER", "GRID_SEED", "ISOLATE",
    "LIBCUDA", "LIBRARY", "MODE", "PRECISE", "PTXAS_WARNING", "THREADS", "TUNING_SECONDS",
)  # fmt: skip
_OF_OTHERS = ("TEST_", "ROUNDTRIP", "LLVM_ROOT", "PYTHON", "SANITIZE")
"""What variables of our build and of its tests begin with."""

GRID_ORDERS = ("forward", "reverse", "random")
MODES = ("fast", "reference")
_SWITCH = ("", "0", "1")


@dataclass(frozen=True)
class LaunchSettings:
    """How grids are run, whatever the kernel."""

    threads: int = 0
    """Threads to use at most; 0 is one per core."""
    grid_order: str = "forward"
    """The order in which programs start: one of `GRID_ORDERS`."""
    grid_seed: int = 0
    """The seed of `grid_order="random"`."""

    def __post_init__(self) -> None:
        _one_of("grid_order", self.grid_order, GRID_ORDERS)
        if not 0 <= self.threads < 2**32:
            raise ValueError(f"threads must be 0 (one per core) or more, got {self.threads}")
        if not 0 <= self.grid_seed < 2**64:
            raise ValueError(f"grid_seed must be an unsigned 64-bit number, got {self.grid_seed}")


@functools.cache
def warn_of_strangers() -> None:
    """Warns of variables that look like ours and are none: once, and only of the first look."""
    for name in sorted(os.environ):
        word = name.removeprefix(_PREFIX)
        if word == name or word in _OURS or word.startswith(_OF_OTHERS):
            continue
        import difflib

        near = difflib.get_close_matches(word, _OURS, n=1, cutoff=0.5)
        hint = (
            f"the nearest is {_PREFIX}{near[0]}"
            if near
            else f"there are {', '.join(_PREFIX + known for known in _OURS)}"
        )
        warnings.warn(f"nothing reads the variable {name}; {hint}", UserWarning, stacklevel=2)


def dump_folder() -> Path | None:
    """`TRITON_SHARED_DUMP`: keep every phase of every compilation below this folder."""
    return _path("TRITON_SHARED_DUMP")


def graph_cache_folder() -> Path | None:
    """`TRITON_SHARED_GRAPH_CACHE`: where results of graph searches are, instead of the user's."""
    return _path("TRITON_SHARED_GRAPH_CACHE")


def shows_changes(kernel: str) -> bool:
    """`MLIR_ENABLE_DUMP`, as in Triton: 1, or the name of a kernel, shows what passes change."""
    return os.environ.get("MLIR_ENABLE_DUMP", "") in ("1", kernel or "1")


def changes_file() -> Path | None:
    """`MLIR_DUMP_PATH`, as in Triton: where that goes, instead of the standard error."""
    return _path("MLIR_DUMP_PATH")


def reproducer_beginning() -> str:
    """`TRITON_REPRODUCER_PATH`, as in Triton: what names of files with reproducers begin with."""
    return os.environ.get("TRITON_REPRODUCER_PATH", "")


def mode() -> str:
    """`TRITON_SHARED_MODE`: how the CPU code is made, one of `MODES`; unset, `fast`."""
    return _one_of("TRITON_SHARED_MODE", os.environ.get("TRITON_SHARED_MODE", MODES[0]), MODES)


def cpu() -> str:
    """`TRITON_SHARED_CPU`: the CPU that code is made for, `host` or LLVM's word for one."""
    return os.environ.get("TRITON_SHARED_CPU", "host")


def dot() -> str:
    """`TRITON_SHARED_DOT`: how the CPU adds up matrix products, `plain` or `gpu-exact:sm_90a`."""
    return os.environ.get("TRITON_SHARED_DOT", "plain")


def isolate() -> bool | None:
    """`TRITON_SHARED_ISOLATE`: 1 compiles in a process of its own, 0 always in this one.

    Unset (None), it depends on where the text comes from: see `library.compile_text`.
    """
    text = _one_of("TRITON_SHARED_ISOLATE", os.environ.get("TRITON_SHARED_ISOLATE", ""), _SWITCH)
    return {"1": True, "0": False}.get(text)


def active() -> bool | None:
    """`TRITON_SHARED_ACTIVE`: 1 makes this Triton's default device, 0 never does.

    Unset (None), it is the default device where no GPU is visible. Anything else counts as unset:
    this is asked while Triton looks for a device, where an error would hit other people.
    """
    return {"1": True, "0": False}.get(os.environ.get("TRITON_SHARED_ACTIVE", ""))


def default_backend() -> str:
    """`TRITON_DEFAULT_BACKEND`: the entry point that Triton 3.7 and later takes as its default."""
    return os.environ.get("TRITON_DEFAULT_BACKEND", "")


def library_folder() -> Path | None:
    """`TRITON_SHARED_LIBRARY`: the folder that holds the extension module, instead of ours."""
    return _path("TRITON_SHARED_LIBRARY")


def cuda_driver() -> str:
    """`TRITON_SHARED_LIBCUDA`: the CUDA driver to open, instead of the system's libcuda.so.1."""
    return os.environ.get("TRITON_SHARED_LIBCUDA", "")


def ptxas() -> Path | None:
    """`TRITON_PTXAS_PATH`: the assembler of PTX, instead of the one in Triton's wheel."""
    return _path("TRITON_PTXAS_PATH")


def ptxas_blackwell() -> Path | None:
    """`TRITON_PTXAS_BLACKWELL_PATH`, as in Triton: the assembler for GPUs from 10.0 on."""
    return _path("TRITON_PTXAS_BLACKWELL_PATH")


def libdevice() -> Path | None:
    """`TRITON_LIBDEVICE_PATH`: NVIDIA's library of functions, instead of the one in the wheel."""
    return _path("TRITON_LIBDEVICE_PATH")


def shows_times() -> bool:
    """`MLIR_ENABLE_TIMING`, as in Triton: how long each pass took, on the standard error."""
    return _is_on("MLIR_ENABLE_TIMING")


def fp_fusion() -> bool:
    """`TRITON_DEFAULT_FP_FUSION`, as in Triton: whether GPUs round a product and a sum at once."""
    return os.environ.get("TRITON_DEFAULT_FP_FUSION", "1").lower() not in (
        "0",
        "false",
        "off",
        "no",
    )


def ptxas_options() -> tuple[str, ...]:
    """`PTXAS_OPTIONS`, as in Triton: more words for the assembler of PTX."""
    return tuple(os.environ.get("PTXAS_OPTIONS", "").split())


def shows_ptx() -> bool:
    """`NVPTX_ENABLE_DUMP`, as in Triton: prints the PTX of every kernel."""
    return _is_on("NVPTX_ENABLE_DUMP")


def shows_ptxas_log() -> bool:
    """`TRITON_DUMP_PTXAS_LOG`, as in Triton: prints what ptxas says of registers and spills."""
    return _is_on("TRITON_DUMP_PTXAS_LOG")


def precise() -> bool:
    """`TRITON_SHARED_PRECISE`: 1 keeps GPUs from approximate functions, unless a launch says so."""
    text = os.environ.get("TRITON_SHARED_PRECISE", "")
    return _one_of("TRITON_SHARED_PRECISE", text, _SWITCH) == "1"


def warns_of_ptxas() -> bool:
    """`TRITON_SHARED_PTXAS_WARNING`: 0 says nothing of a ptxas that is known to be wrong."""
    text = os.environ.get("TRITON_SHARED_PTXAS_WARNING", "")
    return _one_of("TRITON_SHARED_PTXAS_WARNING", text, _SWITCH) != "0"


def checks() -> bool:
    """`TRITON_SHARED_CHECKS`: 0 runs kernels in `triton_shared.check()` as outside of it."""
    text = os.environ.get("TRITON_SHARED_CHECKS", "")
    return _one_of("TRITON_SHARED_CHECKS", text, _SWITCH) != "0"


def cuda_home() -> Path | None:
    """`CUDA_HOME` or `CUDA_PATH`: a CUDA Toolkit, asked where the wheel has nothing."""
    return _path("CUDA_HOME") or _path("CUDA_PATH")


def environment() -> dict[str, str]:
    """All of it, for a process that is started."""
    return dict(os.environ)


def c_compiler() -> str:
    """`CC`: the C compiler for libraries made ahead of time, with flags if it has any."""
    return os.environ.get("CC", "") or "cc"


def launch_settings() -> LaunchSettings:
    """`TRITON_SHARED_THREADS`, `TRITON_SHARED_GRID_ORDER`, `TRITON_SHARED_GRID_SEED`."""
    return LaunchSettings(
        threads=_number("TRITON_SHARED_THREADS", 2**32),
        grid_order=_one_of(
            "TRITON_SHARED_GRID_ORDER",
            os.environ.get("TRITON_SHARED_GRID_ORDER", GRID_ORDERS[0]),
            GRID_ORDERS,
        ),
        grid_seed=_number("TRITON_SHARED_GRID_SEED", 2**64),
    )


def tuning_seconds() -> float:
    """`TRITON_SHARED_TUNING_SECONDS`: when a search on the CPU takes the best so far; 0 is never.

    At least one configuration is timed, and one that has begun is timed to its end.
    """
    name = "TRITON_SHARED_TUNING_SECONDS"
    text = os.environ.get(name, "0")
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise ValueError(f"{name} must be a number of seconds, or 0 for no bound; got '{text}'")
    return seconds


def _is_on(name: str) -> bool:
    """A switch of Triton's, with the words that it takes for yes."""
    return os.environ.get(name, "").lower() in ("1", "true", "yes", "on", "y")


def _path(name: str) -> Path | None:
    text = os.environ.get(name, "")
    return Path(text) if text else None


def _number(name: str, bound: int) -> int:
    text = os.environ.get(name, "0")
    try:
        number = int(text)
    except ValueError:
        raise ValueError(f"{name} must be a number, got '{text}'") from None
    if not 0 <= number < bound:
        raise ValueError(f"{name} must be a number from 0 to {bound - 1}, got '{text}'")
    return number


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}; got '{value}'")
    return value
