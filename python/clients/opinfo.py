"""PyTorch's own samples of its operations, compiled by inductor with Triton as its code generator.

A case is an operation with an element type. Each of its samples runs eagerly, and compiled; where
that differs or fails, inductor's C++ backend says whether it could do better. PyTorch's test of
inductor that does this (`test_torchinductor_opinfo.py`) is not in its wheel, the samples are.
"""

from __future__ import annotations

import copy
import itertools
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from triton_shared.campaign.case import Case, Outcome

KIND = "opinfo"
RIGHT, THEIRS, NOTHING, WRONG, ERROR = "right", "theirs", "nothing", "wrong", "error"
"""How a case ends. `theirs`: what fails, fails with the C++ backend, too. `nothing`: no sample runs
eagerly."""

FORGIVEN = 3.0
"""A result may be so many times as far from what f64 gives as eager PyTorch's is."""

_MOST_TEXT = 1500


def prepare(kind: str) -> None:
    """Imports the samples and the compiler."""
    import torch._inductor.codegen.cpp
    import torch._inductor.codegen.triton
    import torch._inductor.compile_fx
    import torch.testing._internal.common_methods_invocations  # noqa: F401
    import triton.language  # noqa: F401

    _operations()


@contextmanager
def session(kind: str) -> Iterator[None]:
    """One thread, and caches that nobody else has."""
    import torch
    from torch._inductor.utils import fresh_cache

    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        os.environ["TRITON_CACHE_DIR"] = folder
        torch.set_num_threads(1)
        stack.enter_context(fresh_cache())
        yield


def run(kind: str, facts: dict[str, Any]) -> Outcome:
    """Runs the first samples of an operation in one element type, `facts["samples"]` of them."""
    import torch

    operation = _operations()[facts["operation"]]
    dtype = getattr(torch, facts["dtype"])
    counts = dict.fromkeys(("samples", "right", "kernels", "theirs"), 0)
    status, said = RIGHT, ""
    for number, call in enumerate(calls(facts["operation"], dtype, facts["samples"])):
        try:
            expected = Expected.of(call, facts["operation"], _reference(operation, call))
        except Exception:
            continue  # Also PyTorch's own tests leave what is not implemented.
        counts["samples"] += 1
        end, text, kernels = _compiled(call, expected, "triton")
        counts["kernels"] += kernels
        counts["right"] += end == RIGHT
        if end != RIGHT:
            theirs, _, _ = _compiled(call, expected, "cpp")
            counts["theirs"] += theirs != RIGHT
            if theirs == RIGHT or status == RIGHT:
                status = end if theirs == RIGHT else THEIRS
                said = f"sample {number}: {text}"
    return Outcome(status if counts["samples"] else NOTHING, said[:_MOST_TEXT], counts)


def calls(name: str, dtype: Any, count: int) -> Iterator[Call]:
    """The first samples of an operation."""
    import torch

    operation = _operations()[name]
    torch.manual_seed(0)
    for sample in itertools.islice(operation.sample_inputs("cpu", dtype), count):
        yield Call(operation.get_op(), sample.input, sample.args, sample.kwargs)


def supports(name: str, dtype: Any) -> bool:
    """Whether PyTorch's CPU has an operation for an element type."""
    return dtype in _operations()[name].supported_dtypes("cpu")


def cases(dtypes: list[str], samples: int, only: str = "") -> list[Case]:
    """All operations in these element types, as far as PyTorch's CPU has them."""
    import torch

    found = []
    for dtype, name in itertools.product(dtypes, _operations()):
        if only in name and supports(name, getattr(torch, dtype)):
            facts = {"operation": name, "dtype": dtype, "samples": samples}
            found.append(Case(KIND, f"{name} {dtype}", facts))
    return found


def _operations() -> dict[str, Any]:
    """By name, with that of a variant behind it."""
    from torch.testing._internal.common_methods_invocations import op_db

    return {f"{o.name} {o.variant_test_name}".strip(): o for o in op_db}


def _reference(operation: Any, call: Call) -> Callable[[], list[Any]] | None:
    """NumPy's or SciPy's function for one f64 tensor, with which PyTorch tests its own.

    Eager PyTorch is no better than its own formulas there: its J0 has an error of 2e-7.
    """
    import torch
    from torch.testing._internal.opinfo.core import UnaryUfuncInfo

    if not isinstance(operation, UnaryUfuncInfo) or call.args or call.kwargs:
        return None
    x = call.input
    if not isinstance(x, torch.Tensor) or x.dtype != torch.float64 or operation.ref is None:
        return None
    reference = operation.ref
    return lambda: [torch.as_tensor(reference(x.detach().numpy()))]


