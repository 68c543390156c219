"""The entries of one version in a listing: pages of folders, searches, single entries.

Files are numbered in the order of their manifest, which is that of the bytes of their paths, so
everything below a folder is a range of numbers. Paths are bytes, as names need not be UTF-8.
"""

from __future__ import annotations

import base64
import os
import sqlite3
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from ....errors import NotFound
from ....store import lines
from ....store.entries import FOLDER, Entry, Location
from ....store.paths import printable

Located = tuple[Entry, Location]

_SCHEMA = """
CREATE TABLE files (n INTEGER PRIMARY KEY, cut INTEGER, path BLOB, line BLOB) STRICT;
CREATE TABLE folders (
    id INTEGER PRIMARY KEY, path BLOB, size INTEGER, files INTEGER, children INTEGER,
    first INTEGER, last INTEGER
) STRICT;
CREATE TABLE tree (
    parent INTEGER, rank INTEGER, name BLOB, item INTEGER, PRIMARY KEY (parent, rank, name)
) STRICT, WITHOUT ROWID;
"""

_FOLDER, _FILE = 0, 1
"""Ranks: folders are listed before everything else."""
_ROOT = 0


class Folder(NamedTuple):
    """A folder that is not empty; files, links and empty folders below it are a range."""

    id: int
    path: str
    size: int
    files: int
    children: int
    first: int
    last: int


Item = Folder | Located


class _Counts(msgspec.Struct):
    """What is counted of a folder while a listing is built."""

    id: int
    path: bytes
    first: int
    size: int = 0
    files: int = 0
    children: int = 0


def build(db: sqlite3.Connection, entries: Iterable[Located]) -> None:
    """Fill a listing with sorted entries."""
    for statement in _SCHEMA.split(";"):
        db.execute(statement)
    db.executemany("INSERT INTO files VALUES (?, ?, ?, ?)", _rows(db, entries))


def folder(db: sqlite3.Connection, path: str) -> Folder:
    """Return a folder by its path, the root if it is empty. Raises NotFound."""
    found = _ROOT
    for name in os.fsencode(path).split(b"/") if path else ():
        row = _child(db, found, _FOLDER, name)
        if row is None:
            raise _missing(path, "folder")
        found = row
    return _folder(db, found)


def entry(db: sqlite3.Connection, path: str) -> Located:
    """Return a file, link or empty folder by its path. Raises NotFound."""
    parent, _, name = path.rpartition("/")
    row = _child(db, folder(db, parent).id, _FILE, os.fsencode(name))
    if row is None:
        raise _missing(path, "file")
    return _file(db, row)


def single(db: sqlite3.Connection, path: str) -> Located | None:
    """Return what is not a folder with entries; None if the path is one, or does not exist."""
    try:
        return entry(db, path) if path else None
    except NotFound:
        return None


def children(db: sqlite3.Connection, of: Folder, start: int, limit: int) -> Iterator[Item]:
    """Yield some entries of a folder: its folders first, each by name."""
    query = "SELECT rank, item FROM tree WHERE parent = ? ORDER BY rank, name LIMIT ? OFFSET ?"
    for rank, item in db.execute(query, (of.id, limit, start)).fetchall():
        yield _folder(db, item) if rank == _FOLDER else _file(db, item)


def below(db: sqlite3.Connection, of: Folder, start: int, limit: int) -> Iterator[Located]:
    """Yield some of the files, links and empty folders at any depth, by path."""
    query = "SELECT line FROM files WHERE n BETWEEN ? AND ? ORDER BY n"
    first = of.first + start
    for (line,) in db.execute(query, (first, min(of.last, first + limit - 1))):
        yield lines.decode(line)


