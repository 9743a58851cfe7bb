#!/usr/bin/env python3
"""Writes the TTIR of the kernels in test/corpus/kernels.py with the installed Triton wheel.

Each kernel leaves one file `<form>/<kernel>-<version>.mlir` per form:

- raw      what the front end makes, with calls of library functions
- ttir     after the wheel's inliner and canonicalizer
- located  as ttir, with source locations
- generic  as ttir, in MLIR's generic form

No GPU is needed: nothing is compiled beyond TTIR.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import triton
from triton._C.libtriton import ir, passes
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import ASTSource, make_backend

CORPUS = Path(__file__).resolve().parent.parent / "test" / "corpus"
TARGET = GPUTarget("cuda", 90, 32)
FP8 = ("fp8e4b15", "fp8e4nv", "fp8e5", "fp8e4b8", "fp8e5b16")
MARKER = "generic_marker"


def load_cases(path: Path) -> list[dict[str, Any]]:
    """The list `CASES` of the file with the kernels."""
    spec = importlib.util.spec_from_file_location("kernels", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["kernels"] = module
    spec.loader.exec_module(module)
    cases: list[dict[str, Any]] = module.CASES
    return cases


def make_source(case: dict[str, Any]) -> ASTSource:
    """The kernel with its argument types, pointers aligned to 16 bytes."""
    signature = dict(case["sig"])
    names = case["fn"].arg_names
    constants = {(names.index(name),): value for name, value in case["const"].items()}
    attributes = {}
    if case["aligned"]:
        for name, kind in signature.items():
            for path in find_pointers((names.index(name),), kind):
                attributes[path] = [["tt.divisibility", 16]]
    signature.update(dict.fromkeys(case["const"], "constexpr"))
    return ASTSource(case["fn"], signature, constants, attributes)


def find_pointers(path: tuple[int, ...], kind: Any) -> Iterator[tuple[int, ...]]:
    """The places of pointers in an argument, which may be a tuple."""
    if isinstance(kind, tuple):
        for index, element in enumerate(kind):
            yield from find_pointers((*path, index), element)
    elif kind.startswith("*"):
        yield path


def build(case: dict[str, Any]) -> Any:
    """The front end's module."""
    context = ir.context()
    ir.load_dialects(context)
    backend = make_backend(TARGET)
    backend.load_dialects(context)
    options = backend.parse_options({"supported_fp8_dtypes": FP8, **case["opts"]})
    source = make_source(case)
    codegen = backend.get_codegen_implementation(options)
    module = source.make_ir(TARGET, options, codegen, backend.get_module_map(), context)
    module.context = context
    return module


def clean(module: Any) -> None:
    """The passes that mean the same in every version of the wheel."""
    manager = ir.pass_manager(module.context)
    passes.common.add_inliner(manager)
    passes.common.add_canonicalizer(manager)
    passes.common.add_cse(manager)
    passes.common.add_symbol_dce(manager)
    manager.run(module, "clean")


def generic_form(module: Any) -> str:
    """The text in generic form: what MLIR prints of a module that does not verify."""
    module.set_attr(MARKER, ir.builder(module.context).get_int32_attr(0))
    return module.str_nodebug().replace(f"{MARKER} = 0 : i32", "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=CORPUS, help="folder of the corpus")
    parser.add_argument("--form", action="append", choices=["raw", "ttir", "located", "generic"])
    parser.add_argument("--kernel", action="append", help="only this kernel")
    arguments = parser.parse_args()
    forms = arguments.form or ["raw", "ttir", "located"]

    for case in load_cases(CORPUS / "kernels.py"):
        if arguments.kernel and case["name"] not in arguments.kernel:
            continue
        module = build(case)
        texts = {"raw": module.str_nodebug()}
        clean(module)
        located = str(module)
        for folder in (CORPUS, Path(triton.__file__).parent.parent):
            located = located.replace(f"{folder}/", "")
        texts |= {"ttir": module.str_nodebug(), "located": located}
        if "generic" in forms:
            texts["generic"] = generic_form(module)
        for form in forms:
            path = arguments.output / form / f"{case['name']}-{triton.__version__}.mlir"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(texts[form])


if __name__ == "__main__":
    main()
