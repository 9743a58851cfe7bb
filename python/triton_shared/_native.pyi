"""The extension module, python/native. Load it through `library`, never by import."""

from collections.abc import Callable, Sequence
from typing import Any

def version() -> str:
    """Version and build id, for example `0.1.0+llvm22.1.8.3f2a90c1`."""

def phases(for_gpu: bool) -> list[str]:
    """The phases from a source to code for a CPU or a GPU, in order."""

def tensor_cores() -> str: ...
def target_options() -> str:
    """JSON: the options of code, each with `name`, `device`, `default`, `values`, `help`."""

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
        """JSON: `name`, `entry`, `args`, `hidden`."""
    @property
    def artefacts(self) -> list[str]:
        """The names of all that it left."""
    def artefact(self, phase: str) -> bytes:
        """What the phase left; empty if the compilation did not get there."""

class SignalHandlers:
    """Who handles signals at the time that it is made."""

    def __init__(self) -> None: ...
    def restore(self) -> None:
        """Puts them back."""

class Kernel:
    """An object file, linked into this process. Raises ValueError if it is none.

    `side_by_side` gives every program of a grid a thread of its own, all at once.
    """

    def __init__(self, object: bytes, entry: str, side_by_side: bool) -> None: ...

class CheckedLaunch:
    """What is known and found in one launch of a kernel with checks.

    `views` has for each C value of the arguments how many bytes an element of its tensor has, sizes
    and strides; None if it is no tensor. With `finds_races`, programs are compared,
    and memory that holds the eight bytes `unwritten` has never been written.
    """

    def __init__(
        self,
        views: Sequence[tuple[int, list[int], list[int]] | None],
        grid: tuple[int, int, int],
        finds_races: bool,
        unwritten: int,
    ) -> None: ...
    @property
    def table(self) -> int:
        """The kernel's last argument; valid as long as the object."""
    @property
    def findings(self) -> str:
        """JSON, see runtime/check/CheckedLaunch.h; call after the launch."""

def forget_checked_launches() -> None:
    """Launches to come have nothing to do with those that were."""

class CudaKernel:
    """A function of a cubin, loaded on a GPU. Raises RuntimeError if the driver refuses it."""

    def __init__(self, cubin: bytes, entry: str, shared_bytes: int, device: int) -> None: ...
    @property
    def registers(self) -> int:
        """Of a thread."""
    @property
    def local_bytes(self) -> int:
        """Of a thread: where registers are spilled to."""
    @property
    def max_threads(self) -> int:
        """Of a block, at most."""
    def __index__(self) -> int:
        """The driver's `CUfunction`."""

class Launcher:
    """Turns Python arguments into C values and runs the grid.

    `plan` has one tuple per parameter of the kernel, as `launcher.Parameter.as_plan` writes it.
    `link` makes the kernel of a handle at its first launch, `check` is asked about every tensor
    whose dtype this launcher has not met or whose memory is not the device's, `failure` is the
    class of what a failed launch (on the CPU, a failed `tl.device_assert`) raises.
    """

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

class CpuLauncher(Launcher):
    """Runs a grid on this processor and returns when it is done."""

    def __init__(
        self,
        name: str,
        plan: Sequence[tuple[Any, ...]],
        link: Callable[[Any], Kernel],
        check: Callable[[int, Any], None],
        failure: type[Exception],
    ) -> None: ...

class CudaLauncher(Launcher):
    """Puts a grid into a stream of a GPU.

    `tensor_maps` has a tuple per tensor map, as `cuda.tensor_map.as_plan` writes it, and the
    parameter at `missing_place`, unless it is -1, gets a bit for each that could not be encoded.
    `bounds` has the steps of each bound, as `cuda.launch_bounds.as_plan` writes them. With
    `other_form` that is called instead where one of all these fails, with all the launch got.
    """

    def __init__(
        self,
        name: str,
        plan: Sequence[tuple[Any, ...]],
        link: Callable[[Any], CudaKernel],
        check: Callable[[int, Any], None],
        failure: type[Exception],
        threads: int,
        programs: int,
        cooperative: bool,
        starts_early: bool,
        tensor_maps: Sequence[tuple[Any, ...]],
        missing_place: int,
        bounds: Sequence[Sequence[tuple[Any, ...]]],
        other_form: Callable[..., None] | None,
    ) -> None: ...
    @property
    def other_form(self) -> Callable[..., None] | None: ...

def cuda_open(path: str) -> None:
    """Opens the CUDA driver; empty is the system's. RuntimeError says what is missing."""

def cuda_count_devices() -> int:
    """How many GPUs the driver shows."""

def cuda_get_device() -> int:
    """The GPU of this thread's current context, 0 if it has none."""

def cuda_set_device(device: int) -> None:
    """Makes the primary context of a GPU current on this thread."""

def cuda_describe_device(device: int) -> dict[str, Any]:
    """Name, capability and limits of a GPU."""
