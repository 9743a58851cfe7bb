"""Reproducers: one launch in one file, `.ttrepro`, to be sent, kept and run again.

    with triton_shared.repro.recording("bug.ttrepro"):
        kernel[grid](x, y, n)

    python -m triton_shared.diff FILE --repro bug.ttrepro      from a comparison that fails
    python -m triton_shared.repro info|run|to-python|reduce bug.ttrepro

A reproducer is a zip: the kernel's TTIR and source, arguments, grid, options, versions, checksums,
and a report if a comparison has made it. `archive` writes and reads it, `reduction` makes the
kernel smaller. What is read may come from anybody: nothing of it runs unless it is asked to, and
its Python source never does.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..interception import intercepted_launches

if TYPE_CHECKING:
    from ..diff.recording import Recording


@contextmanager
def recording(path: str | Path, *, stats_only: bool = False) -> Iterator[None]:
    """Writes the last launch inside of the block to `path`, also if it has raised.

    With `stats_only`, of the tensors there is a summary instead of the content. Raises
    RecordingError if there was no launch, or one that a recording cannot hold.
    """
    from ..diff import recorder
    from ..diff.recording import RecordingError
    from . import archive

    launches: list[Recording] = []
    with _watching(launches, recorder):
        try:
            yield
        finally:
            if launches:
                archive.write(Path(path), launches[-1], stats_only=stats_only)
    if not launches:
        raise RecordingError(f"nothing was launched, so there is nothing to write to {path}")


def _watching(launches: list[Recording], recorder: Any) -> AbstractContextManager[None]:
    def run(launch: Any, kernel: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
        if warmup:
            return launch(kernel, *args, grid=grid, warmup=warmup, **kwargs)
        recorded, _ = recorder.record_launch(kernel, args, grid, kwargs, "")
        launches[:] = [recorded]
        compiled = launch(kernel, *args, grid=grid, warmup=warmup, **kwargs)
        recorder.keep_text(recorded, compiled)
        return compiled

    return intercepted_launches(run)
