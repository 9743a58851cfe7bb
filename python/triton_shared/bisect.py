"""`python -m triton_shared.bisect SCRIPT …`: the first pass after which a kernel's result changes.

The script is run as it is; what it prints, and its exit code, are the result. Then it runs with the
module as it was after a pass in the kernel's place, which goes on in reference mode from there: so
passes of mode `fast`, and those of a file of changes (--changes), are told from the right ones.

Exit codes: 0 no pass changes the result, 1 one does, 2 it cannot be found out.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from . import knobs, library
from .errors import TritonSharedError
from .terminal import counting, working

UNCHANGED, CHANGED, FAILED = 0, 1, 2

_HEADER = re.compile(r"^// -----// IR Dump After .*?\(([\w-]+)\).*$", re.MULTILINE)
"""The class may be `(anonymous namespace)::Own`; the name on the command line comes behind it."""
_COMPILATION = re.compile(r"^// -----// Compilation with (.*) //----- //\n", re.MULTILINE)
_CHECKS = re.compile(r"\bcheck(?:-values)?=true\b")


@dataclass(frozen=True)
class Snapshot:
    """A module, and the pass that has left it."""

    number: int
    name: str
    text: str


@dataclass(frozen=True)
class Continuation:
    """How reference mode goes on from a snapshot."""

    phase: str
    """In whose place it takes it over."""
    code: bytes
    metadata: str
    """What is launched then: equal ones do the same."""


@dataclass(frozen=True)
class Result:
    """What a run of the script has shown."""

    code: int
    output: str
    problem: str = ""
    """The error output of a run that failed."""

    @property
    def visible(self) -> tuple[int, str]:
        """What is compared."""
        return self.code, self.output


@dataclass(frozen=True)
class Script:
    """The script, and the folder in which its kernel's texts are."""

    words: tuple[str, ...]
    folder: Path

    @property
    def name(self) -> str:
        """The name of its file."""
        return Path(self.words[0]).name

    def run(self, mode: str, **environment: str) -> Result:
        """Runs it, with nothing from a cache, and without checks.

        A text takes the place of a kernel by the kernel's source alone, and with checks another
        one is made of that.
        """
        done = subprocess.run(
            [sys.executable, *self.words],
            env={
                **knobs.environment(),
                "TRITON_ALWAYS_COMPILE": "1",
                "TRITON_INSTRUMENTATION_MODE": "",
                "TRITON_SHARED_CHECKS": "0",
                "TRITON_SHARED_MODE": mode,
                "TRITON_SHARED_THREADS": "1",
                **environment,
            },
            capture_output=True,
            text=True,
        )
        return Result(done.returncode, done.stdout, done.stderr)

    def record(self, mode: str, kernel: str) -> Result:
        """Runs it and keeps what its kernels become, and what passes change."""
        return self.run(
            mode,
            TRITON_KERNEL_DUMP="1",
            TRITON_DUMP_DIR=str(self.folder / "texts"),
            MLIR_ENABLE_DUMP=kernel or "1",
            MLIR_DUMP_PATH=str(self.folder / "changes.mlir"),
        )

    def place(self, kernel: str) -> Path:
        """Where a text must lie to take the kernel's place."""
        found = sorted((self.folder / "texts").glob(f"*/{kernel or '*'}.ttir"))
        if len(found) != 1:
            names = ", ".join(sorted({path.stem for path in found})) or "none"
            raise TritonSharedError(
                f"the script must compile one kernel once; it has compiled {names}\n"
                "choose one with --kernel, or take away the other launches"
            )
        name = found[0].relative_to(self.folder / "texts").with_suffix("")
        return self.folder / "override" / name

    def input(self, place: Path) -> str:
        """The TTIR of the kernel for which a text lies at `place`."""
        name = place.relative_to(self.folder / "override")
        return (self.folder / "texts" / name).with_name(f"{name.name}.ttir").read_text()

    def run_with(self, snapshot: Snapshot, phase: str, place: Path) -> Result:
        """Runs it with a snapshot in the place of a phase of the kernel."""
        shutil.rmtree(place.parent, ignore_errors=True)
        place.parent.mkdir(parents=True)
        place.with_name(f"{place.name}.{phase}").write_text(snapshot.text)
        done = self.run(
            "reference",
            TRITON_KERNEL_OVERRIDE="1",
            TRITON_OVERRIDE_DIR=str(self.folder / "override"),
        )
        # Triton says so in a line of its own.
        output = re.sub(r"^\nOverriding kernel with file .*\n", "", done.output, flags=re.MULTILINE)
        return Result(done.code, output, done.problem)


def _choose_compilation(text: str) -> tuple[str, str]:
    """The options of one that MLIR_ENABLE_DUMP shows, and what its passes have left.

    A kernel that is also launched with checks is compiled twice: what becomes of it with them,
    nothing goes on from.
    """
    compilations = _COMPILATION.split(text)
    pairs = zip(compilations[1::2], compilations[2::2], strict=True)
    return next(((words, body) for words, body in pairs if not _CHECKS.search(words)), ("", text))


def read_options(text: str) -> str:
    """Those of what MLIR_ENABLE_DUMP shows, in reference mode."""
    words = _choose_compilation(text)[0].split()
    return " ".join(["mode=reference", *(word for word in words if not word.startswith("mode="))])


def read_changes(text: str) -> list[Snapshot]:
    """Reads what MLIR_ENABLE_DUMP shows."""
    parts = _HEADER.split(_choose_compilation(text)[1])[1:]
    changes = zip(parts[0::2], parts[1::2], strict=True)
    return [Snapshot(number, name, body) for number, (name, body) in enumerate(changes, 1)]


