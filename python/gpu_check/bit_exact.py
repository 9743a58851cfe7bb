"""Whether our CPU leg computes matrix products bit by bit as this GPU does.

    scripts/gpu-check --there --bit-exact

Measures how tensor cores add up (dot_probes), beside what the compiler's table says, and compares
random products of every form: our CPU leg, our GPU leg, Triton's own backend. Some processes share
the forms; each writes what it has found, and the first one the whole, `bit-exact.json`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import torch

from . import dot_inputs, dot_probes
from .dot_forms import FORMS, Form, knows_gpus

WORKERS = 8
RESULTS = 1 << 19
"""Per form and family of inputs, at least."""
DEPTHS = (64, 128, 512, 2048, 4096)
_WORK = 1 << 26
"""Products of numbers per form, family and K, at most; more than the results above need at 128."""
_SHOWN = 3


def main(out: Path, only: str, minutes: float) -> int:
    """Compares everything; gives the exit code."""
    start = time.monotonic()
    out.mkdir(parents=True, exist_ok=True)
    wanted = [form.name for form in FORMS if only in form.name]
    # Together at least one worker per form; long ones begin first.
    shares = [wanted[i::WORKERS] for i in range(WORKERS)]
    threads = max(1, (os.cpu_count() or 1) // WORKERS)
    environment = {**os.environ, "TRITON_SHARED_THREADS": str(threads)}
    workers = [
        subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", __spec__.name, str(out), *share],
            env=environment,
        )
        for share in filter(None, shares)
    ]
    left = max(10.0, 60 * minutes - 5)
    for worker in workers:
        try:
            worker.wait(timeout=max(1.0, left - (time.monotonic() - start)))
        except subprocess.TimeoutExpired:
            worker.kill()
    rows = [
        json.loads(_file(out, name).read_text()) for name in wanted if _file(out, name).exists()
    ]
    print(table(rows), flush=True)
    missing = [name for name in wanted if not _file(out, name).exists()]
    if missing:
        print("no result of:", ", ".join(missing), flush=True)
    whole = {"gpu": _gpu(), "seconds": round(time.monotonic() - start, 1), "forms": rows}
    (out / "bit-exact.json").write_text(json.dumps(whole, indent=1) + "\n")
    for name in wanted:
        _file(out, name).unlink(missing_ok=True)
    differ = sum(row["differing"].get("ours", 0) for row in rows)
    return int(bool(differ or missing))


def _file(out: Path, name: str) -> Path:
    return out / f"form-{''.join(c if c.isalnum() else '_' for c in name)}.json"


def _gpu() -> str:
    """The GPU of this machine, as in `sm_90a`."""
    major, minor = torch.cuda.get_device_capability()
    return f"sm_{major}{minor}{'a' if major >= 9 else ''}"


def worker(out: Path, names: list[str]) -> int:
    """Compares some forms."""
    for form in FORMS:
        if form.name in names:
            reference = "cpu" if knows_gpus() else "model"
            row = compare(form, _gpu(), reference, ("ours", "triton"))
            half = _file(out, form.name).with_suffix(".tmp")
            half.write_text(json.dumps(row))
            half.rename(_file(out, form.name))
    return 0


def compare(
    form: Form,
    gpu: str,
    reference: str,
    others: tuple[str, ...],
    results: int = RESULTS,
    work: int = _WORK,
) -> dict[str, Any]:
    """The row of one form: `reference`, our CPU leg, against `others`."""
    start = time.monotonic()
    row: dict[str, Any] = {"name": form.name, "table": form.table(gpu), "results": 0}
    row |= {"differing": {}, "measured": {}, "examples": [], "failed": {}, "families": {}}
    row["same_in_triton"] = form.same_in_triton
    row["reference"] = reference
    for side in (reference, *others):
        try:
            _probe(form, gpu, side, row)
        except Exception as error:
            row["failed"][side] = f"{type(error).__name__}: {str(error)[-300:]}"
    sides = [side for side in others if side not in row["failed"]]
    device = "cuda" if torch.cuda.is_available() else "cpu"
    rng = torch.Generator(device).manual_seed(sum(map(ord, form.name)))
    for family in dot_inputs.FAMILIES if form.is_float else ["usual"]:
        for depth in DEPTHS:
            tiles = max(1, min(results // len(DEPTHS), work // depth) // (form.rows * form.columns))
            given = dot_inputs.make(form, family, tiles, depth, rng)
            _compare_tiles(form, gpu, sides, given, (family, depth), row)
    row["seconds"] = round(time.monotonic() - start, 2)
    return row


def _probe(form: Form, gpu: str, side: str, row: dict[str, Any]) -> None:
    """What is measured on a side."""
    if not form.is_float:
        return
    row["measured"][side] = dot_probes.measure(form, lambda a, b, c: form.run(side, gpu, a, b, c))


def _compare_tiles(
    form: Form,
    gpu: str,
    sides: list[str],
    given: dot_inputs.Tiles,
    label: tuple[str, int],
    row: dict[str, Any],
) -> None:
    view = {4: torch.int32, 2: torch.int16}[form.sum.itemsize]
    start = time.monotonic()
    expected = form.run(row["reference"], gpu, *given).view(view)
    row["cpu_seconds"] = row.get("cpu_seconds", 0.0) + time.monotonic() - start
    row["results"] += expected.numel()
    for side in sides:
        got = form.run(side, gpu, *given).view(view)
        wrong = (got != expected).nonzero()
        row["differing"][side] = row["differing"].get(side, 0) + len(wrong)
        if not len(wrong):
            continue
        name = f"{side}, {label[0]}, K {label[1]}"
        row["families"][name] = len(wrong)
        if sum(example["side"] == side for example in row["examples"]) < _SHOWN:
            row["examples"].append(_example(side, label, wrong[0].tolist(), given, expected, got))


def _example(
    side: str,
    label: tuple[str, int],
    place: list[int],
    given: dot_inputs.Tiles,
    expected: torch.Tensor,
    got: torch.Tensor,
) -> dict[str, Any]:
    """A result that differs; with its operands if K is small."""
    tile, row, column = place
    example = {"side": side, "family": label[0], "depth": label[1], "place": place}
    example["cpu"] = f"{expected[tile, row, column].item() & 0xFFFFFFFF:08x}"
    example["other"] = f"{got[tile, row, column].item() & 0xFFFFFFFF:08x}"
    if label[1] <= 128:
        a, b, c = given
        example["left"] = a[tile, row].float().tolist()
        example["right"] = b[tile, column].float().tolist()
        example["sum"] = c[tile, row, column].item()
    return example


def table(rows: list[dict[str, Any]]) -> str:
    """A block of lines for each form, then the sums."""
    lines = []
    for row in rows:
        counts = ", ".join(f"{n} differ on {side}" for side, n in row["differing"].items())
        note = "" if row["same_in_triton"] else " (Triton has another instruction)"
        lines.append(f"{row['name']}: {row['results']} of {row['reference']}, {counts}{note}")
        lines.append(f"    table: {' '.join(f'{k}={v}' for k, v in row['table'].items())}")
        lines += [f"    {side} failed: {why}" for side, why in row["failed"].items()]
        lines += _measured(row["measured"])
        lines += [f"    {count} differ: {name}" for name, count in row["families"].items()]
        for example in row["examples"]:
            words = ("side", "family", "depth", "place", "cpu", "other")
            lines.append("    " + " ".join(f"{word}={example[word]}" for word in words))
    total = sum(row["results"] for row in rows)
    differ = sum(row["differing"].get("ours", 0) for row in rows)
    seconds = sum(row.get("cpu_seconds", 0.0) for row in rows)
    lines.append(f"{total} results, {differ} differ from our GPU leg; {seconds:.0f} s on the CPU")
    return "\n".join(lines)


def _measured(measured: dict[str, dict[str, Any]]) -> list[str]:
    """One line for what all sides agree on, one for each other thing."""
    names = list(next(iter(measured.values()), {}))
    agreed = []
    lines = []
    for name in names:
        values = {side: found.get(name) for side, found in measured.items()}
        if len(set(map(str, values.values()))) == 1:
            agreed.append(f"{name} {values[next(iter(values))]}")
        else:
            told = ", ".join(f"{side} {value}" for side, value in values.items())
            lines.append(f"    MEASURED OTHERWISE {name}: {told}")
    return [f"    measured on {', '.join(measured)}: {'; '.join(agreed)}", *lines]


if __name__ == "__main__":
    sys.exit(worker(Path(sys.argv[1]), sys.argv[2:]))
