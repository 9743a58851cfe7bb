"""Is the kernel itself wrong: by what it does to memory, or by what it computes.

    python -m triton_shared.blame.kernel LAUNCH ANSWER

runs a recorded launch on the CPU with checks, in a process of its own, and writes what they find.
"""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from ..check import text
from ..diff import census, recording, replay, workers
from ..diff.formats import wide
from ..diff.modules import load as load_module
from ..diff.recording import Recording, RecordingError, Stated, View
from ..diff.workers import Result
from ..verification import bounds

_ERRORS = "error"
_TF32 = 2.0**-11
CHECKED = "check.json"
"""What checks have found, in the folder of a launch."""


def check(launch: Path, timeout: float) -> list[dict[str, Any]]:
    """What checks find wrong about a recorded launch: errors alone, as `check` writes them.

    Raises RecordingError if it does not run with checks.
    """
    answer = launch / CHECKED
    if not answer.is_file():
        _run_checked(launch, answer, timeout)
    found: list[dict[str, Any]] = json.loads(answer.read_text())["findings"]
    return [one for one in found if one["severity"] == _ERRORS]


def _run_checked(launch: Path, answer: Path, timeout: float) -> None:
    command = [sys.executable, "-W", "ignore", "-m", __name__, str(launch), str(answer)]
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=timeout, env=workers.environment("cpu")
        )
    except subprocess.TimeoutExpired:
        raise RecordingError(f"with checks, it did not end within {timeout:.0f} s") from None
    if done.returncode:
        raise RecordingError(f"with checks, it does not run: {done.stderr.decode()[-1000:]}")


@dataclass(frozen=True)
class Mistake:
    """A tensor that is not what is expected, at its worst element."""

    argument: str
    wrong: int
    index: tuple[int, ...]
    found: float
    expected: float
    allowed: float

    def __str__(self) -> str:
        place = f"{self.argument}{list(self.index)}" if self.index else self.argument
        allowed = f" within {self.allowed:.3g}" if self.allowed else ""
        return f"{place} is {self.found:.9g}, expected {self.expected:.9g}{allowed}"


def compare(launch: Path, result: Result, stated: Sequence[Stated]) -> list[Mistake]:
    """Where what a target has left is not what is expected."""
    views = recording.load(launch).views()
    mistakes = []
    for one in stated:
        found = wide(views[one.argument].of(result.buffers))
        error = torch.where(found == one.value, 0.0, (found - one.value).abs())
        both = found.isnan() & one.value.isnan()
        error = torch.where(both, 0.0, error.nan_to_num(torch.inf, posinf=torch.inf))
        margin = torch.where(error == 0, 0.0, error / one.bound)
        if not margin.numel() or margin.max() <= 1:
            continue
        index = tuple(int(i) for i in torch.unravel_index(margin.argmax(), margin.shape))
        values = (float(part[index]) for part in (found, one.value, one.bound))
        mistakes.append(Mistake(one.argument, int((margin > 1).sum()), index, *values))
    return mistakes


def expect(launch: Path, named: str) -> list[Stated]:
    """What a function of torch expects of a launch.

    `named` is a function of the kernel's file, or FILE:FUNCTION. Its parameters have the names of
    the kernel's; it gives a tensor for the only argument that it does not take, or a dictionary of
    tensors by argument. Raises RecordingError.
    """
    loaded = recording.load(launch)
    function = _function(loaded, named)
    names = list(inspect.signature(function).parameters)
    unknown = [name for name in names if name not in loaded.arguments]
    if unknown:
        raise RecordingError(
            f"'{named}' takes '{unknown[0]}', and kernel '{loaded.kernel}' has no such argument; "
            f"it has {', '.join(loaded.arguments)}"
        )
    unit = _TF32 if loaded.ttir and census.take(loaded.ttir).has_tf32 else 0.0
    stated = []
    for argument, expected in _expected(loaded, function, names).items():
        is_float = expected.own.dtype.is_floating_point
        bound = expected.allowed(unit) if is_float else torch.zeros_like(expected.value)
        view = loaded.views().get(argument)
        if view is None or tuple(expected.value.shape) != tuple(view.shape):
            raise RecordingError(
                f"'{named}' gives {list(expected.value.shape)} for '{argument}', which is "
                f"{list(view.shape) if view else 'no tensor'}"
            )
        stated.append(Stated(argument, expected.value, bound))
    return stated


def _function(loaded: Recording, named: str) -> Callable[..., Any]:
    file, _, name = named.rpartition(":")
    if not file and not loaded.file:
        raise RecordingError("a reproducer has no functions: name FILE:FUNCTION")
    found = getattr(load_module(file or loaded.file), name, None)
    if not callable(found):
        raise RecordingError(f"there is no function '{name}' in {file or loaded.file}")
    return found  # type: ignore[no-any-return]


def _expected(
    loaded: Recording, function: Callable[..., Any], names: list[str]
) -> dict[str, bounds.Expected]:
    """The outputs in f64, in the type of the inputs, on absolute values and on ones."""
    arguments = {
        name: value.of(loaded.storages) if isinstance(value, View) else value
        for name, value in loaded.arguments.items()
        if name in names
    }

    def run(change: Callable[[torch.Tensor], torch.Tensor]) -> dict[str, torch.Tensor]:
        given = {
            n: change(v.clone()) if isinstance(v, torch.Tensor) else v for n, v in arguments.items()
        }
        made = function(**given)
        if isinstance(made, dict):
            return made
        left = [name for name in loaded.views() if name not in names]
        if len(left) != 1:
            raise RecordingError(
                f"nothing says which argument the function describes: {', '.join(left) or 'all'} "
                "are not among its own; let it give a dictionary"
            )
        return {left[0]: made}

    def floats(change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
        return lambda t: change(t.double()) if t.dtype.is_floating_point else t

    value, own = run(floats(lambda t: t)), run(lambda t: t)
    sizes, terms = run(floats(torch.abs)), run(floats(torch.ones_like))
    largest = bounds.longest(list(arguments.values()))
    return {
        name: bounds.Expected(
            value[name].double(),
            own[name],
            sizes[name].double(),
            terms[name].double(),
            largest,
        )
        for name in value
    }


def main(words: list[str]) -> int:
    """Checks one launch; see above."""
    from ..check import check as checked

    launch = recording.load(Path(words[0]))
    with checked() as report:
        replay.replay(launch, "cpu")
    findings = []
    for finding in report.findings:
        where = finding.places[0] if finding.places else None
        place = f"{recording.shown(where.file)}:{where.line}:{where.column}: " if where else ""
        sentence = f"{place}{text.title(finding)}"
        findings.append({"severity": finding.severity, "sentence": sentence})
    answer = {"findings": findings, "text": report.as_text()}
    Path(words[1]).write_text(json.dumps(answer))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
