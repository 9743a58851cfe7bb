"""What other projects find a linked library by: files for pkg-config and for CMake.

Both lie beside the library and may be moved with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from . import toolchain
from .templates import render


def write_packages(out: Path, function: str, libraries: Sequence[str]) -> list[Path]:
    """Writes `<out>.pc` and `<out>Config.cmake` for the libraries `a` and `so` of `function`."""
    values = {
        "package": out.name,
        "function": function,
        "libraries": libraries,
        "needs": toolchain.LIBRARIES,
    }
    config = out.with_name(f"{out.name}Config.cmake")
    config.write_text(render("package.cmake.j2", **values))
    described = out.with_name(f"{out.name}.pc")
    described.write_text(render("package.pc.j2", **values))
    return [described, config]
