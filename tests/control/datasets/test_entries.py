"""Listings are what a manifest says, whatever the names."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.control.datasets.files import entries
from jupyter_gpuquota.control.datasets.files.entries import Folder
from jupyter_gpuquota.store.entries import EMPTY, Entry, Location
from jupyter_gpuquota.store.paths import problem, sort_key

_PARTS = st.binary(min_size=1, max_size=4).filter(lambda part: b"/" not in part)
_PATHS = st.lists(_PARTS, min_size=1, max_size=4).map(lambda parts: os.fsdecode(b"/".join(parts)))


@st.composite
def listed(draw: st.DrawFn) -> list[Entry]:
    """Return the sorted entries of a version: no path below a file."""
    found: list[str] = []
    for path in sorted(draw(st.sets(_PATHS, max_size=30)), key=sort_key):
        above = {path.rsplit("/", count)[0] for count in range(1, path.count("/") + 1)}
        if not problem(path) and not above & set(found):
            found.append(path)
    kept = [path for path in found if not any(o.startswith(f"{path}/") for o in found)]
    return [Entry(path, size=n, sha256=EMPTY) for n, path in enumerate(kept)]


@contextmanager
def listing(wanted: list[Entry]) -> Iterator[sqlite3.Connection]:
    db = sqlite3.connect(":memory:", isolation_level=None)
    try:
        entries.build(db, ((entry, Location()) for entry in wanted))
        yield db
    finally:
        db.close()


def walked(db: sqlite3.Connection, folder: Folder) -> list[Entry]:
    """Return what a reader finds who opens one folder after another."""
    found = []
    for item in entries.children(db, folder, 0, 1000):
        found += walked(db, item) if isinstance(item, Folder) else [item[0]]
    return found


@given(listed())
def test_every_entry_is_found_on_every_way(wanted: list[Entry]) -> None:
    with listing(wanted) as db:
        root = entries.folder(db, "")
        assert list(entries.every(db)) == wanted
        assert [found for found, _ in entries.below(db, root, 0, 1000)] == wanted
        assert sorted(walked(db, root), key=lambda e: sort_key(e.path)) == wanted
        assert (root.files, root.size) == (len(wanted), sum(entry.size for entry in wanted))
        for entry in wanted:
            assert entries.entry(db, entry.path)[0] == entry
            parent = entries.folder(db, str(Path(entry.path).parent) if "/" in entry.path else "")
            inside = [
                e for e in wanted if e.path.startswith(f"{parent.path}/" if parent.path else "")
            ]
            assert (parent.files, parent.size) == (len(inside), sum(e.size for e in inside))
            assert [e for e, _ in entries.below(db, parent, 0, 1000)] == inside


@given(listed(), st.integers(1, 7))
def test_pages_are_the_whole(wanted: list[Entry], limit: int) -> None:
    with listing(wanted) as db:
        root = entries.folder(db, "")
        items = list(entries.children(db, root, 0, 1000))
        assert len(items) == root.children
        pages = [entries.children(db, root, at, limit) for at in range(0, len(items), limit)]
        assert [each for page in pages for each in page] == items
        deep = [entries.below(db, root, at, limit) for at in range(0, len(wanted), limit)]
        assert [each[0] for page in deep for each in page] == wanted


@given(listed(), st.text(st.characters(max_codepoint=127, exclude_characters="\0/"), min_size=1))
def test_a_search_finds_names_that_contain_a_text(wanted: list[Entry], text: str) -> None:
    def shown(path: str) -> str:
        # SQLite compares text up to the first NUL byte only, which no name has.
        name = os.fsencode(path.rpartition("/")[2])
        return "".join(chr(byte).lower() if byte < 128 else chr(byte) for byte in name)

    with listing(wanted) as db:
        total, found = entries.matching(db, entries.folder(db, ""), text, 0, 1000)
        assert total == len(found)
        assert [e for e, _ in found] == [e for e in wanted if text.lower() in shown(e.path)]
