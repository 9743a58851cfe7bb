"""Results of searches on disk: the same graph on the same machine is searched once."""

from __future__ import annotations

import functools
import hashlib
import json
import platform
from pathlib import Path
from typing import Any

from .. import knobs
from .ir import Graph, from_json
from .program import Plan, plan_from_json
from .report import Report


def folder() -> Path:
    """Where results are: TRITON_SHARED_GRAPH_CACHE, or the user's cache folder."""
    given = knobs.graph_cache_folder()
    if given:
        return given
    import platformdirs

    return Path(platformdirs.user_cache_path("triton-shared")) / "graphs"


@functools.cache
def _sources() -> str:
    """A digest of this package: another generator searches anew."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.[pj]*")):
        if path.suffix in (".py", ".j2"):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def key(graph: Graph, device: str, settings: str) -> str:
    """The name of a result."""
    import triton

    words = [graph.key, device, settings, platform.node(), triton.__version__, _sources()]
    return hashlib.sha256("\n".join(words).encode()).hexdigest()[:32]


def read(name: str) -> tuple[Plan, Report] | None:
    """A result, if it is there and whole."""
    path = folder() / f"{name}.json"
    try:
        data: dict[str, Any] = json.loads(path.read_text())
        plan = plan_from_json(from_json(data["graph"]), data["plan"])
        report = Report.from_json(data["report"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    report.is_cached = True
    return plan, report


def write(name: str, plan: Plan, report: Report) -> None:
    """Keeps a result; a process that reads meanwhile sees the old one, or all of the new one."""
    import filelock

    place = folder()
    place.mkdir(parents=True, exist_ok=True)
    data = {"graph": plan.graph.as_json(), "plan": plan.as_json(), "report": report.as_json()}
    with filelock.FileLock(place / "lock"):
        draft = place / f"{name}.draft"
        draft.write_text(json.dumps(data))
        draft.replace(place / f"{name}.json")
