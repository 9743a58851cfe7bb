"""The stages between TTIR and a cubin."""

from __future__ import annotations

import re
from typing import Any

from ..errors import CompilationError
from ..lowering import Lowering, Stage
from .options import CudaOptions

PHASES = ("ttir", "structured", "linalg", "cta", "gpu", "llir", "ptx", "cubin")
"""In the order in which they run. The first three are those of the CPU: the legs part at linalg."""


def make_stages(options: CudaOptions) -> dict[str, Stage]:
    """The stages after `ttir`, in order, as Triton wants them."""
    return Lowering(options, PHASES).stages()


def check_options(module: Any, name: str, options: CudaOptions) -> None:
    """Raises CompilationError, at the kernel's place, for options that cannot be honoured."""
    if options.num_ctas == 1:
        return
    diagnostics = (
        f"{_place(str(module), name)}error: kernel '{name}' asks for num_ctas={options.num_ctas}\n"
        "note: programs of several blocks (clusters) are not supported yet; use num_ctas=1"
    )
    raise CompilationError(name, "cta", diagnostics)


def _place(text: str, name: str) -> str:
    """`file:line:column: ` of a function in the text of a module; empty if it has none."""
    function = re.search(rf'tt\.func public @"?{re.escape(name)}"?\(', text)
    if not function:
        return ""
    # The location of an operation with a region stands behind it.
    end = re.compile(r"^  \} loc\((#\w+)\)", re.MULTILINE).search(text, function.end())
    alias = end[1] if end else ""
    place = re.search(rf'^{re.escape(alias)} = loc\("([^"]+)":(\d+):(\d+)\)', text, re.MULTILINE)
    return f"{place[1]}:{place[2]}:{place[3]}: " if place else ""
