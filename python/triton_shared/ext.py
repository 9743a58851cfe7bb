"""Passes of this project in the stages of another backend of Triton, in its own process.

    from triton_shared import ext

    def add_stages(self, stages, options, language):
        stages["ttir"] = lambda module, metadata: make_ttir(module)
        stages["linalg"] = lambda module, metadata: ext.run_passes(
            module, "triton-to-linalg-experimental{enable-modulo-support=false}"
        )

What goes in is a module of the wheel, or text; what comes out is text, or a module of the wheel
again where its MLIR has the dialects for it. docs/embedding.md says why it is text: the wheels
have an MLIR of another version, and none of the dialects that linalg needs.
"""

from __future__ import annotations

import os
import re
import tempfile
from typing import Any

from . import library
from .errors import CompilationError

__all__ = ["read_module", "run_passes"]


def run_passes(module: Any, pipeline: str) -> str:
    """Runs passes or pipelines, as `--pass-pipeline` spells those of a module; gives their result.

    `module` is a `triton._C.libtriton.ir.module`, which stays as it is, or the text of one. Lines
    of the kernel are kept. Raises CompilationError, with the compiler's words, where a pass fails
    or is not there, and ValueError where `pipeline` is none.
    """
    outside = re.sub(r"\{[^{}]*\}", "", pipeline)
    if not outside or re.search(r"[\s{}]", outside):
        raise ValueError(f"'{pipeline}' is no pipeline; write passes as in 'a,b{{option=1}}'")
    is_printed = not isinstance(module, str)
    done = library.compile_text(str(module), f"passes={pipeline}", printed_by_triton=is_printed)
    if not done.succeeded:
        raise CompilationError("", "module", done.diagnostics)
    return done.artefact("module").decode()


def read_module(text: str, context: Any) -> Any:
    """Reads text into the wheel's own MLIR: what is left in TTIR can go on in its passes.

    `context` is a `triton._C.libtriton.ir.context` with the dialects loaded. Raises RuntimeError
    where the text has an operation that the wheel does not know, as those of linalg.
    """
    from triton._C.libtriton import ir

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "module.mlir")
        with open(path, "w") as file:
            file.write(text)
        module = ir.parse_mlir_module(path, context)
    module.context = context
    return module
