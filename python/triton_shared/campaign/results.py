"""The file of a campaign: one SQLite database.

    versions   id, facts (JSON: what has run, and its versions)
    cases      id, kind, name, facts (JSON: all that a worker needs),
               state (`waiting` or `done`), status (a word), said (text), result (JSON),
               seconds (by the clock), cpu_seconds, host, version, ended (UTC)

A case is `done` together with all that is known of it: whoever is killed leaves a file that says
what is left to do. Only one campaign writes to it at a time; anybody may read.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import filelock

from ..errors import TritonSharedError
from .case import Case, Outcome

SCHEMA = 1

_TABLES = """
CREATE TABLE versions (id INTEGER PRIMARY KEY, facts TEXT NOT NULL UNIQUE);
CREATE TABLE cases (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    facts TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'done')),
    status TEXT,
    said TEXT,
    result TEXT,
    seconds REAL,
    cpu_seconds REAL,
    host TEXT,
    version INTEGER REFERENCES versions,
    ended TEXT,
    UNIQUE (kind, name),
    CHECK ((state = 'done') = (status IS NOT NULL))
);
"""

_WANT = """
INSERT INTO cases (kind, name, facts) VALUES (?, ?, ?)
ON CONFLICT (kind, name) DO UPDATE SET
    facts = excluded.facts, state = 'waiting', status = NULL, said = NULL, result = NULL,
    seconds = NULL, cpu_seconds = NULL, host = NULL, version = NULL, ended = NULL
WHERE facts != excluded.facts OR (state = 'done' AND version != ?)
"""

_KEEP = """
UPDATE cases SET state = 'done', status = ?, said = ?, result = ?, seconds = ?, cpu_seconds = ?,
    host = ?, version = ?, ended = datetime('now')
WHERE kind = ? AND name = ?
"""


class CampaignError(TritonSharedError):
    """A campaign cannot begin, or not go on."""


@dataclass(frozen=True)
class Row:
    """A case with what is known of it."""

    case: Case
    outcome: Outcome | None
    """None while it waits."""


class Results:
    """The cases of a file."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def want(self, cases: Iterable[Case], versions: dict[str, str]) -> list[Case]:
        """Adds what is not there; gives those that are not done with these facts and versions."""
        version = self._number_of(versions)
        wanted = list(cases)
        with self._connection:
            self._connection.executemany(
                _WANT, ((case.kind, case.name, _text(case.facts), version) for case in wanted)
            )
        done = set(self._connection.execute("SELECT kind, name FROM cases WHERE state = 'done'"))
        return [case for case in wanted if (case.kind, case.name) not in done]

    def keep(self, outcomes: Sequence[tuple[Case, Outcome]]) -> None:
        """Notes what came of cases, all or none."""
        versions = [self._number_of(outcome.versions) for _, outcome in outcomes]
        with self._connection:
            self._connection.executemany(
                _KEEP,
                (
                    (
                        *(outcome.status, outcome.said, _text(outcome.result)),
                        *(outcome.seconds, outcome.cpu_seconds, outcome.host, version),
                        *(case.kind, case.name),
                    )
                    for (case, outcome), version in zip(outcomes, versions, strict=True)
                ),
            )

    def rows(self) -> Iterator[Row]:
        """All cases, in the order in which they were asked for."""
        known = {
            number: json.loads(facts)
            for number, facts in self._connection.execute("SELECT id, facts FROM versions")
        }
        for row in self._connection.execute(
            "SELECT kind, name, facts, state, status, said, result, seconds, cpu_seconds, host, "
            "version FROM cases ORDER BY id"
        ):
            kind, name, facts, state, status, said, result, seconds, cpu_seconds, host, by = row
            outcome = None
            if state == "done":
                measured = (seconds, cpu_seconds, host, known[by])
                outcome = Outcome(status, said, json.loads(result), *measured)
            yield Row(Case(kind, name, json.loads(facts)), outcome)

    def _number_of(self, versions: dict[str, str]) -> int:
        text = _text(versions)
        with self._connection:
            self._connection.execute("INSERT OR IGNORE INTO versions (facts) VALUES (?)", (text,))
        found = self._connection.execute("SELECT id FROM versions WHERE facts = ?", (text,))
        return int(found.fetchone()[0])


@contextmanager
def writing(path: Path) -> Iterator[Results]:
    """The file of a campaign, which is made if it is not there, for this process alone."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = filelock.FileLock(f"{path}.lock", timeout=0)
    try:
        with lock, _opened(path, "rwc") as connection:
            if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                connection.executescript(
                    f"BEGIN; {_TABLES} PRAGMA user_version = {SCHEMA}; COMMIT;"
                )
            _require_schema(path, connection)
            yield Results(connection)
    except filelock.Timeout:
        raise CampaignError(
            f"another campaign works on {path}\n"
            "wait for it, or name another file with --results; `report` tells how far it is"
        ) from None


@contextmanager
def reading(path: Path) -> Iterator[Results]:
    """The same to be read, also while a campaign works on it."""
    if not path.is_file():
        raise CampaignError(f"there is no file {path}")
    with _opened(path, "ro") as connection:
        _require_schema(path, connection)
        yield Results(connection)


@contextmanager
def _opened(path: Path, mode: str) -> Iterator[sqlite3.Connection]:
    try:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode={mode}", 60, uri=True)
        try:
            yield connection
        finally:
            connection.close()
    except sqlite3.DatabaseError as error:
        raise CampaignError(f"{path} cannot be read or written: {error}") from error


def _require_schema(path: Path, connection: sqlite3.Connection) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version != SCHEMA:
        raise CampaignError(
            f"{path} is no file of a campaign, or one of another version ({version}, not {SCHEMA})"
        )


def _text(facts: dict[str, Any]) -> str:
    return json.dumps(facts, sort_keys=True)
