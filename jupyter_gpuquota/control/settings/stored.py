"""Stored settings: rows of a database, and a copy beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from ...model.datasets.settings import DataSettings
from ...model.policy import Policy
from ...model.projects import Groups
from ...model.quota import Project, Rules
from ...model.struct import Model
from ...model.templates import Template
from ..storage.files import writing
from ..storage.records import Record, read_record
from ..storage.sqlite import Database
from .audit_log import TABLE, Row

TABLES = f"""
    CREATE TABLE projects (name TEXT PRIMARY KEY, body BLOB NOT NULL) STRICT;
    CREATE TABLE settings (name TEXT PRIMARY KEY, body BLOB NOT NULL) STRICT;
    {TABLE}
"""
"""The tables for settings: one of a database's migrations."""

T = TypeVar("T")


class StoredSettings(Model, frozen=True, kw_only=True):
    """Stored settings; None for those that administrators have never changed.

    `seed` are the configured projects at the time of the first change of projects, None before.
    `latest` is the newest revision.
    """

    projects: tuple[Project, ...] | None = None
    rules: Rules | None = None
    groups: Groups | None = None
    policy: Policy | None = None
    data: DataSettings | None = None
    templates: tuple[Template, ...] = ()
    seed: tuple[Project, ...] | None = None
    latest: int = 1


@dataclass(frozen=True, slots=True)
class Rows:
    """The settings in a database: as a `whole`, or the `best` that is readable of them.

    `bad` are the unreadable parts. `there` is false if the database has none.
    """

    whole: Record[StoredSettings]
    best: StoredSettings
    bad: Mapping[str, bytes]
    there: bool


def read_rows(store: Database) -> Rows:
    """Read the settings in a database. Raises StorageFailed, Damaged."""
    settings = store.rows("SELECT 'the settings', body FROM settings WHERE name = 'kept'")
    teams = store.rows("SELECT 'project ' || name, body FROM projects ORDER BY rowid")
    read: dict[str, Record[Any]] = {
        **{
            name: read_record(body, lambda data: _decode(data, StoredSettings))
            for name, body in settings
        },
        **{name: read_record(body, lambda data: _decode(data, Project)) for name, body in teams},
    }
    bodies = dict(settings + teams)
    bad = {name: bodies[name] for name, record in read.items() if record.problem}
    projects = tuple(read[name].value for name, _ in teams if name not in bad)
    stored = read["the settings"].value if settings else None
    best = stored or StoredSettings(seed=() if projects else None)
    best = msgspec.structs.replace(best, projects=None if best.seed is None else projects)
    if bad:
        problem = next(read[name].problem for name in bad)
        newer = all(read[name].newer for name in bad)
        return Rows(Record(problem=problem, newer=newer), best, bad, there=True)
    return Rows(Record(stored and best), best, bad, there=bool(bodies))


def read_copy(path: Path | None) -> Record[StoredSettings]:
    """Read the copy of the settings. Raises StorageFailed."""
    if path is None or not path.exists():
        return Record()
    with writing(path):
        data = path.read_bytes()
    return read_record(data, lambda found: _decode(found, StoredSettings))


def settings_row(stored: StoredSettings) -> Row:
    """Return the statement that stores all but the projects."""
    body = msgspec.json.encode(msgspec.structs.replace(stored, projects=None))
    return "INSERT OR REPLACE INTO settings VALUES ('kept', ?)", (body,)


def all_rows(stored: StoredSettings) -> Iterator[Row]:
    """Yield the statements that replace all stored settings."""
    yield settings_row(stored)
    yield "DELETE FROM projects", ()
    for project in stored.projects or ():
        yield "INSERT INTO projects VALUES (?, ?)", (project.name, msgspec.json.encode(project))


def _decode(body: bytes, kind: type[T]) -> T:
    """Return stored settings. Raises msgspec.DecodeError."""
    return msgspec.convert(_revised(msgspec.json.decode(body)), kind)


def _revised(stored: Any) -> Any:
    """Return stored settings with revisions as text: an earlier format had numbers."""
    if isinstance(stored, list):
        return [_revised(part) for part in stored]
    if not isinstance(stored, dict):
        return stored
    found = {name: _revised(part) for name, part in stored.items()}
    return found | ({"revision": str(stored["revision"])} if "revision" in stored else {})
