"""Runs PTX on this machine, without a GPU: ours, that of Triton's own backend, or an edited one.

    kernel = compile_ptx(text, shared=4096, folder=tmp_path)
    emulate.launch(kernel, (x, y, 1000), grid=(8,))

What ptxas reads is translated, instruction by instruction, to C, which is built for this machine
and runs on the emulated one as code of `emulate.compile_kernel` does, with the same checks. So an
error of whatever has made the PTX shows without ptxas and without a GPU, and a result that is right
here and wrong there is theirs. What has no meaning here is a PtxError with its line. Functions that
are approximate on a GPU are as good as they get.

`reader` reads, `flow` walks through a function, `arithmetic`, `conversions`, `memory` and `threads`
know what instructions mean, and `ptx.h` and `floats.h` have what is longer than an expression.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .. import EmulatedKernel, c_compiler, machine, run_tool
from ..loading import KernelLibrary
from ..rewrite import TENSOR_MAP
from . import flow
from .code import Code, mangled, word
from .reader import SIZES, Function, Module, PtxError, Variable, read

__all__ = ["PtxError", "compile_ptx", "translate"]

_KINDS = {
    **{f"{letter}{bits}": f"i{bits}" for letter in "bsu" for bits in (8, 16, 32)},
    **dict.fromkeys(("b64", "s64", "u64"), "ptr"), "f16": "half", "f32": "float", "f64": "double",
}  # fmt: skip
"""Types of parameters, as `emulate.launch` names them; 64 bits may be an address."""
_HERE = Path(__file__).parent.parent


def compile_ptx(
    text: str,
    shared: int,
    folder: Path,
    hidden: Sequence[Mapping[str, Any]] = (),
    threads: int = 0,
) -> EmulatedKernel:
    """Builds the kernel of a text for this machine; `shared` are the bytes that launches give it.

    `threads` are those of a block, if the text does not say. Raises PtxError.
    """
    module = read(text)
    sizes = module.kernel.threads or (threads, 1)
    if not sizes[0]:
        raise PtxError("the text does not say how many threads a block has")
    source, built = folder / "ptx.c", folder / "ptx.so"
    code, static = translate(module)
    source.write_text(code)
    flags = ("-O1", "-w", "-shared", "-fPIC", "-ffp-contract=off", "-fno-strict-aliasing")
    run_tool(
        *(c_compiler(), *flags, f"-I{_HERE}", "-o", built, "-Wl,-Bsymbolic"),
        *(source, machine(), "-lm"),
    )
    kinds = tuple(_kind(parameter) for parameter in module.kernel.parameters)
    loaded = KernelLibrary(built)
    return EmulatedKernel(loaded, kinds, tuple(hidden), sizes[0], sizes[1], shared + static, text)


def translate(module: Module) -> tuple[str, int]:
    """The C of a module, and the bytes of shared memory that it declares itself."""
    functions = {function.name: function for function in module.functions}
    symbols, static = _place_shared(module.memory.get("shared", []))
    constants = [*module.memory.get("global", []), *module.memory.get("const", [])]
    lines = ['#include "ptx.h"', "static struct {"]
    for variable in constants:
        name = mangled(variable.name)
        align = max(variable.align, SIZES[variable.kind])
        count = max(variable.count, 1)
        lines.append(f"_Alignas({align}) {word(SIZES[variable.kind])} {name}[{count}];")
        symbols[variable.name] = f"(uint64_t)emu_data.{name}"
    lines += ["char end;", "} emu_data = {"]
    for variable in constants:
        bits = (1 << 8 * SIZES[variable.kind]) - 1
        values = ", ".join(f"{value & bits}u" for value in variable.values)
        lines.append(f".{mangled(variable.name)} = {{{values}}},")
    lines += ["};", "const Region emu_constants;"]
    lines += [f"{_header(function)};" for function in module.functions]
    for function in module.functions:
        lines += _define(function, _header(function), dict(symbols), functions, {})
    entry = "void emu_entry(void **arguments)"
    places = {p.name: f"(uint64_t)arguments[{i}]" for i, p in enumerate(module.kernel.parameters)}
    lines += _define(module.kernel, entry, dict(symbols), functions, places)
    region = "{(uint64_t)&emu_data, (uint64_t)(&emu_data + 1)}"
    lines[lines.index("const Region emu_constants;")] = (
        f'__attribute__((visibility("hidden"))) const Region emu_constants = {region};'
    )
    return "\n".join(lines) + "\n", static


def _place_shared(variables: Sequence[Variable]) -> tuple[dict[str, str], int]:
    """Names in shared memory with their offsets, and the bytes that they take."""
    symbols, used = {}, 0
    for variable in sorted(variables, key=lambda one: one.count == 0):
        # What a launch gives comes last.
        align = max(variable.align, SIZES[variable.kind])
        used = -(-used // align) * align
        symbols[variable.name] = f"{used}ull"
        used += variable.size
    return symbols, used


def _header(function: Function) -> str:
    given = (*function.results, *function.parameters)
    listed = ", ".join(f"char *{mangled(one.name)}" for one in given)
    return f"static void {mangled(function.name)}({listed or 'void'})"


def _define(
    function: Function,
    header: str,
    symbols: dict[str, str],
    functions: dict[str, Function],
    places: dict[str, str],
) -> list[str]:
    for one in (*function.results, *function.parameters):
        symbols[one.name] = places.get(one.name, f"(uint64_t){mangled(one.name)}")
    code = Code(symbols)
    code.add(f"{header} {{")
    flow.write_function(function, code, functions)
    code.add("}")
    return code.lines


def _kind(parameter: Variable) -> str:
    if parameter.kind == "b8" and parameter.count == 128:
        return TENSOR_MAP
    if parameter.kind == "b8" and parameter.count in (2, 4, 8):
        # Floats that PTX has no type for.
        return {2: "i16", 4: "i32", 8: "ptr"}[parameter.count]
    if parameter.count != 1 or parameter.kind not in _KINDS:
        raise PtxError(f"the parameter '{parameter.name}' has a type that is not known")
    return _KINDS[parameter.kind]
