"""The C and C++ programs of python/test/aot on the GPU: kernels made ahead of time.

They are the programs that `make test` runs on the CPU, linked to the output for CUDA.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from .pack import ROOT

sys.path.insert(0, str(ROOT / "python" / "test"))


def main(target: str) -> int:
    """Builds and runs them; gives the exit code."""
    import aot_programs

    code = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        definitions = aot_programs.compile_all(folder, target)
        for command in (aot_programs.C, aot_programs.CPP):
            program = aot_programs.build(folder, target, definitions, command)
            done = subprocess.run([program], capture_output=True, text=True, timeout=120)
            said = (done.stdout + done.stderr).strip()
            print(f"{program.name} ({target}): exit code {done.returncode}: {said}", flush=True)
            code = code or done.returncode
    return code
