"""Damages the texts of test/corpus and compiles them: an error is fine, a crash is a find.

The work is done by a process of its own that says which mutant it is about to compile; when it dies
or hangs, the mutant it named last is the find, and another process goes on behind it. A mutant is a
function of its number alone:

    cd python && python -m fuzz.mutants --first 0 --count 1000 --keep /tmp/finds
    cd python && python -m fuzz.mutants --show 17
"""

from __future__ import annotations

import argparse
import functools
import random
import re
import resource
import select
import signal
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

CORPUS = Path(__file__).parents[2] / "test" / "corpus"
TOOL = Path(__file__).parents[2] / "build" / "bin" / "triton-shared-opt"
PARSER = "mlir::detail::Parser::"
PATIENCE = 60
"""Seconds after which a mutant counts as a hang."""
BATCH = 500
"""Mutants between two lines about the progress."""
MEMORY = 6 << 30
"""Bytes of address space a worker may take: a mutant may ask for a very large block."""

_TOKEN = re.compile(r"\s+|[%#@^!]?[\w.$-]+|\"[^\"]*\"|->|.", re.DOTALL)


@functools.cache
def _sources() -> tuple[str, ...]:
    """All texts of the corpus that are quick to compile."""
    files = sorted(CORPUS.rglob("*.mlir"))
    return tuple(text for file in files if len(text := file.read_text()) < 12_000)


@functools.cache
def _vocabulary() -> tuple[str, ...]:
    """What any text of the corpus says: types, operations, attributes, numbers."""
    return tuple(sorted({token for text in _sources() for token in _TOKEN.findall(text)}))


