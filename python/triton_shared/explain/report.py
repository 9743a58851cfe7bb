"""One kernel's report: data, a page, JSON, or a cell of a notebook."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..terminal import Say, say_nothing
from . import gathering, page
from .gathering import Question


@dataclass(frozen=True)
class Report:
    """What the compiler did to a kernel, and why; `schema.json` describes `data`."""

    data: Mapping[str, Any]

    @staticmethod
    def of(question: Question, say: Say = say_nothing) -> Report:
        """Compiles a kernel and says everything about it; `say` is told what takes long.

        Raises CompilationError for what does not compile, TritonSharedError for an unknown option.
        """
        return Report(gathering.gather(question, say))

    @property
    def kernel(self) -> str:
        """The name of the kernel."""
        return str(self.data["kernel"])

    def html(self) -> str:
        """One page that needs nothing beside it."""
        return page.render(dict(self.data))

    def json(self) -> str:
        """The same as data."""
        return json.dumps(self.data, indent=1)

    @staticmethod
    def load(path: str | Path) -> Report:
        """A report that was written as JSON. Raises ValueError for what is none of this version."""
        try:
            data = json.loads(Path(path).read_text())
        except ValueError:
            data = None
        if not isinstance(data, dict) or data.get("schema") != gathering.SCHEMA:
            raise ValueError(
                f"{path} is no report of this version of triton_shared.explain; "
                "-o NAME.json writes one"
            )
        return Report(data)

    def compared(self, other: Report) -> str:
        """One page about two reports: what differs comes first."""
        from . import compare

        return compare.render(self.data, other.data)

    def write(self, path: str | Path) -> Path:
        """Writes a page, or data if the name ends with `.json`."""
        path = Path(path)
        path.write_text(self.json() if path.suffix == ".json" else self.html())
        return path

    def _repr_html_(self) -> str:
        """The page in a frame of a notebook's cell."""
        content = html.escape(self.html(), quote=True)
        return f'<iframe srcdoc="{content}" style="width: 100%; height: 50rem; border: 0"></iframe>'

    def __repr__(self) -> str:
        return f"<report of kernel '{self.kernel}' for {self.data['target']}>"
