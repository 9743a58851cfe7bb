"""The run on the machine with the GPU: install, look, compare, time, write down.

Everything is kept in one folder, so that a second call goes on where the first one stopped.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

KEPT = Path("/tmp/triton-shared-there/results")


def main(options: argparse.Namespace) -> int:
    """Runs in the installed environment; gives the exit code."""
    # The clock runs since the first call of gpu-check, which installs.
    passed = time.time() - float(os.environ.get("GPU_CHECK_STARTED", time.time()))
    deadline = time.monotonic() + 60 * options.minutes - passed
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    KEPT.mkdir(parents=True, exist_ok=True)
    facts = look()
    print(json.dumps(facts), flush=True)
    if options.clients:
        from benchmarks.gpu import suite

        suite.run_clients(options, facts, KEPT, out, deadline)
        return 0
    code = 0
    if not options.no_check:
        code = _check(options, facts, out, deadline)
    if not options.no_speed:
        from benchmarks.gpu import suite

        suite.run(options, facts, KEPT, out, deadline)
    return code


def look() -> dict[str, Any]:
    """What this machine has; a line each for what is missing."""
    import platform

    import triton_shared
    from triton_shared import library
    from triton_shared.cuda import gpus, tools

    facts: dict[str, Any] = {"python": platform.python_version()}
    for name in ("torch", "triton", "numpy"):
        facts[name] = __import__(name).__version__
    facts["cuda of torch"] = __import__("torch").version.cuda
    facts["driver"] = _driver()
    settings = ("TRITON_", "CUDA_", "PYTORCH_")
    facts["environment"] = {n: os.environ[n] for n in sorted(os.environ) if n.startswith(settings)}
    facts["library"] = library.version()
    try:
        gpus.require()
        facts["gpu"] = gpus.facts(0)
        facts["ptxas"] = tools.version_of(tools.find_ptxas())
    except triton_shared.CudaError as error:
        facts["missing"] = str(error)
    return facts


def _driver() -> str:
    """The version of NVIDIA's driver; empty where there is none."""
    command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=20).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return said.partition("\n")[0].strip()


def _check(options: argparse.Namespace, facts: dict[str, Any], out: Path, deadline: float) -> int:
    from . import check, launches, operations

    start = time.monotonic()
    # Results of another library, or of another mode, are no results.
    mode = "precise" if options.precise else "usual"
    folder = KEPT / f"{facts['library'][-12:]}-{mode}"
    made = launches.save_all(folder, options.quick, options.only)
    if options.tests:
        made += launches.save_tests(folder, options.tests, options.only)
    print(f"{len(made)} launches recorded in {time.monotonic() - start:.0f} s", flush=True)
    reserve = 0.0 if options.no_speed else 60.0 * options.minutes / 3
    rows = check.check(made, options.timeout, deadline - reserve)
    print(check.table(rows), flush=True)
    if options.sanitize:
        found = check.sanitize(made, folder / "sanitized", options.sanitize, deadline - reserve)
        facts = {**facts, "memcheck": found}
        clean = sum(verdict == "clean" for verdict in found.values())
        print(f"memcheck: {clean} of {len(found)} clean")
        print("\n".join(f"  {n}: {v[:160]}" for n, v in found.items() if v != "clean"))
    seconds = round(time.monotonic() - start)
    check.write(rows, {**facts, "mode": mode, "seconds": seconds}, out / "gpu-check.json")
    operations.write(made, rows, out)
    print(f"compared in {seconds} s", flush=True)
    return int(any(row.verdict != "agree" for row in rows))
