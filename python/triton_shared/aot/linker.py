"""One entry point for several variants of a kernel, made from their headers.

Variants with the same constants and options form an algorithm, which the caller chooses by number;
within it, the values of the arguments choose: the variant that promises most comes first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import TritonSharedError
from . import names, toolchain
from .outputs import PHASES, declare, functor, make_folder, store
from .packages import write_packages
from .signature import Parameter
from .templates import render

_FACTS = re.compile(r"^// triton-shared: (\{.*\})$", re.MULTILINE)


@dataclass(frozen=True)
class Variant:
    """What a header says about its kernel."""

    header: str
    """The file's name."""
    name: str
    symbol: str
    algorithm: str
    target: str
    parameters: tuple[tuple[str, str, int | None], ...]
    """Name, C type and hint of each."""

    @property
    def prototype(self) -> list[tuple[str, str]]:
        """What variants of one kernel must have in common."""
        return [(name, kind) for name, kind, _ in self.parameters]

    def conditions(self) -> list[str]:
        """C expressions that hold if the variant fits."""
        return [
            f"{name} == 1" if hint == 1 else f"{name} % {hint} == 0"
            for name, _, hint in self.parameters
            if hint
        ]

    def call(self) -> str:
        """The arguments of its launcher."""
        return ", ".join(["stream", *(name for name, _, hint in self.parameters if hint != 1)])


@dataclass(frozen=True)
class Algorithm:
    """The variants that the values of the arguments choose between."""

    function: str
    choice: str
    """Constants and options, `128x1_warps4xstages3`."""
    variants: list[Variant]

    def describe(self) -> str:
        """For a comment."""
        count = len(self.variants)
        return f"{self.choice.lstrip('_')}, {count} variant{'s' if count > 1 else ''}"


def read_header(path: Path) -> Variant:
    """Reads a header of `triton_shared.compile`."""
    try:
        match = _FACTS.search(path.read_text())
    except OSError as error:
        raise TritonSharedError(f"cannot read header '{path}': {error.strerror}") from None
    if not match:
        raise TritonSharedError(
            f"'{path}' is not a header of triton_shared.compile: it has no line "
            "'// triton-shared: …'"
        )
    facts = json.loads(match[1])
    parameters = tuple((name, kind, hint) for name, kind, hint in facts.pop("parameters"))
    return Variant(path.name, parameters=parameters, **facts)


def link_headers(
    headers: Sequence[Path], out: Path, *, prefix: str = "", libraries: Sequence[str] = ()
) -> list[Path]:
    """Writes `<out>.h`, `<out>.c` and `<out>.hpp`, and libraries `a` and `so` of everything.

    Libraries are built from the files beside the headers; with them come `<out>.pc` and
    `<out>Config.cmake`, by which pkg-config and CMake find them.
    """
    variants = [read_header(path) for path in headers]
    _check_alike(variants)
    name = prefix + variants[0].name
    names.require_free_function(name, "--prefix")
    names.require_parameters([n for n, _ in variants[0].prototype], taken=(name, "algo_id"))
    values = {
        "name": name,
        "variants": variants,
        "algorithms": _group(variants, name),
        "signature": declare(_parameters(variants[0])),
        "arguments": ", ".join(["stream", *(n for n, _ in variants[0].prototype)]),
        "header": f"{out.name}.h",
    }
    make_folder(out.parent)
    made = [store(out, "h", render("link.h.j2", **values).encode())]
    made.append(store(out, "c", render("link.c.j2", **values).encode()))
    text = functor(name, f"{name}_default", f"{out.name}.h", _parameters(variants[0]))
    made.append(store(out, "hpp", text.encode()))
    made += [_build(headers, variants, out, ending) for ending in libraries]
    if libraries:
        made += write_packages(out, name, libraries)
    return made


def _check_alike(variants: Sequence[Variant]) -> None:
    first = variants[0]
    symbols = [variant.symbol for variant in variants]
    for variant in variants:
        if variant.name != first.name:
            raise TritonSharedError(
                f"the headers are of different kernels: '{first.name}' in {first.header}, "
                f"'{variant.name}' in {variant.header}\nlink each kernel by itself"
            )
        if variant.prototype != first.prototype or variant.target != first.target:
            raise TritonSharedError(
                f"variants of kernel '{first.name}' differ in more than constants and hints:\n"
                f"{first.header}: {first.target} ({_show(first)})\n"
                f"{variant.header}: {variant.target} ({_show(variant)})"
            )
        if symbols.count(variant.symbol) > 1:
            raise TritonSharedError(f"'{variant.symbol}' is in several headers")


def _show(variant: Variant) -> str:
    return ", ".join(f"{kind} {name}" for name, kind in variant.prototype)


def _group(variants: Sequence[Variant], name: str) -> list[Algorithm]:
    groups: dict[str, list[Variant]] = {}
    for variant in variants:
        groups.setdefault(variant.algorithm, []).append(variant)
    return [
        Algorithm(
            f"{name}_{choice}",
            choice,
            sorted(members, key=lambda member: -len(member.conditions())),
        )
        for choice, members in groups.items()
    ]


def _parameters(variant: Variant) -> list[Parameter]:
    return [_Passed(name, kind) for name, kind in variant.prototype]


class _Passed(Parameter):
    """A parameter of which the header says the C type itself."""

    @property
    def c_type(self) -> str:
        return self.type


def _build(headers: Sequence[Path], variants: Sequence[Variant], out: Path, ending: str) -> Path:
    """A library of the dispatcher, and of launcher and machine code of every variant."""
    inputs = [out.with_name(f"{out.name}.c")]
    for path, variant in zip(headers, variants, strict=True):
        endings = ["c", PHASES["obj"]] if variant.target == "cpu" else ["c"]
        beside = [path.with_suffix(f".{ending}") for ending in endings]
        missing = [file for file in beside if not file.is_file()]
        if missing:
            raise TritonSharedError(
                f"a library needs '{missing[0]}' beside its header; "
                "compile with --emit c,h,obj, which is the default"
            )
        inputs += beside
    folders = {path.resolve().parent for path in headers}
    if len(folders) > 1:
        raise TritonSharedError("a library needs all headers in one folder")
    return toolchain.build(inputs, out.with_name(f"lib{out.name}.{ending}"), folders.pop())