def matching(
    db: sqlite3.Connection, of: Folder, text: str, start: int, limit: int
) -> tuple[int, list[Located]]:
    """Return how many names below a folder contain a text, and some of their entries by path.

    The case of ASCII letters does not matter.
    """
    name = "lower(CAST(substr(path, cut) AS TEXT))"
    where = f"FROM files WHERE n BETWEEN ? AND ? AND instr({name}, lower(?))"
    values = (of.first, of.last, os.fsencode(text).decode(errors="replace"))
    (total,) = db.execute(f"SELECT count(*) {where}", values).fetchone()
    query = f"SELECT line {where} ORDER BY n LIMIT ? OFFSET ?"
    rows = db.execute(query, (*values, limit, start))
    return total, [lines.decode(line) for (line,) in rows]


def every(db: sqlite3.Connection) -> Iterator[Entry]:
    """Yield all entries in order."""
    for (line,) in db.execute("SELECT line FROM files ORDER BY n"):
        yield lines.decode(line)[0]


def spelled(path: bytes) -> tuple[str, bool]:
    """Return a path as it is sent: one that is not UTF-8 as base64 of its bytes, and true."""
    try:
        return path.decode(), False
    except UnicodeDecodeError:
        return base64.b64encode(path).decode(), True


def _rows(db: sqlite3.Connection, entries: Iterable[Located]) -> Iterator[tuple[object, ...]]:
    """Yield the rows of files; write folders and tree on the way.

    The entries below a folder follow one another, so only the folders that lead to the present
    entry are open.
    """
    open_folders = [_Counts(_ROOT, b"", 0)]
    last_id, number = _ROOT, -1
    for number, (found, location) in enumerate(entries):
        path = os.fsencode(found.path)
        *parts, name = path.split(b"/")
        depth = _common(open_folders, parts)
        while len(open_folders) > depth + 1:
            _close(db, open_folders, number - 1)
        for part in parts[depth:]:
            last_id += 1
            above = open_folders[-1]
            above.children += 1
            _link(db, above.id, _FOLDER, part, last_id)
            inner = above.path + b"/" + part if above.path else part
            open_folders.append(_Counts(last_id, inner, number))
        holder = open_folders[-1]
        holder.children += 1
        holder.size += found.size
        holder.files += found.mode != FOLDER
        _link(db, holder.id, _FILE, name, number)
        yield number, len(path) - len(name) + 1, path, lines.encode(found, location)
    while open_folders:
        _close(db, open_folders, number)


def _common(open_folders: list[_Counts], parts: list[bytes]) -> int:
    """Return how many of the open folders, besides the root, lead to an entry."""
    depth = 0
    for counts, part in zip(open_folders[1:], parts, strict=False):
        if counts.path.rpartition(b"/")[2] != part:
            break
        depth += 1
    return depth


def _close(db: sqlite3.Connection, open_folders: list[_Counts], last: int) -> None:
    """Write the innermost open folder, and add it to the one that it is in."""
    done = open_folders.pop()
    if open_folders:
        open_folders[-1].size += done.size
        open_folders[-1].files += done.files
    row = (done.id, done.path, done.size, done.files, done.children, done.first, last)
    db.execute("INSERT INTO folders VALUES (?, ?, ?, ?, ?, ?, ?)", row)


def _link(db: sqlite3.Connection, parent: int, rank: int, name: bytes, item: int) -> None:
    db.execute("INSERT INTO tree VALUES (?, ?, ?, ?)", (parent, rank, name, item))


def _child(db: sqlite3.Connection, parent: int, rank: int, name: bytes) -> int | None:
    query = "SELECT item FROM tree WHERE parent = ? AND rank = ? AND name = ?"
    row = db.execute(query, (parent, rank, name)).fetchone()
    return row[0] if row else None


def _folder(db: sqlite3.Connection, number: int) -> Folder:
    row = db.execute("SELECT * FROM folders WHERE id = ?", (number,)).fetchone()
    return Folder(row[0], os.fsdecode(row[1]), *row[2:])


def _file(db: sqlite3.Connection, number: int) -> Located:
    (line,) = db.execute("SELECT line FROM files WHERE n = ?", (number,)).fetchone()
    return lines.decode(line)


def _missing(path: str, kind: str) -> NotFound:
    return NotFound(
        f"There is no {kind} {printable(path)} in this version.", hint="data ls lists its files."
    )
