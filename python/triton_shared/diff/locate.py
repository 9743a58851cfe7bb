"""Which program wrote an element.

The kernel runs again on the CPU with the element's memory changed before, on a part of the grid: if
the change survives, the program was not in that part. Halving the grid in each dimension leaves one
program. Nothing is known of kernels that ask how large the grid is, of elements that more than one
program writes, and of elements that none does.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch

from . import recording, replay
from .formats import bits
from .recording import Recording, View


def locate(launch: Recording, view: View, index: tuple[int, ...]) -> tuple[int, int, int] | None:
    """The program id that writes the element of `view`."""
    grid = [*launch.grid, 1, 1][:3]
    if not _is_written(launch, view, index, tuple(grid)):
        return None
    found = []
    for dimension in range(3):
        low, high = 0, grid[dimension]  # written by a program below `high`, by none below `low`
        while high - low > 1:
            middle = (low + high) // 2
            part = [*grid]
            part[dimension] = middle
            if _is_written(launch, view, index, tuple(part)):
                high = middle
            else:
                low = middle
        found.append(high - 1)
    x, y, z = found
    return (x, y, z)


def _is_written(
    launch: Recording, view: View, index: tuple[int, ...], grid: tuple[int, ...]
) -> bool:
    if 0 in grid:
        return False
    storages = [storage.clone() for storage in launch.storages]
    element = bits(view.of(storages)[index])
    element ^= torch.full_like(element, 0x5A)
    before = element.clone()
    made = replay.replay(launch, "cpu", storages, grid)
    return not torch.equal(bits(view.of(made.buffers)[index]), before)


def main(words: list[str]) -> int:
    """`FOLDER ARGUMENT INDEX ANSWER`: writes the program as JSON to the file ANSWER.

    A process of its own, as all replays. Its output belongs to the kernel and its file.
    """
    launch = recording.load(Path(words[0]))
    index = tuple(json.loads(words[2]))
    found = locate(launch, launch.views()[words[1]], index)
    Path(words[3]).write_text(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