def go_on(snapshot: Snapshot, words: str = "mode=reference") -> Continuation | None:
    """How reference mode goes on from it; None if it cannot.

    It cannot where buffers are freed already, or where the module is LLVM's in part.
    """
    done = library.compile_text(snapshot.text, words)
    phases = library.phases("cpu")
    made = [phase for phase in phases if done.artefact(phase)]
    if not done.succeeded:
        return None
    # What comes before `structured` goes the whole way from there.
    phase = phases[max(phases.index(made[0]) - 1, phases.index("structured"))]
    return Continuation(phase, done.artefact(phases[-1]), done.metadata)


def find_first(
    snapshots: Sequence[Snapshot], is_right: Callable[[Snapshot], bool]
) -> Snapshot | None:
    """The first snapshot that is wrong, if those before it are right and those after it are not."""
    low, high = 0, len(snapshots)
    while low < high:
        middle = (low + high) // 2
        if is_right(snapshots[middle]):
            low = middle + 1
        else:
            high = middle
    return snapshots[low] if low < len(snapshots) else None


def describe(first: Snapshot, before: Snapshot | None, snapshots: Sequence[Snapshot]) -> str:
    """What is known of the pass that changes the result.

    `first` is the first module that is wrong, `before` the last one that is right, or none. Of
    passes between them, reference mode cannot go on from what they leave.
    """
    last = before.number if before else 0
    between = [one for one in snapshots if last < one.number < first.number]
    if not between:
        return f"pass '{first.name}' (change {first.number}) changes the result"
    names = f"'{between[0].name}' (change {between[0].number}) and '{first.name}'"
    return (
        f"one of the {len(between) + 1} passes between {names} (change {first.number}) changes the "
        "result: reference mode cannot go on from the modules between them"
    )


def _go_on_from_all(
    snapshots: Sequence[Snapshot], words: str
) -> dict[Snapshot, Continuation | None]:
    what = "compiling what passes have left"
    with counting(what, len(snapshots)) as told:
        found: dict[Snapshot, Continuation | None] = {}
        for snapshot in snapshots:
            found[snapshot] = go_on(snapshot, words)
            told(len(found), what)
        return found


def _search(
    script: Script,
    continuations: Mapping[Snapshot, Continuation | None],
    place: Path,
    expected: Result,
) -> Snapshot | None:
    known: dict[Continuation, bool] = {}
    """Most passes change nothing in the code that is made in the end."""
    snapshots = [snapshot for snapshot, found in continuations.items() if found]
    # So many halves there are at most.
    with counting(f"running {script.name}", len(snapshots).bit_length()) as told:

        def is_right(snapshot: Snapshot) -> bool:
            found = continuations[snapshot]
            assert found
            same = replace(found, phase="")
            if same not in known:
                told(len(known), f"running {script.name} with what '{snapshot.name}' has left")
                done = script.run_with(snapshot, found.phase, place)
                known[same] = done.visible == expected.visible
            return known[same]

        return find_first(snapshots, is_right)


def bisect(script: Script, mode: str, kernel: str, changes: Path | None) -> int:
    """Prints what is found; gives the exit code."""
    with working(f"running {script.name} in reference mode"):
        is_oracle = mode == "reference"
        expected = script.record(mode, kernel) if is_oracle else script.run("reference")
    if expected.code:
        raise TritonSharedError(
            f"the script fails in reference mode, the oracle: exit code {expected.code}\n"
            f"{expected.problem.strip()[-2000:]}"
        )
    with working(f"running {script.name} in mode {mode}"):
        observed = expected if is_oracle else script.record(mode, kernel)
    place = script.place(kernel)
    recorded = (script.folder / "changes.mlir").read_text()
    shown = changes.read_text() if changes else recorded
    continuations = _go_on_from_all(read_changes(shown), read_options(recorded))
    snapshots = [snapshot for snapshot, found in continuations.items() if found]
    first = _search(script, continuations, place, expected)
    print(f"{len(snapshots)} modules from which reference mode can go on")
    if first:
        kept = Path(tempfile.mkdtemp(prefix="triton-shared-bisect-"))
        (kept / "after.mlir").write_text(first.text)
        before = [snapshot for snapshot in snapshots if snapshot.number < first.number]
        # What the first pass was given is what Triton has printed.
        text_before = before[-1].text if before else script.input(place)
        (kept / "before.mlir").write_text(text_before)
        print(describe(first, before[-1] if before else None, list(continuations)))
        print(f"the modules before and after it are in {kept}")
        return CHANGED
    if observed.visible != expected.visible:
        print(f"none of them changes the result, but mode={mode} does: a later pass, or LLVM")
        return CHANGED
    print("no pass changes the result")
    return UNCHANGED


def main(words: list[str]) -> int:
    """Reads the command line and bisects; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m triton_shared.bisect", description=__doc__)
    add = parser.add_argument
    add(
        "--mode", default="fast", choices=knobs.MODES, help="the passes in question (default: fast)"
    )
    add("--kernel", default="", help="the kernel, if the script compiles several")
    add("--changes", type=Path, help="modules that MLIR_ENABLE_DUMP has shown, instead of --mode's")
    add("script", help="a Python script that prints its result, and its arguments")
    add("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args(words)
    with tempfile.TemporaryDirectory(prefix="triton-shared-") as folder:
        script = Script((options.script, *options.arguments), Path(folder))
        try:
            return bisect(script, options.mode, options.kernel, options.changes)
        except (TritonSharedError, OSError) as error:
            print(f"triton_shared.bisect: error: {error}", file=sys.stderr)
            return FAILED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
