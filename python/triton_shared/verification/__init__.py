"""Whether a kernel computes what a function of torch does, in a line of pytest.

    def test_softmax():
        triton_shared.verify(softmax, lambda x: torch.softmax(x, 1), (torch.randn(64, 100),))

The kernel's function runs on the given inputs and on inputs made from them: of other shapes,
strides and values. Its results are compared with the reference in f64, within bounds that nobody
tunes (`bounds`). What only looks right is refused by name (`cases`), as is what writes where it
must not (`memory`). `inputs` makes the cases, with hypothesis.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..diff import widening
from ..diff.widening import Widened, Widenings
from ..errors import VerificationError
from . import guilty_line
from .cases import Case, Limits, run_case
from .inputs import fuzz


@dataclass(frozen=True)
class Verified:
    """What a verification has done."""

    cases: int
    margin: float
    """The largest part of its bound that an error has used up."""
    widened: tuple[Widened, ...] = ()
    """Bounds that `tolerances.toml` has made wider, and by how much that was needed."""
    told: str = ""
    """The same in lines, and entries of the file that nothing has used."""


def verify(
    call: Callable[..., Any],
    reference: Callable[..., Any],
    inputs: Sequence[Any],
    *,
    cases: int = 30,
    shapes: bool = True,
    mutates: Sequence[int] = (),
    tolerances: Path | str | None = None,
) -> Verified:
    """Runs `call` and the torch function `reference` on `inputs` and on others, and compares.

    `inputs` are tensors and numbers, as both functions take them; both return a tensor, or a tuple
    of tensors. Sizes of tensors that are equal stay equal in other shapes, and a number that is
    equal to a size goes with it. `cases` are tried besides the given inputs; with `shapes=False`,
    with these shapes alone. `mutates` says which inputs the kernel may write to; their content is
    compared, too, if the reference writes to them as well. `tolerances` is a file that widens
    bounds (`diff.widening`), that beside the file of `call` if it is not given; its outputs are the
    numbers of results, "0" for the first.

    Raises VerificationError with the name of what is wrong: `wrong result`, `wrong shape`,
    `down-cast`, `zero output`, `constant output`, `cached output`, `unwritten output`, `changed
    input`, `touched padding`, `no kernel`, or `error`; hypothesis has made the case as small as it
    can be. Of a wrong result, `blame` of the error is the line of the kernel that makes it so,
    where that can be known.
    """
    given = Case(tuple(inputs), tuple(mutates))
    limits = Limits(_widenings(call, tolerances))

    def run(case: Case) -> None:
        margins.append(run_case(call, reference, case, limits))

    margins: list[float] = []
    try:
        run(given)
        if cases:
            fuzz(run, given, cases, shapes)
    except VerificationError as error:
        if error.wrong:
            error.blame = guilty_line.find(call, reference, error.given, mutates, error.wrong)
        if error.blame:
            error.args = (_explain(str(error), error.blame),)
        raise
    told = [one.describe() for one in limits.used.values()] + limits.widenings.unused_lines(
        limits.kernels
    )
    return Verified(len(margins), max(margins), tuple(limits.used.values()), "\n".join(told))


def _explain(told: str, found: guilty_line.GuiltyLine) -> str:
    """What an error says, with the line that is to blame for it."""
    if not found.is_rounding:
        # What is wrong in f64 only looks like a narrower type.
        told = re.sub(r"^down-cast \([^)]*\)", "wrong result", told)
    return f"{told}\n{found}"


def _widenings(call: Callable[..., Any], tolerances: Path | str | None) -> Widenings:
    if tolerances is not None:
        return widening.load(Path(tolerances))
    try:
        file = inspect.getsourcefile(inspect.unwrap(call))
    except TypeError:
        return Widenings()  # An object: it has no file.
    return widening.load(widening.beside(Path(file)) if file else None)


__all__ = ["VerificationError", "Verified", "verify"]
