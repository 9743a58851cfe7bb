"""Processes that compile the same kernels at once, are killed, and find damaged entries.

    python cache_storm.py --processes 32 --rounds 40

Each process launches kernels and looks at the results; some are killed at a random moment. Between
rounds, files of random entries are damaged. Ends with a line of counts, and exit code 1 if a
result was wrong or a process ended by anything but the kill.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import time
import warnings
from collections import Counter
from pathlib import Path

import torch
import triton_shared
from kernels import scale
from triton_shared import cache_entry, library

KERNELS = 3
RIGHT, WRONG, RAISED = 0, 3, 4


def launch_all() -> int:
    """The exit code of a process."""
    warnings.simplefilter("ignore", triton_shared.CacheWarning)
    scale.device_caches.clear()
    try:
        for number in range(KERNELS):
            x, out = torch.arange(40.0), torch.zeros(40)
            scale[(2,)](x, out, 40, 3.0 + number, BLOCK=16 << number)
            if not torch.equal(out[: 32 << number], (x * (3.0 + number))[: 32 << number]):
                return WRONG
    except Exception as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
        return RAISED
    return RIGHT


def start() -> int:
    """Forks a process off; gives its id."""
    child = os.fork()
    if child == 0:
        code = RAISED
        try:
            code = launch_all()
        finally:
            os._exit(code)
    return child


def damage(root: Path, generator: random.Random, counts: Counter[str]) -> None:
    """Spoils a file of some entries, as a disk or a careless program would."""
    for entry in sorted(root.glob("[!.]*")):
        if generator.random() < 0.5:
            continue
        file = generator.choice(sorted(entry.iterdir()))
        content = file.read_bytes()
        kind = generator.choice(["truncated", "overwritten", "removed", "emptied"])
        counts[kind] += 1
        if kind == "removed":
            file.unlink()
        else:
            middle = len(content) // 2
            spoilt = content[:middle] + bytes(8) + content[middle + 8 :]
            kept = {"truncated": content[:middle], "overwritten": spoilt, "emptied": b""}
            file.write_bytes(kept[kind])


def run_round(processes: int, generator: random.Random, counts: Counter[str]) -> None:
    """All processes at once; every third is to be killed."""
    children = [start() for _ in range(processes)]
    doomed = set(children[::3])
    for child in sorted(doomed):
        time.sleep(generator.random() * 0.05)
        os.kill(child, signal.SIGKILL)
    for child in children:
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            died = os.WTERMSIG(status) == signal.SIGKILL and child in doomed
            counts["killed" if died else "crashed"] += 1
        else:
            names = {RIGHT: "right", WRONG: "wrong", RAISED: "raised"}
            counts[names.get(os.WEXITSTATUS(status), "crashed")] += 1


def count_entries(root: Path, counts: Counter[str]) -> None:
    """What is left when no process runs."""
    for entry in root.glob("[!.]*"):
        try:
            cache_entry.verify(entry, f"triton-shared {library.version()}")
            counts["whole"] += 1
        except cache_entry.UnfitEntryError as error:
            print(f"{entry}: {error}", file=sys.stderr)
            counts["unfit"] += 1


def main(words: list[str]) -> int:
    """Runs all rounds and prints the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(words)
    generator = random.Random(options.seed)
    root = Path(os.environ["TRITON_CACHE_DIR"])
    library.version()  # Loaded once, before anything is forked off.
    counts: Counter[str] = Counter()
    with triton_shared.device("cpu"):
        for number in range(options.rounds):
            if number % 2:
                damage(root, generator, counts)
            run_round(options.processes, generator, counts)
    # A last one, that nobody kills, mends what is left.
    with triton_shared.device("cpu"):
        os.waitpid(start(), 0)
    count_entries(root, counts)
    print(json.dumps(dict(sorted(counts.items()))))
    bad = counts["wrong"] + counts["raised"] + counts["crashed"] + counts["unfit"]
    return int(bad > 0 or counts["whole"] != KERNELS)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
