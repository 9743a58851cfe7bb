"""What searches of `triton_shared.graph` find on this GPU, against torch and inductor.

    scripts/gpu-check --there --graph

First the document's script as it stands, then the graphs of Mirage's benchmarks, each searched by
processes that verify on the CPU and one that times. A process per graph that breaks is started
anew with those that are left; rows of graphs that are not asked for (`--only`), or not reached,
stay as they are in `graph.json`.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from .pack import ROOT
from .there import KEPT, look

BUDGET = 12.0
"""Seconds of a search, beside inductor's tuning."""
RESERVE = 90.0
"""Seconds in which no further graph is begun: its search, and Helion's."""


def main(out: Path, only: str, minutes: float) -> int:
    """Searches, prints a table, writes graph.json; exit code 1 if something is wrong or missing."""
    from benchmarks.graph.cases import CASES

    passed = time.time() - float(os.environ.get("GPU_CHECK_STARTED", time.time()))
    deadline = time.monotonic() + 60 * minutes - passed
    out.mkdir(parents=True, exist_ok=True)
    folder = KEPT / "graph"
    folder.mkdir(parents=True, exist_ok=True)
    facts = look()
    print(json.dumps(facts), flush=True)
    whole = _before(out)
    environment = {**os.environ, "TRITON_SHARED_THREADS": "1", "OMP_NUM_THREADS": "1"}
    if not only:
        whole["script"] = _script(folder / "script.json", deadline)
        print(whole["script"]["said"], flush=True)
    names = [case.name for case in CASES if only.lower() in case.name.lower()]
    left = [name for name in names if not (folder / f"{name}.json").is_file()]
    while left and time.monotonic() < deadline - RESERVE:
        until = str(time.time() + deadline - time.monotonic() - RESERVE)
        words = [sys.executable, "-W", "ignore", "-m", __spec__.name, str(folder), until, *left]
        _run(words, environment, deadline - time.monotonic() - 5)
        done = [name for name in left if (folder / f"{name}.json").is_file()]
        # The first one without a row has ended the process.
        left = [name for name in left if name not in done][1:]
    found = {row["name"]: row for row in whole.get("rows", [])}
    for name in names:
        path = folder / f"{name}.json"
        if path.is_file():
            found[name] = {**json.loads(path.read_text()), "library": facts["library"]}
    rates = folder / "rates.json"
    whole |= {"facts": facts, "rows": [found[c.name] for c in CASES if c.name in found]}
    if rates.is_file():
        whole["rates"] = json.loads(rates.read_text())
    (out / "graph.json").write_text(json.dumps(whole, indent=1) + "\n")
    print(table(whole["rows"]), flush=True)
    print(json.dumps(whole.get("rates", {})), flush=True)
    missing = [name for name in names if not (folder / f"{name}.json").is_file()]
    if missing:
        print("no result of:", ", ".join(missing), flush=True)
    return int(bool(missing) or any(row["wrong"] for row in whole["rows"]))


def _run(words: list[str], environment: dict[str, str], seconds: float) -> None:
    """Runs a command for so long at most, and ends what it has begun: inductor's compilers would
    go on, and keep open what this program prints to."""
    process = subprocess.Popen(words, env=environment, start_new_session=True)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _before(out: Path) -> dict[str, Any]:
    """What is known from earlier calls."""
    for path in (out / "graph.json", ROOT / "benchmarks" / "results" / "graph.json"):
        if path.is_file():
            known: dict[str, Any] = json.loads(path.read_text())
            return known
    return {}


def _script(known: Path, deadline: float) -> dict[str, Any]:
    """The document's script, in a folder of its own, and the program that it leaves."""
    if known.is_file():
        return dict(json.loads(known.read_text()))
    place = KEPT / "script"
    place.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "TRITON_SHARED_GRAPH_CACHE": str(place / "cache")}
    start, said, code = time.monotonic(), [], 0
    for words in (["-m", "examples.graph_rms_norm", "--budget", "10"], ["triton_generated.py"]):
        left = max(1.0, min(90.0, deadline - time.monotonic() - RESERVE))
        try:
            done = subprocess.run(
                [sys.executable, "-W", "ignore", *words], cwd=place, env=environment,
                timeout=left, capture_output=True, text=True,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return {"code": 124, "said": f"{' '.join(words)}: no time"}
        said += (done.stdout + (done.stderr if done.returncode else "")).splitlines()[-8:]
        code = code or done.returncode
    seconds = round(time.monotonic() - start, 1)
    found = {"code": code, "seconds": seconds, "said": "\n".join(line[:200] for line in said)}
    _write(known, found)
    return found


def worker(folder: Path, until: float, names: list[str]) -> int:
    """Searches the graphs of these names, one after the other, while there is time."""
    import torch
    from triton_shared.graph import pool
    from triton_shared.graph.targets import launching

    from benchmarks.graph import contest, rates
    from benchmarks.graph.cases import CASES

    jobs = max(2, (os.cpu_count() or 2) - 2)
    cases = {case.name: case for case in CASES}
    with pool.workers(jobs) as (executor, _):
        # Twice as many as there are workers: these work on while inductor tunes.
        shared = (executor, 2 * jobs)
        for name in names:
            if time.time() > until:
                break
            try:
                row = contest.run(cases[name], shared, BUDGET)
            except Exception as error:
                print(f"{name}: {type(error).__name__}: {str(error)[-3000:]}", flush=True)
                return 1
            _write(folder / f"{name}.json", row)
            print(table([row]).splitlines()[-1], flush=True)
        if not (folder / "rates.json").is_file():
            with launching(torch.empty(1, device="cuda"), "triton"):
                _write(folder / "rates.json", rates.measure())
    return 0


def _write(path: Path, data: Any) -> None:
    half = path.with_suffix(".tmp")
    half.write_text(json.dumps(data))
    half.rename(path)


def table(rows: list[dict[str, Any]]) -> str:
    """One line for each graph."""
    lines = [
        f"{'':<9} {'ours':>8} {'eager':>8} {'inductor':>8} {'helion':>8} us  ours against all  "
        "timed, verified  best"
    ]
    for row in rows:
        us = " ".join(f"{row['us'].get(n, float('nan')):8.2f}" for n in _CONTENDERS)
        ratios = " ".join(f"{row['ratio'].get(n, float('nan')):8.3f}" for n in _CONTENDERS[1:])
        best = f"{row['best']['target']}: {' | '.join(row['best']['kernels'])}"
        wrong = f" WRONG {row['wrong']}" if row["wrong"] else ""
        lines.append(
            f"{row['name']:<9} {us}     {ratios}  {row['timed']:>5} {row['verified']:>5}"
            f"           {re.sub('%[0-9]+ ', '', best)}{wrong}"
        )
    return "\n".join(lines)


_CONTENDERS = ("ours", "eager", "inductor", "helion")
"""The last one where it is there."""

if __name__ == "__main__":
    sys.exit(worker(Path(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]))