_NUMBERS = ("-1", "0", "1", "2", "3", "7", "16", "127", "2147483647", "-9223372036854775808")
_TYPES = ("i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "index", "f8E5M2", "i4")


def mutant(number: int) -> str:
    """One text of the corpus with one to four changes."""
    rng = random.Random(number)
    text = rng.choice(_sources())
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        text = rng.choice((_change_token,) * 4 + (_change_line, _change_type, _change_type))(
            rng, text
        )
    return text


def _change_token(rng: random.Random, text: str) -> str:
    tokens = _TOKEN.findall(text)
    at = rng.randrange(len(tokens))
    for _ in range(20):
        if not tokens[at].isspace():
            break
        at = rng.randrange(len(tokens))
    token = tokens[at]
    match rng.randrange(8):
        case 0:
            tokens[at] = rng.choice(("", token + token))
        case 1:
            tokens[at] = rng.choice(_vocabulary())
        case _:
            tokens[at] = rng.choice(_alike(token, tokens))
    return "".join(tokens)


def _alike(token: str, tokens: list[str]) -> list[str]:
    """What may stand in the place of a token and still be read."""
    if _kind(token) == "number" and "x" not in token:
        return [*_NUMBERS, *(other for other in tokens if _kind(other) == "number")]
    if "." in token:
        dialect = token.split(".")[0] + "."
        return [other for other in _vocabulary() if other.startswith(dialect)]
    return [other for other in tokens if _kind(other) == _kind(token)]


def _change_line(rng: random.Random, text: str) -> str:
    lines = text.splitlines()
    first, second = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(4):
        case 0:
            del lines[first]
        case 1:
            lines.insert(second, lines[first])
        case 2:
            lines[first], lines[second] = lines[second], lines[first]
        case _:
            lines[first : first + rng.randrange(1, 6)] = []
    return "\n".join(lines)


def _change_type(rng: random.Random, text: str) -> str:
    """One element type or one size becomes another, in one line or everywhere."""
    if rng.random() < 0.5:
        old = rng.choice(_TYPES)
        pattern, new = rf"\b{old}\b|(?<=\dx){old}\b", rng.choice(_TYPES)
    else:
        old = rng.choice(("1", "2", "4", "8", "16", "32", "64", "128"))
        pattern, new = rf"(?<=tensor<){old}(?=x)", rng.choice(("0", "1", "2", "3", "4", "64", "?"))
    matches = list(re.finditer(pattern, text))
    if not matches:
        return text
    if rng.random() < 0.5:
        return re.sub(pattern, new, text)
    match = rng.choice(matches)
    return text[: match.start()] + new + text[match.end() :]


def _kind(token: str) -> str:
    if token[0] in '%#@^!"':
        return token[0]
    if re.fullmatch(r"-?\d[\w.+-]*", token):
        return "number"
    return "word" if token[0].isalpha() else "sign"


@dataclass(frozen=True)
class Find:
    """A mutant that ended its process."""

    number: int
    death: str
    """A signal's name, `hang`, or an exit code."""
    output: str
    """What the process wrote last: usually the assertion."""
    upstream: bool
    """Whether MLIR's own parser crashed, with nothing of this project on the stack above it."""


@dataclass(frozen=True)
class Result:
    """What came of a range of mutants."""

    compiled: int
    refused: int
    finds: tuple[Find, ...]

    def __add__(self, other: Result) -> Result:
        return Result(
            self.compiled + other.compiled,
            self.refused + other.refused,
            self.finds + other.finds,
        )

    def __str__(self) -> str:
        upstream = len(self.finds) - len(self.ours)
        crashed = f"{len(self.ours)} crashed, {upstream} in MLIR's parser"
        return f"{self.compiled} compiled, {self.refused} refused, {crashed}"

    @property
    def ours(self) -> tuple[Find, ...]:
        return tuple(find for find in self.finds if not find.upstream)


def worker_command(first: int, count: int, phase: str) -> list[str]:
    """How to start the process that compiles the mutants of a range."""
    command = [sys.executable, "-m", "fuzz.mutants", "--worker", phase]
    return [*command, "--first", str(first), "--count", str(count)]


def run(first: int, count: int, phase: str = "obj") -> Result:
    """Compiles the mutants of a range, up to the given phase."""
    compiled = refused = 0
    finds: list[Find] = []
    end = first + count
    while first < end:
        with subprocess.Popen(
            worker_command(first, end - first, phase),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[1],
        ) as worker:
            current = first
            for line in _lines(worker):
                word, number = line.split()
                current = int(number)
                compiled += word == "compiled"
                refused += word == "refused"
                first = current + (word != "begin")
            code = worker.wait()
            assert worker.stderr
            output = worker.stderr.read()[-4000:]
        if first < end:
            finds.append(Find(current, _death(code), output, in_the_parser(mutant(current))))
            first = current + 1
    return Result(compiled, refused, tuple(finds))


def in_the_parser(text: str) -> bool:
    """Whether reading this text crashes in MLIR's parser, by the stack that the tool prints."""
    command = [str(TOOL), "--to-phase=ttir", "-o", "/dev/null"]
    try:
        trace = subprocess.run(
            command, input=text, capture_output=True, text=True, timeout=PATIENCE
        )
    except subprocess.TimeoutExpired:
        return False
    frames = re.findall(r"^ *#\d+ 0x[0-9a-f]+ (.*)$", trace.stderr, re.MULTILINE)
    parser = next((n for n, frame in enumerate(frames) if PARSER in frame), 0)
    return parser > 0 and all(re.search(r"/lib(MLIR|LLVM|c)\.so", f) for f in frames[:parser])


def _lines(worker: subprocess.Popen[str]) -> Iterable[str]:
    """What a worker says, until it dies or is killed because it says nothing."""
    assert worker.stdout
    while True:
        if not select.select([worker.stdout], [], [], PATIENCE)[0]:
            worker.kill()
            return
        line = worker.stdout.readline()
        if not line:
            return
        yield line


def _death(code: int) -> str:
    if code == -signal.SIGKILL:
        return "hang"
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"


def _work(first: int, count: int, phase: str) -> None:
    """The worker: one line before and one line after each mutant."""
    from triton_shared import library

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    options = f"mode=reference to-phase={phase}"
    for number in range(first, first + count):
        text = mutant(number)
        print("begin", number, flush=True)
        succeeded = library.compile_text(text, options).succeeded
        print("compiled" if succeeded else "refused", number, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="fuzz.mutants", description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=0, help="number of the first mutant")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--phase", default="obj", help="the phase to compile to")
    parser.add_argument("--keep", type=Path, help="a folder for the mutants that crash")
    parser.add_argument("--show", type=int, help="print this mutant and do nothing else")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.show is not None:
        print(mutant(options.show))
        return 0
    if options.worker:
        _work(options.first, options.count, options.worker)
        return 0
    total = Result(0, 0, ())
    for first in range(options.first, options.first + options.count, BATCH):
        result = run(first, min(BATCH, options.first + options.count - first), options.phase)
        for find in result.finds:
            _report(find, options.keep)
        total = total + result
        print(f"up to {first + BATCH}: {total}", flush=True)
    return 1 if total.ours else 0


def _report(find: Find, folder: Path | None) -> None:
    where = " in MLIR's parser" if find.upstream else ""
    print(f"mutant {find.number}: {find.death}{where}")
    print("    " + "\n    ".join(find.output.splitlines()[:6]), flush=True)
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"mutant-{find.number}.mlir").write_text(mutant(find.number))
        (folder / f"mutant-{find.number}.txt").write_text(find.output)


if __name__ == "__main__":
    sys.exit(main())
