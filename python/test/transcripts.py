"""Replays what a page of docs/ shows, in a folder of its own.

A block whose fence names a file (```c main.c) is that file. In a block `console`, a line after `$`
is a command of bash, lines after `>` go on with it, and what follows is what it prints; `…` stands
for anything, a line that is only `…` for any lines.

    python python/test/transcripts.py walkthrough.md    writes what the commands print into the page
    python python/test/transcripts.py --check wheel.md  replays a page, as the tests do
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tree import BUILD, ROOT

_BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def replay(page: str, folder: Path) -> int:
    """Runs the page's commands in `folder`; the count of commands, all as shown."""
    count = 0
    environment = _environment(folder)
    for content in _console_blocks(page, folder):
        for command, shown in _commands(content):
            printed = _run(command, folder, environment)
            pattern = "".join(map(_pattern, shown.splitlines()))
            assert re.fullmatch(pattern, printed), (
                f"$ {command}\n{printed}--- the page shows\n{shown}"
            )
            count += 1
    return count


def update(page: str, folder: Path) -> None:
    """Writes into the page what its commands print; lines with `…` stay as they are."""
    path = ROOT / "docs" / page
    text, done = path.read_text(), 0
    environment = _environment(folder)
    for content in _console_blocks(page, folder):
        made = content
        for command, shown in _commands(content):
            printed = _run(command, folder, environment)
            if "…" not in shown:
                old = "$ " + command.replace("\n", "\n> ") + "\n"
                made = made.replace(f"{old}{shown}\n" if shown else old, old + printed)
        # Another block may begin with the same commands.
        at = text.index(f"```console\n{content}```", done)
        done = at + len("```console\n")
        text = text[:done] + made + text[done + len(content) :]
    path.write_text(text)


def _console_blocks(page: str, folder: Path) -> Iterator[str]:
    """The blocks of commands in order, once the files before each are written."""
    for language, name, content in _BLOCK.findall((ROOT / "docs" / page).read_text()):
        if name:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        elif language == "console":
            yield content


def _pattern(line: str) -> str:
    return r"(?:.*\n)*" if line == "…" else re.escape(line).replace("…", ".*") + r"\n"


def _environment(folder: Path) -> dict[str, str]:
    (folder / "scripts").symlink_to(ROOT / "scripts")
    programs = folder / ".bin"
    programs.mkdir(parents=True)
    # A link would not find the packages of a virtual environment.
    (programs / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (programs / "python").chmod(0o755)
    path = os.pathsep.join([str(programs), str(BUILD / "bin"), os.environ["PATH"]])
    # Triton 3.9 warns that it has a default for this.
    defaults = {"TRITON_DEFAULT_FP_FUSION": "1"}
    return {**defaults, **os.environ, "PATH": path, "COLUMNS": "100"}


def _commands(content: str) -> Iterator[tuple[str, str]]:
    for part in re.split(r"^\$ ", content, flags=re.MULTILINE)[1:]:
        lines = part.split("\n")
        command = [lines.pop(0)]
        while lines[0].startswith("> "):
            command.append(lines.pop(0).removeprefix("> "))
        yield "\n".join(command), "\n".join(lines).rstrip()


def _run(command: str, folder: Path, environment: dict[str, str]) -> str:
    bash = shutil.which("bash")
    assert bash
    done = subprocess.run(
        [bash, "-c", command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=900,
    )
    printed = done.stdout.strip("\n")
    return f"{printed}\n" if printed else ""


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        if sys.argv[1] == "--check":
            print(f"{replay(sys.argv[2], Path(scratch))} commands print what the page shows")
        else:
            update(sys.argv[1], Path(scratch))
