"""A session's folder as a version: without secrets, and of files that are written, a copy."""

from __future__ import annotations

import hashlib
import heapq
import itertools
import os
import sqlite3
import stat
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import BinaryIO

from msgspec.structs import replace

from ..core.exclusion import IGNORE_FILE
from ..core.snapshots import redaction
from ..errors import GpuQuotaError
from . import attributes, databases, reading
from .catalog import SETTLED, Catalog, identity
from .disk.failures import Changed, system_error
from .entries import FILE, FOLDER, LINK
from .exclusion import NO_RULES, Exclusion, Rules
from .frozen import PLACE, View
from .paths import link_problem, printable, problem, sort_key
from .sources import BATCH, Size
from .tasks import in_thread
from .tree import Found, walk

OWN = ".gpuquota/snapshot"
"""Where a version has what a snapshot adds to the user's files."""
_HIDDEN = (OWN, PLACE, ".gpuquota/kept", ".gpuquota/variables", ".gpuquota/variables.zip")
"""Paths that are not the user's files."""
_PARENT = OWN.partition("/")[0]
_CHUNK = 1 << 20
_GIT_TEXT = 4 << 20
"""The most bytes of a file of git that is looked through for tokens."""


class SessionFolder:
    """A session's folder, and files that are added to it below `OWN`.

    It is read from a frozen `view` where there is one. `exclude` are paths that are not the user's,
    `rules` say what else is left out; `room` is a folder for copies. The `catalog` remembers which
    files have no keys. `left_out` has what was left out, and why, by path; `copied` the files of
    which a copy was stored because somebody wrote them, `torn` those whose copy is not of one
    moment, and why; `written` those that have changed since the snapshot was begun.
    """

    def __init__(
        self,
        root: Path,
        room: Path,
        exclude: Iterable[str] = (),
        added: Mapping[str, Path] | None = None,
        view: View | None = None,
        rules: Rules = NO_RULES,
        catalog: Catalog | None = None,
    ) -> None:
        self.left_out: dict[str, str] = {}
        self.copied: set[str] = set()
        self.torn: dict[str, str] = {}
        self.written: set[str] = set()
        self._began = time.time_ns()
        self._live = root
        self._root = view.root if view else root
        self._view = view
        self._catalog = catalog
        self._room = room
        self._hidden_paths = frozenset((*_HIDDEN, *exclude))
        self._exclusion = Exclusion(self._root, rules, root)
        if self._exclusion.problem:
            self.left_out[IGNORE_FILE] = self._exclusion.problem
        for path, why in (view.left_out if view else {}).items():
            self.left_out[printable(path)] = why
        self._added = {f"{OWN}/{name}": path for name, path in (added or {}).items()}
        self._copies: dict[str, Path] = {}
        self._links: dict[str, str] = {}
        self._databases: set[str] = set()
        self._numbers = itertools.count()

    def survey(self) -> Size:
        """Return about the size of the folder; add what a version does not say of its files."""
        count = total = 0
        modes = self._new()
        with modes.open("wb") as file:
            with suppress(OSError):  # it was removed meanwhile
                mode = self._mode("", self._root.stat())
                file.write(attributes.mode_line(attributes.ROOT, mode))
            for path, found in self._stats():
                if not problem(path):
                    file.write(attributes.mode_line(path, self._mode(path, found)))
                if not stat.S_ISDIR(found.st_mode):
                    count, total = count + 1, total + found.st_size
        self._added[f"{OWN}/{attributes.MODES}"] = modes
        if self._links:
            name = f"{OWN}/{attributes.LINKS}"
            self._added[name] = self._new()
            self._added[name].write_bytes(attributes.encode_links(self._links))
        return Size(count, total)

    def preview(self, until: float) -> tuple[Size, bool]:
        """Return the size of what would be stored, and whether that is all.

        Looking ends at a time of the monotonic clock.
        """
        count = total = 0
        for path, entry in self._entries():
            if time.monotonic() > until:
                return Size(count, total), False
            if entry.is_dir(follow_symlinks=False):
                continue
            with suppress(FileNotFoundError):  # removed meanwhile
                found = Found(path, LINK) if entry.is_symlink() else _file(path, entry)
                if found.stat and not self._leaves_out(found) and not self._has_key(found):
                    count, total = count + 1, total + found.stat.st_size
        return Size(count, total), True

    async def batches(self) -> AsyncIterator[Sequence[Found]]:
        """Yield all paths in the order of manifests."""
        everything = self._all()
        while batch := await in_thread(list, itertools.islice(everything, BATCH)):
            yield await in_thread(self._without_keys, batch)

    def path(self, found: Found) -> Path:
        """Return the path of a file on this disk: of its copy, if there is one."""
        if found.path in self._added:
            return self._added[found.path]
        return self._copies.get(found.path, self._root / found.path)

    def state(self, found: Found, read: os.stat_result) -> os.stat_result | None:
        """Return the state in which a file was read; of a view, that of the folder's own file.

        None if that may have been written since, with the same times.
        """
        if self._view is None or found.path in self._copies or found.path in self._added:
            return read
        own = self._view.state(found.path, read)
        if own is None or self._view.taken - max(own.st_mtime_ns, own.st_ctime_ns) < SETTLED:
            return None
        return own

    def is_live(self, found: Found) -> bool:
        """Return whether others may write a file while it is read: in no view, and no copy."""
        return not (self._view or found.path in self._copies or found.path in self._added)

    def instead(self, found: Found, error: GpuQuotaError) -> Found | None:
        """Return a copy of a file that is being written, None for one that cannot be read."""
        try:
            if isinstance(error, Changed) and found.path not in self.copied:
                self.copied.add(found.path)
                database = self._backed_up(found) if found.path in self._databases else None
                return database or self._copied(found)
        except FileNotFoundError:
            self.copied.discard(found.path)
            self.left_out[printable(found.path)] = "It was removed meanwhile."
            return None
        except OSError as failed:
            self.left_out[printable(found.path)] = f"It cannot be copied: {failed.strerror}."
            return None
        self.left_out[printable(found.path)] = error.message
        return None

    def check(self) -> None:
        """Do nothing: what does not belong together is named."""

    def _all(self) -> Iterator[Found]:
        """Yield what is stored, sorted."""
        added = (
            Found(name, FILE, path.stat()) for name, path in sorted(self._added.items(), key=_key)
        )
        everything = walk(str(self._root), self._leaves_out)
        stored = (each for found in everything if (each := self._stored(found)))
        return heapq.merge(stored, added, key=lambda found: sort_key(found.path))

    def _leaves_out(self, found: Found) -> bool:
        """Return whether a path is left out with all below it, and note why."""
        if found.path in self._hidden_paths or found.path in self._links:
            return True
        try:
            why = self._why(found)
        except FileNotFoundError:
            return True  # it was removed meanwhile
        except OSError as error:
            why = f"It cannot be read: {error.strerror}."
        if why:
            self.left_out[printable(found.path)] = why
        return bool(why)

    def _why(self, found: Found) -> str:
        """Return why a path is left out, empty if it is not. Raises OSError."""
        if found.path == _PARENT:
            return "" if found.mode == FOLDER else "The product needs this name for a folder."
        if found.problem:
            return f"It cannot be stored: {found.problem}."
        return self._exclusion.why(found.path, found.mode)

    def _without_keys(self, batch: Sequence[Found]) -> Sequence[Found]:
        """Return the paths of a batch without files that hold keys."""
        own = (each for each in batch if each.path not in self._added)
        looked = {each.path: each for each in own if _may_hold_key(each)}
        known = self._catalog.plain(_states(looked.values())) if self._catalog else set()
        for each in list(looked.values()):
            if each.stat and identity(each.stat) in known:
                del looked[each.path]
        left = {each.path for each in looked.values() if self._has_key(each)}
        if self._catalog:
            plain = (each for each in looked.values() if each.path not in left)
            with self._catalog.batch():
                self._catalog.remember_plain(_states(plain))
        return [each for each in batch if each.path not in left]

    def _has_key(self, found: Found) -> bool:
        """Return whether a file is left out as it holds a key, or cannot be read to see that."""
        if found.stat is None or not _may_hold_key(found):
            return False
        try:
            if not self._exclusion.has_key(found.path, found.stat.st_size):
                return False
            why = redaction.LEFT_OUT
        except FileNotFoundError:
            return True  # it was removed meanwhile
        except OSError as error:
            why = f"It cannot be read: {error.strerror}."
        self.left_out[printable(found.path)] = why
        return True

    def _stored(self, found: Found) -> Found | None:
        """Return a path as it is stored, None if it is left out."""
        if found.path == _PARENT or self._belongs_to_database(found.path):
            return None  # an empty folder in which what is added is, or part of a stored copy
        if found.mode in {LINK, FOLDER}:
            return found
        if found.stat and self._view:
            own = self._view.state(found.path, found.stat)
            found = replace(found, stat=own or found.stat)
        elif found.stat and found.stat.st_ctime_ns > self._began:
            self.written.add(found.path)
        try:
            return self._readable(found)
        except FileNotFoundError:
            return None  # it was removed meanwhile
        except OSError as error:
            self.left_out[printable(found.path)] = f"It cannot be read: {error.strerror}."
            return None

    def _stats(self) -> Iterator[tuple[str, os.stat_result]]:
        """Yield all files and folders, and note the links that lead out of the folder."""
        for path, entry in self._entries():
            with suppress(FileNotFoundError):  # removed meanwhile
                if entry.is_symlink():
                    self._note_link(path, str(Path(entry.path).readlink()))
                else:
                    yield path, entry.stat(follow_symlinks=False)

    def _entries(self) -> Iterator[tuple[str, os.DirEntry[str]]]:
        """Yield what is not left out with its folder; a folder before what it contains.

        The order is the same each time.
        """
        pending = [""]
        while pending:
            folder = pending.pop()
            with suppress(OSError), os.scandir(f"{self._root}/{folder}") as entries:
                for entry in sorted(entries, key=lambda each: each.name):
                    path = f"{folder}/{entry.name}" if folder else entry.name
                    if path in self._hidden_paths:
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        if self._leaves_out(Found(path, FOLDER)):
                            continue
                        pending.append(path)
                    yield path, entry

    def _mode(self, path: str, found: os.stat_result) -> int:
        """Return the mode of the folder's own file: copies in a view have others."""
        if self._view and self._view.states is not None:
            with suppress(OSError):
                return (self._live / path).lstat().st_mode
        return found.st_mode

    def _note_link(self, path: str, target: str) -> None:
        if link_problem(path, target) and not problem(path):
            self._links[path] = target

    def _readable(self, found: Found) -> Found:
        """Return a file with the state of what is read: itself, or a copy. Raises OSError."""
        if redaction.is_git_text(found.path):
            return self._without_tokens(found)
        if not self._is_database(found):
            return found
        places = {self._live / found.path, self._root / found.path}
        if any(map(databases.is_at_work, places)):
            return self._backed_up(found) or found
        if not any(map(databases.has_log, places)):
            self._databases.add(found.path)  # a log that somebody begins now is of a later moment
        return found

    def _is_database(self, found: Found) -> bool:
        """Return whether a file is a database that may not be of one moment with its log."""
        if (self._view and self._view.atomic) or not found.stat:
            return False
        return databases.is_database(self._root / found.path, found.stat.st_size)

    def _belongs_to_database(self, path: str) -> bool:
        """Return whether a file is the log of a database that is stored whole."""
        return path.endswith(databases.SIDES) and path.rpartition("-")[0] in self._databases

    def _backed_up(self, found: Found) -> Found | None:
        """Return a copy of a database by SQLite, None if it cannot copy it, which is noted."""
        copy = self._new()
        try:
            databases.backup(self._live / found.path, copy)
        except sqlite3.Error as error:
            self._databases.discard(found.path)
            why = system_error(error, self._live / found.path) or error
            text = why.strerror if isinstance(why, OSError) else why
            self.torn[found.path] = f"SQLite cannot copy it ({text}): its bytes are stored."
            return None
        self._databases.add(found.path)
        return self._replaced(found, copy)

    def _copied(self, found: Found) -> Found:
        """Return a copy of a file as long as it is now. Raises OSError.

        Of what is only appended to, that is how it was at one moment.
        """
        copy = self._new()
        for _ in range(reading.ATTEMPTS):
            if self._copy(found, copy):
                break
        else:
            self.torn.setdefault(
                found.path, "It was written all the time: its parts are of different moments."
            )
        return self._replaced(found, copy)

    def _copy(self, found: Found, copy: Path) -> bool:
        """Copy a file; return whether nothing but its end has changed meanwhile, and a while after.

        A program that writes a file bit by bit may have paused in the middle.
        """
        with (self._root / found.path).open("rb", buffering=0) as source, copy.open("wb") as target:
            os.fdatasync(source.fileno())  # else writes by way of a mapping change no times
            before = os.fstat(source.fileno())
            wanted = _digest(source, before.st_size, target)
            time.sleep(reading.QUIET / 1e9)
            source.seek(0)
            same = _digest(source, before.st_size) == wanted
            after = os.fstat(source.fileno())
        known = found.stat.st_size if found.stat else 0
        grown = after.st_size > before.st_size >= known  # one that was shorter is written anew
        return same and (grown or reading.identity(before) == reading.identity(after))

    def _without_tokens(self, found: Found) -> Found:
        """Return a file of git, without the tokens in its addresses."""
        body = (self._root / found.path).read_bytes()
        if len(body) > _GIT_TEXT:
            return found
        text = body.decode(errors="surrogateescape")
        redacted = redaction.text(text)
        if redacted == text:
            return found
        self.left_out[printable(found.path)] = "Tokens in it were masked."
        copy = self._new()
        copy.write_bytes(redacted.encode(errors="surrogateescape"))
        return self._replaced(found, copy)

    def _replaced(self, found: Found, copy: Path) -> Found:
        self._copies[found.path] = copy
        return replace(found, stat=copy.stat())

    def _new(self) -> Path:
        return self._room / str(next(self._numbers))


def _states(files: Iterable[Found]) -> Iterator[os.stat_result]:
    return (each.stat for each in files if each.stat)


def _may_hold_key(found: Found) -> bool:
    """Return whether a file is to be looked through for a key."""
    if found.mode in {LINK, FOLDER} or found.stat is None:
        return False
    return redaction.may_hold_key(found.path, found.stat.st_size)


def _file(path: str, entry: os.DirEntry[str]) -> Found:
    """Return a file; raises FileNotFoundError."""
    return Found(path, FILE, entry.stat(follow_symlinks=False), problem=problem(path))


def _digest(source: FileIO, size: int, target: BinaryIO | None = None) -> bytes:
    """Return the sha256 of the first bytes of a file, which are also written to a target."""
    digest = hashlib.sha256()
    while size > 0 and (body := source.read(min(size, _CHUNK))):
        digest.update(body)
        if target:
            target.write(body)
        size -= len(body)
    return digest.digest()


def _key(item: tuple[str, Path]) -> bytes:
    return sort_key(item[0])
