"""Everything that is known of one kernel: compiles it once with all reports, as data.

What `gather` gives is what `schema.json` describes, and all that the page and the summary show.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from .. import library, stages
from ..errors import CompilationError
from ..frontend import Target, parse_options
from ..terminal import Say, say_nothing
from . import commands, gpu_use
from .expressions import add_expressions
from .loop_variables import read_accesses
from .machine_code import place_assembly, place_sass
from .pass_changes import describe_passes
from .shown_sources import show_sources

if TYPE_CHECKING:
    from pathlib import Path

    from ..diff.recording import Recording

SCHEMA = 4
COMPILERS = ("triton-shared", "triton")
"""This one, and Triton's own for NVIDIA GPUs."""
_KEPT = "keep=places keep=passes keep=lines"


@dataclass(frozen=True)
class Question:
    """A kernel in TTIR, and what it is compiled for."""

    ttir: str = field(repr=False)
    target: str = "cpu"
    """`cpu` or `cuda:<compute capability>`."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Those of a launch line: `num_warps`, `mode`, …"""
    printed_by_triton: bool = True
    """Whether the text is Triton's own: others are compiled in another process."""
    launch: Recording | None = field(default=None, repr=False)
    """A launch of it, of which more can be said."""
    programs: Sequence[tuple[int, int, int]] | None = None
    """Those whose accesses are looked at; by default the first ones and the last."""
    compiler: str = "triton-shared"
    """One of `COMPILERS`."""
    signature: Mapping[str, str] = field(default_factory=dict)
    """By parameter, its type or the value of a constexpr; of a launch, that says it."""
    search: Mapping[str, Any] | None = field(default=None, repr=False)
    """What the search has tried that found this kernel, if one did (`graph.Report.as_json`)."""
    words: Sequence[str] = ()
    """Of the command line that has asked, if one has."""
    reproducer: Path | None = None
    """Where the launch is kept."""

    def by_triton(self) -> Question:
        """The same for Triton's own compiler, without the launch."""
        return replace(self, compiler="triton", launch=None, signature=_signature(self))


def gather(question: Question, say: Say = say_nothing) -> dict[str, Any]:
    """Compiles the kernel, and says all that the compiler knows of it.

    `say` is told what takes long.
    """
    say(f"compiling for {question.target}")
    looked = _compile(question, "explain=accesses")
    accesses, offsets = _accesses(looked), json.loads(looked.artefact("offsets"))
    if question.compiler == "triton":
        from . import triton_report

        facts = triton_report.gather(question, accesses, offsets)
    else:
        facts = _ours(question, accesses, offsets)
    if question.printed_by_triton:
        add_expressions([offsets, *facts["phases"]], _version_of_triton())
    return {
        "schema": SCHEMA,
        "target": question.target,
        "signature": _signature(question),
        "offsets": offsets,
        **facts,
        "run": _run(question, say),
        "search": dict(question.search) if question.search else None,
    }


def _version_of_triton() -> str:
    from importlib.metadata import version

    return version("triton")


def _ours(question: Question, accesses: list[dict[str, Any]], offsets: Any) -> dict[str, Any]:
    words = parse_options(Target.parse(question.target), question.options).words_of_launch()
    done = _compile(question, f"{words} {_KEPT}")
    phases = json.loads(done.artefact("places"))
    phases += _machine_code(done, question, words)
    facts = json.loads(done.metadata)
    is_text = not question.printed_by_triton
    source = ("ttir", question.ttir) if is_text else None
    return {
        "kernel": facts["name"],
        "compiler": "triton-shared",
        "options": dict(question.options),
        "version": library.version(),
        "sources": show_sources([offsets, *phases], source),
        "phases": phases,
        "passes": describe_passes(json.loads(done.artefact("passes"))),
        "accesses": accesses,
        "resources": gpu_use.describe(facts, question.target),
        "commands": commands.describe(question, facts["name"], words),
    }


def _signature(question: Question) -> dict[str, str]:
    from .launches import signature_of

    given = signature_of(question.launch) if question.launch else {}
    return given | dict(question.signature)


def _run(question: Question, say: Say) -> dict[str, Any] | None:
    if question.launch is None:
        return None
    from .launches import describe

    return describe(question.launch, question.programs, question.target, say)


def _compile(question: Question, words: str) -> Any:
    done = library.compile_text(question.ttir, words, printed_by_triton=question.printed_by_triton)
    if not done.succeeded:
        raise CompilationError("?", "structured", done.diagnostics)
    return done


def _accesses(done: Any) -> list[dict[str, Any]]:
    return [record for record in read_accesses(done.artefact("accesses")) if "kind" in record]


def _machine_code(done: Any, question: Question, words: str) -> list[dict[str, Any]]:
    if question.target == "cpu":
        assembly = stages.llir_to_s(done.artefact("llir").decode())
        return [{"phase": "s", **place_assembly(assembly)}]
    from ..cuda import tools

    ptx = done.artefact("ptx").decode()
    target = next(w for w in words.split() if w.startswith("target=")).removeprefix("target=")
    parsed = parse_options(Target.parse(question.target), question.options)
    cubin, _ = tools.assemble(
        ptx, target, fuses=parsed.fuses, words=("-lineinfo", *parsed.ptxas_words)
    )
    return [
        {"phase": "ptx", **place_assembly(ptx)},
        {"phase": "sass", **place_sass(tools.disassemble(cubin))},
    ]
