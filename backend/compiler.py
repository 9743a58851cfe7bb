"""The compiler half of the backend: the wheel's own clean-up of TTIR, then our phases.

Triton looks for exactly one concrete `BaseBackend` in this module.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from triton.backends import compiler as base
from triton_shared import library
from triton_shared.lowering import Lowering
from triton_shared.options import Options

from . import cache, overrides, ttir, wording


class CpuBackend(base.BaseBackend):
    """Compiles Triton kernels for the CPU."""

    binary_ext = "obj"

    def __init__(self, target: Any) -> None:
        super().__init__(target)
        wording.install()
        cache.install()
        overrides.install()

    @staticmethod
    def supports_target(target: Any) -> bool:
        """Whether this backend compiles for `target`; its arch is "" (torch.compile) or "cpu"."""
        return bool(target.backend == "cpu")

    def hash(self) -> str:
        """Names the compiler in cache keys: a rebuilt library makes old entries stale."""
        return f"triton-shared-{library.version()}-{self.target}"

    def parse_options(self, opts: dict[str, Any]) -> Options:
        """Picks the options out of a launch's keywords; TRITON_SHARED_MODE is the default mode."""
        return Options.parse({"warp_size": self.target.warp_size, **opts})

    def pack_metadata(self, metadata: Any) -> tuple[int, int, int]:
        """What Triton hands to every launch; a GPU would need it."""
        return (metadata.num_warps, metadata.num_ctas, metadata.shared)

    def get_codegen_implementation(self, options: Options) -> dict[str, Any]:
        """What the front end asks a target: its smallest dot, and its own float formats."""
        return ttir.codegen_implementation()

    def get_module_map(self) -> dict[str, ModuleType]:
        """`libdevice` calls keep the names of CUDA's library, on every device."""
        from triton.language.extra.cuda import libdevice

        return {"triton.language.extra.libdevice": libdevice}

    def load_dialects(self, ctx: Any) -> None:
        """The wheel needs no dialect of ours: it hands over text."""

    def add_stages(self, stages: dict[str, Any], options: Options, language: Any = None) -> None:
        """Fills `stages` with the phases, in order."""
        stages["ttir"] = lambda module, metadata: ttir.make_ttir(module, metadata)
        stages.update(Lowering(options).stages())
        make_object = stages["obj"]
        stages["obj"] = lambda llir, metadata: cache.remember(make_object(llir, metadata))
