"""From a kernel's signature to the plan of its launches.

Triton hands a launcher all arguments as they were written: constexprs too, tuples nested, tensor
descriptors whole. The compiled kernel wants a flat list of C values. The plan says, parameter by
parameter, how the one becomes the other; the native launcher follows it on every launch.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import library
from .check import session
from .errors import DamagedObjectError, DeviceAssertError, TritonSharedError

if TYPE_CHECKING:
    from . import _native
    from .check.launcher import CheckedLauncher

KINDS = {
    "u1": "i1",
    **{f"u{bits}": f"i{bits}" for bits in (8, 16, 32, 64)},
    **{f"i{bits}": f"i{bits}" for bits in (1, 8, 16, 32, 64)},
    "fp16": "f16",
    "f16": "f16",
    "bf16": "bf16",
    "fp32": "f32",
    "f32": "f32",
    "fp64": "f64",
    "f64": "f64",
}
"""Triton's word for a scalar type, and the C API's. Signs are the kernel's business."""

_DESCRIPTOR = re.compile(r"tensordesc(?:_im2col)?<([^\[<>]*)\[([^\]]*)\](?:.*input_rank=(\d+))?")
_DESCRIPTOR_TEXT = re.compile(r"!tt\.tensordesc<(?:tensor<)?((?:\d+x)+)(\w+)")


@dataclass(frozen=True)
class Parameter:
    """One parameter of the kernel as its user sees it."""

    name: str
    form: str
    """`skip` (a constexpr), `value`, `pointer`, `tuple` or `descriptor`."""
    kinds: tuple[str, ...] = ()
    """The C values it becomes, in order."""
    unsigned: bool = False
    element: str = ""
    """What a pointer or a descriptor must point at, in Triton's words; empty if anything."""
    rank: int = 0
    members: tuple[Parameter, ...] = ()

    def flat(self) -> Iterator[Parameter]:
        """This parameter, or the members of the tuple it is."""
        if self.form == "tuple":
            for member in self.members:
                yield from member.flat()
        else:
            yield self

    def value_names(self) -> list[str]:
        """What the user knows each of the C values by, `kinds` of them."""
        if self.form != "descriptor":
            return [self.name for _ in self.kinds]
        sizes, strides = (
            [f"{self.name}.{part}[{i}]" for i in range(self.rank)] for part in ("shape", "strides")
        )
        settings = [f"{self.name}.padding", f"{self.name}.round_f32_to_tf32"]
        return [self.name, *sizes, *strides, *settings, *sizes, *strides][: len(self.kinds)]

    def as_plan(self, number: Iterator[int]) -> tuple[Any, ...]:
        """The tuple that the native launcher reads; `number` counts the flat parameters."""
        if self.form == "tuple":
            return (self.form, self.name, [member.as_plan(number) for member in self.members])
        kind = self.kinds[0] if self.kinds else ""
        twice = len(self.kinds) > 2 * self.rank + 3
        return (self.form, self.name, next(number), kind, self.unsigned, self.rank, twice)


def parameters(signature: Mapping[Any, Any]) -> list[Parameter]:
    """Reads the signature that Triton gives a launcher: name (or index) to type."""
    return [_parameter(str(name), kind) for name, kind in signature.items()]


def _parameter(name: str, kind: Any) -> Parameter:
    if isinstance(kind, (tuple, list)):
        members = tuple(_parameter(f"{name}[{i}]", member) for i, member in enumerate(kind))
        return Parameter(name, "tuple", members=members)
    text = str(kind)
    if text == "constexpr":
        return Parameter(name, "skip")
    if match := _DESCRIPTOR.match(text):
        rank = int(match[3] or match[2].count(",") + 1)
        # The front end adds shape and strides of its own behind the descriptor.
        again = [*["i32"] * rank, *["i64"] * rank]
        kinds = ("ptr", *["i64"] * (2 * rank), "i1", "i1", *again)
        return Parameter(name, "descriptor", kinds, element=match[1], rank=rank)
    if match := _DESCRIPTOR_TEXT.match(text):
        rank = match[1].count("x")
        return Parameter(name, "descriptor", ("ptr", *["i64"] * (2 * rank), "i1", "i1"), rank=rank)
    if text.startswith("*"):
        return Parameter(name, "pointer", ("ptr",), element=text[1:].removeprefix("k"))
    if text.startswith("!tt.ptr<"):
        return Parameter(name, "pointer", ("ptr",))
    if text not in KINDS:
        raise TritonSharedError(f"parameter '{name}' has type '{text}', which cannot be passed")
    return Parameter(name, "value", (KINDS[text],), unsigned=text.startswith("u"))


ENTRY = (
    "grid.x", "grid.y", "grid.z", "programs.first", "programs.count", "programs.running"
)  # fmt: skip
"""The hidden parameters that the runtime passes to a kernel on the CPU: `KernelEntry`, in C++."""


