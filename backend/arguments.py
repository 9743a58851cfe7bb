"""Says which argument of which kernel Triton cannot take: Triton itself names its type alone."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

_WAYS_OUT = {
    "numpy.ndarray": "pass a tensor, as torch.from_numpy makes of it",
    "list": "pass a tuple, or a tensor",
    "complex": "pass its real and its imaginary part",
    "str": "annotate the parameter with tl.constexpr if the kernel is to know it",
}
_OTHERWISE = "a kernel takes tensors, numbers, tuples of them, tensor descriptors and None"


@functools.cache
def install(is_ours: Callable[[Any], bool]) -> None:
    """Explains the arguments of launches for which `is_ours`, asked for the backend, says yes.

    Where a launch fails: one that succeeds costs what it cost before. When this is called, the
    first launch of the process is on its way already: its arguments are looked at here.
    """
    from triton.runtime import jit

    original = jit.create_function_from_signature
    ours: set[int] = set()

    def create(signature: Any, parameters: Any, backend: Any) -> Any:
        if is_ours(backend):
            ours.update(id(parameter) for parameter in parameters)
            launch = _launch_in_flight()
            if launch:
                _explain(*launch)
        return original(signature, parameters, backend)

    def getitem(kernel: Any, grid: Any) -> Any:
        def launch(*args: Any, **named: Any) -> Any:
            try:
                return kernel.run(*args, grid=grid, warmup=False, **named)
            except (TypeError, OverflowError):
                function = _function_of(kernel)
                if function and ours.issuperset(map(id, function.params)):
                    _explain(function, args, named)
                raise

        return launch

    jit.create_function_from_signature = create
    jit.KernelInterface.__getitem__ = getitem


def _function_of(kernel: Any) -> Any:
    """The jitted function under autotuners and heuristics; None if there is none."""
    from triton.runtime import JITFunction

    while kernel is not None and not isinstance(kernel, JITFunction):
        kernel = getattr(kernel, "fn", None)
    return kernel


def _launch_in_flight() -> tuple[Any, Sequence[Any], Mapping[str, Any]] | None:
    """The kernel that is launched while its binder is made, and its arguments."""
    from triton.runtime import JITFunction

    frame = sys._getframe(2)
    while frame.f_back and frame.f_code is not JITFunction.run.__code__:
        frame = frame.f_back
    found = frame.f_locals
    # Somebody's own function may stand for `run`, with names of its own.
    if frame.f_code is not JITFunction.run.__code__ or not {"self", "args", "kwargs"} <= set(found):
        return None
    return found["self"], found["args"], found["kwargs"]


def _explain(function: Any, args: Sequence[Any], named: Mapping[str, Any]) -> None:
    """Raises an error that names the first argument that Triton does not take, if there is one."""
    from triton.runtime.jit import mangle_type

    given = {**dict(zip(function.arg_names, args, strict=False)), **named}
    for parameter in function.params:
        if parameter.is_constexpr or parameter.name not in given:
            continue
        value = given[parameter.name]
        try:
            mangle_type(value, True)
        except (TypeError, OverflowError) as error:
            where = f"argument '{parameter.name}' of kernel '{function.fn.__name__}'"
            raise type(error)(f"{where}: {_reason(value, error)}") from None


def _reason(value: Any, error: Exception) -> str:
    if isinstance(error, OverflowError):
        return f"{value} does not fit in 64 bits"
    if hasattr(value, "data_ptr"):
        return str(error)
    kind = type(value)
    module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    name = f"{module}{kind.__qualname__}"
    hint = _WAYS_OUT.get(name, _OTHERWISE)
    if module == "numpy." and name not in _WAYS_OUT:
        hint = "pass a Python number, as its .item() gives"
    return f"a '{name}' is no argument of a kernel; {hint}"
