"""The compiler half of the backend: the wheel's own clean-up of TTIR, then our phases.

Triton looks for exactly one concrete `BaseBackend` in this module.
"""

from __future__ import annotations

from typing import Any

from triton_shared import library
from triton_shared.lowering import Lowering, Metadata
from triton_shared.options import Options

from . import cache, text_backend, ttir, watched


class CpuBackend(text_backend.TextBackend):
    """Compiles Triton kernels for the CPU."""

    binary_ext = "obj"

    @staticmethod
    def supports_target(target: Any) -> bool:
        """Whether this backend compiles for `target`; its arch is "" (torch.compile) or "cpu"."""
        return bool(target.backend == "cpu")

    def hash(self) -> str:
        """Names the compiler in cache keys: a rebuilt library makes old entries stale."""
        return f"triton-shared-{library.version()}-{self.target}"

    def parse_options(self, opts: dict[str, Any]) -> Options:
        """Picks the options out of a launch's keywords; TRITON_SHARED_MODE is the default mode."""
        return watched.parse({"warp_size": self.target.warp_size, **opts})

    def add_stages(self, stages: dict[str, Any], options: Options, language: Any = None) -> None:
        """Fills `stages` with the phases, in order."""
        self.refuse_gluon(language)
        stages["ttir"] = lambda module, metadata: _make_ttir(module, metadata, options)
        stages.update(Lowering(options).stages())
        make_object = stages["obj"]
        stages["obj"] = lambda llir, metadata: cache.remember(make_object(llir, metadata))


def _make_ttir(module: Any, metadata: Metadata, options: Options) -> Any:
    """Cleans up what the front end has made, and keeps what it has asked the options for."""
    if isinstance(options, watched.WatchedOptions):
        options.note(metadata)
    return ttir.make_ttir(module, metadata)
