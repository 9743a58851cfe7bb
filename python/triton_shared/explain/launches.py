"""What a report says of a launch: programs' accesses, results on several targets, speed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from ..diff import addresses
from ..diff.recorder import record_launch
from ..diff.recording import Recording, RecordingError
from ..errors import TritonSharedError
from ..terminal import Say, say_nothing

_SHAPE = re.compile(r"\d+(x\d+)*")


def record(kernel: Any, args: Sequence[Any], grid: Any, keywords: Mapping[str, Any]) -> Recording:
    """The launch of a `@triton.jit` function, as it would happen now."""
    recording, _ = record_launch(kernel, tuple(args), grid, dict(keywords), "explain")
    return recording


def with_text(launch: Recording, ttir: str, types: Mapping[str, Any]) -> Recording:
    """The launch with the text of its kernel, without which the emulator has nothing to run.

    `types` has Triton's word for the type of each argument.
    """
    launch.ttir, launch.types = ttir, dict(types)
    addresses.forget_unused(launch, ttir)
    return launch


def signature_of(launch: Recording) -> dict[str, str]:
    """By parameter, the type that the launch's text was compiled for, or a constexpr's value."""
    return {
        name: str(launch.arguments.get(name)) if kind == "constexpr" else str(kind)
        for name, kind in (launch.types or {}).items()
    }


def describe(
    launch: Recording,
    programs: Sequence[tuple[int, int, int]] | None = None,
    target: str = "cpu",
    say: Say = say_nothing,
) -> dict[str, Any]:
    """The parts "launch", "maps", "validation" and "roofline" of a report.

    What cannot be had is null there, and "problems" says why. `say` is told what takes long.
    """
    from . import access_maps, roofline, validation

    problems: list[str] = []
    found: dict[str, Any] = {
        "launch": {"grid": list(launch.grid), "arguments": _describe_arguments(launch)},
        "maps": None,
        "validation": None,
        "roofline": None,
        "problems": problems,
    }
    chosen = programs or access_maps.choose_programs(launch.grid)
    try:
        say("interpreting programs")
        maps = access_maps.record(launch, chosen)
        found["maps"] = maps["programs"]
        if maps["lost"]:
            problems.append(_tell_lost(maps["lost"]))
            return found
    except (RecordingError, TritonSharedError) as error:
        problems.append(str(error))
    try:
        emulated = ("emulated",) if target != "cpu" and launch.ttir else ()
        found["validation"] = validation.validate(launch, (*validation.TARGETS, *emulated), say)
        # Speed is measured in this process, which a launch that has ended another would end.
        ended = {one["target"] for one in found["validation"] if one["status"] == "failed"}
        if found["maps"] and "cpu-fast" not in ended:
            say("measuring this machine and the launch")
            found["roofline"] = roofline.measure(launch, found["maps"], target)
    except (RecordingError, TritonSharedError) as error:
        problems.append(str(error))
    return found


def _tell_lost(access: Mapping[str, Any]) -> str:
    """Why a launch cannot be run, which would read or write what it does not own."""
    return (
        f"program ({', '.join(map(str, access['program']))}) accesses {access['elements']} "
        f"elements outside of '{access['argument']}' in line {access['line']}: the launch is not "
        "run, so that its results and its speed are not known"
    )


def _describe_arguments(launch: Recording) -> dict[str, str]:
    views = launch.views()
    return {
        name: f"{views[name].dtype}{list(views[name].shape)}" if name in views else str(value)
        for name, value in launch.arguments.items()
    }


def make_arguments(parameters: Sequence[Any], given: Sequence[str], kernel: str) -> dict[str, Any]:
    """Arguments for a kernel of a signature, from words such as `n=1000` and `x=32x64`.

    A pointer's word is the shape of a tensor: random numbers, or positions for integers.
    """
    words = dict(word.partition("=")[::2] for word in given)
    names = [parameter.name for parameter in parameters]
    if unknown := [name for name in words if name not in names]:
        raise TritonSharedError(
            f"kernel '{kernel}' has no parameter '{unknown[0]}'; it has {', '.join(names)}"
        )
    return {p.name: _argument(p, words.get(p.name), kernel) for p in parameters}


def _argument(parameter: Any, word: str | None, kernel: str) -> Any:
    if parameter.is_constant:
        return parameter.value
    if word is None and parameter.hint == 1:
        return 1
    example = "32x64" if parameter.type.startswith("*") else "1000"
    if word is None:
        raise TritonSharedError(
            f"parameter '{parameter.name}' of kernel '{kernel}' has no value\n"
            f"write --arg {parameter.name}={example}"
        )
    if parameter.type.startswith("*"):
        if not _SHAPE.fullmatch(word):
            raise TritonSharedError(
                f"'{word}' is no shape of a tensor\nwrite --arg {parameter.name}={example}"
            )
        return _tensor(parameter.type[1:], [int(n) for n in word.split("x")])
    for read in (int, float):
        with suppress(ValueError):
            return read(word)
    raise TritonSharedError(f"'{word}' is no number\nwrite --arg {parameter.name}={example}")


_DTYPES = {
    "fp16": "float16",
    "bf16": "bfloat16",
    "fp32": "float32",
    "fp64": "float64",
    "i1": "bool",
}


def _tensor(element: str, shape: list[int]) -> Any:
    import torch

    name = _DTYPES.get(element) or re.sub(r"^(u?)i?(\d+)$", r"\1int\2", element)
    dtype = getattr(torch, name, None)
    if dtype is None:
        raise TritonSharedError(f"no tensor of '{element}' can be made here: launch it in a script")
    made = torch.Generator().manual_seed(0)
    if dtype.is_floating_point:
        return torch.rand(shape, generator=made, dtype=torch.float32).to(dtype)
    size = 1
    for n in shape:
        size *= n
    return torch.arange(size).reshape(shape).to(dtype)
