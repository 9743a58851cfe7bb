"""The runtime's function for products as on a GPU, called without a compiler.

It tells an error of the function, or of the compiler's table, from one of our CPU leg: which
instruction a form has, its name says here.
"""

from __future__ import annotations

import ctypes
import functools
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import torch
from triton_shared.aot import runtime

from .dot_forms import STEP, Form
from .pack import ROOT

_TABLE = ROOT / "include" / "triton-shared" / "Target" / "TensorCores.def"
_ROW = re.compile(r"^TENSOR_CORE\((.*)\)$", re.MULTILINE)
_KINDS = ("f32", "f16", "bf16", "e4m3", "e5m2", "tf32-nearest", "tf32-cut", "f64")
"""As `runtime/kernel/kernel.h` numbers them."""
_NAMES = {
    torch.float32: "f32",
    torch.float16: "f16",
    torch.bfloat16: "bf16",
    torch.float8_e4m3fn: "e4m3",
    torch.float8_e5m2: "e5m2",
}


def core_of(form: Form, gpu: str) -> dict[str, str]:
    """The line of the table about a form, in the words of `tts.gpu_product`."""
    instruction = form.name.split()[0]
    left, right = _NAMES[form.left], _NAMES[form.right]
    if instruction == "mma" and left in ("e4m3", "e5m2"):
        left = right = "f16"
    if left == "f32" and instruction != "fma":
        left = right = "tf32-nearest" if instruction == "mma" else "tf32-cut"
    adds_in_half = form.sum == torch.float16 and instruction == "wgmma"
    core = {"instruction": instruction, "left": left, "right": right}
    core["sum"] = "f16" if adds_in_half else "f32"
    part = form.imprecise if instruction == "wgmma" and form.imprecise else 0
    operand = "tf32" if left.startswith("tf32") else "f8" if left in ("e4m3", "e5m2") else left
    capability = int(re.sub(r"\D", "", gpu))
    for row in _ROW.findall(_TABLE.read_text()):
        first, last, *words = (word.strip().strip('"') for word in row.split(","))
        known = int(first) <= capability <= int(last)
        if known and words[:3] == [instruction, operand, core["sum"]]:
            numbers = dict(zip(("block", "fraction", "result"), words[3:], strict=True))
            return {**core, **numbers, "part": str(part)}
    return {**core, "block": "0", "fraction": "0", "result": "0", "part": "0"}


@functools.cache
def _library() -> ctypes.CDLL:
    folder = Path(tempfile.mkdtemp())
    built = folder / "tensor_core.so"
    source = runtime.folder() / "tensor_core.c"
    command = ["cc", "-O3", "-shared", "-fPIC", "-o", str(built), str(source), "-lm"]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(built))


def run(form: Form, gpu: str, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    """The products of tiles, as `Form.run` gives them."""
    a, b, c = (tensor.cpu().contiguous() for tensor in (a, b, c))
    if not form.is_float:
        return (a.double() @ b.double().mT + c.double()).to(torch.int64).to(torch.int32)
    core = core_of(form, gpu)
    out = c.float().clone()
    # Sums that become f16 after each turn of the loop.
    step = STEP if form.sum == torch.float16 and core["sum"] == "f32" else a.shape[2]
    with ThreadPoolExecutor() as pool:
        for first in range(0, a.shape[2], step):
            whole = functools.partial(_tile, core, a, b, out, first, step)
            list(pool.map(whole, range(len(a))))
            if form.sum == torch.float16:
                out = out.half().float()
    return out.to(form.sum)


def _tile(
    core: dict[str, str],
    a: torch.Tensor,
    b: torch.Tensor,
    out: torch.Tensor,
    first: int,
    step: int,
    tile: int,
) -> None:
    long, word = ctypes.c_int64, ctypes.c_int32
    _, rows, depth = a.shape
    columns = b.shape[1]

    def kind(tensor: torch.Tensor) -> ctypes.c_int32:
        return word(_KINDS.index(_NAMES[tensor.dtype]))

    formats = [word(_KINDS.index(core[name])) for name in ("left", "right", "sum")]
    numbers = [word(int(core[name])) for name in ("block", "fraction", "result", "part")]
    _library().tritonSharedTensorCoreDot(
        *(long(a[tile, 0, first:].data_ptr()), long(depth), long(1), kind(a)),
        *(long(b[tile, 0, first:].data_ptr()), long(1), long(depth), kind(b)),
        *(long(out[tile].data_ptr()), long(columns), long(1), kind(out)),
        *(long(rows), long(columns), long(step), *formats, *numbers),
    )
