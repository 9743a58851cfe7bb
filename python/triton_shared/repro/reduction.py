"""Makes the kernel of a reproducer smaller, as long as two targets still differ.

`triton-shared-reduce` takes operations away and asks a command about each text. The command asks
this process, through a socket, so that no Python has to start up for each.
"""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from dataclasses import replace
from pathlib import Path

from .. import library
from ..diff import run
from ..diff.recording import Recording, RecordingError

_ASK = """\
#!{python} -IS
import socket, sys
asked = socket.socket(socket.AF_UNIX)
asked.connect({place!r})
asked.sendall(sys.argv[1].encode() + b"\\n")
sys.exit(asked.recv(1) != b"1")
"""

_OPERATION = re.compile(r'^\s*(?:%[\w:, %]+ = )?"?[a-z]\w*\.\w+', re.MULTILINE)


_POISON = re.compile(r"ub\.poison : ((?:tensor<[\dx]*x?)?(i\d+|f\w+|bf16)>?)$", re.MULTILINE)


def reduce(launch: Recording, targets: tuple[str, str], timeout: float = 120) -> Recording:
    """The launch with the smallest text on which the targets still differ.

    Raises RecordingError if they do not differ as it is.
    """
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        if not _differs(launch, launch.ttir, folder, targets, timeout):
            raise RecordingError(f"{targets[0]} and {targets[1]} do not differ: nothing to reduce")
        source, test = folder / "kernel.mlir", folder / "differs"
        source.write_text(launch.ttir)
        place = str(folder / "socket")
        test.write_text(_ASK.format(python=sys.executable, place=place))
        test.chmod(0o755)
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(place)
            listening.listen()

            def answer() -> None:
                while True:
                    try:
                        asked, _ = listening.accept()
                    except OSError:
                        return
                    with asked:
                        text = Path(asked.makefile().readline().strip()).read_text()
                        text = with_zeros(text)
                        found = _differs(launch, text, folder, targets, timeout)
                        asked.sendall(b"1" if found else b"0")

            threading.Thread(target=answer, daemon=True).start()
            tool = library.tool().with_name("triton-shared-reduce")
            done = subprocess.run([tool, source, f"--test={test}"], capture_output=True, text=True)
            listening.shutdown(socket.SHUT_RDWR)
    if done.returncode:
        raise RecordingError(f"the kernel cannot be reduced: {done.stderr.strip()}")
    return replace(launch, ttir=with_zeros(done.stdout))


def with_zeros(ttir: str) -> str:
    """The text with zeros in the place of poison, which every target may take for something else.

    What the reducer takes away is poison; of pointers there is no zero.
    """

    def zero(found: re.Match[str]) -> str:
        number = "0" if found[2].startswith("i") else "0.0"
        value = f"dense<{number}>" if found[1].startswith("tensor") else number
        return f"arith.constant {value} : {found[1]}"

    return _POISON.sub(zero, ttir)


def count_operations(ttir: str) -> int:
    """How many operations a text has."""
    return len(_OPERATION.findall(ttir))


def _differs(
    launch: Recording, ttir: str, folder: Path, targets: tuple[str, str], timeout: float
) -> bool:
    place = folder / "launches"
    shutil.rmtree(place, ignore_errors=True)
    replace(launch, ttir=ttir).save(place / "0000")
    (report,) = run.compare_all(place, targets, timeout)
    return report.status == "different"
