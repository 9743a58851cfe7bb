"""Compiles one text in a process of its own, with a limit of time and of memory.

python -m benchmarks.growth.measure FILE WORDS      prints JSON: seconds, and the most memory in MiB
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

SECONDS = 120
"""After which a compilation is given up."""
MEMORY = 8 << 30
"""Bytes of address space that a compilation may take."""


@dataclass(frozen=True)
class Cost:
    """What a compilation took; None for one that was given up."""

    seconds: float | None
    mebibytes: int | None


def measure(file: Path, words: str) -> Cost:
    """Compiles the text in `file` with the options `words`."""
    command = [sys.executable, "-m", __name__, str(file), words]
    environment = dict(os.environ, TRITON_SHARED_ISOLATE="0")
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return Cost(None, None)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        print(f"{file.name} {words}: {last}", file=sys.stderr)
        return Cost(None, None)
    return Cost(**json.loads(done.stdout))


def main() -> None:
    """What the process does: the CPU time of the compilation, not of starting."""
    from triton_shared import library

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    library.version()
    before = time.process_time()
    text = Path(sys.argv[1]).read_bytes()
    made = library.compile_text(text, sys.argv[2], printed_by_triton=True)
    seconds = time.process_time() - before
    if not made.succeeded:
        raise SystemExit(made.diagnostics)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    json.dump({"seconds": seconds, "mebibytes": peak}, sys.stdout)


if __name__ == "__main__":
    main()
