"""How far a search is: a bar, on terminals only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..terminal import counting

Told = Callable[[int, float], None]


@contextmanager
def shown(total: int) -> Iterator[Told]:
    """Gives what is to be told: how many candidates are judged, and the best time in seconds."""
    with counting("candidates", total) as told:

        def tell(judged: int, best: float) -> None:
            is_known = best < float("inf")
            told(judged, f"candidates, best {best * 1e6:.1f} us" if is_known else "candidates")

        yield tell
