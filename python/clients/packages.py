"""Packages of clients that only slow tests need, in a folder of their own.

`python -m clients.packages` fetches them from the package index, once; `make test-all` does so.
Nothing of them is installed beside the packages of requirements.txt.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

LIST = Path(__file__).parent / "requirements.txt"
FOLDER = Path(__file__).resolve().parents[2] / ".venv" / "clients"
_STAMP = FOLDER / LIST.name


def there() -> bool:
    """Whether the folder has what the list names."""
    return _STAMP.is_file() and _STAMP.read_text() == LIST.read_text()


def use() -> None:
    """From now on, they can be imported; those of requirements.txt come first."""
    if str(FOLDER) not in sys.path:
        sys.path.append(str(FOLDER))


def version_of(name: str) -> str:
    """The one that the list asks for."""
    for line in LIST.read_text().splitlines():
        package, _, version = line.partition("==")
        if package == name:
            return version
    raise LookupError(f"{LIST} does not name '{name}'")


def fetch() -> None:
    """Puts them into the folder, all or none."""
    if there():
        return
    print("fetching packages of clients, for slow tests", flush=True)
    # What is half there would be taken for all of it.
    half = Path(tempfile.mkdtemp(dir=FOLDER.parent))
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "-q")
    subprocess.run([*pip, "--no-deps", "--target", str(half), "-r", str(LIST)], check=True)
    shutil.copy(LIST, half / LIST.name)
    half.chmod(0o755)
    if FOLDER.exists():
        shutil.rmtree(FOLDER)
    half.rename(FOLDER)


if __name__ == "__main__":
    fetch()
