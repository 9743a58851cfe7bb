"""Times all problems, and kernels of other packages, in processes of their own, one after the
other, until there is no time left.

A problem that hangs or crashes costs its own row; a second call goes on with what is left.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from .client_calls import all_calls
from .problems import QUICK, all_problems
from .speed import row_file

_ROOT = Path(__file__).resolve().parents[2]
COMPILERS = 12
PATIENCE = 75.0
"""Seconds without a new row after which a process counts as stuck."""


def run(
    options: argparse.Namespace, facts: dict[str, Any], kept: Path, out: Path, deadline: float
) -> None:
    """Times what is wanted and not yet in `kept`; writes gpu-speed.json and prints a table."""
    names = [p.name for p in all_problems() if options.only in p.name]
    if options.quick:
        names = [name for name in names if name in QUICK]
    folder = kept / f"speed-{facts['library'][-12:]}"
    folder.mkdir(exist_ok=True)
    timed = time_all("speed", names, folder, deadline)
    rows = [{**row, "library": facts["library"]} for row in timed]
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


def run_clients(
    options: argparse.Namespace, facts: dict[str, Any], kept: Path, out: Path, deadline: float
) -> None:
    """Times kernels of other packages; writes gpu-clients.json and prints a table."""
    names = [name for name in all_calls() if options.only in name]
    folder = kept / f"clients-{facts['library'][-12:]}"
    folder.mkdir(exist_ok=True)
    rows = [row for launches in time_all("clients", names, folder, deadline) for row in launches]
    (out / "gpu-clients.json").write_text(json.dumps({**facts, "rows": rows}, indent=1) + "\n")
    for row in sorted(rows, key=lambda row: row.get("ratio", 0.0)):
        us = " ".join(f"{row['us'].get(name, 0):9.1f}" for name in ("triton", "ours"))
        apart = f"{row['apart']:.1e}" if "apart" in row else json.dumps(row["failed"])
        place = f"{row['operator']} {row['kernel']}"
        print(f"{place:<72} {us} {row.get('ratio', 0):7.3f} {apart}", flush=True)


def time_all(module: str, names: list[str], folder: Path, deadline: float) -> list[Any]:
    """Compiles what has no row yet in several processes, then times it in one. Gives the rows that
    are there then."""
    left = [name for name in names if not row_file(folder, name).is_file()]
    parts = [part for i in range(COMPILERS) if (part := left[i::COMPILERS])]
    with ThreadPoolExecutor(COMPILERS) as pool:
        list(pool.map(lambda part: _run(module, ["compile", *part], deadline), parts))
    while left and time.monotonic() < deadline - 15:
        why = _time(module, folder, left, deadline)
        left = [name for name in left if not row_file(folder, name).is_file()]
        if left and why:
            print(f"{left[0]}: {why}", flush=True)
            left = left[1:]
    return [json.loads(p.read_text()) for n in names if (p := row_file(folder, n)).is_file()]


def _time(module: str, folder: Path, names: list[str], deadline: float) -> str:
    """Times in one process, in this order. Gives why it ended before the last."""
    words = [sys.executable, "-W", "ignore", "-m", f"benchmarks.gpu.{module}", "time", str(folder)]
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen([*words, *names], cwd=_ROOT, stderr=log)
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
            command, cwd=_ROOT, capture_output=True, text=True, timeout=min(left, 180)
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
