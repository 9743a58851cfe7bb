"""Times Triton's own tutorials on Triton's backend and on ours: their sources, from a folder.

    python -m benchmarks.gpu.tutorials [--tuning] FOLDER OUT.json [NAME...]

FOLDER has the tutorials as Triton publishes them; they are no part of this repository. Each is
loaded once for each compiler, without the benchmarks that it runs itself, and tunes itself.
Configurations that its tuning finds nearly as fast as its best are all timed as rows are, and the
best of them counts: tuning runs each for itself, and what differs by a percent there changes from
one run to the next. Rows are compared first, then timed in turn; medians are kept. A first pass in
many processes fills the cache of compiled kernels. With `--tuning`, caches are empty, and what is
timed is the first run: how long all configurations take to be compiled and tried.
"""

from __future__ import annotations

import importlib.util
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
import types
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import torch
import triton
from triton.runtime.autotuner import Autotuner

from .speed import SIDES, nearly_best, side

Run = Callable[[], Any]
COMPILERS = 12
ROUNDS = 5
APART, APART_FP8 = 1e-2, 5e-2
"""Of the norm of a result, how far another compiler's may be from it; what is no number is not.
Powers that are rounded to two bits of mantissa differ with the blocks in which maxima are found."""
TRIALS = 5
"""How many configurations that tuning finds nearly as fast as its best are timed again at most."""


class _NoBenchmark:
    """In the place of what a tutorial's own benchmark becomes."""

    def run(self, *_: Any, **__: Any) -> None:
        return None


def load(path: Path, compiler: str) -> types.ModuleType:
    """A tutorial as `compiler` sees it: a module of its own, with caches of its own."""
    name = f"tutorial_{path.stem.replace('-', '_')}_{compiler}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    report = triton.testing.perf_report
    triton.testing.perf_report = lambda *_, **__: lambda _function: _NoBenchmark()
    driver = type(triton.runtime.driver.active)
    ask = driver.get_current_target

    def answer(self: Any) -> Any:
        target = ask(self)
        # Tutorials ask for Triton's own backend by its name.
        if sys._getframe(1).f_code.co_name != "is_cuda":
            return target
        return triton.backends.compiler.GPUTarget("cuda", target.arch, target.warp_size)

    driver.get_current_target = answer
    try:
        spec.loader.exec_module(module)
    finally:
        triton.testing.perf_report = report
        driver.get_current_target = ask
    if hasattr(module, "is_cuda"):
        module.is_cuda = lambda: True
    return module


