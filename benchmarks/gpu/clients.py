"""Times kernels of other packages on Triton's own backend and on ours.

    python -m benchmarks.gpu.clients compile "liger rms_norm" ...
    python -m benchmarks.gpu.clients time FOLDER "liger rms_norm" ...

An operator runs forward and backward under Triton's compiler, and its launches are kept
(recorded.py). Both compilers repeat each of them on the same memory, each with what its own tuning
chooses among the same configurations; results are compared, and graphs of launches take turns. The
memory of a launch is one set: what fits into the cache is found there, by both.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import torch
from triton_shared.measure import Graph, capture, in_turn

from .client_calls import all_calls
from .recorded import Launch, recording
from .speed import SIDES, side, write_row


def launches_of(operator: str) -> list[Launch]:
    """What an operator launches."""
    torch.manual_seed(0)
    with side("triton"), recording() as found:
        all_calls()[operator]()
        torch.cuda.synchronize()
    return found


def run_on(name: str, launch: Launch) -> Any:
    """Tunes, and leaves what one run on the recorded memory leaves. Gives the compiled kernel."""
    with side(name):
        launch.forget_tuning()
        launch.restore()
        launch.run()
        launch.restore()
        compiled = launch.run()
        torch.cuda.synchronize()
    return compiled


def results_of(launch: Launch) -> list[torch.Tensor]:
    """What the tensors of a launch hold now, kept."""
    return [tensor.detach().float().clone() for tensor in launch.tensors]


def differences(first: list[torch.Tensor], second: list[torch.Tensor]) -> float:
    """How far results lie apart: of the worst tensor, the norm of the difference in that of the
    tensor; where something is not finite, the share of elements that differ."""
    worst = 0.0
    for a, b in zip(first, second, strict=True):
        if a.isfinite().all() and b.isfinite().all():
            worst = max(worst, float((a - b).norm() / (a.norm() + 1e-9)))
        else:
            same = (a == b) | (a.isnan() & b.isnan())
            worst = max(worst, float((~same).float().mean()))
    return worst


def resources_of(compiled: Any) -> dict[str, int]:
    """What a program of a compiled kernel takes."""
    taken = {"registers": compiled.n_regs, "spills": compiled.n_spills}
    return taken | {"warps": compiled.metadata.num_warps, "shared": compiled.metadata.shared}


def measure(operator: str, launch: Launch) -> dict[str, Any]:
    """The row of a launch."""
    row: dict[str, Any] = {"operator": operator, "kernel": launch.name}
    row |= {"best": {}, "failed": {}, "resources": {}, "apart_from_itself": {}}
    graphs: dict[str, Graph] = {}
    results: dict[str, list[torch.Tensor]] = {}
    for name in SIDES:
        try:
            row["resources"][name] = resources_of(run_on(name, launch))
            results[name] = results_of(launch)
            row["best"][name] = launch.config
            with side(name):
                launch.restore()
                launch.run()
                row["apart_from_itself"][name] = differences(results[name], results_of(launch))
                graphs[name] = capture(lambda _: launch.run(), [()])
        except Exception as error:
            row["failed"][name] = f"{type(error).__name__}: {str(error)[-300:]}"
    row["us"] = in_turn(graphs)
    if set(SIDES) <= row["us"].keys():
        row["apart"] = differences(results["triton"], results["ours"])
        row["ratio"] = row["us"]["triton"] / row["us"]["ours"]
    return row


def main(words: list[str]) -> int:
    """See the top of this file."""
    if words[0] == "compile":
        for operator in words[1:]:
            for launch in launches_of(operator):
                for name in SIDES:
                    try:
                        run_on(name, launch)
                    except Exception as error:
                        print(f"{operator} {launch.name}: {name}: {error}", file=sys.stderr)
        return 0
    for operator in words[2:]:
        rows = [measure(operator, launch) for launch in launches_of(operator)]
        write_row(Path(words[1]), operator, rows)
        torch.cuda.empty_cache()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
