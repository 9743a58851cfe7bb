"""Kernels compiled ahead of time, for C and C++ programs that have neither Python nor Triton.

`compile_kernel` makes one variant of a kernel, `write` its files, `link_headers` one entry point
that picks the variant for its arguments, `Program` calls a shared library from Python. The command
lines are `python -m triton_shared.compile` and `python -m triton_shared.link`.
"""

from __future__ import annotations

from .kernel import Kernel, compile_kernel
from .linker import link_headers
from .loader import Program
from .outputs import EMITTABLE, write
from .signature import Parameter, parse_signature

__all__ = [
    "EMITTABLE",
    "Kernel",
    "Parameter",
    "Program",
    "compile_kernel",
    "link_headers",
    "parse_signature",
    "write",
]
