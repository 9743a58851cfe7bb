"""Replays what a page of docs/ shows, in a folder of its own.

A block whose fence names a file (```c main.c) is that file. In a block `console`, a line after `$`
is a command of bash, and what follows is what it prints; `…` stands for anything, a line that is
only `…` for any lines.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def replay(page: str, folder: Path) -> int:
    """Runs the page's commands in `folder`; the count of commands, all as shown."""
    text = (ROOT / "docs" / page).read_text()
    environment = _environment(folder)
    count = 0
    for language, name, content in _BLOCK.findall(text):
        if name:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        elif language == "console":
            for command, shown in _commands(content):
                _run(command, shown, folder, environment)
                count += 1
    return count


def _environment(folder: Path) -> dict[str, str]:
    programs = folder / ".bin"
    programs.mkdir(parents=True)
    # A link would not find the packages of a virtual environment.
    (programs / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (programs / "python").chmod(0o755)
    path = os.pathsep.join([str(programs), str(ROOT / "build" / "bin"), os.environ["PATH"]])
    return {**os.environ, "PATH": path, "COLUMNS": "100"}


def _commands(content: str) -> Iterator[tuple[str, str]]:
    for part in re.split(r"^\$ ", content, flags=re.MULTILINE)[1:]:
        lines = part.split("\n")
        command = [lines.pop(0)]
        while command[-1].endswith("\\"):
            command.append(lines.pop(0).removeprefix("> "))
        yield "\n".join(command), "\n".join(lines).rstrip()


def _run(command: str, shown: str, folder: Path, environment: dict[str, str]) -> None:
    bash = shutil.which("bash")
    assert bash
    done = subprocess.run(
        [bash, "-c", command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
    )
    pattern = "".join(
        r"(?:.*\n)*" if line == "…" else re.escape(line).replace("…", ".*") + r"\n"
        for line in shown.splitlines()
    )
    printed = done.stdout.rstrip()
    assert re.fullmatch(pattern, f"{printed}\n" if printed else ""), (
        f"$ {command}\n{printed}\n--- the page shows\n{shown}"
    )
