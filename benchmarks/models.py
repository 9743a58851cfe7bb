"""Times steps of models that inductor compiles to kernels of Triton, against its C++ backend.

    python -m benchmarks.models [--write] [--only TEXT]     from the root of the tree

Both are compiled in one process and run in turn on one thread each; CPU time is counted, and what
counts is the median of the ratios of neighbours. `python -m clients.packages`, in the folder
python, fetches what models need.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
from dataclasses import asdict, dataclass
from functools import partial

import torch
import torch._inductor.config as inductor
import triton_shared
from torch._dynamo.utils import counters
from torch._inductor.utils import fresh_cache
from triton_shared.measure import Run, ratio, seconds

from benchmarks import page
from benchmarks.cpu import speed

sys.path.append(str(page.ROOT / "python"))
from clients import models

FILE = page.RESULTS / "models.json"


@dataclass(frozen=True)
class Result:
    """One model; times are CPU seconds."""

    model: str
    ratio: float
    """Of a step with the C++ backend to ours."""
    seconds: float
    """Of a step of ours."""
    compile: float
    compile_cpp: float


def cpu_seconds() -> float:
    """Of this process and of those that it has started and waited for."""
    used = [resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def compiled(model: models.Model, backend: str) -> tuple[Run, float]:
    """A step of a model, and what its first run took."""
    torch.manual_seed(0)
    made, inputs = model.make(), model.inputs(2)
    # A class of its own: else dynamo takes what it has compiled for the other backend.
    made.__class__ = type(f"{type(made).__name__}_{backend}", (type(made),), {})
    before = counters["stats"]["unique_graphs"]
    start = cpu_seconds()
    with inductor.patch(cpu_backend=backend):
        step = partial(models.step, torch.compile(made), made, inputs)
        step()
    if counters["stats"]["unique_graphs"] == before:
        raise RuntimeError(f"{model.name} was not compiled anew for '{backend}'")
    return step, cpu_seconds() - start


def measure(model: models.Model, repeat: int) -> Result:
    """Compiles both ways, then times."""
    torch._dynamo.reset()  # Not between the two: it would forget the first.
    ours, own = compiled(model, "triton")
    theirs, peer = compiled(model, "cpp")
    found = ratio(theirs, ours, repeat)
    return Result(model.name, found, min(seconds(ours, 1) for _ in range(repeat)), own, peer)


def main() -> None:
    """Measures, prints, and writes if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="update the JSON")
    parser.add_argument("--repeat", type=int, default=15, help="runs of each (default: 15)")
    parser.add_argument("--only", default="", help="models whose names contain this")
    options = parser.parse_args()
    speed.use_threads(1)
    rows = []
    with triton_shared.device("cpu"), inductor.patch(compile_threads=1), fresh_cache():
        # What is imported and looked up once is no part of a model's time.
        for backend in ("triton", "cpp"):
            with inductor.patch(cpu_backend=backend):
                torch.compile(lambda x: x.sin() + 1)(torch.randn(4))
        for model in models.MODELS:
            if options.only in model.name:
                rows.append(asdict(measure(model, options.repeat)))
                print(json.dumps(rows[-1]), flush=True)
    if options.write and not options.only:
        FILE.write_text(json.dumps({"cpu": page.cpu_name(), "results": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
