"""Which cases a campaign has, from the words of the command line."""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from . import campaign, runner
from .case import Case
from .executors import Workers
from .kinds import GRAPHS, KINDS, LIST
from .results import CampaignError

Facts = dict[str, Any]


def of_sources(options: argparse.Namespace, workers: Workers) -> list[Case]:
    """Those of `check` and `diff`: every case of every source, in every variant."""
    from . import sources

    found: list[Case] = []
    for path in options.sources:
        if not path.exists():
            raise CampaignError(f"there is no file or folder '{path}'")
        if path.suffix == sources.REPRODUCER and not options.run:
            raise CampaignError(
                f"{path} is a reproducer, whose code may be anybody's: running it takes --run"
            )
    variants = list(itertools.product(sources.choices(options.vary), options.seeds or [None]))
    for path, label, index in _labelled(options.sources, workers):
        name = f"{path}::{label}" if label else str(path)
        if options.case not in name:
            continue
        for vary, seed in variants:
            facts = {"file": str(path.resolve()), "index": index, "vary": vary, "seed": seed}
            facts |= {"digest": sources.digest(path), **_settings(options)}
            found.append(Case(options.kind, name + sources.describe(vary, seed), facts))
    if len({case.name for case in found}) < len(found):
        raise CampaignError("a source is named twice")
    if not found:
        raise CampaignError(f"there are no cases for '{options.case}'")
    return found


def _settings(options: argparse.Namespace) -> Facts:
    """What holds for all cases."""
    if options.kind == "check":
        return {"bounds_only": options.bounds_only}
    settings = {"targets": list(options.targets), "launch_timeout": options.launch_timeout}
    return {**settings, "locate": options.locate}


def _labelled(paths: Sequence[Path], workers: Workers) -> Iterator[tuple[Path, str, int | None]]:
    """Each source with the name and the number of each of its cases; none if it is one case."""
    listed = _listed([path for path in paths if path.suffix == ".py"], workers)
    for path in paths:
        labels = listed.get(path)
        if labels is None:
            yield path, "", None
            continue
        seen: dict[str, int] = {}
        for index, label in enumerate(labels):
            seen[label] = seen.get(label, 0) + 1
            yield path, label if seen[label] == 1 else f"{label}#{seen[label]}", index


def _listed(paths: Sequence[Path], workers: Workers) -> dict[Path, list[str] | None]:
    """The cases of files, which are imported to know: in processes of the workers."""
    if not paths:
        return {}
    with workers.executor() as executor:
        asked = {
            path: executor.submit(
                runner.run, LIST, [{"file": str(path.resolve())}], KINDS[LIST].timeout
            )
            for path in paths
        }
        try:
            found = {path: future.result()[0] for path, future in asked.items()}
        except Exception as error:
            if campaign.is_death(error):
                raise CampaignError(f"a worker died while it looked for cases: {error}") from error
            raise
    for path, outcome in found.items():
        if outcome["status"] != "listed":
            raise CampaignError(f"{path} cannot be imported: {outcome['said']}")
    return {path: outcome["result"]["labels"] for path, outcome in found.items()}


def of_fuzzer(options: argparse.Namespace) -> list[Case]:
    """Those of `fuzz`: numbers of programs in each mode, of mutants in each kind of damage, and of
    graphs by each who computes them."""
    wanted = [(mode, options.programs) for mode in options.modes.split(",")]
    wanted += [(kind, options.mutants) for kind in options.damage.split(",")]
    known = {"programs": ("reference", "fast", "gpu"), "mutants": ("text", "bytecode")}
    for kind, _ in wanted:
        if not any(kind in kinds for kinds in known.values()):
            raise CampaignError(f"there is no '{kind}' to fuzz: {known}")
    found = [Case(kind, str(n), {"number": n}) for kind, numbers in wanted for n in numbers]
    return found + _graphs(options)


def _graphs(options: argparse.Namespace) -> list[Case]:
    voters = options.voters.split(",")
    known = [kind.removeprefix(GRAPHS) for kind in KINDS if kind.startswith(GRAPHS)]
    if unknown := set(voters) - set(known):
        raise CampaignError(f"who computes is some of {', '.join(known)}, not {min(unknown)}")
    return [
        Case(GRAPHS + voter, str(n), {"number": n, "candidates": options.candidates})
        for voter in voters
        for n in options.graphs
    ]
