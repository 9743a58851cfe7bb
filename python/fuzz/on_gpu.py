"""Runs random programs on a GPU of this machine, through our own launcher."""

from __future__ import annotations

import functools
import itertools
import json
from typing import Any

import torch
from triton_shared.cuda import gpus
from triton_shared.cuda.launcher import hidden_plan, tensor_maps_plan
from triton_shared.cuda.options import CudaOptions
from triton_shared.cuda.tensor_map import Argument
from triton_shared.errors import CudaError

from .program import Buffer, Program
from .programs import LaunchError, Results, compiled, launch_plan


@functools.cache
def options() -> CudaOptions:
    """Those for the first GPU, without approximate functions: their errors are another matter."""
    major, minor = gpus.facts(0)["capability"]
    return CudaOptions(arch=f"sm{major}{minor}", precise=True)


def launch(program: Program) -> Results:
    """The written buffers after a launch."""
    compilation = compiled(program, options().words())
    facts = json.loads(compilation.metadata)
    memory = {buffer.name: _placed(buffer) for buffer in program.buffers.values()}
    threads, programs = facts["block"]
    plan = launch_plan(program)
    values = [Argument.of_kind(name, kind, unsigned) for _, name, _, kind, unsigned, *_ in plan]
    torch.cuda.init()
    try:
        kernel = gpus.load(compilation.artefact("cubin"), facts["entry"], facts["shared"], 0)
        launcher = gpus.make_launcher(
            "program",
            [*plan, *hidden_plan("program", facts["hidden"], itertools.count(len(plan)))],
            lambda handle: kernel,
            lambda index, argument: None,
            threads=threads,
            programs=programs,
            cooperative=False,
            starts_early=False,
            **tensor_maps_plan(facts["hidden"], values),
        )
        stream = torch.cuda.current_stream().cuda_stream
        arguments = [*(b.data_ptr() for b in memory.values()), *program.scalars.values()]
        launcher(*program.grid, 1, stream, kernel, None, None, None, None, *arguments)
        torch.cuda.synchronize()
    except CudaError as error:
        raise LaunchError(str(error)) from None
    return {
        name: memory[name].cpu().numpy().view(buffer.contents.dtype)
        for name, buffer in program.buffers.items()
        if buffer.written
    }


def _placed(buffer: Buffer) -> Any:
    """The bytes on the GPU, as far behind a multiple of 64 as they want."""
    skew = buffer.skew * buffer.contents.itemsize
    whole = torch.zeros(buffer.contents.nbytes + skew, dtype=torch.uint8, device="cuda")
    whole[skew:] = torch.from_numpy(buffer.contents.view("u1").copy())
    return whole[skew:]
