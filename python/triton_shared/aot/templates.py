"""The C and C++ files, which are templates in `templates/`."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import jinja2


def render(template: str, **values: Any) -> str:
    """Fills a template; a name that it lacks is an error."""
    from .. import __version__

    return _environment().get_template(template).render(version=__version__, **values)


@functools.cache
def _environment() -> jinja2.Environment:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("triton_shared.aot"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # C is not HTML.
    )
    environment.filters["c_bytes"] = _as_c_bytes
    return environment


def _as_c_bytes(content: bytes) -> str:
    lines = (content[at : at + 24] for at in range(0, len(content), 24))
    return "\n".join("".join(f"{byte}," for byte in line) for line in lines)
