"""The compiler half of the backend: the wheel's own clean-up of TTIR, then our phases.

Triton looks for exactly one concrete `BaseBackend` in this module.
"""

from __future__ import annotations

from typing import Any

from triton_shared import knobs, library
from triton_shared.backend import text_backend, ttir
from triton_shared.cuda import stages as cuda_stages
from triton_shared.cuda import tools
from triton_shared.cuda.options import CudaOptions

BACKEND = "shared_cuda"
"""The name of our targets: Triton's own backend says yes to "cuda", and only one may."""


class SharedCudaBackend(text_backend.TextBackend):
    """Compiles Triton kernels for NVIDIA GPUs."""

    binary_ext = "cubin"

    @staticmethod
    def supports_target(target: Any) -> bool:
        """Whether this backend compiles for `target`; its arch is a number such as 90."""
        return bool(target.backend == BACKEND)

    def hash(self) -> str:
        """Names the compiler in cache keys: another library or ptxas makes old entries stale."""
        ptxas = tools.version_of(tools.find_ptxas(f"cuda:{self.target.arch}"))
        words = " ".join([ptxas, *knobs.ptxas_options()])
        return f"triton-shared-{library.version()}-ptxas-{words}-{self.target}"

    def parse_options(self, opts: dict[str, Any]) -> CudaOptions:
        """Picks the options out of a launch's keywords."""
        arch = f"sm{self.target.arch}"
        return CudaOptions.parse({"warp_size": self.target.warp_size, "arch": arch, **opts})

    def add_stages(
        self, stages: dict[str, Any], options: CudaOptions, language: Any = None
    ) -> None:
        """Fills `stages` with the phases, in order."""
        self.refuse_gluon(language)
        stages["ttir"] = ttir.make_ttir
        stages.update(cuda_stages.make_stages(options))
