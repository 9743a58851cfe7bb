"""Files that a command line names."""

from __future__ import annotations

import sys
from pathlib import Path


def writes(path: Path, text: str) -> bool:
    """Writes a file; says so on the standard error if that fails."""
    try:
        path.write_text(text)
    except OSError as error:
        print(
            f"error: cannot write '{path}': {error.strerror}\n"
            "name a file in a folder that is there and can be written",
            file=sys.stderr,
        )
        return False
    return True