def hidden_kinds(
    kernel: str, hidden: Iterable[Mapping[str, Any]], passed: Collection[str]
) -> list[str]:
    """What the launch fills in behind the arguments, from the kernel's metadata, in order.

    Raises TritonSharedError for a kind that the launcher does not pass.
    """
    kinds = [str(parameter["kind"]) for parameter in hidden]
    if unknown := [kind for kind in kinds if kind not in passed]:
        raise TritonSharedError(
            f"kernel '{kernel}' has the hidden parameter '{unknown[0]}', which its launcher "
            f"cannot pass; it passes {', '.join(passed)}\n"
            "compiler and launcher must be of one version: rebuild with 'make setup'"
        )
    return kinds


@dataclass(frozen=True)
class Binary:
    """What Triton carries as a kernel's `function`: the object file, linked at the first launch."""

    name: str
    obj: bytes


def make_launcher(src: Any, metadata: Any) -> _native.CpuLauncher | CheckedLauncher:
    """Makes the launcher of a compiled kernel: what Triton calls with grid and arguments."""
    plan = parameters(src.signature)
    if getattr(metadata, "instrumentation_mode", "") not in (session.ALL, session.BOUNDS):
        return _make_native(plan, metadata)
    from .check.launcher import CheckedLauncher

    table = Parameter("where tensors lie", "pointer", ("ptr",))
    return CheckedLauncher(metadata.name, plan, _make_native([*plan, table], metadata))


def _make_native(plan: list[Parameter], metadata: Any) -> _native.CpuLauncher:
    flat = [parameter for top in plan for parameter in top.flat()]
    kinds = [kind for parameter in flat for kind in parameter.kinds]
    compiled = list(metadata.args)
    if kinds != compiled:
        raise TritonSharedError(
            f"kernel '{metadata.name}' was compiled for the arguments ({', '.join(compiled)}), but "
            f"its signature asks for ({', '.join(kinds)})"
        )
    hidden = hidden_kinds(metadata.name, metadata.hidden, ENTRY)
    if hidden != list(ENTRY):
        raise TritonSharedError(
            f"kernel '{metadata.name}' was compiled for the hidden parameters "
            f"({', '.join(hidden)}), but the runtime passes ({', '.join(ENTRY)})"
        )
    number = itertools.count()

    def check(index: int, argument: Any) -> None:
        _check_argument(metadata.name, flat[index], argument)

    return library.make_launcher(
        metadata.name,
        [parameter.as_plan(number) for parameter in plan],
        lambda binary: _link(binary, metadata),
        check,
        DeviceAssertError,
    )


_accepted: set[str] = set()
"""The checksums of machine code that this process was told to take for the compiler's."""


def accept(code: bytes) -> bytes:
    """Has launchers take `code`, which somebody has put in the place of what a compiler made."""
    _accepted.add(hashlib.sha256(code).hexdigest())
    return code


def is_expected(digest: str, written_down: str) -> bool:
    """Whether machine code with the checksum `digest` may run."""
    return digest == written_down or digest in _accepted


def _link(binary: Binary, metadata: Any) -> _native.Kernel:
    reason = "its checksum does not match"
    digest = hashlib.sha256(binary.obj).hexdigest()
    if is_expected(digest, metadata.obj_sha256):
        try:
            together = bool(getattr(metadata, "launch_cooperative_grid", False))
            return library.load_kernel(binary.obj, metadata.entry, together)
        except ValueError as error:
            reason = str(error)
    if digest in _accepted:
        raise DamagedObjectError(
            f"the object in the place of kernel '{binary.name}' cannot be used: {reason}\n"
            "it must be a dump of this build on this machine, or made by stages.llir_to_obj"
        )
    raise DamagedObjectError(
        f"the compiled object of kernel '{binary.name}' is damaged: {reason}\n"
        f"{where_cached(metadata)}; delete it, or set TRITON_ALWAYS_COMPILE=1 to compile again"
    )


def where_cached(metadata: Any) -> str:
    """The folder of the kernel's cache entry."""
    from triton.runtime.cache import get_cache_manager

    folder = getattr(get_cache_manager(metadata.hash), "cache_dir", None)
    return f"it comes from {folder}" if folder else "it comes from Triton's cache"


def _check_argument(kernel: str, parameter: Parameter, argument: Any) -> None:
    """Rejects memory that the kernel was not compiled for, with the parameter's name."""
    if getattr(argument, "is_cpu", True) is False:
        raise ValueError(
            f"argument '{parameter.name}' of kernel '{kernel}' lies on device "
            f"'{argument.device}': the CPU cannot read it"
        )
    check_element_type(kernel, parameter, argument)


def check_element_type(kernel: str, parameter: Parameter, argument: Any) -> None:
    """Rejects elements of another type than the kernel was compiled for."""
    if not parameter.element:
        return
    from triton._utils import canonicalize_dtype

    given = canonicalize_dtype(argument.dtype)
    if _storage(given) != _storage(parameter.element):
        raise TypeError(
            f"argument '{parameter.name}' of kernel '{kernel}' points at {given}, but the kernel "
            f"was compiled for {parameter.element}"
        )


def _storage(element: str) -> str:
    """How an element lies in memory: signs do not matter there, and i1 takes a byte.

    A kernel read from a file has MLIR's words for its types.
    """
    same = {"i1": "i8", "u1": "i8", "f16": "fp16", "f32": "fp32", "f64": "fp64"}
    same |= {"f8E4M3FN": "fp8e4nv", "f8E5M2": "fp8e5"}
    return same.get(element, element.replace("u", "i"))
