"""Finds a kernel in a Python file."""

from __future__ import annotations

import ast
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
    """Imports a file: as part of its package if it is in one, else by itself. Where that fails, the
    other way: a program may have loaded one file of a package that cannot be imported here, and a
    folder of a package need not say that it is part of one."""
    path = Path(file).resolve()
    if not path.is_file():
        raise RecordingError(f"there is no file {file}")
    ways = [_load_alone, _load_in_package]
    if (path.parent / "__init__.py").is_file():
        ways.reverse()
    first, second = ways
    try:
        return first(path)
    except ImportError as error:
        try:
            return second(path)
        except Exception:
            # What the second way says is about the way.
            raise error from None


def _load_in_package(path: Path) -> ModuleType:
    folders = list(path.parents)
    known = [i + 1 for i, folder in enumerate(folders) if (folder / "__init__.py").is_file()]
    depth = max([*known, _relative_level(path)])
    if not 0 < depth < len(folders):
        raise ImportError(f"{path} is in no package")
    root = folders[depth]
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    return importlib.import_module(".".join(path.relative_to(root).with_suffix("").parts))


def _relative_level(path: Path) -> int:
    """How many folders above the file its relative imports reach: namespace packages are those."""
    nodes = ast.walk(ast.parse(path.read_bytes()))
    return max([0, *(node.level for node in nodes if isinstance(node, ast.ImportFrom))])


def _load_alone(path: Path) -> ModuleType:
    # Files of one name may lie in several folders.
    name = f"_triton_shared_diff_{path.stem}_{zlib.crc32(str(path).encode()):08x}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        sys.path.remove(str(path.parent))
        raise
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
