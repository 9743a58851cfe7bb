"""What a run of the tests has shown, as data: the pages below docs are made of it.

With TRITON_SHARED_TEST_RECORD=<folder>, every test that passed adds a line of JSON there:
`operations.jsonl` says which operations its kernels had, and on which element types;
`clients.jsonl` what was measured against a client's own reference; `ttir` holds the kernels of the
clients. scripts/supported-ops, scripts/accesses and scripts/clients take it with `--record`.

With TRITON_SHARED_TEST_KERNELS=<folder>, every kernel that is compiled is kept there, with the
options of a GPU that it was launched with: scripts/compare-code compiles them again.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
import triton

if TYPE_CHECKING:
    from triton_shared.options import LaunchOptions

_TYPE = re.compile(r"(?:^|[<x, (*])((?:i|f|bf)\d+\w*)(?=[>,) ]|$)")
_OPERATION = re.compile(r'^(?:%[\w:, %#]+ = )?"?((?:tt|arith|math)\.[\w.]+)"?\b(.*)$')
_WORDS = r'(?:[^()"]|"[^"]*")*'
# A place of a function that was inlined has calls in parentheses, in those of a name.
_LOCATION = re.compile(
    rf"^#loc.*\n| loc\({_WORDS}(?:\({_WORDS}(?:\({_WORDS}\){_WORDS})*\){_WORDS})*\)", re.MULTILINE
)
_USUAL = {"num-warps": 4, "num-stages": 3}
_NOT_DATA = {"tt.func", "tt.return", "tt.call"}
_CONDITION_FIRST = {"arith.select"}


@dataclass
class Record:
    """What one test has done so far."""

    texts: list[str] = field(default_factory=list)
    measurements: list[dict[str, Any]] = field(default_factory=list)


current = Record()


def folder() -> Path | None:
    """Where to keep records; None if nobody asked for them."""
    text = os.environ.get("TRITON_SHARED_TEST_RECORD", "")
    return Path(text) / triton.__version__ if text else None


def start() -> None:
    """A test begins."""
    current.texts.clear()
    current.measurements.clear()


def watch_compiler() -> None:
    """From now on, notes every text that is compiled."""
    from triton_shared import library

    original = library.compile_text

    def compile_text(source: str | bytes, options: str, **keywords: Any) -> Any:
        made = original(source, options, **keywords)
        if made.succeeded and isinstance(source, str) and "tt.func" in source:
            current.texts.append(source)
        return made

    library.compile_text = compile_text


def kernel_folder() -> Path | None:
    """Where to keep kernels; None if nobody asked for them."""
    text = os.environ.get("TRITON_SHARED_TEST_KERNELS", "")
    return Path(text) if text else None


def keep_kernels(where: Path) -> None:
    """From now on, keeps every kernel that goes through the stages of a device, without places."""
    from triton_shared.lowering import Lowering

    original = Lowering._compile

    def compile_kernel(self: Lowering, text: str, *arguments: Any, **keywords: Any) -> None:
        if "tt.func" in text:
            _keep_kernel(where, gpu_options(self.options) + without_places(text))
        original(self, text, *arguments, **keywords)

    Lowering._compile = compile_kernel  # type: ignore[method-assign]


def without_places(text: str) -> str:
    """A kernel as it is wherever its source stands."""
    return _LOCATION.sub("", text)


def _keep_kernel(where: Path, text: str) -> None:
    file = where / f"{hashlib.sha256(text.encode()).hexdigest()[:12]}.mlir"
    if not file.exists():
        # Several processes may write the same.
        own = file.with_suffix(f".{os.getpid()}")
        own.write_text(text)
        own.rename(file)


def gpu_options(options: LaunchOptions) -> str:
    """The line that tells scripts/compare-code about launch options that are not the usual ones."""
    words: dict[str, Any] = {
        "num-warps": options.num_warps,
        "num-stages": max(1, options.num_stages),
    }
    words = {name: value for name, value in words.items() if value != _USUAL[name]}
    if options.precise:
        words["precise"] = "true"
    flags = [f"--{name}={value}" for name, value in words.items()]
    return f"// options: {' '.join(flags)}\n" if flags else ""


def keep(test: str, passed: bool) -> None:
    """A test has ended. If it has passed, its kernels work."""
    where = folder()
    client = re.search(r"test_clients_(\w+)\.py", test)
    # A kernel of a client that did not compile has left nothing, and counts.
    failed = client is not None and not passed
    if not where or not (current.texts or current.measurements or failed):
        return
    where.mkdir(parents=True, exist_ok=True)
    cells = sorted({cell for text in current.texts for cell in cells_of(text)})
    if cells and passed:
        _append(where / "operations.jsonl", {"test": test, "cells": cells})
    if client:
        _keep_texts(where / "ttir" / client[1])
        outcome = {"test": test, "passed": passed, "package": _package(client[1])}
        for measurement in current.measurements or [{}]:
            _append(where / "clients.jsonl", {**outcome, **measurement})


def _package(client: str) -> str:
    """What the tests of a client are about, with its version."""
    if client == "vllm":
        # Its files are there, but it is not installed.
        import vllm_modules

        return f"vllm {vllm_modules.VERSION}"
    fetched = {
        "models": "transformers", "fla": "fla-core", "gems": "flag-gems", "helion": "helion",
        "torchao": "torchao",
    }  # fmt: skip
    if client in fetched:
        from clients import packages

        return f"{fetched[client]} {packages.version_of(fetched[client])}"
    name = {"liger": "liger-kernel"}.get(client, "torch")
    return f"{name} {version(name)}"


def _keep_texts(where: Path) -> None:
    """Keeps the kernels, and the files they come from: inductor removes its own."""
    where.mkdir(parents=True, exist_ok=True)
    for text in current.texts:
        kept = text
        for source in sorted(set(re.findall(r'"([^"]+\.py)"', text))):
            if Path(source).is_file():
                content = Path(source).read_bytes()
                copy = where / f"{hashlib.sha256(content).hexdigest()[:12]}.py"
                copy.write_bytes(content)
                kept = kept.replace(f'"{source}"', f'"{copy}"')
        (where / f"{hashlib.sha256(text.encode()).hexdigest()[:12]}.mlir").write_text(kept)


def _append(path: Path, record: dict[str, Any]) -> None:
    # One write: several processes add to the same file.
    with path.open("a") as file:
        file.write(json.dumps(record, sort_keys=True) + "\n")


def cells_of(text: str) -> set[tuple[str, str]]:
    """Every operation of a module of TTIR with each element type that it works on.

    The type is that of its first operand and of its results, of a pointer what it points to.
    """
    cells: set[tuple[str, str]] = set()
    open_regions: list[str] = []
    for line in text.splitlines():
        words = re.sub(r" loc\(.*$", "", line.strip())
        if open_regions and words.startswith("})"):
            cells |= _cells(open_regions.pop(), words)
            continue
        operation = _OPERATION.match(words)
        if not operation:
            continue
        if words.endswith("({"):
            open_regions.append(operation[1])
        else:
            cells |= _cells(operation[1], operation[2])
    return cells


def _cells(name: str, words: str) -> set[tuple[str, str]]:
    signature = words.rpartition(" : ")[2] if " : " in words else ""
    if name in _NOT_DATA or not signature:
        return set()
    before, arrow, after = signature.rpartition(" -> ") if " -> " in signature else (
        signature.rpartition(" to ") if " to " in signature else (signature, "", "")
    )  # fmt: skip
    operands = _TYPE.findall(before)
    chosen = operands[-1:] if name in _CONDITION_FIRST else operands[:1]
    return {(name, kind) for kind in (*chosen, *(_TYPE.findall(after) if arrow else ()))}


def scaled_error(found: list[torch.Tensor], expected: list[torch.Tensor]) -> float | None:
    """The largest difference of finite numbers, in units of the largest number of each tensor."""
    errors = []
    for ours, theirs in zip(found, expected, strict=True):
        x, y = ours.double(), theirs.double()
        finite = x.isfinite() & y.isfinite()
        if finite.any():
            scale = max(float(y[finite].abs().max()), 1e-30)
            errors.append(float((x - y)[finite].abs().max()) / scale)
    return max(errors, default=None)


def measured(
    forward: tuple[list[torch.Tensor], list[torch.Tensor]],
    backward: tuple[list[torch.Tensor], list[torch.Tensor]] | None,
    kind: torch.dtype,
    **facts: Any,
) -> None:
    """Notes the errors of a client's function: pairs of what was found and what was expected.

    `facts` are kept as they are.
    """
    current.measurements.append(
        {
            "kind": str(kind).removeprefix("torch."),
            "forward": scaled_error(*forward),
            "backward": scaled_error(*backward) if backward else None,
            "trains": backward is not None,
            **facts,
        }
    )
