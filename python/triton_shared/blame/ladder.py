"""The ladder: from the kernel down to the machine, the first level that is wrong is to blame.

Each rung runs the launch one way and compares it with the CPU's reference mode. What is right on
one rung and wrong on the next was made wrong between them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from .. import emulate
from ..diff import workers
from ..diff.given import Given
from ..diff.recording import RecordingError
from ..diff.worker import RESULT
from ..errors import TritonSharedError
from . import assembling, codes, kernel, passes
from .codes import Codes
from .pipeline import Compiler
from .runs import REFERENCE, Runs, describe, status_of
from .verdict import RIGHT, SILENT, WRONG, Report, Verdict

SUSPECTS = ("shared_cuda", "nvidia", "emulated", "cpu-fast", "cpu")
ON_GPU = ("shared_cuda", "nvidia")
OURS = ("emulated", "shared_cuda")
"""Those that run what our passes for a GPU make."""


@dataclass(frozen=True)
class Options:
    """What a user wants."""

    suspect: str = "emulated"
    expected: str = ""
    """A function of torch that says what is right."""
    ptxas: tuple[str, ...] = ()
    """Other versions, by path or number."""
    ptx: str = ""
    """PTX in the place of the suspect's own."""
    timeout: float = 120
    scratch: tuple[str, ...] = ()
    """Tensors that a configuration may leave in its own way."""
    compiler: Compiler = field(default_factory=Compiler)
    other: Compiler | None = None
    """Another version of this compiler, which goes on from modules of ours."""


class Unclear(Exception):
    """Nobody can tell; the text says why."""


def climb(runs: Runs, options: Options) -> Report:
    """Goes down the ladder; the report has a verdict."""
    launch = runs.recorded
    report = Report(launch.label, launch.kernel, options.suspect)
    try:
        report.verdict = _Ladder(runs, options, report).verdict()
    except Unclear as why:
        report.verdict = Verdict("unknown", f"cannot tell, because {why}")
    except (RecordingError, TritonSharedError) as error:
        said = " ".join([str(error).partition("\n")[0], *_first_diagnostic(error)])
        report.verdict = Verdict("unknown", f"cannot tell, because {said}")
        report.add("error", SILENT, str(error))
    runs.keep("report.json", json.dumps(report.facts(), indent=1))
    return report


def _first_diagnostic(error: Exception) -> list[str]:
    """What the compiler has said first, if it was the compiler."""
    return str(getattr(error, "diagnostics", "")).strip().splitlines()[:1]


