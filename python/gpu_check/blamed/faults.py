"""Faults in each of our passes, and in PTX; a compiler that needs no command line of its own.

A fault swaps the operands of the first subtraction in what a pass leaves.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from triton_shared.blame.pipeline import Compiler, Pass, read_passes
from triton_shared.diff import texts

TOGETHER = (
    "linalg-to-cta", "cta-assign-layouts", "cta-share-operands", "cta-allocate-shared",
    "cta-to-gpu",
)  # fmt: skip
"""Passes that cannot be told from each other without another compiler."""
_UPSTREAM = ("canonicalize", "cse", "loop-invariant-code-motion", "arith-", "math-")
_SUBTRACTION = re.compile(r"(\barith\.subf )(%[\w#]+), (%[\w#]+)")


@dataclass(frozen=True)
class PackedCompiler(Compiler):
    """The passes of the library, as `text` lists them; `faulty` names one with a fault."""

    tool: Path = Path()
    text: str = ""
    faulty: str = ""

    def printed(self, options: Sequence[str], last: str) -> str:
        """All of them: the text is that of what is asked for."""
        return self.text

    def apply(self, text: str, passes: Sequence[Pass]) -> str:
        """What passes leave of a text. Raises CompilationError."""
        start = 0
        for place, one in enumerate(passes, 1):
            if one.name == self.faulty:
                text = swap(_run(text, passes[start:place]))
                start = place
        return _run(text, passes[start:])


def our_passes(printed: str) -> list[str]:
    """The passes of ours that change something, each once."""
    names = [one.name for one in read_passes(printed) if not one.is_contract]
    return list(dict.fromkeys(name for name in names if not name.startswith(_UPSTREAM)))


def packed(printed: str, faulty: str = "") -> PackedCompiler:
    """A compiler of what `--print-pipeline` has printed."""
    # The ladder asks whether a compiler is changed.
    behind = {faulty: "swap"} if faulty else {}
    return PackedCompiler(text=printed, faulty=faulty, behind=behind)


def _run(text: str, passes: Sequence[Pass]) -> str:
    return texts.apply_passes(text, *(one.words for one in passes)) if passes else text


def swap(text: str) -> str:
    """A module whose first subtraction has its operands swapped."""
    changed, count = _SUBTRACTION.subn(r"\1\3, \2", text, count=1)
    assert count, "there is no subtraction"
    return changed


def edited(ptx: str) -> str:
    """PTX whose subtractions are additions."""
    changed = re.sub(r"\bsub(\.rn)?\.f32\b", r"add\1.f32", ptx)
    assert changed != ptx, "there is no subtraction"
    return changed
