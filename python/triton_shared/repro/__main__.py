"""The command line: `python -m triton_shared.repro info|run|check|to-python|reduce FILE`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

from ..check import check
from ..diff import replay, report, run, workers
from ..diff.recording import RecordingError
from ..errors import TritonSharedError
from ..source_lines import lent_source
from ..terminal import working
from . import archive, reduction
from .archive import Reproducer, ReproducerError

EQUAL, DIFFERENT, FAILED = 0, 1, 2
TARGETS = ("cpu", "cpu-fast", "emulated")
"""Those that run a kernel from its TTIR."""

_EPILOG = """\
A reproducer may come from anybody. `info` and `to-python` run nothing of it; `run`, `check` and
`reduce` run the machine code of its TTIR, and only with --run. Its Python source is never imported.

exit code: 0 all results are equal within their bounds, nothing is wrong, or there was nothing to
compare; 1 some differ, or something was found; 2 the file is no reproducer, or a target could not
run
"""


def main(words: list[str] | None = None) -> int:
    """Does what the command line says, and returns the exit code."""
    options = _parser().parse_args(words)
    try:
        return int(options.does(archive.read(options.file), options))
    except (RecordingError, TritonSharedError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return FAILED


def _info(found: Reproducer, options: argparse.Namespace) -> int:
    launch = found.launch
    grid = "x".join(str(n) for n in launch.grid)
    print(f"{launch.label or options.file.name}: kernel '{launch.kernel}', grid {grid}")
    for name, value in launch.arguments.items():
        view = launch.views().get(name)
        if view:
            shape = "x".join(str(n) for n in view.shape)
            print(f"    {name}: {shape} {view.dtype}{_told(found, name)}")
        else:
            print(f"    {name} = {value}")
    for name, value in launch.options.items():
        print(f"    option {name} = {value}")
    print("made with " + ", ".join(f"{n} {v}" for n, v in found.manifest["versions"].items()))
    if found.report:
        print(f"reported: {_reported(found.report)}")
    if found.evidence:
        print(f"evidence: {', '.join(sorted(found.evidence))}")
    return EQUAL


def _reported(report: dict[str, Any]) -> str:
    """What a comparison has found, or the verdict of `blame`."""
    if "targets" in report:
        return f"{report.get('status')}, {' and '.join(report['targets'])}"
    return "; ".join(str(one["verdict"]["sentence"]) for one in report.get("launches", []))


def _told(found: Reproducer, name: str) -> str:
    facts = (found.stats or {}).get(name)
    if not facts:
        return ""
    words = (f"{key} {facts[key]}" for key in ("min", "max", "nans", "infinities") if key in facts)
    return ", content left out: " + ", ".join(words)


def _run(found: Reproducer, options: argparse.Namespace) -> int:
    targets = _targets(options)
    if not options.run:
        print(f"kernel '{found.launch.kernel}' of {options.file} was not run: that takes --run")
        return EQUAL
    _require_memory(found, options.file)
    with tempfile.TemporaryDirectory() as folder:
        found.launch.save(Path(folder) / "0000")
        with working(f"running kernel '{found.launch.kernel}' on {' and '.join(targets)}"):
            reports = list(run.compare_all(Path(folder), targets, options.timeout))
    reports = [report.without_folder(one) for one in reports]
    print(report.as_text(reports, targets))
    return {"equal": EQUAL, "different": DIFFERENT}.get(report.status(reports), FAILED)


def _check(found: Reproducer, options: argparse.Namespace) -> int:
    if not options.run:
        print(f"kernel '{found.launch.kernel}' of {options.file} was not run: that takes --run")
        return EQUAL
    _require_memory(found, options.file)
    with check() as findings:
        replay.replay(found.launch, "cpu")
    with lent_source(found.source_name, found.source):
        findings.print()
    return EQUAL if findings.is_clean else DIFFERENT


def _to_python(found: Reproducer, options: argparse.Namespace) -> int:
    _require_memory(found, options.file)
    if not found.source:
        raise ReproducerError(f"{options.file} has no source of its kernel")
    folder: Path = options.out or Path(options.file.stem)
    folder.mkdir(parents=True)
    (folder / archive.SOURCE).write_text(found.source)
    for name, data in found.evidence.items():
        (folder / "evidence").mkdir(exist_ok=True)
        (folder / "evidence" / name).write_bytes(data)
    launch = found.launch
    launch.file = str(folder / archive.SOURCE)
    launch.save(folder / "launch")
    script = folder / "run.py"
    script.write_text(_SCRIPT.format(kernel=launch.kernel))
    print(f"{script}: read {folder / archive.SOURCE} before you run it")
    return EQUAL


_SCRIPT = '''\
"""Launches '{kernel}' on the arguments of the reproducer, and prints what changed."""

from pathlib import Path

from triton_shared.diff import recording, replay

folder = Path(__file__).resolve().parent
launch = recording.load(folder / "launch")
launch.file = str(folder / "kernel.py")
done = replay.replay(launch, "cpu")
for name, view in launch.views().items():
    before, after = view.of(launch.storages), view.of(done.buffers)
    print(name, "is as it was" if before.equal(after) else after)
'''


def _reduce(found: Reproducer, options: argparse.Namespace) -> int:
    targets = _targets(options)
    _require_memory(found, options.file)
    if not options.run:
        print(f"kernel '{found.launch.kernel}' of {options.file} was not run: that takes --run")
        return EQUAL
    with workers.session(), working(f"making kernel '{found.launch.kernel}' smaller"):
        reduced = reduction.reduce(found.launch, targets, options.timeout)
    out: Path = options.out or options.file.with_name(f"{options.file.stem}-reduced.ttrepro")
    archive.write(out, reduced)
    before, after = (reduction.count_operations(one.ttir) for one in (found.launch, reduced))
    print(f"{out}: {after} operations of {before}")
    return EQUAL


def _targets(options: argparse.Namespace) -> tuple[str, str]:
    targets = tuple(options.targets.split(","))
    if len(targets) != 2 or not set(targets) <= set(TARGETS):
        known = ", ".join(TARGETS)
        raise ReproducerError(f"--targets needs two of {known}, got '{options.targets}'")
    return targets[0], targets[1]


def _require_memory(found: Reproducer, file: Path) -> None:
    if found.stats is not None:
        raise ReproducerError(
            f"{file} has no content of tensors: it was made with --stats-only, and cannot be run"
        )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m triton_shared.repro",
        description="Looks at a reproducer of one launch (.ttrepro), and runs it.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, does: Any, told: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=told, description=told)
        command.add_argument("file", type=Path, metavar="FILE")
        command.set_defaults(does=does)
        return command

    add("info", _info, "says what is in it")
    for name, does, told in (
        ("run", _run, "compares two targets"),
        ("reduce", _reduce, "takes operations away as long as two targets differ"),
    ):
        command = add(name, does, told)
        command.add_argument("--run", action="store_true", help="run code that is in the file")
        command.add_argument("--targets", default="cpu,emulated", metavar="A,B")
        command.add_argument("--timeout", type=float, default=120, metavar="SECONDS")
    command.add_argument("--out", type=Path, metavar="FILE")
    add("check", _check, "looks for what its kernel does wrong").add_argument(
        "--run", action="store_true", help="run code that is in the file"
    )
    add("to-python", _to_python, "unpacks it into a folder with a script").add_argument(
        "--out", type=Path, metavar="FOLDER"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
