"""What a seeded mistake is: a kernel that makes it, and a twin that does not.

The statement that a report has to name stands in the source of the kernel before the comment
`# BUG n`, with the number of the seed.
"""

from __future__ import annotations

import inspect
import mmap
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch


@dataclass(frozen=True)
class Seed:
    """One mistake. `bug` and `twin` launch the two kernels; `tensor` is what the report names."""

    number: int
    kind: str
    what: str
    bug: Callable[[], None]
    twin: Callable[[], None]
    tensor: str
    follows: str = ""
    """What goes wrong because of it, and is reported as well."""

    def __str__(self) -> str:
        return f"{self.number}-{self.what.replace(' ', '-')}"

    @property
    def file(self) -> Path:
        """Where its kernels are."""
        return Path(inspect.getsourcefile(self.bug) or "").resolve()

    @property
    def lines(self) -> list[int]:
        """The lines that a report has to name, in order."""
        marked = re.compile(rf"# BUG {self.number}\b")
        lines = enumerate(self.file.read_text().splitlines(), 1)
        return [number for number, line in lines if marked.search(line)]


def sparse(elements: int) -> torch.Tensor:
    """So many zeros, which cost memory only where somebody looks."""
    no_reserve = 0x4000  # A name of the module from Python 3.13 on.
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | no_reserve
    return torch.frombuffer(mmap.mmap(-1, elements, flags=flags), dtype=torch.int8)
