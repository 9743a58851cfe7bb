"""Writes reproducers, and reads those of strangers.

Reading takes nothing on trust: names are those of a list, sizes are looked at before anything is
unpacked, arrays are bytes of the declared size, every checksum is checked, and what is left of a
damaged file is an error. No pickle, no import, no path of the file's own.
"""

from __future__ import annotations

import hashlib
import io
import json
import platform
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ..diff import recording
from ..diff.formats import wide
from ..diff.recording import Recording, RecordingError

VERSION = 1
MANIFEST, LAUNCH, REPORT, STATS = "manifest.json", "launch.json", "report.json", "stats.json"
SOURCE = "kernel.py"

MOST_MEMBERS = 1024
MOST_BYTES = 8 << 30
"""Of all members together, unpacked."""
_MOST = {".json": 64 << 20, ".py": 16 << 20, ".ttir": 64 << 20, ".npy": MOST_BYTES}
"""Of one member, by its kind."""
_DEEPEST = 64
"""How far JSON may nest."""

_NAMES = re.compile(
    r"(?:manifest|launch|report|stats)\.json|kernel\.(?:py|ttir)|(?:storage|value|bound)-\d{1,4}\.npy"
    r"|evidence/[\w-][\w.-]{0,99}"
)
_EVIDENCE = "evidence/"
_MOST_EVIDENCE = 64 << 20
"""Of one file of evidence."""
_FOLDER = re.compile(r'"[^"\n]*/([^"/\n]+\.py)"')
"""A source file as a text names it, with the folders that are nobody's business."""


class ReproducerError(RecordingError):
    """A file that is no reproducer, or a damaged one."""


@dataclass(frozen=True)
class Reproducer:
    """What a file holds."""

    launch: Recording
    """Without the file of its kernel: it runs from its TTIR."""
    manifest: dict[str, Any]
    report: dict[str, Any] | None
    source: str
    """The Python file of the kernel, to be read; empty if it was not there."""
    source_name: str
    """What places in the TTIR call that file."""
    stats: dict[str, Any] | None
    """A summary of each tensor, where the content was left out."""
    evidence: dict[str, bytes] = field(default_factory=dict)
    """What steps on the way to the report have left: modules, PTX, logs; nobody reads them here."""


