"""What the backends for CPUs and GPUs answer Triton alike: both take kernels as text."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from triton.backends import compiler as base
from triton_shared.errors import TritonSharedError

from . import arguments, cache, descriptors, explaining, overrides, ttir, wording


class TextBackend(base.BaseBackend):
    """A backend, but for its target, its options and its phases."""

    def __init__(self, target: Any) -> None:
        super().__init__(target)
        wording.install()
        explaining.install()
        arguments.install(_is_ours)
        cache.install(_is_ours)
        overrides.install()
        descriptors.install()

    def pack_metadata(self, metadata: Any) -> tuple[int, int, int]:
        """What Triton hands to every launch; only a GPU needs it."""
        return (metadata.num_warps, metadata.num_ctas, metadata.shared)

    def get_codegen_implementation(self, options: Any) -> dict[str, Any]:
        """What the front end asks a target: its smallest dot, and its own float formats."""
        return ttir.codegen_implementation()

    def get_module_map(self) -> dict[str, ModuleType]:
        """`libdevice` calls keep the names of CUDA's library, on every device."""
        from triton.language.extra.cuda import libdevice

        return {"triton.language.extra.libdevice": libdevice}

    def refuse_gluon(self, language: Any) -> None:
        """Gluon writes the phase that Triton's own backends make of TTIR: it is none of ours."""
        if language == base.Language.GLUON:
            raise TritonSharedError(
                "a kernel in Gluon says which thread of a GPU holds what, and is compiled by "
                "Triton's own backends for GPUs alone\n"
                "write it with triton.language, or launch it outside of triton_shared.device(...)"
            )

    def load_dialects(self, ctx: Any) -> None:
        """The wheel needs no dialect of ours: it hands over text."""


def _is_ours(backend: Any) -> bool:
    return isinstance(backend, TextBackend)
