"""Compiles one text in a process of its own, with a limit of time and of memory.

python -m benchmarks.growth.measure FILE WORDS      prints JSON: seconds, and the most memory in MiB

A file of PTX is assembled for the GPU that is named in place of the words. The words `triton` and a
number are Triton's own compiler, for so many warps.
"""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SECONDS = 240
"""Of CPU time, after which a compilation is given up."""
MEMORY = 8 << 30
"""Bytes of address space that a compilation may take."""


@dataclass(frozen=True)
class Cost:
    """What a compilation took; None for one that was given up."""

    seconds: float | None
    mebibytes: int | None


GIVEN_UP = Cost(None, None)


def measure(file: Path, words: str) -> Cost:
    """Compiles the text in `file` with the options `words`; PTX lies beside it afterwards."""
    command = [sys.executable, "-m", __name__, str(file), words]
    environment = dict(os.environ, TRITON_SHARED_ISOLATE="0")
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        print(f"{file.name} {words}: {last}", file=sys.stderr)
        return GIVEN_UP
    return Cost(**json.loads(done.stdout))


def compile_file(file: Path, words: str) -> Cost:
    """In this process; not what starting it takes."""
    from triton_shared import library

    library.version()
    text = file.read_bytes()
    before = _cpu_time(resource.RUSAGE_SELF)
    made = library.compile_text(text, words, printed_by_triton=True)
    seconds = _cpu_time(resource.RUSAGE_SELF) - before
    if not made.succeeded:
        raise SystemExit(made.diagnostics)
    if ptx := made.artefact("ptx"):
        file.with_suffix(".ptx").write_bytes(ptx)
    return Cost(seconds, _peak())


def compile_by_triton(file: Path, num_warps: int) -> Cost:
    """The same by Triton's own backend, for the GPU that ours is asked for."""
    from triton._C.libtriton import ir
    from triton.backends.compiler import GPUTarget, Language
    from triton.compiler import make_backend

    backend = make_backend(GPUTarget("cuda", 90, 32))
    options = backend.parse_options({"num_warps": num_warps})
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    stages: dict[str, Any] = {}
    backend.add_stages(stages, options, Language.TRITON)
    module = ir.parse_mlir_module(str(file), context)
    module.context = context
    metadata = {"target": backend.target, **options.__dict__}
    module = stages["ttir"](module, metadata)  # Which the text has behind it.
    before = _cpu_time(resource.RUSAGE_SELF)
    for name in ("ttgir", "llir", "ptx"):
        module = stages[name](module, metadata)
    seconds = _cpu_time(resource.RUSAGE_SELF) - before
    file.with_suffix(".triton.ptx").write_text(module)
    return Cost(seconds, _peak())


def assemble_file(file: Path, target: str) -> Cost:
    """By ptxas, a process of NVIDIA's."""
    from triton_shared.cuda import tools

    tools.find_ptxas(target)
    before = _cpu_time(resource.RUSAGE_CHILDREN)
    tools.assemble(file.read_text(), target)
    seconds = _cpu_time(resource.RUSAGE_CHILDREN) - before
    return Cost(seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)


def _cpu_time(whose: int) -> float:
    usage = resource.getrusage(whose)
    return usage.ru_utime + usage.ru_stime


def _peak() -> int:
    """Of this process, in MiB; `ru_maxrss` has that of its parent in it."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) // 1024  # type: ignore[index]


def main() -> None:
    """What the process does."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    file, words = Path(sys.argv[1]), sys.argv[2]
    if words.startswith("triton "):
        cost = compile_by_triton(file, int(words.split()[1]))
    else:
        cost = (assemble_file if file.suffix == ".ptx" else compile_file)(file, words)
    json.dump({"seconds": cost.seconds, "mebibytes": cost.mebibytes}, sys.stdout)


if __name__ == "__main__":
    main()
