"""What differs between two versions, in a listing: built once, then read in pages."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from sqlite3 import Connection

from ....model.datasets.files import CompareQuery, Comparison, Difference, FileChange
from ....store import entries
from ....store.entries import Entry
from .entries import spelled
from .listings import opened

_SCHEMA = """
CREATE TABLE differences (
    n INTEGER PRIMARY KEY, path BLOB, change TEXT, before INTEGER, after INTEGER,
    sha256_before TEXT, sha256_after TEXT
) STRICT
"""


def build(db: Connection, before: Iterable[Entry], after: Iterable[Entry]) -> None:
    """Fill a listing with what differs between sorted entries."""
    db.execute(_SCHEMA)
    rows = _rows(before, after)
    db.executemany("INSERT INTO differences VALUES (NULL, ?, ?, ?, ?, ?, ?)", rows)
    db.execute("CREATE INDEX by_change ON differences (change)")


def page(
    listing: Path, versions: tuple[str, str], query: CompareQuery, start: int, limit: int
) -> Comparison:
    """Return a page of differences; the counts are those of all. Blocks."""
    where, values = "TRUE", []
    if query.match:
        where += " AND instr(lower(CAST(path AS TEXT)), lower(?))"
        values.append(query.match)
    if query.change:
        where += " AND change = ?"
        values.append(query.change)
    with opened(listing) as db:
        counts = dict(db.execute("SELECT change, count(*) FROM differences GROUP BY change"))
        (total,) = db.execute(f"SELECT count(*) FROM differences WHERE {where}", values).fetchone()  # noqa: S608 (of constants)
        rows = db.execute(
            f"SELECT * FROM differences WHERE {where} ORDER BY n LIMIT ? OFFSET ?",  # noqa: S608
            (*values, limit, start),
        ).fetchall()
    items = tuple(_difference(*row[1:]) for row in rows)
    done = start + len(items)
    return Comparison(
        items=items,
        total=total,
        revision="-".join(versions),
        next=str(done) if items and done < total else "",
        before=versions[0],
        after=versions[1],
        **counts,
    )


def _rows(before: Iterable[Entry], after: Iterable[Entry]) -> Iterator[tuple[object, ...]]:
    for each in entries.compare(before, after):
        old, new = each.before or Entry(""), each.after or Entry("")
        path = os.fsencode(each.path)
        yield path, each.change, old.size, new.size, old.sha256, new.sha256


def _difference(
    path: bytes, change: FileChange, before: int, after: int, *hashes: str
) -> Difference:
    text, raw = spelled(path)
    return Difference(
        path=text,
        raw=raw,
        change=change,
        before=before,
        after=after,
        sha256_before=hashes[0],
        sha256_after=hashes[1],
    )
