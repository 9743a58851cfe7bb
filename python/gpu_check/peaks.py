"""What this GPU reaches at its best, and the rooflines of two launches on it.

    scripts/gpu-check --there --peaks

leaves peaks.json, and the page of a small launch, peaks.html.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from .pack import ROOT

sys.path.insert(0, str(ROOT / "python" / "test"))

_ADDED = 1 << 25
"""Elements of a sum."""
_MULTIPLIED = 4096
"""Rows and columns of a product of f16."""


def main(out: Path) -> int:
    """Measures, prints and writes it; gives the exit code."""
    import triton_shared
    from explain_kernels import add_kernel
    from triton_shared.explain import peaks

    out.mkdir(parents=True, exist_ok=True)
    target = "cuda:{}{}".format(*torch.cuda.get_device_capability())
    found: dict[str, Any] = {"peaks": asdict(peaks.of_gpu()), "target": target}
    found |= {"add": _roofline(target, *_sum()), "matmul": _roofline(target, *_product())}
    (out / "peaks.json").write_text(json.dumps(found, indent=1) + "\n")
    print(json.dumps(found, indent=1), flush=True)
    x = torch.rand(5000)
    explained = triton_shared.explain(
        add_kernel, x, x.clone(), x.clone(), 5000, grid=(5,), BLOCK_SIZE=1024
    )
    explained.report(target=target).write(out / "peaks.html")
    return 0


def _roofline(
    target: str, kernel: Any, arguments: tuple[Any, ...], grid: tuple[int, ...], options: Any
) -> dict[str, Any]:
    import triton_shared
    from triton_shared.explain import access_maps, cost, roofline

    (recorded,) = triton_shared.explain(kernel, *arguments, grid=grid, **options).launches
    recording = recorded()
    # The compiler counts what these do: nothing has to be interpreted.
    chosen = access_maps.choose_programs(recording.grid)
    programs = [{"program": one, "flops": 0, "accesses": []} for one in chosen]
    found = roofline.measure(recording, programs, target)
    if {found["counted"][what] for what in ("flops", "bytes")} != {cost.IR}:
        raise RuntimeError(f"the compiler has not counted: {found['counted']}")
    return found


def _sum() -> tuple[Any, ...]:
    from explain_kernels import add_kernel

    x = torch.rand(_ADDED)
    arguments = (x, x.clone(), torch.empty(_ADDED), _ADDED)
    return add_kernel, arguments, (-(-_ADDED // 1024),), {"BLOCK_SIZE": 1024}


def _product() -> tuple[Any, ...]:
    from explain_kernels import matmul_kernel

    n = _MULTIPLIED
    a, b = torch.rand(n, n).half(), torch.rand(n, n).half()
    blocks = {"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64, "num_warps": 8}
    arguments = (a, b, torch.empty(n, n), n, n, n, n, n, n)
    return matmul_kernel, arguments, (-(-n // 128), -(-n // 128)), blocks
