"""One entry of the cache of compiled kernels: a folder that is whole, or is not there.

An entry is written aside and gets its place in one step. Its manifest names every file with its
checksum, and the compiler; whoever loads an entry checks all of it first, and who may have written
it. Nothing here raises for an entry that is damaged: it counts as absent.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import stat
import time
import uuid
from collections.abc import Callable
from pathlib import Path

MANIFEST = "manifest.json"
UNCHECKED = "__grp__"
"""Files of this name say where others are; tools change them when they move a cache."""

STAGING = ".staging"
"""The folder, beside the entries, in which entries are written and to which damaged ones go."""

_STALE_SECONDS = 3600
"""Nobody writes an entry for so long: its writer was killed."""
_PATIENCE_SECONDS = 30.0

_STAGED = re.compile(r"[A-Za-z0-9]+\.\d+\.[0-9a-f]{32}")


class UnfitEntryError(Exception):
    """Why an entry is not to be loaded."""


def stage(root: Path, key: str) -> Path:
    """Makes a folder in which an entry can be written; OSError if it cannot."""
    folder = root / STAGING / f"{key}.{os.getpid()}.{uuid.uuid4().hex}"
    folder.mkdir(parents=True)
    # Group and others may read, whatever the umask: an entry that they can write is not loaded.
    folder.chmod(0o755)
    return folder


def write_file(path: Path, content: bytes) -> None:
    """Writes one file of a staged entry."""
    path.write_bytes(content)
    path.chmod(0o644)


def publish(folder: Path, final: Path, build: str) -> bool:
    """Gives what `stage` made its place, with a manifest; False if a good one is there already.

    Several processes may do this at once, and may be killed at any point: whoever looks finds a
    whole entry or none. A good entry is never taken away, so that its readers find its files.
    """
    checked = (path for path in folder.iterdir() if not path.name.startswith(UNCHECKED))
    files = {path.name: _digest(path) for path in checked}
    text = json.dumps({"build": build, "files": files}, indent=1)
    write_file(folder / MANIFEST, text.encode())
    if not _rename(folder, final):
        import filelock  # As rare as damaged entries.

        with filelock.FileLock(folder.parent / "replace.lock", timeout=_PATIENCE_SECONDS):
            if not _replace(folder, final, build):
                shutil.rmtree(folder, ignore_errors=True)
                return False
    _sweep(folder.parent)
    return True


def _rename(folder: Path, final: Path) -> bool:
    try:
        folder.rename(final)
    except OSError:
        if not os.path.lexists(final):
            raise
        return False
    return True


def _replace(folder: Path, final: Path, build: str) -> bool:
    """Takes away what is no good entry; the lock is held, so that nobody else does."""
    while True:
        try:
            verify(final, build)
        except UnfitEntryError:
            _take_away(final, folder.parent)
        else:
            return False
        if _rename(folder, final):
            return True


def verify(folder: Path, build: str) -> dict[str, Path]:
    """The files of an entry by name; UnfitEntryError unless it is whole, ours and safe."""
    try:
        _check_owner(folder, folder.lstat(), stat.S_ISDIR)
        manifest = json.loads(_read(folder / MANIFEST))
        files = dict(manifest["files"])
        made_by = manifest["build"]
        digests = {str(name): _digest(folder / str(name)) for name in files}
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise UnfitEntryError(f"{type(error).__name__}: {error}") from None
    if made_by != build:
        raise UnfitEntryError(f"it was made by '{made_by}', this is '{build}'")
    wrong = [name for name in files if files[name] != digests[name]]
    if wrong or not files:
        raise UnfitEntryError(f"the checksum of '{(wrong or [MANIFEST])[0]}' is wrong")
    return {name: folder / name for name in files}


def _check_owner(path: Path, facts: os.stat_result, is_kind: Callable[[int], bool]) -> None:
    """Code of strangers is not run: the owner is this user or root, and nobody else may write."""
    if not is_kind(facts.st_mode):
        raise UnfitEntryError(f"'{path}' is not what it should be")
    if facts.st_uid not in (os.geteuid(), 0):
        raise UnfitEntryError(f"'{path}' belongs to user {facts.st_uid}")
    if facts.st_mode & 0o022:
        raise UnfitEntryError(f"'{path}' can be written by others")


def _read(path: Path) -> bytes:
    """Reads a file, after a look at who may have written it."""
    with open(path, "rb", opener=_open_no_link) as file:
        _check_owner(path, os.fstat(file.fileno()), stat.S_ISREG)
        return file.read()


def _open_no_link(name: str, flags: int) -> int:
    return os.open(name, flags | os.O_NOFOLLOW)


def _digest(path: Path) -> str:
    if path.parent / path.name != path or path.name in ("", ".", ".."):
        raise UnfitEntryError(f"'{path}' is no name of a file")
    return hashlib.sha256(_read(path)).hexdigest()


def _take_away(final: Path, aside: Path) -> None:
    """Makes place: what is there goes aside in one step."""
    gone = aside / f"damaged.{os.getpid()}.{uuid.uuid4().hex}"
    with contextlib.suppress(FileNotFoundError):
        final.rename(gone)
    shutil.rmtree(gone, ignore_errors=True)


def _sweep(aside: Path) -> None:
    """Removes what killed processes have left: folders with names of this module, nothing else."""
    assert aside.name == STAGING
    limit = time.time() - _STALE_SECONDS
    with contextlib.suppress(OSError):
        for entry in list(os.scandir(aside)):
            is_ours = _STAGED.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False)
            if is_ours and entry.stat(follow_symlinks=False).st_mtime < limit:
                shutil.rmtree(entry.path, ignore_errors=True)
