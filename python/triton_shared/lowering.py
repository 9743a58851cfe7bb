"""The stages between TTIR and machine code, one per phase.

One native compilation makes all phases; a stage hands out its phase. A stage whose input is not
what the stage before it made, because somebody replaced it, compiles again from there.
"""

from __future__ import annotations

import hashlib
import json
import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import dumps, knobs, library, stages
from .errors import CompilationError, CompilerCrashError
from .options import LaunchOptions

if TYPE_CHECKING:
    from . import _native
    from .isolation import Compilation

_TEXTS_OF_LLVM = ("llir", "ptx")
"""Phases that are no MLIR: code is made of their text alone."""

Metadata = dict[str, Any]
Stage = Callable[[Any, Metadata], "str | bytes"]


@dataclass
class Lowering:
    """One kernel's way down, from the text of a phase to machine code."""

    options: LaunchOptions
    phases: tuple[str, ...] = field(default_factory=lambda: library.phases("cpu"))
    """The last one is machine code, in bytes; the others are text."""
    dump_folder: Path | None = field(default_factory=knobs.dump_folder)
    _input: str = ""
    _done: _native.Compilation | Compilation | None = None

    def stages(self) -> dict[str, Stage]:
        """The stages after `ttir`, in order, as Triton wants them."""
        return {phase: self._stage(phase) for phase in self.phases[1:]}

    def _stage(self, phase: str) -> Stage:
        previous = self.phases[self.phases.index(phase) - 1]

        def run(source: Any, metadata: Metadata) -> str | bytes:
            text = str(source)
            if self._done and previous in _TEXTS_OF_LLVM and text != self._text(previous):
                return self._assemble(text, phase, metadata)
            if self._done is None or text != self._text(previous):
                self._compile(text, metadata, printed_by_triton=not isinstance(source, str))
            return self._take(phase, metadata)

        return run

    def _assemble(self, text: str, phase: str, metadata: Metadata) -> str | bytes:
        """Goes on from LLVM IR that somebody has replaced."""
        made = stages.assemble(text, phase, self.options.words_of_launch())
        if phase != self.phases[-1]:
            return made.decode()
        metadata[f"{phase}_sha256"] = hashlib.sha256(made).hexdigest()
        return made

    def _compile(self, text: str, metadata: Metadata, printed_by_triton: bool) -> None:
        self._input = text
        words = self.options.words_of_launch()
        if beginning := knobs.reproducer_beginning():
            dumps.write_reproducer(text, words, beginning)
        shows_changes = knobs.shows_changes(str(metadata.get("name", "")))
        if shows_changes:
            words += " keep=changes"
        if knobs.shows_times():
            words += " keep=times"
        try:
            self._done = library.compile_text(text, words, printed_by_triton=printed_by_triton)
        except CompilerCrashError as crash:
            name = str(metadata.get("name", ""))
            raise CompilerCrashError(name, crash.death, crash.reproducer, crash.repeat) from None
        if self.dump_folder:
            made, said = self._done.artefact, self._done.diagnostics
            dumps.write(text, self.phases, made, self.dump_folder, said)
        if shows_changes:
            # Several compilations may go to one file, and each begins anew.
            header = f"// -----// Compilation with {self.options.words_of_launch()} //----- //\n"
            _show(header + self._done.artefact("changes").decode())
        if knobs.shows_times():
            print(self._done.artefact("times").decode(), file=sys.stderr, end="")
        # Programs that reckon how many of them fit divide by it; a GPU's compiler says how much.
        metadata["shared"] = 0 if "cubin" in self.phases else 1
        metadata["native_version"] = library.version()
        if self._done.succeeded:
            facts = json.loads(self._done.metadata)
            facts.pop("target", None)  # Triton keeps its own under this name
            metadata.update(facts)
            binary = self._done.artefact(self.phases[-1])
            metadata[f"{self.phases[-1]}_sha256"] = hashlib.sha256(binary).hexdigest()

    def _text(self, phase: str) -> str:
        """What the stage of `phase` handed out; for the first stage, what it was given."""
        assert self._done
        return self._input if phase == "ttir" else self._done.artefact(phase).decode()

    def _take(self, phase: str, metadata: Metadata) -> str | bytes:
        assert self._done
        made = self._done.artefact(phase)
        is_binary = phase == self.phases[-1]
        if made and (self._done.succeeded or not is_binary):
            return made if is_binary else made.decode()
        name = str(metadata.get("name", "?"))
        error = CompilationError(name, phase, self._done.diagnostics, self._repeat(phase))
        raise self.describe_failure(error, json.loads(self._done.metadata or "{}"))

    def describe_failure(self, error: CompilationError, facts: Metadata) -> CompilationError:
        """What is raised instead of `error`, for a kernel of which `facts` are known."""
        return error

    def _repeat(self, phase: str) -> str | None:
        if not self.dump_folder:
            return None
        kept = dumps.folder_of(self._input, self.dump_folder) / "input.mlir"
        # The tool ends with LLVM IR: an object is nothing to look at.
        last = "llir" if phase == "obj" else phase
        return shlex.join(["triton-shared-opt", f"--to-phase={last}", str(kept)])


def _show(changes: str) -> None:
    """Prints what the passes have changed, where Triton would."""
    file = knobs.changes_file()
    if file is None:
        print(changes, file=sys.stderr, end="")
        return
    with file.open("a") as stream:
        stream.write(changes)
