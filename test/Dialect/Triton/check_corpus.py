"""Every text of the corpus comes back from the tool as it was.

Usage: check_corpus.py <triton-shared-opt> <corpus>

Each file also passes `--verify-roundtrip`. What is compared:

- ttir, raw   the text
- located     the text with locations; where the wheel names a block argument of an `scf` loop, no
              location in the text carries that name, so names may differ
- generic     nothing more: the tool prints the pretty form
"""

from __future__ import annotations

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

LOCATED = ["--mlir-print-debuginfo", "--mlir-use-nameloc-as-prefix"]


def without_names(text: str) -> str:
    """The text with every value called the same."""
    return re.sub(r"%[\w$.-]+", "%", text)


def check(tool: str, path: Path) -> str:
    """What is wrong with the file's way through the tool; empty if nothing is."""
    form = path.parent.name
    flags = LOCATED if form == "located" else []
    done = subprocess.run(
        [tool, "--verify-roundtrip", *flags, str(path)], capture_output=True, text=True
    )
    if done.returncode:
        return f"{path}: exit code {done.returncode}\n{done.stderr}"
    before, after = path.read_text().strip(), done.stdout.strip()
    if form == "located":
        before, after = without_names(before), without_names(after)
    if form == "generic" or before == after:
        return ""
    for number, (old, new) in enumerate(
        zip(before.split("\n"), after.split("\n"), strict=False), 1
    ):
        if old != new:
            return f"{path}:{number}: the text changes\n- {old}\n+ {new}"
    return f"{path}: lines are missing or added at the end"


def main() -> None:
    """Checks all files, and says how many come back."""
    tool, corpus = sys.argv[1], Path(sys.argv[2])
    files = sorted(corpus.glob("*/*.mlir"))
    with ThreadPoolExecutor() as pool:
        faults = [fault for fault in pool.map(lambda path: check(tool, path), files) if fault]
    print(*faults, f"{len(files) - len(faults)} of {len(files)} files come back", sep="\n")
    sys.exit(bool(faults) or not files)


if __name__ == "__main__":
    main()
