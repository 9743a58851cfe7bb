"""The stages between TTIR and a cubin."""

from __future__ import annotations

import hashlib
from typing import Any

from triton.runtime.errors import OutOfResources

from .. import knobs, library
from ..errors import CompilationError
from ..lowering import Lowering, Metadata, Stage
from . import known_faults, other_form, tools
from .options import CudaOptions


def make_stages(options: CudaOptions) -> dict[str, Stage]:
    """The stages after `ttir`, in order, as Triton wants them, of a kernel that Triton launches."""
    return CudaLowering(options, library.phases("cuda")).stages()


class SharedMemoryError(CompilationError, OutOfResources):  # type: ignore[misc]
    """A kernel needs more shared memory than a block has. Autotuners pass such a size over."""

    def __init__(
        self,
        kernel: str,
        phase: str,
        diagnostics: str,
        repeat: str | None,
        required: int,
        limit: int,
    ):
        CompilationError.__init__(self, kernel, phase, diagnostics, repeat)
        self.args = (*self.args, required, limit)
        self.required = required
        self.limit = limit
        self.name = "shared memory"

    def __reduce__(self) -> Any:
        return type(self), self.args


class CudaLowering(Lowering):
    """The way down to a cubin."""

    options: CudaOptions

    def _compile(self, text: str, metadata: Metadata, printed_by_triton: bool) -> None:
        super()._compile(text, metadata, printed_by_triton)
        # Of a phase that somebody has replaced there is no other form.
        has_other_form = printed_by_triton and metadata.get("assumes_maps", False)
        metadata[other_form.TEXT] = text if has_other_form else ""
        metadata["shared"] = max(metadata["shared"], self.options.min_shared_mem or 0)

    def _take(self, phase: str, metadata: Metadata) -> str | bytes:
        if phase == "cubin" and self.options.ptxas_words:
            return self._assemble(self._text("ptx"), phase, metadata)
        made = super()._take(phase, metadata)
        if phase == "ptx" and knobs.shows_ptx():
            print(f"// -----// NVPTX Dump //----- //\n{made!s}")
        if phase == "cubin" and knobs.shows_ptxas_log():
            print(metadata["ptxas_log"])
        return made

    def _assemble(self, text: str, phase: str, metadata: Metadata) -> str | bytes:
        """Goes on from LLVM IR or PTX that somebody has replaced, which has no other form."""
        previous = self.phases[self.phases.index(phase) - 1]
        if self._done is None or text != self._text(previous):
            metadata[other_form.TEXT] = ""
        if phase != "cubin":
            return super()._assemble(text, phase, metadata)
        options = self.options
        # PTX that our own compilation hands to ptxas has nothing of what is known to go wrong.
        known_faults.warn(
            tools.version_of(tools.find_ptxas(options.target)),
            text,
            options.ptxas_words,
            str(metadata.get("name", "")),
        )
        made, log = tools.assemble(
            text, options.target, fuses=options.fuses, words=options.ptxas_words
        )
        metadata |= {"cubin_sha256": hashlib.sha256(made).hexdigest(), "ptxas_log": log}
        if knobs.shows_ptxas_log():
            print(log)
        return made

    def describe_failure(self, error: CompilationError, facts: Metadata) -> CompilationError:
        """An error that autotuners know, where shared memory does not suffice."""
        needed = facts.get("shared", 0), facts.get("shared_limit", 0)
        if needed[0] <= needed[1]:
            return error
        known = error.kernel, error.phase, error.diagnostics, error.repeat
        return SharedMemoryError(*known, *needed)
