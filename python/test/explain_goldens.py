"""What reports said when they were last looked at: `python python/test/explain_goldens.py` writes
them anew, into the folder of the same name.

A golden report has its TTIR inside, so it does not depend on the version of Triton; machine code
and passes that look at the CPU are left out.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import explain_kernels
import triton
from triton_shared.aot import parse_signature, sources
from triton_shared.explain.gathering import Question, gather
from triton_shared.frontend import Target

FOLDER = Path(__file__).with_name("explain_goldens")
KERNELS = ("add_kernel", "softmax_kernel", "matmul_kernel", "attention_kernel")
_FILE = explain_kernels.__file__
_NAME = Path(_FILE).name
_STABLE = ("ttir", "structured", "linalg", "memref")


def ttir_of(kernel: str, target: str = "cpu") -> str:
    """What this version of Triton makes of a kernel of `explain_kernels`."""
    source = sources.read(Path(_FILE), kernel)
    parameters = parse_signature(explain_kernels.SIGNATURES[kernel], source.parameters)
    return source.to_ttir(kernel, parameters, Target.parse(target), {})


def stable(report: dict[str, Any]) -> dict[str, Any]:
    """The part of a report that is the same everywhere, without folders."""
    kept = {name: report[name] for name in ("kernel", "target", "options", "offsets", "accesses")}
    kept["phases"] = [one for one in report["phases"] if one["phase"] in _STABLE]
    kept["passes"] = [
        {name: one[name] for name in ("phase", "pass", "changed", "counts") if name in one}
        for one in report["passes"]
        if one["phase"] in _STABLE
    ]
    kept["commands"] = report["commands"]
    text = without_folders(json.dumps(kept))
    return json.loads(text, object_hook=_without_expression)


def _without_expression(found: dict[str, Any]) -> dict[str, Any]:
    """They are looked for as the installed Triton writes places, which may not be the golden's."""
    return {name: value for name, value in found.items() if name != "expression"}


def without_folders(text: str) -> str:
    """The same with names of files that are no other on another machine."""
    packages = Path(triton.__file__).parents[1]
    return text.replace(_FILE, _NAME).replace(f"{packages}/triton/", "triton/")


def make(ttir: str) -> dict[str, Any]:
    """The golden report of a kernel."""
    return stable(gather(Question(ttir)))


def main() -> int:
    """Writes all golden reports."""
    for kernel in KERNELS:
        path = FOLDER / f"{kernel}.json"
        text = without_folders(ttir_of(kernel))
        path.write_text(json.dumps(make(text), indent=1) + "\n")
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
