"""`python -m triton_shared.run SCRIPT …`: a script that was written for a GPU, on the CPU.

Scripts that leave the device to Triton need none of this. For those that name it, torch's device
"cuda" is the CPU here: tensors are made there and say that they are on a GPU, and what waits for a
GPU returns at once. What else a script asks of torch.cuda gets torch's own answer.
"""

from __future__ import annotations

import argparse
import runpy
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from . import device
from .errors import TritonSharedError

_ANSWERS: dict[str, Callable[..., Any]] = {
    "is_available": lambda: True,
    "device_count": lambda: 1,
    "current_device": lambda: 0,
    "set_device": lambda device: None,
    "synchronize": lambda device=None: None,
    "empty_cache": lambda: None,
}
"""What torch.cuda says of the CPU."""


@contextmanager
def cuda_means_cpu() -> Iterator[None]:
    """Inside the block, kernels run on the CPU, and so does what asks torch for "cuda"."""
    import torch
    from torch.overrides import TorchFunctionMode

    def moved(value: Any) -> Any:
        if isinstance(value, str) and value.partition(":")[0] == "cuda":
            return "cpu"
        if isinstance(value, torch.device) and value.type == "cuda":
            return torch.device("cpu")
        return value

    class CudaMeansCpu(TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(
            self, function: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            if function == torch.Tensor.is_cuda.__get__:
                return True
            if function == torch.Tensor.cuda:
                return args[0]
            named = {name: moved(value) for name, value in (kwargs or {}).items()}
            return function(*map(moved, args), **named)

    before = {name: getattr(torch.cuda, name) for name in _ANSWERS}
    for name, answer in _ANSWERS.items():
        setattr(torch.cuda, name, answer)
    try:
        with device("cpu"), CudaMeansCpu():
            yield
    finally:
        for name, function in before.items():
            setattr(torch.cuda, name, function)


def main(words: list[str]) -> int:
    """Runs a script; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m triton_shared.run", description=__doc__)
    parser.add_argument("script", type=Path, help="a Python script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="of the script")
    options = parser.parse_args(words)
    if not options.script.is_file():
        parser.error(f"there is no file '{options.script}'")
    sys.argv = [str(options.script), *options.arguments]
    sys.path.insert(0, str(options.script.resolve().parent))
    try:
        with cuda_means_cpu():
            runpy.run_path(str(options.script), run_name="__main__")
    except TritonSharedError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
