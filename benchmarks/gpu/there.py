"""The run on the machine with the GPU: install, look, compare, time, write down.

Everything is kept in one folder, so that a second call goes on where the first one stopped.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from .pack import ROOT

KEPT = Path("/tmp/triton-shared-there/results")
COMPILERS = 12
PATIENCE = 75.0
"""Seconds without a new row after which a process counts as stuck."""


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
    code = 0
    if not options.no_check:
        code = _check(options, facts, out, deadline)
    if not options.no_speed:
        _speed(options, facts, out, deadline)
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


def _speed(options: argparse.Namespace, facts: dict[str, Any], out: Path, deadline: float) -> None:
    from .problems import QUICK, all_problems
    from .speed import row_file

    names = [p.name for p in all_problems() if options.only in p.name]
    if options.quick:
        names = [name for name in names if name in QUICK]
    folder = KEPT / f"speed-{facts['library'][-12:]}"
    folder.mkdir(exist_ok=True)
    left = [name for name in names if not row_file(folder, name).is_file()]
    parts = [part for i in range(COMPILERS) if (part := left[i::COMPILERS])]
    with ThreadPoolExecutor(COMPILERS) as pool:
        list(pool.map(lambda part: _run("speed", ["compile", *part], deadline), parts))
    while left and time.monotonic() < deadline - 15:
        why = _time(folder, left, deadline)
        left = [name for name in left if not row_file(folder, name).is_file()]
        if left and why:
            print(f"{left[0]}: {why}", flush=True)
            left = left[1:]
    rows = [json.loads(p.read_text()) for n in names if (p := row_file(folder, n)).is_file()]
    costs = folder / "costs.json"
    if not options.only and not costs.is_file():
        failure = _run("costs", [str(costs)], deadline)
        if failure:
            print(f"costs: {failure}", flush=True)
    found = json.loads(costs.read_text()) if costs.is_file() else {}
    whole = {**facts, "rows": rows, "costs": found}
    (out / "gpu-speed.json").write_text(json.dumps(whole, indent=1) + "\n")
    print(_table(rows), flush=True)
    print(json.dumps(_short(found)), flush=True)


def _time(folder: Path, names: list[str], deadline: float) -> str:
    """Times problems in one process, in this order. Gives why it ended before the last."""
    from .speed import row_file

    words = [sys.executable, "-W", "ignore", "-m", "benchmarks.gpu.speed", "time", str(folder)]
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen([*words, *names], cwd=ROOT, stderr=log)
        done, since = -1, time.monotonic()
        while process.poll() is None:
            time.sleep(0.2)
            found = sum(row_file(folder, name).is_file() for name in names)
            if found != done:
                done, since = found, time.monotonic()
            late = time.monotonic() > deadline
            if late or time.monotonic() - since > PATIENCE:
                process.kill()
                process.wait()
                return "no time" if late else "stuck"
        log.seek(0)
        return log.read()[-600:] if process.returncode else ""


def _run(module: str, words: list[str], deadline: float) -> str:
    """Runs a module; gives why it failed, or nothing."""
    left = deadline - time.monotonic()
    if left < 5:
        return "no time"
    command = [sys.executable, "-W", "ignore", "-m", f"benchmarks.gpu.{module}", *words]
    try:
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, timeout=min(left, 180)
        )
    except subprocess.TimeoutExpired:
        return "timeout"
    return done.stderr[-600:] if done.returncode else ""


def _table(rows: list[dict[str, Any]]) -> str:
    lines = [
        f"{'':<36} {'triton':>9} {'ours':>9} {'torch':>9} us   ratio  rate of ours  best of ours"
    ]
    for row in rows:
        us = row["us"]
        times = " ".join(f"{us[n]:9.2f}" if n in us else f"{'-':>9}" for n in _CONTENDERS)
        ratio = f"{row['ratio']:7.3f}" if "ratio" in row else f"{'-':>7}"
        rate = f"{row['rate']['ours']:8.0f} {row['unit']}" if "ours" in us else _first_refusal(row)
        best = row["best"].get("ours", "")
        lines.append(f"{row['name']:<36} {times} {ratio}  {rate}  {best or ''}")
    return "\n".join(lines)


_CONTENDERS = ("triton", "ours", "torch")


def _first_refusal(row: dict[str, Any]) -> str:
    reasons = [tried.get("refused", "") for tried in row["tried"]["ours"]]
    return next((reason.strip().splitlines()[-1][:100] for reason in reasons if reason), "-")


def _short(costs: dict[str, Any]) -> dict[str, Any]:
    compiled = costs.get("compile", {})
    totals = {name: found.get("total_ms", found) for name, found in compiled.items()}
    return {"compile_ms": totals, "launch": costs.get("launch")}
