"""How fast a launch is, and how fast the machine could be: both measured here.

On a GPU if the code is for one and there is one, else on the CPU in fast mode.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import torch

from ..diff import replay
from ..diff.recording import Recording
from . import cost, peaks

_MOST_COPIES = 40
"""Of what a launch works on, so that a GPU's cache does not hold all."""


def measure(
    launch: Recording, programs: list[dict[str, Any]], target: str = "cpu"
) -> dict[str, Any]:
    """What `schema.json` has under "roofline"; `programs` are those of the access maps."""
    is_on_gpu = target != "cpu" and peaks.has_gpu()
    peak = peaks.of_gpu() if is_on_gpu else peaks.of_cpu()
    seconds = _time_on_gpu(launch) if is_on_gpu else _time_on_cpu(launch)
    counted = cost.count(launch, programs)
    flops, moved = counted["flops"], counted["bytes"]
    # Nothing but products can be done in tensor cores.
    most = peak.product_flops if "tt.dot" in launch.ttir else peak.flops
    return {
        "device": peak.device,
        "peak_flops": most,
        "peaks": {"f32": peak.flops, **({"f16": peak.product_flops} if is_on_gpu else {})},
        "bytes_per_second": peak.bytes_per_second,
        **counted,
        "seconds": seconds,
        "intensity": flops / max(moved, 1),
        "flops_per_second": flops / seconds,
        "reached": max(flops / most, moved / peak.bytes_per_second) / seconds,
    }


def _time_on_cpu(launch: Recording) -> float:
    """The best time of a launch in fast mode, without what compiles it."""
    import triton_shared

    _, given = replay.prepare(launch)
    with triton_shared.device("cpu"):
        run = partial(replay.run_kernel, launch, given, "cpu-fast")
        run()
        return peaks.best(run)


def _time_on_gpu(launch: Recording) -> float:
    """The best time of a launch, each on memory that is not in the GPU's cache."""
    import triton_shared

    size = sum(storage.nbytes for storage in launch.storages)
    cache = torch.cuda.get_device_properties().L2_cache_size
    copies = min(_MOST_COPIES, -(-3 * int(cache) // max(size, 1)))
    prepared = [replay.prepare(launch, "cuda") for _ in range(copies)]
    with triton_shared.device("cuda"):
        return peaks.best_on_gpu(
            *(partial(replay.run_kernel, launch, given, "shared_cuda") for _, given in prepared)
        )
