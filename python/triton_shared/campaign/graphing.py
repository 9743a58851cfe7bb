"""Cases of random graphs: candidates of each are verified, as one of several computes them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .case import FAILED, Outcome
from .kinds import ENDS_PROCESS, GRAPHS


def prepare(kind: str) -> None:
    """Imports what kernels need; whether they are interpreted is decided before."""
    if kind == "graph-interpreter":
        os.environ["TRITON_INTERPRET"] = "1"
    import torch  # noqa: F401
    import triton  # noqa: F401

    from .. import library
    from ..graph import fuzz  # noqa: F401

    library.version()


@contextmanager
def session(kind: str) -> Iterator[None]:
    """One thread, and a folder for what is written, which goes at the end."""
    import torch

    from ..graph.program import folder

    with tempfile.TemporaryDirectory() as cache:
        os.environ["TRITON_CACHE_DIR"] = cache
        torch.set_num_threads(1)
        yield
        folder().cleanup()


def run(kind: str, facts: dict[str, Any]) -> Outcome:
    """Verifies `facts["candidates"]` of the random graph `facts["number"]`."""
    from ..graph import fuzz

    try:
        done = fuzz.run(facts["number"], facts["candidates"], kind.removeprefix(GRAPHS))
    except MemoryError:
        return Outcome(FAILED, "there is not enough memory")
    said = "\n".join(one.describe() for one in done.wrong)[:4000]
    counts: dict[str, Any] = {
        "right": done.right, "inexact": done.inexact, "hopeless": done.hopeless
    }  # fmt: skip
    # What a kernel did to the GPU's context would be blamed on all that follow.
    lost = {ENDS_PROCESS: True} if "CUDA" in said else {}
    return Outcome(done.status, said, {**counts, **lost})
