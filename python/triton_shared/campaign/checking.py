"""Cases of `check`: a case of a file, a script, or a recorded launch, with checks."""

from __future__ import annotations

import contextlib
import json
import sys
import traceback
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from .case import FAILED, Outcome


def prepare(kind: str) -> None:
    """Imports what kernels need."""
    import torch  # noqa: F401
    import triton  # noqa: F401

    from .. import library
    from ..diff import replay  # noqa: F401

    library.version()


def session(kind: str) -> AbstractContextManager[Any]:
    """Nothing has to stand around them."""
    return nullcontext()


def run(kind: str, facts: dict[str, Any]) -> Outcome:
    """Runs one with checks; a mistake of its own is a case that could not run."""
    from .. import run as scripts
    from ..check import check
    from . import sources

    script = scripts.cuda_means_cpu() if sources.is_script(facts) else nullcontext()
    said = ""
    with (
        script,
        check(bounds_only=facts["bounds_only"]) as report,
        sources.choosing(facts["vary"] if sources.is_script(facts) else {}),
        sources.seeded(facts["seed"]),
    ):
        try:
            _launch(facts)
        except BaseException as error:
            said = _reason(error)
    result = json.loads(report.as_json())
    if not report.is_clean:
        return Outcome("found", report.as_text(), result)
    if said:
        return Outcome(FAILED, said, result)
    if not report.launches:
        return Outcome(FAILED, "it launches no kernel", result)
    return Outcome("clean", "", result)


def _launch(facts: dict[str, Any]) -> None:
    from .. import run as scripts
    from ..diff import replay
    from . import sources

    if not sources.is_script(facts):
        for launch in sources.launches(facts):
            replay.replay(launch, "cpu")
    elif facts["index"] is None:
        sys.argv = [facts["file"]]
        scripts.run_script(facts["file"], False)
    else:
        case = sources.find_case(facts)
        getattr(case, "run", case)()


def _reason(error: BaseException) -> str:
    """Why a case could not run; empty if it ended as it should."""
    if isinstance(error, SystemExit):
        with contextlib.suppress(TypeError, ValueError):
            return "" if not error.code else f"it ends with exit code {int(error.code)}"
        return str(error.code)
    return "".join(traceback.format_exception(error)[-6:])[-4000:]
