"""What a source of `check` and `diff` holds: cases of a file, launches, and how they vary.

A source is a Python file (with `case()` or `cases()` as in docs/diff.md; for `check`, any script),
a recording that `diff --keep` has left, or a reproducer.
"""

from __future__ import annotations

import ast
import hashlib
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from ..diff import modules, recorder, recording, sweeps
from ..diff.recording import Recording, RecordingError
from ..interception import intercepted_launches
from ..repro import archive

REPRODUCER = ".ttrepro"


def labels(file: str) -> list[str] | None:
    """The cases of a Python file; None if it is a script without any."""
    if not _names(ast.parse(Path(file).read_bytes(), file)) & {"case", "cases"}:
        return None  # A script may do anything when it is imported.
    module = modules.load(file)
    if hasattr(module, "cases"):
        return [recorder.label_of(case) for case in module.cases()]
    return ["case"] if hasattr(module, "case") else None


def _names(module: ast.Module) -> set[str]:
    """What a file defines, assigns or imports at its top level."""
    found: set[str] = set()
    for node in module.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Assign):
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return found


def find_case(facts: Mapping[str, Any]) -> Any:
    """The case that `facts` name."""
    found = list(
        itertools.islice(recorder.cases_of(modules.load(facts["file"])), facts["index"] + 1)
    )
    if len(found) <= facts["index"]:
        raise RecordingError(f"{facts['file']} has no case number {facts['index']} any more")
    return found[-1]


def launches(facts: Mapping[str, Any]) -> list[Recording]:
    """The launches of a recording or a reproducer, with the options that `facts` choose."""
    path = Path(facts["file"])
    if path.suffix == REPRODUCER:
        found = archive.read(path)
        if found.stats is not None:
            raise RecordingError(f"{path} has no content of tensors, and cannot be run")
        made = [found.launch]
    elif path.is_dir():
        folders = [path] if (path / "launch.json").is_file() else sorted(path.iterdir())
        made = [recording.load(f) for f in folders if (f / "launch.json").is_file()]
    else:
        raise RecordingError(f"{path} is no Python file, recording or reproducer")
    for launch in made:
        sweeps.require_options(launch, facts["vary"])
        launch.options = {**launch.options, **facts["vary"]}
    return made


def is_script(facts: Mapping[str, Any]) -> bool:
    """Whether a source is a Python file."""
    return str(facts["file"]).endswith(".py")


def choosing(vary: Mapping[str, Any]) -> AbstractContextManager[None]:
    """Inside of the block, launches have these options, and kernels these constants."""
    if not vary:
        return nullcontext()

    def run(launch: Callable[..., Any], kernel: Any, *args: Any, **named: Any) -> Any:
        return launch(kernel, *args, **{**named, **vary})

    return intercepted_launches(run)


@contextmanager
def seeded(seed: int | None) -> Iterator[None]:
    """Inside of the block, torch's random numbers are those of a seed."""
    import torch

    if seed is not None:
        torch.manual_seed(seed)
    yield


def digest(path: Path) -> str:
    """Of what a source says: it is another one when that changes."""
    files = [path] if path.is_file() else sorted(f for f in path.rglob("*") if f.is_file())
    state = hashlib.sha256()
    for file in files:
        state.update(f"{file.relative_to(path)}\0".encode())
        state.update(hashlib.sha256(file.read_bytes()).digest())
    return state.hexdigest()[:16]


def choices(vary: Sequence[tuple[str, Sequence[Any]]]) -> list[dict[str, Any]]:
    """Every combination of what varies."""
    return sweeps.Sweep(dict(vary), "", []).choices()


def describe(vary: Mapping[str, Any], seed: int | None) -> str:
    """What tells variants of a case apart."""
    words = dict(vary) if seed is None else {**vary, "seed": seed}
    return f" {sweeps.describe(words)}" if words else ""
