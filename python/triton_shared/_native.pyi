"""The extension module, python/native. Load it through `library`, never by import."""

from collections.abc import Callable, Sequence
from typing import Any

def version() -> str:
    """Version and build id, for example `0.1.0+llvm22.1.8.3f2a90c1`."""

def compile(source: bytes, options: str) -> Compilation:
    """Compiles TTIR, or any later MLIR phase, as text or bytecode, to an object file.

    What crashes the compiler ends this process: `library.compile_text` knows when to risk it.
    """

def launch_settings() -> tuple[int, int, int]:
    """Threads, index of the grid order, seed."""

def set_launch_settings(threads: int, grid_order: int, seed: int) -> None:
    """Changes how grids run from now on."""

class Compilation:
    """What one compilation left."""

    @property
    def succeeded(self) -> bool:
        """Whether the last phase asked for was made."""
    @property
    def diagnostics(self) -> str:
        """All diagnostics, `file:line:col: error: ...`, with their notes."""
    @property
    def metadata(self) -> str:
        """JSON: `name`, `entry`, `args`."""
    def artefact(self, phase: str) -> bytes:
        """What the phase left; empty if the compilation did not get there."""

class Kernel:
    """An object file, linked into this process. Raises ValueError if it is none.

    `side_by_side` gives every program of a grid a thread of its own, all at once.
    """

    def __init__(self, object: bytes, entry: str, side_by_side: bool) -> None: ...

class Launcher:
    """Turns Python arguments into C values and runs the grid.

    `plan` has one tuple per parameter of the kernel, as `launcher.Parameter.as_plan` writes it.
    `link` makes the `Kernel` of a handle at its first launch, `check` is asked about every tensor
    whose dtype this launcher has not met, `failure` is the class of what a failed
    `tl.device_assert` raises.
    """

    def __init__(
        self,
        name: str,
        plan: Sequence[tuple[Any, ...]],
        link: Callable[[Any], Kernel],
        check: Callable[[int, Any], None],
        failure: type[Exception],
    ) -> None: ...
    def __call__(
        self,
        grid_x: int,
        grid_y: int,
        grid_z: int,
        stream: Any,
        function: Any,
        packed_metadata: Any,
        launch_metadata: Any,
        enter_hook: Callable[[Any], None] | None,
        exit_hook: Callable[[Any], None] | None,
        *args: Any,
    ) -> None: ...
