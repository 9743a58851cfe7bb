"""Our passes as a list that can be cut: up to one, from one on, without one."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .. import library
from ..diff.recording import Recording
from ..errors import CompilationError

_PHASE = re.compile(r"^// (\w+)\nbuiltin\.module\(\n(.*?)^\)$", re.MULTILINE | re.DOTALL)
_CONTRACT = "verify-phase"


@dataclass(frozen=True)
class Pass:
    """One step of a pipeline."""

    phase: str
    words: str
    """As `--pass-pipeline` takes it, with its options."""

    @property
    def name(self) -> str:
        """Without options, and without the operations in which it runs."""
        match = re.match(r"(?:[\w.]+\(\s*)*([\w.-]+)", self.words)
        assert match
        return match[1]

    @property
    def is_contract(self) -> bool:
        """Whether it changes nothing."""
        return self.name == _CONTRACT


@dataclass(frozen=True)
class Compiler:
    """A compiler's command line, and what has been put between its passes."""

    tool: Path = field(default_factory=library.tool)
    plugins: tuple[Path, ...] = ()
    behind: Mapping[str, str] = field(default_factory=dict)
    """Passes of plugins by the name of the pass of ours behind which they run, wherever that is."""

    def passes(self, options: Sequence[str], last: str) -> list[Pass]:
        """Its passes from TTIR to phase `last`."""
        return read_passes(self.printed(options, last))

    def printed(self, options: Sequence[str], last: str) -> str:
        """The same as text, by phase."""
        return self._run(["--print-pipeline", *options, f"--to-phase={last}"], "")

    def apply(self, text: str, passes: Sequence[Pass]) -> str:
        """What passes leave of a text. Raises CompilationError."""
        words = []
        for one in passes:
            words.append(one.words)
            if one.name in self.behind:
                words.append(self.behind[one.name])
        if not words:
            return text
        loaded = [f"--load-pass-plugin={plugin}" for plugin in self.plugins]
        pipeline = f"--pass-pipeline=builtin.module({','.join(words)})"
        options = ["-", "--mlir-print-debuginfo", "--no-crash-report"]
        return self._run([*options, *loaded, pipeline], text)

    def _run(self, words: Sequence[str], given: str) -> str:
        done = subprocess.run([self.tool, *words], input=given, capture_output=True, text=True)
        if done.returncode:
            phase = "ttir" if given else "its pipeline"
            raise CompilationError("", phase, done.stderr[-4000:])
        return done.stdout


def read_passes(printed: str) -> list[Pass]:
    """The passes of what `--print-pipeline` has printed."""
    return [Pass(phase, words) for phase, body in _PHASE.findall(printed) for words in _split(body)]


def gpu_options(launch: Recording, arch: str = "90a") -> list[str]:
    """Words for the tool: a GPU, and what the launch line asks for."""
    options = launch.options
    warps = min(32, int(options.get("num_warps") or 4) * int(options.get("num_ctas") or 1))
    stages = max(1, int(options.get("num_stages") or 3))
    return [f"--target=cuda:{arch}", f"--num-warps={warps}", f"--num-stages={stages}"]


def _split(body: str) -> list[str]:
    """The passes of a phase, which commas separate, some of them within brackets."""
    parts, depth = [""], 0
    for character in body:
        depth += (character in "({") - (character in ")}")
        if character == "," and depth == 0:
            parts.append("")
        elif character != "\n":
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]