@dataclass(frozen=True)
class Call:
    """A function with arguments that each run gets anew."""

    function: Callable[..., Any]
    input: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def __call__(self, around: Callable[[Any], Any] = lambda f: f, upcast: bool = False) -> Any:
        """Calls it, or what `around` makes of it, and gives all tensors of the result."""
        import torch
        from torch.utils import _pytree as pytree

        def fresh(x: Any) -> Any:
            if not isinstance(x, torch.Tensor):
                return copy.copy(x)
            return x.detach().double() if upcast and x.is_floating_point() else x.detach().clone()

        def function(*args: Any, **kwargs: Any) -> Any:
            return self.function(*args, **kwargs)

        args, kwargs = pytree.tree_map(fresh, ((self.input, *self.args), self.kwargs))
        torch.manual_seed(1)
        return pytree.tree_leaves(around(function)(*args, **kwargs))


@dataclass(frozen=True)
class Expected:
    """What eager PyTorch gives."""

    values: list[Any]
    decided: bool
    """False if it gives something else each time: random numbers, memory that nobody wrote."""
    exact: list[Any] | None
    """From arguments of f64, where that can be computed."""

    @staticmethod
    def of(
        call: Call, name: str = "", reference: Callable[[], list[Any]] | None = None
    ) -> Expected:
        """Runs an operation eagerly, three times."""
        import torch

        values = call()
        name = name or getattr(call.function, "__name__", "")
        torch.manual_seed(2)
        again = call(lambda f: lambda *a, **k: (torch.manual_seed(3), f(*a, **k))[1])
        decided = "empty" not in name and all(map(_same, values, again))
        try:
            exact = reference() if reference else call(upcast=True)
        except Exception:
            exact = None
        return Expected(values, decided, exact)

    def difference(self, found: list[Any]) -> str:
        """What is wrong with a result; empty if nothing is."""
        import torch

        if len(found) != len(self.values):
            return f"{len(found)} results instead of {len(self.values)}"
        for number, (ours, theirs) in enumerate(zip(found, self.values, strict=True)):
            if not isinstance(theirs, torch.Tensor):
                if self.decided and not _same(ours, theirs):
                    return f"result {number} is {ours} instead of {theirs}"
                continue
            if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
                return (
                    f"result {number} is {ours.dtype} {tuple(ours.shape)} instead of "
                    f"{theirs.dtype} {tuple(theirs.shape)}"
                )
            text = _difference(ours, theirs) if self.decided else ""
            if text and not self._forgives(number, ours):
                return f"result {number}: {text}"
        return ""

    def _forgives(self, number: int, ours: Any) -> bool:
        """Whether a result is about as near to that of f64 as the eager one is."""
        import torch

        exact = self.exact[number] if self.exact and len(self.exact) > number else None
        theirs = self.values[number]
        if not isinstance(exact, torch.Tensor) or exact.shape != theirs.shape:
            return False
        if not (theirs.is_floating_point() and exact.is_floating_point()):
            return False
        if not _difference(ours, exact.to(ours.dtype)):
            return True
        finite = exact.isfinite() & theirs.isfinite()
        if not torch.equal(ours.isfinite() & exact.isfinite(), finite):
            return False
        away = [float((x.double() - exact)[finite].norm()) for x in (ours, theirs)]
        return away[0] <= FORGIVEN * away[1]


def _same(one: Any, other: Any) -> bool:
    import torch

    if not isinstance(one, torch.Tensor) or not isinstance(other, torch.Tensor):
        return bool(one == other)
    return one.shape == other.shape and not _difference(one, other)


def _difference(ours: Any, theirs: Any) -> str:
    """By PyTorch's own tolerances for the element type."""
    import torch

    try:
        torch.testing.assert_close(ours, theirs, equal_nan=True, check_stride=False)
    except AssertionError as error:
        return str(error)
    return ""


def _compiled(call: Call, expected: Expected, backend: str) -> tuple[str, str, bool]:
    """How it ends with a backend of inductor, why, and whether that made a kernel."""
    import torch
    import torch._inductor.config as inductor
    from torch._inductor.utils import run_and_get_code

    torch._dynamo.reset()
    settings: AbstractContextManager[Any] = inductor.patch(
        cpu_backend=backend, compile_threads=1, cpp_cache_precompile_headers=False
    )
    try:
        with settings:
            found, codes = run_and_get_code(call, torch.compile)
    except Exception as error:
        cause: BaseException = error
        while cause.__cause__ is not None:
            cause = cause.__cause__
        return ERROR, f"{type(cause).__name__}: {cause}", False
    kernels = any("@triton.jit" in code for code in codes)
    text = expected.difference(found)
    return (WRONG if text else RIGHT), text, kernels
