"""The process that compiles what may crash the compiler: a script, started by `isolation`.

It imports nothing but the extension module, whose path is its argument, and answers one request
after the other until its input ends. Both directions are frames: the size in 8 bytes, then the
content. A request is three frames: source, options, and the folder for temporary files (that of the
start may be gone). An answer is one frame of JSON, then one frame per artefact that the JSON names.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import json
import os
import resource
import signal
import struct
import sys
from typing import IO, Any

SIZE = struct.Struct("<Q")


def read_frame(stream: IO[bytes]) -> bytes | None:
    """The next frame; None at the end of the stream, also if it ends within a frame."""
    size = stream.read(SIZE.size)
    if len(size) < SIZE.size:
        return None
    content = stream.read(SIZE.unpack(size)[0])
    return content if len(content) == SIZE.unpack(size)[0] else None


def write_frame(stream: IO[bytes], content: bytes) -> None:
    """Adds a frame; the caller flushes."""
    stream.write(SIZE.pack(len(content)))
    stream.write(content)


def _load(path: str) -> Any:
    # The name says which `PyInit_` function the file has.
    loader = importlib.machinery.ExtensionFileLoader("_native", path)
    spec = importlib.util.spec_from_loader("_native", loader)
    assert spec
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def main() -> None:
    """Serves requests from standard input, on what was standard output."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # The parent decides what Ctrl-C means.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # Whatever a library prints is not part of an answer.
    native = _load(sys.argv[1])
    while True:
        source, options, folder = (read_frame(sys.stdin.buffer) for _ in range(3))
        if source is None or options is None or folder is None:
            return
        os.environb[b"TMPDIR"] = folder
        made = native.compile(source, options.decode())
        artefacts = {name: made.artefact(name) for name in made.artefacts}
        head = {
            "succeeded": made.succeeded,
            "diagnostics": made.diagnostics,
            "metadata": made.metadata,
            "artefacts": list(artefacts),
        }
        write_frame(answers, json.dumps(head).encode())
        for content in artefacts.values():
            write_frame(answers, content)
        answers.flush()


if __name__ == "__main__":
    main()
