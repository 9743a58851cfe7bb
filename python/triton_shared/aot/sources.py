"""Where a kernel comes from: a Python file that is run, or a file of TTIR."""

from __future__ import annotations

import importlib.util
import re
import sys
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import TritonSharedError
from ..frontend import Target, ast_to_ttir
from .signature import Parameter

_FUNCTION = re.compile(
    r'tt\.func public @(?:"([^"]+)"|([\w.$-]+))\(([^\n]*?)\)(?: attributes| \{| ->)'
)
_ARGUMENT = re.compile(r"%([\w.$-]+): ([^\s,{)]+(?:<[^>]*>+)?)")


@dataclass(frozen=True)
class Source:
    """A kernel that can be compiled for several signatures."""

    name: str
    parameters: tuple[str, ...]
    kernel: Any = None
    """The `@triton.jit` function, or nothing for a file of TTIR."""
    text: str = ""

    def to_ttir(
        self,
        symbol: str,
        parameters: Sequence[Parameter],
        target: Target,
        options: Mapping[str, Any],
    ) -> str:
        """TTIR whose kernel is called `symbol`, so that variants can be linked together."""
        text = self.text or self._compile(parameters, target, options)
        renamed, count = re.subn(
            rf'(tt\.func public @)(?:"{re.escape(self.name)}"|{re.escape(self.name)})\(',
            rf"\g<1>{symbol}(",
            text,
        )
        if count != 1:
            raise TritonSharedError(f"the TTIR has no public function '{self.name}'")
        return renamed

    def _compile(
        self, parameters: Sequence[Parameter], target: Target, options: Mapping[str, Any]
    ) -> str:
        from triton.compiler.errors import CompilationError as FrontEndError

        constants = {p.name: p.value for p in parameters if p.is_constant}
        constants |= {p.name: 1 for p in parameters if p.hint == 1}
        self._check_constants(constants)
        try:
            return ast_to_ttir(
                self.kernel,
                {p.name: p.type for p in parameters},
                constants,
                [p.name for p in parameters if p.hint == 16],
                target=str(target),
                **options,
            )
        except FrontEndError as error:
            raise TritonSharedError(
                f"Triton's front end does not compile kernel '{self.name}' for this signature\n"
                f"{self._describe_numbers(parameters)}{error}"
            ) from error

    def _check_constants(self, constants: Mapping[str, Any]) -> None:
        for parameter in self.kernel.params:
            if parameter.is_constexpr and parameter.name not in constants:
                raise TritonSharedError(
                    f"parameter '{parameter.name}' of kernel '{self.name}' is a tl.constexpr\n"
                    "write its value in the signature, as in 64, instead of a type"
                )

    def _describe_numbers(self, parameters: Sequence[Parameter]) -> str:
        """The parameters that have a number in the place of a type, if the kernel has types."""
        runtime = {p.name for p in self.kernel.params if not p.is_constexpr}
        numbers = [p for p in parameters if p.is_constant and p.name in runtime]
        return "".join(
            f"the signature has the number {p.value} for '{p.name}', which is no tl.constexpr: "
            "write a type, as in i32 or *fp32, if it is passed at run time\n"
            for p in numbers
        )


def read(path: Path, name: str) -> Source:
    """Finds the kernel `name` in a file; a `.py` file is run as Triton's tool does it."""
    if not path.is_file():
        raise TritonSharedError(f"there is no file '{path}'")
    if path.suffix == ".py":
        return _read_python(path, name)
    text = path.read_text()
    for match in _FUNCTION.finditer(text):
        if (match[1] or match[2]) == name:
            arguments = tuple(found[1] for found in _ARGUMENT.finditer(match[3]))
            return Source(name, arguments, text=text)
    raise TritonSharedError(f"'{path}' has no 'tt.func public @{name}'")


def _read_python(path: Path, name: str) -> Source:
    from triton.runtime.jit import JITFunction

    sys.path.insert(0, str(path.resolve().parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise TritonSharedError(_describe_failure(path, error)) from error
    kernel = getattr(module, name, None)
    while kernel is not None and not isinstance(kernel, JITFunction):
        kernel = getattr(kernel, "fn", None)  # Under @autotune and @heuristics.
    if kernel is None:
        found = [key for key, value in vars(module).items() if hasattr(value, "arg_names")]
        raise TritonSharedError(
            f"'{path}' has no @triton.jit function '{name}'; it has {', '.join(found) or 'none'}"
        )
    return Source(name, tuple(kernel.arg_names), kernel=kernel)


def _describe_failure(path: Path, error: BaseException) -> str:
    """Why a file does not run, with its last line that did."""
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).resolve() == path.resolve()
    ]
    where = f" in line {lines[-1]}" if lines else ""
    return (
        f"'{path}' is run to find its kernel, and fails{where}: {type(error).__name__}: {error}\n"
        f"'python {path}' shows where it comes from"
    )
