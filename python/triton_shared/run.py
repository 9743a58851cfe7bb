"""`python -m triton_shared.run SCRIPT …`: a script that was written for a GPU, on the CPU.

Scripts that leave the device to Triton need none of this. For those that name it, torch's device
"cuda" is the CPU here: tensors are made there and say that they are on a GPU, and what waits for a
GPU returns at once. `stand_in` has what torch.cuda answers; what is not there, torch answers.
"""

from __future__ import annotations

import argparse
import runpy
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from . import device
from .errors import TritonSharedError

_NOTE = (
    "triton_shared.run: note: Triton's backend is 'cpu' here, and torch computes on the CPU, where "
    "it rounds sums of f16 in other places than on a GPU; docs/gpu-scripts.md says what is not "
    "answered"
)


@contextmanager
def cuda_means_cpu() -> Iterator[None]:
    """Inside the block, kernels run on the CPU, and so does what asks torch for "cuda"."""
    import torch
    from torch.overrides import TorchFunctionMode

    from .stand_in import called_back, named_devices, torch_cuda

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
            if function in (torch.Tensor.cuda, torch.Tensor.pin_memory):
                return args[0]
            named = {name: moved(value) for name, value in (kwargs or {}).items()}
            named.pop("pin_memory", None)
            return function(*map(moved, args), **named)

    with (
        device("cpu"),
        torch_cuda.installed(moved),
        named_devices.on_the_cpu(moved),
        called_back.in_mode(CudaMeansCpu),
        CudaMeansCpu(),
    ):
        yield


def main(words: list[str]) -> int:
    """Runs a script; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m triton_shared.run", description=__doc__)
    parser.add_argument("-m", dest="module", action="store_true", help="SCRIPT is a module")
    parser.add_argument("script", help="a Python script, or with -m the name of a module")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="of the script")
    options = parser.parse_args(words)
    if not options.module and not Path(options.script).is_file():
        parser.error(f"there is no file '{options.script}'")
    sys.argv = [options.script, *options.arguments]
    try:
        with cuda_means_cpu():
            run_script(options.script, options.module)
    except TritonSharedError as error:
        print(error, file=sys.stderr)
        return 1
    except Exception as error:
        # Behind Python's own account, which ends with the notes of the exception.
        if sys.version_info < (3, 11):
            print(_NOTE, file=sys.stderr)
        else:
            error.add_note(_NOTE)
        raise
    return 0


def run_script(name: str, is_module: bool) -> None:
    """Runs a script, or a module by its name, as Python would."""
    if is_module:
        sys.path.insert(0, str(Path.cwd()))
        runpy.run_module(name, run_name="__main__", alter_sys=True)
        return
    sys.path.insert(0, str(Path(name).resolve().parent))
    runpy.run_path(name, run_name="__main__")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