@dataclass
class _Ladder:
    runs: Runs
    options: Options
    report: Report

    def verdict(self) -> Verdict:
        """Rung by rung."""
        return self._of_kernel() or self._of_suspect()

    # The kernel

    def _of_kernel(self) -> Verdict | None:
        findings = self._checked()
        if findings:
            more = f", and {len(findings) - 1} more" if len(findings) > 1 else ""
            said = f"the kernel is wrong: {findings[0]}{more}"
            return Verdict("kernel", said, tuple(findings))
        workers.replay_all([self.runs.launch], (REFERENCE,), self.options.timeout)
        done = workers.result(self.runs.launch, REFERENCE)
        if not done.succeeded:
            self.report.add("reference", SILENT, f"{done.error}: {done.message}")
            raise Unclear(f"the CPU's reference mode does not run it: {done.error}")
        stated = list(self.runs.recorded.stated)
        if self.options.expected:
            stated = kernel.expect(self.runs.launch, self.options.expected)
        if not stated:
            return None
        mistakes = kernel.compare(self.runs.launch, done, stated)
        self.report.add(
            "expected", WRONG if mistakes else RIGHT, str(mistakes[0]) if mistakes else ""
        )
        if not mistakes:
            return None
        if self._interpreter() == WRONG:
            # The front end's own meaning of the kernel is another one than that of the CPU's code.
            said = "our CPU leg is wrong: Triton's interpreter leaves something else"
            return Verdict("our CPU leg", f"{said}; {mistakes[0]}")
        said = f"the kernel is wrong: on the CPU, too, {mistakes[0]}"
        return Verdict("kernel", said, tuple(one.argument for one in mistakes))

    def _checked(self) -> list[str]:
        try:
            found = kernel.check(self.runs.launch, self.options.timeout)
        except RecordingError as error:
            self.report.add("check", SILENT, str(error))
            return []
        sentences = [str(one["sentence"]) for one in found]
        said = sentences[0] if sentences else "nothing found"
        self.report.add("check", WRONG if found else RIGHT, said, self.runs.launch / kernel.CHECKED)
        return sentences

    def _interpreter(self) -> str:
        if not self.runs.recorded.file:
            return SILENT
        found = self.runs.compare("interpreter")
        status = status_of(found)
        self.report.add("interpreter", status, describe(found, "interpreter"))
        return status

    # The suspect

    def _of_suspect(self) -> Verdict:
        suspect = self.options.suspect
        if suspect == REFERENCE:
            return self._of_reference()
        observed = self._observed(suspect)
        if observed == RIGHT and not self.options.ptx:
            return Verdict("nothing", f"nothing is wrong: {suspect} is within its bounds")
        if suspect == "cpu-fast":
            return self._of_passes("cpu", ())
        ours = RIGHT if suspect != "emulated" else WRONG
        if suspect == "shared_cuda" and not self.options.ptx:
            ours = self._our_passes()
        if ours == WRONG:
            return self._of_passes("gpu", ("cta", "gpu"))
        return self._below_passes(observed)

    def _of_reference(self) -> Verdict:
        found = self._interpreter()
        if found == WRONG:
            return Verdict(
                "our CPU leg", "our CPU leg is wrong, or the interpreter: they leave something else"
            )
        if found == SILENT:
            raise Unclear("nothing says what is right: --expected names a function of torch")
        return Verdict("nothing", "nothing is wrong: the CPU and Triton's interpreter agree")

    def _observed(self, suspect: str) -> str:
        """What the suspect itself leaves, where it can run, or has left elsewhere."""
        has_result = (self.runs.launch / suspect / RESULT).is_file()
        if suspect in ON_GPU and not has_result and not self.runs.has_gpu():
            self.report.add(suspect, SILENT, "there is no GPU here")
            return SILENT
        if self.options.ptx and suspect in ON_GPU and not has_result:
            found = self._on_gpu("given PTX", self.options.ptx)
        elif self.options.compiler.behind and suspect in ON_GPU:
            found = self._on_gpu(suspect, self._made.ptx)
        elif self.options.compiler.behind:
            found = self._of_changed_compiler(suspect)
        else:
            found = self._rung(suspect, suspect)
        if found == SILENT and suspect not in ON_GPU:
            raise Unclear(f"{suspect} does not run it")
        return found

    def _on_gpu(self, name: str, ptx: str) -> str:
        """What PTX leaves on the GPU, through the ptxas of its compiler."""
        cubin, _ = assembling.assembler_of(self._made).assemble(ptx)
        given = replace(self._made.given, form="cubin", code=cubin)
        found = self.runs.compare_given(given, f"gpu-{len(self.report.steps)}")
        self.report.add(name, status_of(found), describe(found, name))
        return status_of(found)

    def _of_changed_compiler(self, name: str) -> str:
        """What our passes leave with those of plugins between them, in the emulator."""
        found = self.runs.compare_given(Given("gpu", self._changed.encode()), "changed")
        self.report.add(name, status_of(found), describe(found, "emulated"))
        return status_of(found)

    @cached_property
    def _changed(self) -> str:
        """The module in phase `gpu` if passes of plugins are between ours, else empty."""
        compiler = self.options.compiler
        return passes.everything(self.runs, compiler) if compiler.behind else ""

    @cached_property
    def _made(self) -> Codes:
        """What the suspect's compiler makes of the kernel."""
        if self.options.suspect == "nvidia":
            return codes.of_triton(self.runs.recorded)
        return codes.of_ours(self.runs.recorded, text=self._changed)

    def _our_passes(self) -> str:
        """What our passes leave; without LLVM here, its PTX says it, too."""
        if not emulate.has_llvm():
            made = codes.of_ours(self.runs.recorded, text=self._changed)
            return self._emulate("our PTX, emulated", made.ptx, made)
        if self.options.compiler.behind:
            return self._of_changed_compiler("our passes, emulated")
        return self._rung("our passes, emulated", "emulated")

    def _rung(self, name: str, target: str) -> str:
        found = self.runs.compare(target)
        status = status_of(found)
        self.report.add(name, status, describe(found, target))
        return status

    def _of_passes(self, form: str, left_out: Sequence[str]) -> Verdict:
        found = passes.blame(self.runs, self.options.compiler, self.options.other, form, left_out)
        self.report.add("our passes", WRONG, found.why, *passes.keep(self.runs, found))
        names = found.names
        if len(names) == 1:
            return Verdict(
                "our passes", f"our pass '{names[0]}' is wrong: {found.why}", tuple(names)
            )
        # Only a machine with LLVM runs what our passes leave before LLVM has seen it.
        more = ", or LLVM," if form == "gpu" and not emulate.has_llvm() else ""
        said = f"one of our passes between '{names[0]}' and '{names[-1]}'{more} is wrong"
        return Verdict("our passes", f"{said}: {found.why}", tuple(names))

    # LLVM, PTX, ptxas

    def _below_passes(self, observed: str) -> Verdict:
        is_ours = self.options.suspect == "shared_cuda"
        made = self._made
        for phase, text in made.phases.items():
            self.runs.keep(f"{self.options.suspect}.{phase}", text)
        ptx = self.options.ptx or made.ptx
        status = self._emulate("its PTX, emulated", ptx, made)
        if status == SILENT and observed != WRONG:
            why = self.report.steps[-1].said.partition("\n")[0]
            raise Unclear(f"its PTX does not run in the emulator: {why}")
        if status == WRONG:
            return self._of_ptx(ptx, made, is_ours)
        if observed == RIGHT:
            return Verdict(
                "nothing", f"nothing is wrong: {self.options.suspect} is within its bounds"
            )
        if observed == SILENT:
            raise Unclear("all is right down to its PTX, and what ptxas makes of it takes a GPU")
        found = assembling.blame(self.runs, self.report, made, ptx, self.options.ptxas, is_ours)
        if status == SILENT and found.level == "unknown":
            raise Unclear("its PTX does not run in the emulator, and is wrong through every ptxas")
        return found

    def _emulate(self, name: str, ptx: str, made: Codes) -> str:
        found = self.runs.compare_given(
            assembling.with_code(made, ptx), f"ptx-{len(self.report.steps)}"
        )
        status = status_of(found)
        kept = self.runs.keep(f"{name.split(',')[0].replace(' ', '-')}.ptx", ptx)
        self.report.add(name, status, describe(found, "its PTX"), kept)
        return status

    def _of_ptx(self, ptx: str, made: Codes, is_ours: bool) -> Verdict:
        """Who has made the PTX wrong."""
        if (
            ptx != made.ptx
            and self._emulate("the compiler's PTX, emulated", made.ptx, made) == RIGHT
        ):
            said = (
                "the PTX is wrong: what the compiler makes of the kernel is right in the emulator"
            )
            return Verdict("PTX", said)
        if is_ours:
            return Verdict(
                "LLVM",
                "LLVM is wrong, or what we tell it: the module before it is right in the emulator, "
                "the PTX is not",
            )
        again = codes.through_our_llvm(made)
        if again and self._emulate("its LLVM IR through LLVM 22, emulated", again, made) == RIGHT:
            return Verdict(
                "Triton's LLVM",
                "Triton's LLVM is wrong: its LLVM IR is right through LLVM 22, its PTX is not",
            )
        if self._our_passes() == RIGHT:
            return Verdict(
                "Triton's passes",
                "Triton's own passes are wrong: the same TTIR is right on the CPU and through our "
                "passes, and what becomes of it in Triton's is wrong before ptxas sees it",
            )
        raise Unclear("both compilers for a GPU leave something else than the CPU's reference mode")
