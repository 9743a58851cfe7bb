"""Tables of pointers: memory whose 64-bit integers are addresses of other tensors.

Where a launch is repeated, memory lies elsewhere. What an address points to is recorded like an
argument; before a replay addresses become those of the copies, and after it those of the recording
again, so that two replays can be compared.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator

import torch

from .recording import Recording, Storages

_LEAST = 1 << 20
"""Nothing lies below this address: smaller numbers are numbers."""

_WORDS = ("tt.int_to_ptr", "tt.ptr_to_int", "!tt.ptr<!tt.ptr<")
"""What TTIR holds where integers of memory may be addresses."""


def record(recording: Recording, storages: Storages) -> None:
    """Adds the tensors of this process that the recorded memory holds addresses of."""
    looked_at = 0
    while looked_at < len(storages.copies):
        before, looked_at = looked_at, len(storages.copies)
        found = _candidates(recording, storages.copies, before)
        if not found.numel():
            continue
        for tensor in _tensors():
            base, size = tensor.untyped_storage().data_ptr(), tensor.untyped_storage().nbytes()
            if bool(((found >= base) & (found < base + size)).any()):
                storages.view(tensor)


def forget_unused(recording: Recording, ttir: str) -> None:
    """Leaves memory that only looked like a table of pointers as numbers.

    A kernel uses addresses if it makes pointers of integers or integers of pointers, or reads
    pointers from memory. In all others an integer that lies where some tensor does is chance.
    """
    if any(word in ttir for word in _WORDS):
        return
    named = 1 + max((view.storage for view in recording.views().values()), default=-1)
    del recording.storages[named:]
    recording.addresses[:] = [0] * named


def translate(
    recording: Recording, memory: list[torch.Tensor], old: list[int], new: list[int]
) -> None:
    """Changes addresses into the storages at `old` to those into the same storages at `new`."""
    sizes = [storage.numel() for storage in recording.storages]
    for number in _tables(recording):
        words = _words(memory[number])
        given = words.clone()
        for start, size, moved in zip(old, sizes, new, strict=True):
            if start >= _LEAST and moved >= _LEAST:
                words += ((given >= start) & (given < start + size)) * (moved - start)


def has_tables(recording: Recording) -> bool:
    """Whether memory of the launch holds addresses that are known."""
    found = _candidates(recording, recording.storages, 0)
    return any(
        bool(((found >= start) & (found < start + storage.numel())).any())
        for start, storage in zip(recording.addresses, recording.storages, strict=True)
    )


def _tables(recording: Recording) -> list[int]:
    """The storages that are seen as 64-bit integers."""
    views = recording.views().values()
    return sorted({view.storage for view in views if view.dtype in ("int64", "uint64")})


def _candidates(recording: Recording, copies: list[torch.Tensor], first: int) -> torch.Tensor:
    """What may be an address, in the tables from number `first` on."""
    words = [_words(copies[number]) for number in _tables(recording) if number >= first]
    found = torch.cat([torch.empty(0, dtype=torch.int64), *words])
    return found[found >= _LEAST].unique()


def _words(memory: torch.Tensor) -> torch.Tensor:
    return memory[: memory.numel() // 8 * 8].view(torch.int64)


def _tensors() -> Iterator[torch.Tensor]:
    """All tensors of this process that have memory of their own."""
    for thing in gc.get_objects():
        if type(thing) is torch.Tensor and thing.layout == torch.strided and thing.numel():
            yield thing