def write(
    path: Path,
    launch: Recording,
    report: str | None = None,
    *,
    stats_only: bool = False,
    evidence: Mapping[str, bytes] | None = None,
) -> None:
    """Writes a reproducer; `report` is JSON, `evidence` are files by name.

    With `stats_only`, there is a summary in the place of the content of each tensor.
    """
    members: dict[str, bytes] = {}
    kept = replace(launch, file=Path(launch.file).name, ttir=_FOLDER.sub(r'"\1"', launch.ttir))
    source = Path(launch.file)
    if launch.file and source.is_file():
        members[SOURCE] = source.read_bytes()
    members[LAUNCH] = json.dumps(kept.facts(), indent=1).encode()
    if kept.ttir:
        members[recording.TEXT] = kept.ttir.encode()
    if stats_only:
        members[STATS] = json.dumps(_summaries(kept), indent=1).encode()
    else:
        members |= {name: _array_bytes(array) for name, array in kept.arrays().items()}
    if report is not None:
        members[REPORT] = report.encode()
    for name, data in (evidence or {}).items():
        members[f"{_EVIDENCE}{name}"] = data
    manifest = {
        "format": "ttrepro",
        "version": VERSION,
        "versions": _versions(),
        "stats_only": stats_only,
        "sha256": {name: hashlib.sha256(data).hexdigest() for name, data in members.items()},
    }
    half = path.with_name(f"{path.name}.tmp")
    with zipfile.ZipFile(half, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in {MANIFEST: json.dumps(manifest, indent=1).encode(), **members}.items():
            packed.writestr(name, data)
    half.rename(path)


def read(path: Path) -> Reproducer:
    """Reads a reproducer. Raises ReproducerError for all that is none."""
    members = _members(path)
    manifest = _json(members, MANIFEST, path)
    if manifest.get("format") != "ttrepro" or manifest.get("version") != VERSION:
        raise ReproducerError(
            f"{path} is a reproducer of version {manifest.get('version')!r}, this is {VERSION}"
        )
    _check_sums(members, manifest, path)
    facts = _json(members, LAUNCH, path)
    stats = _json(members, STATS, path) if STATS in members else None
    try:
        arrays = {
            n: _read_array(n, d) for n, d in members.items() if n.endswith(".npy") and "/" not in n
        }
        text = members.get(recording.TEXT, b"").decode()
        launch = recording.from_facts(facts, arrays if stats is None else None, text, str(path))
        if stats is None:
            _check_views(launch)
        source = members.get(SOURCE, b"").decode()
    except ReproducerError as error:
        raise ReproducerError(f"{path} is damaged: {error}") from error
    except (KeyError, ValueError, TypeError, AttributeError, RuntimeError, OverflowError) as error:
        raise ReproducerError(f"{path} is damaged: {type(error).__name__}: {error}") from error
    report = _json(members, REPORT, path) if REPORT in members else None
    kept = {
        name.removeprefix(_EVIDENCE): data
        for name, data in members.items()
        if name.startswith(_EVIDENCE)
    }
    bare = replace(launch, file="")
    return Reproducer(bare, manifest, report, source, Path(launch.file).name, stats, kept)


def _members(path: Path) -> dict[str, bytes]:
    """The content of the zip, once nothing is wrong with its directory."""
    try:
        with zipfile.ZipFile(path) as packed:
            infos = packed.infolist()
            _check_directory(path, infos)
            return {info.filename: packed.read(info) for info in infos}
    except ReproducerError:
        raise
    except (OSError, zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
        raise ReproducerError(f"{path} is no reproducer: {error}") from error
    except Exception as error:  # zlib.error, and whatever a codec thinks of.
        raise ReproducerError(f"{path} is damaged: {error}") from error


def _check_directory(path: Path, infos: list[zipfile.ZipInfo]) -> None:
    if len(infos) > MOST_MEMBERS:
        raise ReproducerError(f"{path} has {len(infos)} members; a reproducer has few")
    seen: set[str] = set()
    for info in infos:
        name = info.filename
        if not _NAMES.fullmatch(name):
            raise ReproducerError(f"{path} holds '{name}', which no reproducer has")
        if name in seen:
            raise ReproducerError(f"{path} holds '{name}' twice")
        seen.add(name)
        is_evidence = name.startswith(_EVIDENCE)
        most = _MOST_EVIDENCE if is_evidence else _MOST[Path(name).suffix]
        if info.file_size > most:
            raise ReproducerError(f"'{name}' of {path} unpacks to more than {most} bytes")
    if sum(info.file_size for info in infos) > MOST_BYTES:
        raise ReproducerError(f"{path} unpacks to more than {MOST_BYTES >> 30} GiB")


def _check_sums(members: dict[str, bytes], manifest: dict[str, Any], path: Path) -> None:
    sums = manifest.get("sha256")
    if not isinstance(sums, dict) or set(sums) != set(members) - {MANIFEST}:
        raise ReproducerError(f"{path} is damaged: its checksums are not those of its content")
    for name, expected in sums.items():
        if hashlib.sha256(members[name]).hexdigest() != expected:
            raise ReproducerError(f"{path} is damaged: the checksum of '{name}' does not match")


def _json(members: dict[str, bytes], name: str, path: Path) -> dict[str, Any]:
    if name not in members:
        raise ReproducerError(f"{path} is no reproducer: it has no '{name}'")
    try:
        value = json.loads(members[name])
        _check_depth(value, _DEEPEST)
    except (ValueError, RecursionError) as error:
        raise ReproducerError(f"'{name}' of {path} cannot be read: {error}") from error
    if not isinstance(value, dict):
        raise ReproducerError(f"'{name}' of {path} cannot be read: it is no object")
    return value


def _check_depth(value: Any, left: int) -> None:
    if left == 0:
        raise ValueError(f"it nests deeper than {_DEEPEST}")
    members = value.values() if isinstance(value, dict) else value
    if isinstance(value, (dict, list)):
        for member in members:
            _check_depth(member, left - 1)


def _array_bytes(array: torch.Tensor) -> bytes:
    made = io.BytesIO()
    np.save(made, array.numpy(), allow_pickle=False)
    return made.getvalue()


def _read_array(name: str, data: bytes) -> torch.Tensor:
    """An array whose header tells the truth about its size."""
    stream = io.BytesIO(data)
    readers: Any = np.lib.format
    if readers.read_magic(stream) != (1, 0):
        raise ReproducerError(f"'{name}' has another format of arrays")
    shape, is_fortran, dtype = readers.read_array_header_1_0(stream)
    count = 1
    for size in shape:
        count *= size
    left = len(data) - stream.tell()
    if is_fortran or dtype.hasobject or min(shape, default=0) < 0 or count * dtype.itemsize != left:
        raise ReproducerError(f"'{name}' is no array of the size that it says")
    values = np.frombuffer(data, dtype, count, stream.tell()).reshape(shape)
    return torch.from_numpy(values.copy())


def _check_views(launch: Recording) -> None:
    """Tensors lie inside of their memory, and the grid is one."""
    if any(storage.dtype != torch.uint8 or storage.dim() != 1 for storage in launch.storages):
        raise ReproducerError("memory is no array of bytes")
    for name, view in launch.views().items():
        try:
            if view.storage < 0:
                raise IndexError(view.storage)
            view.of(launch.storages)
        except (IndexError, RuntimeError, KeyError, TypeError) as error:
            raise ReproducerError(f"argument '{name}' lies outside of its memory") from error
    if len(launch.grid) > 3 or any(type(n) is not int or not 0 <= n < 2**31 for n in launch.grid):
        raise ReproducerError(f"{launch.grid} is no grid")


def _summaries(launch: Recording) -> dict[str, Any]:
    """Of each tensor: how it lies, and what can be said of its content without telling it."""
    told: dict[str, Any] = {}
    for name, view in launch.views().items():
        values = view.of(launch.storages)
        bits = values.contiguous().view(torch.uint8).numpy().tobytes() if values.numel() else b""
        facts: dict[str, Any] = {
            "elements": values.numel(),
            "sha256": hashlib.sha256(bits).hexdigest(),
        }
        if values.numel():
            numbers = wide(values)
            finite = numbers[numbers.isfinite()]
            facts |= {
                "nans": int(numbers.isnan().sum()),
                "infinities": int(numbers.isinf().sum()),
                "min": finite.min().item() if finite.numel() else None,
                "max": finite.max().item() if finite.numel() else None,
            }
        told[name] = facts
    return told


def _versions() -> dict[str, str]:
    import triton

    from .. import __version__, library

    return {
        "triton_shared": __version__,
        "library": library.version(),
        "triton": triton.__version__,
        "torch": str(torch.__version__),
        "python": platform.python_version(),
        "machine": platform.machine(),
    }
