"""Boxes that kernels written by hand copy by TMA, and what a tensor map costs a launch.

The kernels are those that `make test` runs in the emulator (python/test/tensor_map_kernels.py).
"""

from __future__ import annotations

import multiprocessing
import re
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import torch

from .pack import ROOT

sys.path.insert(0, str(ROOT / "python" / "test"))

_LAUNCHES = 20000


def main() -> int:
    """Runs them on GPU 0; gives the exit code."""
    from tensor_map_kernels import cases

    boxes = cases()
    complaints = _run_all(len(boxes))
    wrong = len(complaints)
    for number, complaint in complaints.items():
        print(f"{boxes[number]}: {complaint}", flush=True)
    print(f"{len(boxes) - wrong} of {len(boxes)} boxes are right", flush=True)
    complaint = _replay_graph(boxes[0])
    print(f"in a graph: {complaint or 'right'}", flush=True)
    _time_launches(boxes[0])
    return int(bool(wrong or complaint))


def _run_all(count: int) -> dict[int, str]:
    """What is wrong with each case. A process that has lost the GPU makes room for a new one."""
    complaints: dict[int, str] = {}
    number = 0
    while number < count:
        first = number
        ours, theirs = multiprocessing.Pipe()
        process = multiprocessing.get_context("spawn").Process(
            target=_run_from, args=(number, count, theirs)
        )
        process.start()
        theirs.close()
        try:
            while number < count:
                if complaint := ours.recv():
                    complaints[number] = complaint
                number += 1
        except EOFError:
            if number == first:
                complaints[number] = "the process ended"
                number += 1
        process.join()
    return complaints


def _run_from(number: int, count: int, results: Connection) -> None:
    """Runs cases until the GPU is lost."""
    from tensor_map_kernels import cases

    for box in cases()[number:count]:
        try:
            results.send(_run(box))
        except (RuntimeError, ValueError) as error:
            results.send(str(error).partition("\n")[0])
            return


def _prepare(box: Any) -> tuple[Callable[..., None], list[Any], torch.Tensor]:
    """The launch of a kernel, its arguments, and what it writes to."""
    from tensor_map_kernels import on_gpu

    source = torch.from_numpy(box.source()).view(torch.int8).cuda()
    out = torch.full((box.bytes,), 0x55, dtype=torch.int8, device="cuda")
    launch = on_gpu(box.text(), box.scalars)
    return launch, [source, out, *(value for _, value in box.scalars)], out


def _complaint(box: Any, out: torch.Tensor) -> str:
    complaint: str = box.complaint(box.source(), out.cpu().view(torch.uint8).numpy())
    return complaint


def _run(box: Any) -> str:
    launch, arguments, out = _prepare(box)
    launch(*arguments, stream=torch.cuda.current_stream().cuda_stream)
    torch.cuda.synchronize()
    return _complaint(box, out)


def _replay_graph(box: Any) -> str:
    """A graph keeps the tensor map of the launch that it has captured."""
    launch, arguments, out = _prepare(box)
    stream = torch.cuda.Stream()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        launch(*arguments, stream=stream.cuda_stream)
    other = torch.zeros_like(arguments[0])
    launch(other, *arguments[1:], stream=torch.cuda.current_stream().cuda_stream)
    out.fill_(0x55)
    graph.replay()
    torch.cuda.synchronize()
    return _complaint(box, out)


def _time_launches(box: Any) -> None:
    """Launches with a map, with another one each time, and of a kernel that has none."""
    from tensor_map_kernels import on_gpu

    launch, arguments, _ = _prepare(box)
    copies = r"(, %map: !llvm.ptr \{[^}]*\})|(nvvm\.(cp|mbarrier)\.[^\n]*)"
    plain = on_gpu(re.sub(copies, "", box.text()), box.scalars)
    first = len(arguments) - len(box.start)
    times = {
        "without": _time(plain, lambda _: arguments),
        "with": _time(launch, lambda _: arguments),
        "with a new one": _time(
            launch, lambda i: [arguments[0], arguments[1], 10 + i, *arguments[3:first], 0, 0]
        ),
    }
    for name, seconds in times.items():
        print(f"a launch {name} tensor map: {seconds * 1e6:.2f} us", flush=True)


def _time(launch: Callable[..., None], arguments: Callable[[int], list[Any]]) -> float:
    """Of one launch, on the CPU: the least of five runs."""
    stream = torch.cuda.current_stream().cuda_stream
    least = float("inf")
    for run in range(5):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for i in range(_LAUNCHES // 5):
            launch(*arguments(run * _LAUNCHES + i), stream=stream)
        least = min(least, time.perf_counter() - start)
        torch.cuda.synchronize()
    return least / (_LAUNCHES // 5)
