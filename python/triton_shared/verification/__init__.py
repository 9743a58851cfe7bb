"""Whether a kernel computes what a function of torch does, in a line of pytest.

    def test_softmax():
        triton_shared.verify(softmax, lambda x: torch.softmax(x, 1), (torch.randn(64, 100),))

The kernel's function runs on the given inputs and on inputs made from them: of other shapes,
strides and values. Its results are compared with the reference in f64, within bounds that nobody
tunes (`bounds`). What only looks right is refused by name (`cases`), as is what writes where it
must not (`memory`). `inputs` makes the cases, with hypothesis.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import VerificationError
from .cases import Case, run_case
from .inputs import fuzz


@dataclass(frozen=True)
class Verified:
    """What a verification has done."""

    cases: int
    margin: float
    """The largest part of its bound that an error has used up."""


def verify(
    call: Callable[..., Any],
    reference: Callable[..., Any],
    inputs: Sequence[Any],
    *,
    cases: int = 30,
    shapes: bool = True,
    mutates: Sequence[int] = (),
) -> Verified:
    """Runs `call` and the torch function `reference` on `inputs` and on others, and compares.

    `inputs` are tensors and numbers, as both functions take them; both return a tensor, or a tuple
    of tensors. Sizes of tensors that are equal stay equal in other shapes, and a number that is
    equal to a size goes with it. `cases` are tried besides the given inputs; with `shapes=False`,
    with these shapes alone. `mutates` says which inputs the kernel may write to; their content is
    compared, too, if the reference writes to them as well.

    Raises VerificationError with the name of what is wrong: `wrong result`, `wrong shape`,
    `down-cast`, `zero output`, `constant output`, `cached output`, `unwritten output`, `changed
    input`, `touched padding`, `no kernel`, or `error`; hypothesis has made the case as small as it
    can be.
    """
    given = Case(tuple(inputs), tuple(mutates))
    margins = [run_case(call, reference, given)]
    if cases:
        fuzz(lambda case: margins.append(run_case(call, reference, case)), given, cases, shapes)
    return Verified(len(margins), max(margins))


__all__ = ["VerificationError", "Verified", "verify"]
