"""Machine code of a GPU, as tests read it."""

from __future__ import annotations

import re

from triton_shared import library
from triton_shared.cuda import tools


def instructions(ttir: str, words: str, *more: str) -> list[str]:
    """The SASS for sm_90a of a kernel that is compiled with `words`, by the ptxas of the wheel,
    whatever else is on this machine, which gets the words of `more`."""
    made = library.compile_text(ttir, f"target=cuda:90a {words} to-phase=ptx")
    assert made.succeeded, made.diagnostics
    cubin, _ = tools.assemble(made.artefact("ptx").decode(), "cuda:90a", words=more)
    return re.findall(r"/\*\w{4}\*/\s+(.*);", tools.disassemble(cubin))
