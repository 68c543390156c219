"""The audit log: rows of the database, and a copy that outlives it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import msgspec

from ...model.projects import AuditEntry
from ...model.struct import Model
from ..storage.aside import SetAside
from ..storage.files import writing
from ..storage.journal import Journal
from ..storage.records import Record, read_record
from ..storage.sqlite import Database

AUDITED = 10_000
"""Most entries of the audit log."""

TABLE = "CREATE TABLE audit (id INTEGER PRIMARY KEY AUTOINCREMENT, body BLOB NOT NULL) STRICT;"
COPY = "audit.ndjson"
Row = tuple[str, tuple[Any, ...]]

_PUT = "INSERT OR REPLACE INTO audit VALUES (?, ?)"


class _Numbered(Model, frozen=True, kw_only=True):
    """The part of an entry that every version has."""

    id: str


class AuditLog:
    """The audit log of a database; where that is a file, `audit.ndjson` beside it is the copy."""

    def __init__(self, store: Database, aside: SetAside | None) -> None:
        """Add entries to the database that only the copy has. Raises StorageFailed, Damaged."""
        self._store = store
        self._aside = aside
        self._journal = Journal(store.path.with_name(COPY)) if store.path else None
        self._copied = 0
        """The newest entry of the copy; 0 if it must be rewritten."""
        self.problem = ""
        """Which entries a newer version has written; empty for none."""
        self.newest = self._restore()
        """The number of the newest entry, 0 for none."""

    def entries(self) -> tuple[AuditEntry, ...]:
        """Return the readable entries, newest first."""
        found = (_entry(body).value for body in self._rows().values())
        return tuple(entry for entry in found if entry)[::-1]

    def entry(self, revision: str) -> AuditEntry | None:
        """Return the entry of a revision; None if unknown."""
        rows = self._store.rows("SELECT body FROM audit WHERE id = ?", (revision,))
        return _entry(rows[0][0]).value if rows else None

    @property
    def removed(self) -> bool:
        """Whether the copy was removed."""
        return bool(self._journal and self._copied and not self._journal.path.exists())

    def copy(self) -> None:
        """Add missing entries to the copy. Raises OSError."""
        if self.removed:
            self._copied = 0
        if self._journal is None or not (added := self._rows(self._copied)):
            return
        if self._copied:
            self._journal.append(added.values())
        else:
            self._journal.replace(added.values())
        self._copied = max(added)

    def _rows(self, after: int = 0) -> dict[int, bytes]:
        query = "SELECT id, body FROM audit WHERE id > ? ORDER BY id"
        return dict(self._store.rows(query, (after,)))

    def _restore(self) -> int:
        rows, copies = self._rows(), self._read_copy()
        newest = max((*rows, *copies), default=0)
        read = {number: _entry(body) for number, body in rows.items()}
        damaged = {number: rows[number] for number, record in read.items() if record.damaged}
        if newer := [number for number, record in read.items() if record.newer]:
            self.problem = (
                f"{_named(newer)} of the audit log: written by a newer version of "
                "jupyter_gpuquota. Kept, but not listed. Upgrade to read it."
            )
        lost = copies.keys() - (rows.keys() - damaged.keys())
        changes: list[Row] = [(_PUT, (n, copies[n])) for n in lost if n > newest - AUDITED]
        changes += [("DELETE FROM audit WHERE id = ?", (n,)) for n in damaged.keys() - lost]
        if damaged and self._aside:
            _keep(self._aside, damaged, damaged.keys() - lost)
        if changes:
            self._store.change(changes)
        return newest

    def _read_copy(self) -> Mapping[int, bytes]:
        """Return the entries of the copy; a damaged copy is set aside and rewritten."""
        if self._journal is None or self._aside is None:
            return {}
        with writing(self._journal.path):
            lines = self._journal.read()
        numbers = [read_record(line, _number).value for line in lines]
        found = {n: line for n, line in zip(numbers, lines, strict=True) if n is not None}
        if None in numbers:
            bad = ", ".join(str(i) for i, n in enumerate(numbers, start=1) if n is None)
            self._aside.move(
                [self._journal.path],
                f"The copy {self._journal.path} of the audit log has lines that cannot be read: "
                f"{bad}.",
                "It was rewritten with all other entries and those in state.db.",
            )
        elif len(lines) <= 2 * AUDITED:
            self._copied = max(found, default=0)
        return found


def audit_row(entry: AuditEntry) -> Row:
    """Return the statement that adds an entry."""
    return "INSERT INTO audit VALUES (?, ?)", (int(entry.id), msgspec.json.encode(entry))


def drop_older(newest: int) -> Row:
    """Return the statement that drops entries beyond the maximum."""
    return "DELETE FROM audit WHERE id <= ?", (newest - AUDITED,)


def _keep(aside: SetAside, damaged: Mapping[int, bytes], lost: Collection[int]) -> None:
    """Set damaged rows aside; `lost` are those that the copy does not have either."""
    back = "Everything was restored from the copy, audit.ndjson."
    if lost:
        back = (
            f"{_named(lost)} could not be restored. To do so, repair its line in that file and "
            "append it to audit.ndjson while no controller runs."
        )
    what = f"{_named(damaged)} of the audit log in the state file cannot be read."
    aside.keep("audit-rows.ndjson", b"\n".join(damaged.values()), what, back)


def _entry(body: bytes) -> Record[AuditEntry]:
    return read_record(body, lambda data: msgspec.json.decode(data, type=AuditEntry))


def _number(line: bytes) -> int:
    found = msgspec.json.decode(line, type=_Numbered).id
    if not found.isdecimal():
        raise msgspec.DecodeError("its id is not a number")
    return int(found)


def _named(numbers: Collection[int]) -> str:
    named = ", ".join(map(str, sorted(numbers)))
    return f"{'Entry' if len(numbers) == 1 else 'The entries'} {named}"
