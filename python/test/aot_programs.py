"""Builds the C and C++ programs of `aot/` for a target: what tests and gpu-check run."""

from __future__ import annotations

import subprocess
from pathlib import Path

from triton_shared import aot

SOURCES = Path(__file__).parent / "aot"
KERNELS = SOURCES / "kernels.py"
ADD = "*fp32{0}, *fp32{0}, *fp32{0}, i32{0}, 64"
GRID = "(n_elements + BLOCK_SIZE - 1) / BLOCK_SIZE, 1, 1"
SCALARS = "*fp64, fp32, fp16, bf16, fp64, i8, u8, u32, i64"
MATMUL = (
    "*fp32{0}, *fp16{0}, *fp16{0}, i32, i32, i32, "
    "i32{0}, i32:1, i32{0}, i32:1, i32{0}, i32:1, {1}, {1}, 16"
)
MATMUL_GRID = "((M + BLOCK_M - 1) / BLOCK_M) * ((N + BLOCK_N - 1) / BLOCK_N), 1, 1"
C = ("gcc", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wno-overlength-strings", "-Werror")
CPP = ("g++", "-std=c++17", "-Wall", "-Wextra", "-Werror")
CHECKED = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


def compile_variant(
    folder: Path, name: str, signature: str, grid: str, target: str, warps: int = 1, emit: str = ""
) -> aot.Kernel:
    """One variant, written to `folder`."""
    kernel = aot.compile_kernel(KERNELS, name, signature, grid, target=target, num_warps=warps)
    outputs = tuple(emit.split()) or ("c", "h", "hpp", *(["obj"] * (target == "cpu")))
    aot.write(kernel, folder / name, outputs)
    return kernel


def compile_all(folder: Path, target: str) -> dict[str, str]:
    """Everything that program.c and functor.cpp call; gives the definitions that they need."""
    for hint in ("", ":16"):
        add = compile_variant(folder, "add_kernel", ADD.format(hint), GRID, target)
        for block in (16, 32):
            compile_variant(
                folder, "matmul", MATMUL.format(hint, block), MATMUL_GRID, target, warps=4
            )
    scalars = compile_variant(folder, "scalars", SCALARS, "1, 1, 1", target)
    (folder / "scalars.h").write_text(f'#include "scalars{scalars.file_suffix}.h"\n')
    for name, out in (("add_kernel", "add"), ("matmul", "matmul")):
        aot.link_headers(sorted(folder.glob(f"{name}.*.h")), folder / out)
    return {
        "SCALARS": scalars.symbol,
        "VARIANT_HPP": f'"add_kernel{add.file_suffix}.hpp"',
        "VARIANT": "".join(word.capitalize() for word in add.symbol.split("_")),
    }


def build(folder: Path, target: str, definitions: dict[str, str], command: tuple[str, ...]) -> Path:
    """Compiles program.c (functor.cpp, for a C++ compiler) with all launchers; gives the program.

    A C++ compiler takes the launchers as C++, too.
    """
    is_cpp = command[0] == "g++"
    program = folder / ("functor" if is_cpp else "program")
    device = SOURCES / f"device_{target.partition(':')[0]}.c"
    main = SOURCES / ("functor.cpp" if is_cpp else "program.c")
    inputs = [main, device, *sorted(folder.glob("*.c"))]
    flags = [f"-D{name}={value}" for name, value in definitions.items()]
    folders = [f"-I{folder}", f"-I{SOURCES}"]
    language = ["-x", "c++"] if is_cpp else []
    objects = [str(path) for path in sorted(folder.glob("*.o"))]
    line = [*command, *flags, *folders, *language, *map(str, inputs)]
    line += ["-x", "none", *objects, "-o", str(program), "-lm", "-ldl", "-pthread"]
    subprocess.run(line, check=True)
    return program
