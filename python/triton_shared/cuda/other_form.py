"""Another form of a kernel, for launches of which does not hold what the first form needs.

What reads by pointers is compiled as if a launch had all its tensor maps: it has, unless a tensor
begins, or its rows do, at no multiple of 16 bytes, or has more rows than a coordinate can say. At
the first such launch the kernel is compiled once more, and Triton keeps that like any other:
without maps, or, if the first form also asks how far boxes begin, as one in which each program
looks for itself.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

OPTION = "pointer_maps"
"""Of a launch line."""
TEXT = "other_form"
"""In the metadata of a kernel that takes its tensor maps for granted: the TTIR it was made of."""


class OtherForm:
    """Launches it, in the place of a launcher; made at the first launch on a GPU."""

    def __init__(self, metadata: Any, signature: Any, added: int) -> None:
        """So many arguments of a launch were `added` behind those that the kernel's author has."""
        self._metadata = metadata
        self._source = SimpleNamespace(signature=signature)
        self._added = added
        self._made: dict[int, tuple[Callable[..., None], Any]] = {}

    def __call__(
        self, x: int, y: int, z: int, stream: int, first: Any, packed: Any, *rest: Any
    ) -> None:
        """What a launcher takes. The hooks are those of the launch that is going on."""
        if first.device not in self._made:
            self._made[first.device] = self._make(first.device)
        launch, binary = self._made[first.device]
        _metadata, _enter, _exit, *arguments = rest
        own = arguments[: len(arguments) - self._added]
        launch(x, y, z, stream, binary, packed, None, None, None, *own)

    @property
    def is_made(self) -> bool:
        """Whether a launch has needed it."""
        return bool(self._made)

    def _make(self, device: int) -> tuple[Callable[..., None], Any]:
        from .launcher import load, make_launcher

        compiled = self.compile()
        metadata = compiled.metadata
        binary = load(metadata.name, compiled.asm["cubin"], metadata.shared, device)
        return make_launcher(self._source, metadata), binary

    def compile(self) -> Any:
        """As Triton compiles, and keeps, what it is given."""
        import triton
        from triton.compiler import make_backend

        known = self._metadata._asdict()
        named = make_backend(known["target"]).parse_options({}).__dict__
        options = {name: known[name] for name in named if name in known}
        with tempfile.TemporaryDirectory(prefix="triton-shared-") as folder:
            path = Path(folder) / f"{known['name'][:150]}.ttir"
            path.write_text(known[TEXT])
            maps = "guarded" if known["launch_bounds"] else "never"
            return triton.compile(
                str(path), target=known["target"], options={**options, OPTION: maps}
            )
