"""`python -m triton_shared.explain FILE[::KERNEL] [--signature TYPES] [-o PAGE] [arguments]`.

A Python script is run as it is, on the CPU, and every kernel that it compiles is explained; with a
signature it need not launch anything: it is imported, and its kernel compiled for that signature.
Any other file is read as TTIR. With -o, one kernel becomes one HTML page, or JSON if its name ends
with .json.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from .. import TritonSharedError
from ..terminal import working
from . import Explanation, explain_texts, launches, scripts
from .gathering import COMPILERS, Question
from .report import Report
from .table import show

_FUNCTION = re.compile(r'tt\.func public @(?:"([^"]+)"|([\w.$-]+))\(')


def parse(words: list[str]) -> argparse.Namespace:
    """Reads the command line; `--` comes before options of the script."""
    parser = _parser()
    options = parser.parse_intermixed_args(words)
    path, _, options.kernel = options.file.partition("::")
    options.file = Path(path)
    if not options.file.is_file():
        parser.error(f"there is no file '{options.file}'")
    for written in filter(None, (options.output, options.repro)):
        if not written.parent.is_dir():
            parser.error(f"there is no folder '{written.parent}' to write to")
    if options.output and options.output.is_dir():
        parser.error(f"'{options.output}' is a folder; -o names a file in it")
    if options.compare not in (None, "triton") and not Path(options.compare).is_file():
        parser.error(f"there is no report '{options.compare}'; -o NAME.json writes one")
    if options.compare and options.output and options.output.suffix == ".json":
        parser.error("--compare makes a page, or prints what differs; -o cannot end with .json")
    if options.signature and not options.kernel:
        parser.error("a signature is that of one kernel: name it, as in kernel.py::add_kernel")
    return options


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m triton_shared.explain", description=__doc__)
    add = parser.add_argument
    add(
        "--json", action="store_true",
        help="print JSON: the report of one kernel, else a line per access; with --compare, what "
        "differs",
    )  # fmt: skip
    add("--output", "-o", type=Path, help="write a page, or JSON if the name ends with .json")
    add(
        "--signature", "-s", metavar="TYPES",
        help='compile for these types, as triton_shared.compile does: "*fp32:16, i32, 64"',
    )  # fmt: skip
    add("--target", "-t", default="cpu", help="cpu (default) or cuda:<compute capability>")
    add(
        "--option", action="append", default=[], metavar="NAME=VALUE",
        help="an option of a launch line: num_warps=8, mode=reference; may be repeated",
    )  # fmt: skip
    add(
        "--arg", action="append", default=[], metavar="NAME=VALUE",
        help="with a signature: a number, or a tensor's shape as 32x64; all of them are a launch, "
        "which is looked at, too",
    )  # fmt: skip
    add("--grid", "-g", default="1", help="of that launch: 8 or 8,2,1 (default: 1)")
    add(
        "--no-launch", action="store_true",
        help="of a script: leave out what is said of the kernel's first launch, which takes long",
    )  # fmt: skip
    add(
        "--program", action="append", metavar="X,Y,Z",
        help="whose accesses are shown; may be repeated (default: the first ones and the last)",
    )  # fmt: skip
    add(
        "--repro", type=Path, metavar="FILE.ttrepro",
        help="keep the launch in one file, from which it can be run and made smaller elsewhere",
    )  # fmt: skip
    add(
        "--compiler", choices=COMPILERS, default=COMPILERS[0],
        help="whose code it is: this one's (default), or that of Triton's own for NVIDIA GPUs",
    )  # fmt: skip
    add(
        "--compare", metavar="REPORT",
        help="a report as JSON, or 'triton' for what Triton's own compiler makes of the same: puts "
        "it and this one side by side, differences first",
    )  # fmt: skip
    add("file", help="a Python script, or a file of TTIR; with ::NAME, one kernel of it")
    add("arguments", nargs="*", help="of the script; write -- before its options")
    return parser


def main(words: list[str]) -> int:
    """Explains one file; returns the exit code."""
    options = parse(words)
    try:
        if _is_report(options):
            with working(f"looking at {options.file.name}") as say:
                asked = {"words": tuple(words), "reproducer": options.repro}
                question = replace(_question(options), **asked)
                _keep_launch(question)
                report = Report.of(question, say)
                other = _other(question, options.compare) if options.compare else None
            _tell_report(report, other, options)
            return 0
        with working(f"looking at {options.file.name}"):
            found = _explain(options.file, options.arguments)
    except (TritonSharedError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    if options.json:
        print("\n".join(found.lines))
    else:
        show(found)
    return 0


def _is_report(options: argparse.Namespace) -> bool:
    """Whether one kernel is asked for, and not a table of all accesses of a file."""
    wanted = (options.output, options.signature, options.kernel, options.compare, options.repro)
    return any(wanted)


def _keep_launch(question: Question) -> None:
    if question.reproducer is None:
        return
    if question.launch is None:
        raise TritonSharedError(
            "there is no launch to keep in a reproducer\n"
            "give a script that launches the kernel, or --signature with --arg for each parameter"
        )
    from ..repro import archive

    archive.write(question.reproducer, question.launch)


def _other(question: Question, compare: str) -> Report:
    """What a report is compared with: that of the other compiler, or one that was kept."""
    if compare == "triton":
        return Report.of(question.by_triton())
    return Report.load(compare)


def _tell_report(report: Report, other: Report | None, options: argparse.Namespace) -> None:
    from . import compare, summary

    if other and options.output:
        options.output.write_text(other.compared(report))
        print(options.output)
    elif other and options.json:
        print(json.dumps(compare.describe(other.data, report.data), indent=1))
    elif other:
        summary.show_comparison(other, report)
    elif options.output:
        print(report.write(options.output))
    elif options.json:
        print(report.json())
    else:
        summary.show_report(report)


def _question(options: argparse.Namespace) -> Question:
    from ..compile import parse_option

    keywords = dict(map(parse_option, options.option))
    if options.signature:
        return _of_signature(options, keywords)
    if options.file.suffix != ".py":
        text = _choose([options.file.read_text()], options)
        return Question(text, options.target, keywords, False, compiler=options.compiler)
    ran = scripts.run(options.file, options.arguments, records=not options.no_launch)
    text = _choose(ran.texts, options)
    name = _name(text)
    if name in ran.problems:
        print(f"the page is without the launch: {ran.problems[name]}", file=sys.stderr)
    programs = [_program(word) for word in options.program] if options.program else None
    launch = ran.launches.get(name)
    return Question(text, options.target, keywords, True, launch, programs, options.compiler)


def _of_signature(options: argparse.Namespace, keywords: dict[str, Any]) -> Question:
    from ..aot import parse_signature, sources
    from ..aot.signature import split
    from ..frontend import Target

    source = sources.read(options.file, options.kernel)
    parameters = parse_signature(options.signature, source.parameters)
    ttir = source.to_ttir(options.kernel, parameters, Target.parse(options.target), keywords)
    launch = None
    if options.arg:
        if source.kernel is None:
            raise TritonSharedError("a launch needs the kernel's Python source, not its TTIR")
        given = launches.make_arguments(parameters, options.arg, options.kernel)
        launch = launches.record(source.kernel, tuple(given.values()), _numbers(options.grid), {})
        types = {p.name: p.type if p.is_passed else "constexpr" for p in parameters}
        launches.with_text(launch, ttir, types)
    programs = [_program(word) for word in options.program] if options.program else None
    return Question(
        ttir, options.target, keywords, source.kernel is not None, launch, programs,
        options.compiler, dict(zip(source.parameters, split(options.signature), strict=True)),
    )  # fmt: skip


def _numbers(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(word) for word in text.split(","))
    except ValueError:
        raise TritonSharedError(f"'{text}' is no list of numbers; write it as 8,2,1") from None


def _program(text: str) -> tuple[int, int, int]:
    x, y, z = (*_numbers(text), 0, 0)[:3]
    return x, y, z


def _name(text: str) -> str:
    return next((a or b for a, b in _FUNCTION.findall(text)), "?")


def _choose(texts: Sequence[str], options: argparse.Namespace) -> str:
    """The text of the kernel that was named, or of the only one."""
    names = [_name(text) for text in texts]
    if options.kernel:
        texts = [t for t, name in zip(texts, names, strict=True) if name == options.kernel]
        if not texts:
            raise TritonSharedError(
                f"'{options.file}' has compiled no kernel '{options.kernel}'; it has compiled "
                f"{', '.join(dict.fromkeys(names))}"
            )
    elif len(texts) > 1:
        raise TritonSharedError(
            f"'{options.file}' has compiled {len(texts)} kernels, and a page is about one\n"
            f"name it, as in {options.file}::{names[0]}; there are {', '.join(names)}"
        )
    return texts[0]


def _explain(file: Path, arguments: list[str]) -> Explanation:
    if file.suffix != ".py":
        return explain_texts([file.read_bytes()])
    return explain_texts(scripts.run(file, arguments).texts, printed_by_triton=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
