"""Faults of a compiler, each in one operation of a kernel, and the search that has to name it.

The line that a report has to name ends with a comment, the last word of the fault.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
import triton
import triton.language as tl
import triton_shared
from tree import BUILD
from triton_shared.diff import culprit, recorder
from triton_shared.diff.recording import Recording

PLUGIN = BUILD / "lib" / "libTritonSharedInjectFault.so"


@triton.jit
def mixed(x, w, out, n, K, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)  # rows
    j = tl.arange(0, B)
    live = (i < n)[:, None]  # live
    total = tl.zeros((B, B), tl.float32)
    for k in range(K):
        a = tl.load(x + (i[:, None] * K + k) * B + j[None, :], mask=live, other=0.0)  # load
        b = tl.load(w + (k * B + j[:, None]) * B + j[None, :])
        total = tl.dot(a, b, total)  # product
    shifted = total - tl.max(total, 1)[:, None]  # shifted
    e = tl.exp(shifted)  # power
    p = e / tl.sum(e, 1)[:, None]  # quotient
    h = p.to(tl.float16)  # narrow
    chosen = tl.where(h > 0.05, p, shifted * 0.3)  # chosen
    tl.store(out + i[:, None] * B + j[None, :], chosen + h, mask=live)  # store


LINES = Path(__file__).read_text().splitlines()


def line_of(marker: str) -> int:
    (number,) = [n for n, line in enumerate(LINES, 1) if line.endswith(f"  # {marker}")]
    return number


def record(launch: Any) -> Recording:
    caught: list[Any] = []
    with recorder.catching(caught, ""):
        launch()
    recording: Recording = caught[0][0]
    recording.file = ""
    return recording


def make_launch() -> Recording:
    """More rows than the mask lets through; a range off by one reads memory behind `w`."""
    g = torch.Generator().manual_seed(1)
    x, w = torch.randn(32, 3, 16, generator=g), torch.randn(3, 16, 16, generator=g)
    w = torch.cat([w, torch.zeros(1, 16, 16)])[:3]
    with triton_shared.device("cpu"):
        return record(lambda: mixed[(2,)](x, w, torch.zeros(32, 16), 27, 3, B=16))


FAULTS = [
    ("swap-operands", "arith.subf", 0, "shifted"),
    ("swap-operands", "arith.divf", 0, "quotient"),
    ("swap-operands", "arith.cmpf", 0, "chosen"),
    ("swap-operands", "arith.cmpi", 0, "live"),
    ("drop-mask", "tt.load", 0, "load"),
    ("drop-mask", "tt.store", 0, "store"),
    ("off-by-one", "arith.addi", 0, "rows"),
    ("off-by-one", "arith.muli", 1, "load"),
    ("wrong-round", "arith.mulf", 0, "chosen"),
    ("wrong-round", "math.exp", 0, "power"),
    ("toward-zero", "arith.truncf", 0, "narrow"),
    ("drop-last", "tt.dot", 0, "product"),
    ("wrong-round", "tt.reduce", 1, "quotient"),
    ("off-by-one", "tt.make_range", 0, "rows"),
]
"""Faults of a compiler: what it does to which operation, and the line where that stands."""


def find(launch: Recording, fault: tuple[str, str, int, str], target: str, folder: Path) -> Any:
    kind, op, nth, _ = fault
    before, after = [f"mark-fault{{op={op} nth={nth}}}"], [f"inject-fault{{kind={kind}}}"]
    # As long as a machine with other work may take.
    changes = {"before": before, "after": after, "plugins": [PLUGIN], "timeout": 600.0}
    return culprit.find(launch, ("cpu", target), (1, 0, 0), folder, **changes).culprit
