"""What is said while something takes long: on a terminal, and nowhere else."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

import pytest
from triton_shared.terminal import Say

PROGRAM = """
import sys, time
if "without" in sys.argv: sys.modules["rich"] = None
from triton_shared.terminal import counting, working
with working("counting sheep") as say:
    time.sleep(0.3)
    say("counting lambs")
    time.sleep(0.3)
    print("done")
with counting("feeding sheep", 3) as told:
    for n in range(1, 3):
        told(n, f"feeding sheep {n}")
        time.sleep(0.3)
"""


def on_terminal(*words: str) -> str:
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *words],
        stdout=subprocess.PIPE, stderr=follower, env={**os.environ, "TERM": "xterm"},
    )  # fmt: skip
    os.close(follower)
    said = b""
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:  # The other end is closed.
            break
        said += part
    assert process.communicate()[0] == b"done\n"
    return said.decode()


def test_a_terminal_says_what_goes_on_and_is_left_clean():
    said = on_terminal()
    assert "counting sheep" in said
    assert "counting lambs" in said
    assert re.search(r"feeding sheep 2.*2/3", said)
    assert said.rstrip().endswith(("\x1b[2K", "\x1b[?25h"))


def test_elsewhere_nothing_is_said():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("done\n", "")


def test_without_rich_nothing_is_said():
    assert on_terminal("without") == ""


@pytest.mark.parametrize(
    ("command", "words", "said"),
    [
        ("diff", ["nothing.py", "--targets", "cpu,interpreter"], "comparing cpu and interpreter"),
        ("blame", ["nothing.py"], "looking who is to blame in nothing.py"),
        ("explain", [__file__, "-o", "page.html"], "looking at test_terminal.py"),
        ("explain", [__file__], "looking at test_terminal.py"),
    ],
)
def test_commands_that_take_long_say_so(
    command: str, words: list[str], said: str, monkeypatch: pytest.MonkeyPatch
):
    module = import_module(f"triton_shared.{command}.__main__")
    told: list[str] = []

    @contextmanager
    def working(what: str) -> Iterator[Say]:
        told.append(what)
        yield told.append

    monkeypatch.setattr(module, "working", working)
    assert module.main(words) != 0
    assert told == [said]
