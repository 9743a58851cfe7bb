"""Finds and loads the native extension module, at first use and with a clear error.

An installed wheel has `_native` beside this file. An editable install does not copy it: there it
lies in the build folder of the source tree.
"""

from __future__ import annotations

import functools
import importlib.machinery
import importlib.util
import re
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import knobs
from .errors import LibraryError
from .isolation import compile_isolated, keep_while_compiling

if TYPE_CHECKING:
    from . import _native
    from .isolation import Compilation

_PACKAGE = Path(__file__).resolve().parent
_NAME = f"{__package__}._native"
_extension: Any = None
"""The extension module, once it is whole: the one in `sys.modules` may still be on its way."""
_loading = threading.Lock()


@functools.cache
def version() -> str:
    """Version and build id of the native library: part of every cache key."""
    return str(_module().version())


@functools.cache
def phases(kind: str) -> tuple[str, ...]:
    """The phases from TTIR to code for a `cpu` or a `cuda` device, in the order in which they run.

    The word is the key in `kernel.asm`, file suffix and dump name. docs/architecture.md says what
    each of them may hold.
    """
    return tuple(_module().phases(kind == "cuda"))


def target_options() -> str:
    """The options of code, as JSON: `triton_shared.target_options` reads it."""
    return str(_module().target_options())


def tensor_cores() -> str:
    """How tensor cores of GPUs add up, as JSON: the lines of `TensorCores.def`."""
    return str(_module().tensor_cores())


def compile_text(
    source: str | bytes, options: str, *, printed_by_triton: bool = False
) -> _native.Compilation | Compilation:
    """Compiles TTIR, or any later MLIR phase, as text or bytecode; never raises for a bad kernel.

    What MLIR printed, its parser reads. On other texts it may crash, and LLVM may end the process
    for a CPU with features of the user's choice: such input is compiled in a process of its own.
    CompilerCrashError then says what happened and names the reproducer.
    """
    encoded = source.encode() if isinstance(source, str) else source
    isolate = knobs.isolate()
    is_safe = printed_by_triton and not _chooses_features(options)
    if isolate if isolate is not None else not is_safe:
        return compile_isolated(encoded, options, _module())
    module = _module()
    with keep_while_compiling(encoded, options, module):
        compilation: _native.Compilation = module.compile(encoded, options)
    return compilation


def _chooses_features(options: str) -> bool:
    """Whether the target is a CPU with more or fewer features than LLVM's own."""
    return bool(re.search(r"\btarget=cpu:[^\s,]+,", options))


def load_kernel(obj: bytes, entry: str, side_by_side: bool = False) -> _native.Kernel:
    """Links an object file into this process. Raises ValueError if it is not one for it."""
    kernel: _native.Kernel = _module().Kernel(obj, entry, side_by_side)
    return kernel


def make_launcher(
    name: str,
    plan: Sequence[tuple[Any, ...]],
    link: Callable[[Any], _native.Kernel],
    check: Callable[[int, Any], None],
    failure: type[Exception],
) -> _native.CpuLauncher:
    """Makes the object that turns arguments into C values and runs grids."""
    launcher: _native.CpuLauncher = _module().CpuLauncher(name, plan, link, check, failure)
    return launcher


@contextmanager
def kept_signal_handlers() -> Iterator[None]:
    """Gives the application's handlers of signals back to it after the block."""
    handlers = _module().SignalHandlers()
    try:
        yield
    finally:
        handlers.restore()


def launch_settings() -> knobs.LaunchSettings:
    """How grids run now."""
    threads, order, seed = _module().launch_settings()
    return knobs.LaunchSettings(threads, knobs.GRID_ORDERS[order], seed)


def set_launch_settings(settings: knobs.LaunchSettings) -> None:
    """Changes how grids run from now on."""
    _hand_over(_module(), settings)


@contextmanager
def launches(
    *, threads: int | None = None, grid_order: str | None = None, grid_seed: int | None = None
) -> Iterator[knobs.LaunchSettings]:
    """Changes how grids run inside a `with` block; what is not named stays as it is."""
    before = launch_settings()
    named = {"threads": threads, "grid_order": grid_order, "grid_seed": grid_seed}
    inside = replace(before, **{k: v for k, v in named.items() if v is not None})  # type: ignore[arg-type]
    set_launch_settings(inside)
    try:
        yield inside
    finally:
        set_launch_settings(before)


def tool() -> Path:
    """The compiler's command line, `triton-shared-opt`, of the build that this process uses."""
    built = Path(_module().__file__).resolve().parents[1] / "bin" / "triton-shared-opt"
    return built if built.is_file() else Path(sys.executable).with_name("triton-shared-opt")


def native() -> Any:
    """The extension module; loaded now if it is not yet."""
    return _module()


def _module() -> Any:
    return _extension or _load_once()


def _load_once() -> Any:
    global _extension
    with _loading:
        _extension = _extension or _load()
        return _extension


def _load() -> Any:
    knobs.warn_of_strangers()
    path = _find()
    settings = knobs.launch_settings()
    spec = importlib.util.spec_from_file_location(_NAME, path)
    assert spec
    assert spec.loader
    try:
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except ImportError as error:
        raise LibraryError(
            f"the native library of triton-shared does not load: {error}\n"
            f"rebuild it with 'make setup' (the file is {path})"
        ) from error
    _hand_over(module, settings)
    sys.modules[_NAME] = module
    return module


def _find() -> Path:
    chosen = knobs.library_folder()
    folders = [chosen] if chosen else [_PACKAGE, _PACKAGE.parent.parent / "build" / "lib"]
    names = [f"_native{suffix}" for suffix in importlib.machinery.EXTENSION_SUFFIXES]
    for folder in folders:
        for name in names:
            if (folder / name).is_file():
                return folder / name
    raise LibraryError(
        f"the native library of triton-shared is missing: no '{names[0]}' in "
        f"{' or '.join(str(folder) for folder in folders)}\n"
        "run 'make setup' in the source tree, or point TRITON_SHARED_LIBRARY at the folder that "
        "holds it"
    )


def _hand_over(module: Any, settings: knobs.LaunchSettings) -> None:
    order = knobs.GRID_ORDERS.index(settings.grid_order)
    module.set_launch_settings(settings.threads, order, settings.grid_seed)
