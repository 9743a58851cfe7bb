"""Finds a kernel in a Python file."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import zlib
from pathlib import Path
from types import ModuleType
from typing import Any

from triton.runtime import KernelInterface

from .recording import RecordingError


def load(file: str) -> ModuleType:
    """Imports a file: as part of its package if it is in one, else by itself."""
    path = Path(file).resolve()
    if not path.is_file():
        raise RecordingError(f"there is no file {file}")
    root, words = path.parent, [path.stem]
    while (root / "__init__.py").is_file():
        words.insert(0, root.name)
        root = root.parent
    if len(words) > 1:
        if str(root) not in sys.path:
            sys.path.insert(0, str(root))
        return importlib.import_module(".".join(words))
    # Files of one name may lie in several folders.
    name = f"_triton_shared_diff_{path.stem}_{zlib.crc32(str(path).encode()):08x}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(root))
    spec.loader.exec_module(module)
    return module


def kernel(file: str, name: str) -> Any:
    """The jitted function `name` of a file, without autotuners round it."""
    module = load(file)
    found = _without_tuners(getattr(module, name, None))
    if isinstance(found, KernelInterface):
        return found
    # `rows = triton.jit(_rows)`: the kernel has the name of the function, the module another one.
    for value in vars(module).values():
        other = _without_tuners(value) if isinstance(value, KernelInterface) else None
        if other is not None and getattr(other.fn, "__name__", None) == name:
            return other
    raise RecordingError(f"there is no kernel '{name}' at module level of {file}")


def _without_tuners(found: Any) -> Any:
    # Autotuners and heuristics hold what they stand before as `fn`; a kernel, a plain function.
    while hasattr(getattr(found, "fn", None), "fn"):
        found = found.fn
    return found
