"""Triton's front end, asked for text: from a `@triton.jit` function to TTIR."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import TritonSharedError

_TARGET = re.compile(r"(?P<cpu>cpu)|cuda:(?P<arch>\d+)a?(?::32)?")


@dataclass(frozen=True)
class Target:
    """What code is made for."""

    kind: str
    """`cpu` or `cuda`."""
    arch: int = 0
    """The compute capability of a GPU, 90 for 9.0."""

    @classmethod
    def parse(cls, text: str) -> Target:
        """Reads `cpu` or `cuda:90`; Triton's `cuda:90:32` is the same."""
        match = _TARGET.fullmatch(text)
        if not match:
            raise ValueError(
                f"unknown target '{text}'; use cpu, or cuda:<compute capability> as in cuda:90"
            )
        return cls("cpu") if match["cpu"] else cls("cuda", int(match["arch"]))

    def __str__(self) -> str:
        return self.kind if self.kind == "cpu" else f"{self.kind}:{self.arch}"

    def for_triton(self) -> Any:
        """The same in Triton's words, by which it finds our backend."""
        from triton.backends.compiler import GPUTarget

        if self.kind == "cpu":
            return GPUTarget("cpu", "cpu", 32)
        return GPUTarget("shared_cuda", self.arch, 32)


def parse_options(target: Target, given: Mapping[str, Any]) -> Any:
    """The options of a compilation for `target`, from the keywords of a launch line."""
    from triton.compiler import make_backend

    options = make_backend(target.for_triton()).parse_options(dict(given))
    unknown = sorted(set(given) - set(options.__dict__))
    if unknown:
        known = ", ".join(sorted(options.__dict__))
        raise TritonSharedError(f"there is no option '{unknown[0]}'; there are {known}")
    return options


def ast_to_ttir(
    kernel: Any,
    signature: Mapping[str, str],
    constexprs: Mapping[str, Any] | None = None,
    divisible_by_16: Sequence[str] = (),
    *,
    target: str = "cpu",
    **options: Any,
) -> str:
    """Compiles a `@triton.jit` function to the text of phase `ttir`.

    `signature` has a type for each parameter by name, "*fp32" or "i32"; the parameters in
    `constexprs` need none. Nothing is launched, and no GPU is needed.
    """
    import triton
    from triton._C.libtriton import ir

    constants = dict(constexprs or {})
    types = {
        name: "constexpr" if name in constants else signature[name] for name in kernel.arg_names
    }
    attributes = {
        (kernel.arg_names.index(name),): [["tt.divisibility", 16]] for name in divisible_by_16
    }
    source = triton.compiler.ASTSource(kernel, types, constexprs=constants, attrs=attributes)
    device = Target.parse(target)
    backend = triton.compiler.make_backend(device.for_triton())
    parsed = parse_options(device, options)
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    stages: dict[str, Any] = {}
    backend.add_stages(stages, parsed, source.language)
    module = source.make_ir(
        device.for_triton(),
        parsed,
        backend.get_codegen_implementation(parsed),
        backend.get_module_map(),
        context,
    )
    return str(stages["ttir"](module, {}))


def parse(ttir: str, context: Any) -> Any:
    """The module of a text in Triton's own memory; Triton reads files alone."""
    from triton._C.libtriton import ir

    with tempfile.TemporaryDirectory(prefix="triton-shared-") as folder:
        path = Path(folder) / "kernel.ttir"
        path.write_text(ttir)
        module = ir.parse_mlir_module(str(path), context)
    module.context = context
    return module