def _random(*shape: int, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator(device="cuda").manual_seed(seed)
    return torch.randn(*shape, generator=generator, device="cuda").half()


#
# Rows
#


def _matmul(module: types.ModuleType, fp8: bool) -> Run:
    a, b = _random(4096, 4096), _random(4096, 4096, seed=1)
    if fp8:
        a, b = a.to(torch.float8_e5m2), b.T.to(torch.float8_e5m2)
    return lambda: module.matmul(a, b)


def _attention(module: types.ModuleType, dims: int, causal: bool, kind: str) -> Run:
    q, k, v = (_random(4, 32, 4096, dims, seed=seed) * 0.5 for seed in range(3))
    if kind == "fp8":
        # Values lie turned, as tensor cores read them in 8 bits.
        q, k, v = (x.to(torch.float8_e5m2) for x in (q, k, v.mT.contiguous().mT))
    return lambda: module.attention(q, k, v, causal, 0.5, kind == "specialized")


def _backward(module: types.ModuleType, dims: int) -> Run:
    """What the forward pass leaves is made by torch: not every compiler takes its kernel."""
    shape, scale = (4, 32, 4096, dims), 0.5
    q, k, v, grad = (_random(*shape, seed=seed) * 0.5 for seed in range(4))
    out = torch.nn.functional.scaled_dot_product_attention(q, k, v, scale=scale, is_causal=True)
    sums = torch.empty(shape[:3], device="cuda")
    later = torch.ones(4096, 4096, dtype=torch.bool, device="cuda").triu(1)
    for batch in range(shape[0]):
        for head in range(shape[1]):
            scores = (q[batch, head] @ k[batch, head].mT).float() * scale
            scores.masked_fill_(later, -float("inf"))
            sums[batch, head] = torch.logsumexp(scores, -1) / math.log(2)
    kept = types.SimpleNamespace(
        saved_tensors=(q, k, v, out, sums), sm_scale=scale, HEAD_DIM=dims, causal=True
    )
    return lambda: module._attention.backward(kept, grad)[:3]


def _group(module: types.ModuleType, by_tma: bool) -> Run:
    pairs = [(_random(2048, 2048, seed=i), _random(2048, 2048, seed=9 + i)) for i in range(4)]
    b_side = [b.T.contiguous() if by_tma else b for _, b in pairs]
    outs = [torch.empty(2048, 2048, device="cuda", dtype=torch.float16) for _ in pairs]
    lists = ([a for a, _ in pairs], b_side, outs)
    places = [torch.tensor([x.data_ptr() for x in one], device="cuda") for one in lists]
    sizes = torch.tensor([2048] * 12, dtype=torch.int32, device="cuda")
    function = module.triton_tma_perf_fn if by_tma else module.triton_perf_fn
    options = {"dtype": torch.float16} if by_tma else {}

    def run() -> list[torch.Tensor]:
        assert lists  # Addresses alone keep nothing alive.
        function(*places, sizes, sizes, 4, **options)
        return outs

    return run


def _persistent(module: types.ModuleType, name: str, options: Sequence[Any] = ()) -> Run:
    a, b = _random(8192, 2048), _random(8192, 2048, seed=1)
    right = b if options else b.T
    return lambda: getattr(module, name)(a, right, *options)


ROWS: dict[str, tuple[str, Callable[[types.ModuleType], Run]]] = {
    "03 f16 4096": ("03-matrix-multiplication", lambda m: _matmul(m, False)),
    "03 fp8 4096": ("03-matrix-multiplication", lambda m: _matmul(m, True)),
    **{
        f"06 forward {kind}{'causal' if causal else 'full'} {dims}": (
            "06-fused-attention",
            lambda m, d=dims, c=causal, k=kind: _attention(m, d, c, k.rstrip()),
        )
        for kind in ("", "specialized ", "fp8 ")
        for causal in (False, True)
        for dims in (128, 64)
    },
    **{
        f"06 backward causal {dims}": ("06-fused-attention", lambda m, d=dims: _backward(m, d))
        for dims in (128, 64)
    },
    "08 pointers 4x2048": ("08-grouped-gemm", lambda m: _group(m, False)),
    "08 tma 4x2048": ("08-grouped-gemm", lambda m: _group(m, True)),
    **{
        f"09 {name} 8192x8192x2048": (
            "09-persistent-matmul",
            lambda m, n=name, o=options: _persistent(m, n, o),
        )
        for name, options in {
            "matmul": (), "matmul_persistent": (), "matmul_tma": (False,),
            "matmul_tma_persistent": (False,), "matmul_descriptor_persistent": (False,),
        }.items()
    },
}  # fmt: skip


#
# Measuring
#


def _flat(result: Any) -> list[torch.Tensor]:
    found = result if isinstance(result, (list, tuple)) else [result]
    return [tensor.double().clone() for tensor in found]


@dataclass
class _Trial:
    """A configuration that counts as one of the best, and how long the row took with it."""

    choose: Callable[[], None]
    us: list[float] = field(default_factory=list)


@dataclass
class _Side:
    """A row as one compiler has it."""

    module: types.ModuleType
    run: Run
    trials: list[_Trial]

    def best(self) -> _Trial:
        return min(self.trials, key=lambda trial: statistics.median(trial.us))

    def chosen(self) -> dict[str, str]:
        return {name: str(kernel.best_config) for name, kernel in _tuned(self.module).items()}


def _kernels(module: types.ModuleType) -> dict[str, Autotuner]:
    return {name: one for name, one in vars(module).items() if isinstance(one, Autotuner)}


def _tuned(module: types.ModuleType) -> dict[str, Autotuner]:
    """The kernels that run in a row and have tuned themselves."""
    return {name: one for name, one in _kernels(module).items() if one.best_config}


def _trials(module: types.ModuleType) -> list[_Trial]:
    """Of each kernel of a row, what is nearly as fast as the best."""
    found = []
    for kernel in _tuned(module).values():
        if not kernel.cache:  # There is one configuration.
            continue
        times = {config: time[0] for config, time in kernel.configs_timings.items()}
        for config in nearly_best(times, TRIALS):
            found.append(_Trial(partial(kernel.cache.update, dict.fromkeys(kernel.cache, config))))
    return found or [_Trial(lambda: None)]


def _prepare(folder: Path, name: str, compiler: str) -> tuple[_Side, list[torch.Tensor]]:
    file, make = ROWS[name]
    module = load(folder / f"{file}.py", compiler)
    for kernel in _kernels(module).values():
        kernel.best_config = None  # Of what the tutorial ran by itself.
    run = make(module)
    results = _flat(run())
    torch.cuda.synchronize()
    return _Side(module, run, _trials(module)), results


def _compare(row: dict[str, Any], results: dict[str, list[torch.Tensor]]) -> bool:
    """Notes how far results are apart, if there are those of both; false if that is too far."""
    if len(results) < len(SIDES):
        return True
    pairs = list(zip(results["triton"], results["ours"], strict=True))
    row["apart"] = [float((a - b).norm() / a.norm()) for a, b in pairs]
    most = APART_FP8 if "forward fp8" in row["name"] else APART
    if all(part <= most for part in row["apart"]):
        return True
    failed = row.setdefault("failed", {})
    failed["compared"] = f"results are {row['apart']} apart"
    for compiler, tensors in results.items():
        if wrong := sum(int(tensor.isnan().sum()) for tensor in tensors):
            failed[compiler] = f"{wrong} numbers of the result are NaN"
    row["us"] = {}
    return False


def _time(sides: dict[str, _Side]) -> None:
    """In turn; the best configuration of each is what it has then."""
    for _ in range(ROUNDS):
        for compiler, one in sides.items():
            with side(compiler):
                for trial in one.trials:
                    trial.choose()
                    took = triton.testing.do_bench(one.run, warmup=10, rep=60, return_mode="median")
                    trial.us.append(took * 1e3)
    for one in sides.values():
        one.best().choose()


def measure(folder: Path, name: str) -> dict[str, Any]:
    """One row: how far both results are apart, each of them, both times in microseconds, and the
    configurations that were chosen. Results that differ are not timed."""
    row: dict[str, Any] = {"name": name}
    sides, results = {}, {}
    for compiler in SIDES:
        try:
            with side(compiler):
                sides[compiler], results[compiler] = _prepare(folder, name, compiler)
        except Exception as error:
            row.setdefault("failed", {})[compiler] = f"{type(error).__name__}: {error}"[-600:]
    if not _compare(row, results):
        return row
    _time(sides)
    for compiler, one in sides.items():
        with side(compiler):
            results[compiler] = _flat(one.run())
        row.setdefault("configs", {})[compiler] = one.chosen()
    if not _compare(row, results):
        return row
    row["us"] = {compiler: statistics.median(one.best().us) for compiler, one in sides.items()}
    if len(sides) == len(SIDES):
        row["ratio"] = row["us"]["triton"] / row["us"]["ours"]
    return row


def measure_tuning(folder: Path, name: str) -> dict[str, Any]:
    """Seconds of the first run with an empty cache, for each compiler."""
    file, make = ROWS[name]
    row: dict[str, Any] = {"name": name, "cores": os.cpu_count(), "seconds": {}}
    for compiler in SIDES:
        with tempfile.TemporaryDirectory() as cache, side(compiler):
            os.environ["TRITON_CACHE_DIR"] = cache
            run = make(load(folder / f"{file}.py", compiler))
            torch.cuda.synchronize()
            begin = time.perf_counter()
            run()
            torch.cuda.synchronize()
            row["seconds"][compiler] = time.perf_counter() - begin
    row["ratio"] = row["seconds"]["triton"] / row["seconds"]["ours"]
    return row


def main(words: list[str]) -> int:
    """See the top of this file."""
    is_tuning = words[0] == "--tuning"
    words = words[is_tuning:]
    folder, out, names = Path(words[0]), Path(words[1]), words[2:] or list(ROWS)
    if len(names) > 1 and not is_tuning:
        command = [sys.executable, "-W", "ignore", "-m", __spec__.name, str(folder)]
        with ThreadPoolExecutor(COMPILERS) as pool:
            list(
                pool.map(
                    lambda name: subprocess.run(
                        [*command, "/dev/null", name], capture_output=True, timeout=240
                    ),
                    names,
                )
            )
    rows = []
    for name in names:
        rows.append((measure_tuning if is_tuning else measure)(folder, name))
        print(json.dumps(rows[-1]), flush=True)
        out.write_text(json.dumps({"rows": rows}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
