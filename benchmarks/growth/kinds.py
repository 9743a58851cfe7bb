"""What kernels are made of to see how compiling grows: a table of kinds, each a line that repeats.

The lines of a kernel depend on each other, so that nothing of it can be left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from triton_shared.diff import modules
from triton_shared.frontend import ast_to_ttir

HEAD = """import triton
import triton.language as tl


@triton.jit
def kernel(x, y, index, n):
    i = tl.arange(0, 128)
    a = tl.load(x + i)
    s = tl.load(x)
"""
TAIL = "    tl.store(y + i, a + s)\n"
SIGNATURE: Mapping[str, str] = {"x": "*fp32", "y": "*fp32", "index": "*i32", "n": "i32"}


@dataclass(frozen=True)
class Kind:
    """Kernels that repeat a line."""

    name: str
    line: str
    """With `{k}`, its number, `{few}`, a number up to five, and lines of its own."""
    before: str = ""
    after: str = ""

    def __str__(self) -> str:
        return self.name

    def source(self, lines: int) -> str:
        """The text of a file with a kernel that has the line `lines` times."""
        body = [
            self.before,
            *(self.line.format(k=k, few=k % 5 + 1) for k in range(lines)),
            self.after,
        ]
        indented = (f"    {line}\n" for part in body for line in part.splitlines())
        return "".join([HEAD, *indented, TAIL])

    def ttir(self, lines: int, folder: Path, target: str) -> str:
        """The same from Triton's front end."""
        file = folder / f"{self.name.replace(' ', '_').replace('-', '_')}_{lines}.py"
        file.write_text(self.source(lines))
        return ast_to_ttir(modules.kernel(file, "kernel"), SIGNATURE, target=target)


_TILE = "c = tl.arange(0, 16)\nm = tl.load(x + c[:, None] * 16 + c[None, :])\nw = m"
_TILE_BACK = "tl.store(y + c[:, None] * 16 + c[None, :], m)"

KINDS = (
    Kind("element-wise", "a = a * {few}.5 + 1.0"),
    Kind("loads", "a += tl.load(x + i + {k})"),
    Kind("masked loads", "a += tl.load(x + i + {k}, mask=i < n - {k}, other=0.0)"),
    Kind("loads and stores", "a = tl.load(x + i + {k})\ntl.store(y + i + {k}, a + {k})"),
    Kind("reductions", "a = a - tl.sum(a * {few}, 0) * 0.001"),
    Kind("dots", "m = tl.dot(m, w) + {few}", _TILE, _TILE_BACK),
    Kind("ifs", "if s > {k}:\n    a = a + {few}\n    s = s * 0.5"),
    Kind("loops", "for j in range(n):\n    a = a * 0.5 + {few}"),
    Kind("gathers", "a += tl.load(x + tl.load(index + i + {k}))"),
    Kind("sorts", "v = tl.sort(v) * 0.5 + {few}", "v = tl.load(x + tl.arange(0, 8))",
         "tl.store(y + 128 + tl.arange(0, 8), v)"),
    Kind("pointer chains", "p += n\na += tl.load(p)", "p = x + i"),
)  # fmt: skip
