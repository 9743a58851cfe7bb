"""Triton's cache, made safe: what a process loads is what a compiler has written, or nothing.

Triton writes the files of a kernel one by one, each with `put`, and ends with `put_group`. They are
collected aside, and become an entry with that last call. Where an entry cannot be kept, because
the folder cannot be written or the disk is full, the files live as long as this process.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import json
import os
import shutil
import tempfile
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from triton import knobs
from triton.runtime.cache import FileCacheManager
from triton_shared import cache_entry, dumps, library
from triton_shared import knobs as knobs_of_ours
from triton_shared.errors import CacheError, CacheWarning
from triton_shared.launcher import is_expected

_BESIDE = ".texts"
"""The folder, beside the entries, of texts that locations refer to."""


_compiling = threading.local()
"""Whether the entry that this thread asks for next is that of a backend of ours."""

_ours: set[str] = set()
"""The keys of entries that belong to backends of ours."""


def install(is_ours: Callable[[Any], bool]) -> None:
    """Makes Triton use this cache, unless the user has chosen one.

    Entries of backends that are not `is_ours` stay with Triton's own manager: a manager learns no
    more than a key, so the question that comes before it, what the key is, is listened to.
    """
    if knobs.cache.manager_class is None:
        knobs.cache.manager_class = SafeCacheManager
        _listen(is_ours)


@functools.cache
def _listen(is_ours: Callable[[Any], bool]) -> None:
    from triton.compiler import compiler

    original = compiler.get_cache_key

    def get_cache_key(src: Any, backend: Any, *rest: Any, **named: Any) -> str:
        key: str = original(src, backend, *rest, **named)
        _compiling.is_ours = is_ours(backend)
        return key

    compiler.get_cache_key = get_cache_key


class SafeCacheManager:
    """The cache entry of one key; what Triton expects of a `CacheManager`."""

    def __init__(self, key: str, override: bool = False, dump: bool = False) -> None:
        self.key = key
        if _compiling.__dict__.pop("is_ours", False):
            _ours.add(key)
        # Dumps and overrides are for people: single files, at the place that they know.
        self._plain = FileCacheManager(key, override, dump) if override or dump else None
        self._staged: Path | None = None
        self._is_private = False
        self._is_group = False

    @property
    def cache_dir(self) -> str:
        """The place of the entry."""
        return str(self._final()) if self._plain is None else str(self._plain.cache_dir)

    def has_file(self, filename: str) -> bool:
        """Whether there is such a file, which need not belong to an entry."""
        return self.get_file(filename) is not None

    def get_file(self, filename: str) -> str | None:
        """A file that was put by itself: launchers of other backends, tables of the autotuner."""
        if self._plain:
            found: str | None = self._plain.get_file(filename)
            return found
        if self._staged and (self._staged / filename).exists():
            return str(self._keep_beside(filename))
        path = self._final() / filename
        return str(path) if path.exists() else None

    def get_group(self, filename: str) -> dict[str, str] | None:
        """The files of the entry by name, all checked; None if it has to be compiled."""
        if self.key not in _ours:
            self._plain = self._plain or FileCacheManager(self.key)
            theirs: dict[str, str] | None = self._plain.get_group(filename)
            return theirs
        self._is_group = True
        if not self._final().exists():
            return None
        try:
            files = cache_entry.verify(self._final(), _build())
        except cache_entry.UnfitEntryError as reason:
            _warn(f"the cache entry '{self._final()}' is not used, and compiled again: {reason}")
            return None
        if filename not in files:
            return None
        group = {name: str(path) for name, path in files.items()}
        return group if _dump(group) else None

    def put(self, data: Any, filename: str, binary: bool = True) -> str:
        """Keeps a file; gives its path."""
        if self._plain:
            return str(self._plain.put(data, filename, binary))
        content = data if isinstance(data, bytes) else str(data).encode()
        if not self._is_group:
            return self._put_alone(content, filename)
        try:
            if self._staged is None:
                self._staged = cache_entry.stage(self._root(), self.key)
            path = self._staged / filename
            cache_entry.write_file(path, content)
        except OSError as error:
            path = self._keep_privately(content, filename, error)
        return str(path)

    def put_group(self, filename: str, group: dict[str, str]) -> str | None:
        """Makes an entry of what was put; `group` then names its files at their place."""
        if self._plain:
            return str(self._plain.put_group(filename, group))
        self._put_object(filename, group)
        places = {name: self._final() / name for name in group}
        text = json.dumps({"child_paths": {name: str(path) for name, path in places.items()}})
        is_kept = self._staged and not self._is_private and not self._has_short_entry(group)
        if self._staged and is_kept and not _is_overridden(group[filename]):
            try:
                # For tools that read Triton's cache; nothing here trusts it.
                cache_entry.write_file(
                    self._staged / f"{cache_entry.UNCHECKED}{filename}", text.encode()
                )
                cache_entry.publish(self._staged, self._final(), _build())
            except (OSError, TimeoutError) as error:
                _warn_about_folder(error)
            else:
                group.update({name: str(path) for name, path in places.items()})
                self._staged = None
                return str(self._final() / f"__grp__{filename}")
        if self._staged:
            _forget_at_exit(self._staged)
        return None

    def _has_short_entry(self, group: dict[str, str]) -> bool:
        """Whether a good entry is there, but without some of the files: its readers keep it."""
        try:
            files = cache_entry.verify(self._final(), _build())
        except cache_entry.UnfitEntryError:
            return False
        return not set(group) <= set(files)

    def _put_object(self, metadata: str, group: dict[str, str]) -> None:
        """Adds the object, which Triton has left out if it was told to store binaries only."""
        name = f"{metadata.removesuffix('.json')}.obj"
        code = _last.__dict__.pop("code", None)
        if code and name not in group:
            facts = json.loads(Path(group[metadata]).read_text())
            if is_expected(hashlib.sha256(code).hexdigest(), facts.get("obj_sha256", "")):
                group[name] = self.put(code, name)

    def _keep_beside(self, filename: str) -> Path:
        """A copy of a file whose entry is not in its place yet: USE_IR_LOC names it for good."""
        assert self._staged
        if self._is_private:
            return self._staged / filename
        place = self._root() / _BESIDE / self.key / filename
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(self._staged / filename, place)
        return place

    def _put_alone(self, content: bytes, filename: str) -> str:
        try:
            return str(FileCacheManager(self.key).put(content, filename))
        except OSError as error:
            return str(self._keep_privately(content, filename, error))

    def _keep_privately(self, content: bytes, filename: str, reason: OSError) -> Path:
        _warn_about_folder(reason)
        if self._staged:
            _forget_at_exit(self._staged)  # Files that were kept before are read from there.
        try:
            self._is_private = True
            self._staged = Path(tempfile.mkdtemp(prefix="triton-shared-cache-"))
            _forget_at_exit(self._staged)
            cache_entry.write_file(self._staged / filename, content)
        except OSError as error:
            raise CacheError(
                f"a compiled kernel cannot be kept: {error}\n"
                "free space, or point TRITON_CACHE_DIR or TMPDIR at a folder that can be written"
            ) from None
        return self._staged / filename

    def _root(self) -> Path:
        return Path(knobs.cache.dir)

    def _final(self) -> Path:
        return self._root() / self.key


def _dump(group: dict[str, str]) -> bool:
    """Dumps what comes from the cache if that is wanted; False if the entry has not all of it."""
    root = knobs_of_ours.dump_folder()
    if root is None:
        return True
    is_cubin = any(name.endswith(".cubin") for name in group)
    return dumps.write_cached(group, library.phases("cuda" if is_cubin else "cpu"), root)


def remember(code: bytes) -> bytes:
    """Keeps an object until its kernel's entry is made.

    With TRITON_STORE_BINARY_ONLY, Triton stores the binaries whose names it knows: those of GPUs.
    """
    if knobs.compilation.store_binary_only:
        _last.code = code
    return code


_last = threading.local()


def _is_overridden(metadata: str) -> bool:
    """Somebody's own text must not come back where nobody asks for it."""
    if knobs.compilation.override:
        return True
    return bool(json.loads(Path(metadata).read_text()).get("ir_override"))


@functools.cache
def _build() -> str:
    return f"triton-shared {library.version()}"


def _warn_about_folder(error: OSError) -> None:
    _warn(
        f"compiled kernels are kept for this process only: {error}; free space, or point "
        "TRITON_CACHE_DIR at a folder that can be written"
    )


def _warn(message: str) -> None:
    warnings.warn(message, CacheWarning, stacklevel=3)


_process = os.getpid()
_forgotten: set[Path] = set()


def _forget_at_exit(folder: Path) -> None:
    _forgotten.add(folder)


@atexit.register
def _remove_forgotten() -> None:
    if os.getpid() == _process:
        for folder in _forgotten:
            shutil.rmtree(folder, ignore_errors=True)
