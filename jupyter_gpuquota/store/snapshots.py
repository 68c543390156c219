"""A session's folder as a version: without secrets, and of files that are written, a copy.

A version has no symbolic links that lead out of its folder, as whoever mounts one would follow
them. A snapshot has a file of them instead: paths and targets, each ended by a NUL byte.
"""

from __future__ import annotations

import heapq
import itertools
import os
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from ..core.exclusion import IGNORE_FILE
from ..core.snapshots import redaction
from ..errors import Damaged, GpuQuotaError
from . import paths
from .catalog import SETTLED
from .disk.failures import Changed
from .entries import FILE, FOLDER, LINK
from .exclusion import NO_RULES, Exclusion, Rules
from .frozen import PLACE, View
from .paths import link_problem, printable, problem, sort_key
from .sources import BATCH, Size
from .tasks import in_thread
from .tree import Found, walk

LINKS = "links"
"""The name of the file of the symbolic links that lead out of a folder."""
OWN = ".gpuquota/snapshot"
"""Where a version has what a snapshot adds to the user's files."""
_HIDDEN = (OWN, PLACE, ".gpuquota/kept", ".gpuquota/variables", ".gpuquota/variables.zip")
"""Paths that are not the user's files."""
_PARENT = OWN.partition("/")[0]
_CHUNK = 1 << 20
_GIT_TEXT = 4 << 20
"""The most bytes of a file of git that is looked through for tokens."""


def encode_links(links: Mapping[str, str]) -> bytes:
    """Return the file of links: targets by path."""
    pairs = sorted(links.items(), key=lambda link: paths.sort_key(link[0]))
    return b"".join(os.fsencode(f"{path}\0{target}\0") for path, target in pairs)


def decode_links(body: bytes) -> dict[str, str]:
    """Return targets by path. Raises Damaged for what is malformed, or no path in a folder."""
    *texts, rest = os.fsdecode(body).split("\0")
    found = dict(zip(texts[::2], texts[1::2], strict=False))
    if rest or len(texts) % 2 or any(map(paths.problem, found)) or not all(found.values()):
        raise Damaged("The snapshot's list of symbolic links is malformed.")
    return found


def make(root: Path, file: Path) -> None:
    """Make the links of a file, if there is one, in a folder that has been restored.

    Raises Damaged if a link would be elsewhere, or in the place of something else.
    """
    if not file.is_file():
        return
    real = root.resolve()
    for path, target in decode_links(file.read_bytes()).items():
        link = root / path
        link.parent.mkdir(parents=True, exist_ok=True)
        if link.parent.resolve() != real / Path(path).parent or os.path.lexists(link):
            raise Damaged(f"The symbolic link {paths.printable(path)} cannot be restored.")
        link.symlink_to(target)


class SessionFolder:
    """A session's folder, and files that are added to it below `OWN`.

    It is read from a frozen `view` where there is one. `exclude` are paths that are not the user's,
    `rules` say what else is left out; `room` is a folder for copies. `left_out` has what was left
    out, and why, by path; `copied` the files of which a copy was stored because somebody wrote
    them; `written` those that have changed since the snapshot was begun.
    """

    def __init__(
        self,
        root: Path,
        room: Path,
        exclude: Iterable[str] = (),
        added: Mapping[str, Path] | None = None,
        view: View | None = None,
        rules: Rules = NO_RULES,
    ) -> None:
        self.left_out: dict[str, str] = {}
        self.copied: set[str] = set()
        self.written: set[str] = set()
        self._began = time.time_ns()
        self._root = view.root if view else root
        self._view = view
        self._room = room
        self._hidden_paths = frozenset((*_HIDDEN, *exclude))
        self._exclusion = Exclusion(self._root, rules, root)
        if self._exclusion.problem:
            self.left_out[IGNORE_FILE] = self._exclusion.problem
        self._added = {f"{OWN}/{name}": path for name, path in (added or {}).items()}
        self._copies: dict[str, Path] = {}
        self._links: dict[str, str] = {}
        self._numbers = itertools.count()

    def survey(self) -> Size:
        """Return about the size of the folder, and add the list of links that lead out of it."""
        count = total = 0
        for size in self._sizes():
            count, total = count + 1, total + size
        if self._links:
            name = f"{OWN}/{LINKS}"
            self._added[name] = self._new()
            self._added[name].write_bytes(encode_links(self._links))
        return Size(count, total)

    def preview(self, until: float) -> tuple[Size, bool]:
        """Return the size of what would be stored, and whether that is all.

        Looking ends at a time of the monotonic clock.
        """
        count = total = 0
        for path, entry in self._entries():
            if time.monotonic() > until:
                return Size(count, total), False
            with suppress(FileNotFoundError):  # removed meanwhile
                found = Found(path, LINK) if entry.is_symlink() else _file(path, entry)
                if not self._leaves_out(found) and found.stat:
                    count, total = count + 1, total + found.stat.st_size
        return Size(count, total), True

    async def batches(self) -> AsyncIterator[Sequence[Found]]:
        """Yield all paths in the order of manifests."""
        everything = self._all()
        while batch := await in_thread(list, itertools.islice(everything, BATCH)):
            yield batch

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

    def instead(self, found: Found, error: GpuQuotaError) -> Found | None:
        """Return a copy of a file that is being written, None for one that cannot be read."""
        try:
            if isinstance(error, Changed) and found.path not in self.copied:
                self.copied.add(found.path)
                return self._snapped(found)
        except FileNotFoundError:
            self.copied.discard(found.path)
            self.left_out[printable(found.path)] = "It was removed meanwhile."
            return None
        except OSError as failed:
            self.left_out[printable(found.path)] = f"It cannot be copied: {failed.strerror}."
            return None
        self.left_out[printable(found.path)] = error.message
        return None

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
        return self._exclusion.why(found.path, found.mode, found.stat.st_size if found.stat else 0)

    def _stored(self, found: Found) -> Found | None:
        """Return a path as it is stored, None if it is left out."""
        if found.path == _PARENT:
            return None  # an empty folder: what is added is in it
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

    def _sizes(self) -> Iterator[int]:
        """Yield the sizes of all files, and note the links that lead out of the folder."""
        for path, entry in self._entries():
            if entry.is_symlink():
                self._note_link(path, str(Path(entry.path).readlink()))
            else:
                with suppress(FileNotFoundError):  # removed meanwhile
                    yield entry.stat(follow_symlinks=False).st_size

    def _entries(self) -> Iterator[tuple[str, os.DirEntry[str]]]:
        """Yield what is neither a folder nor in one that is left out, in no order."""
        pending = [""]
        while pending:
            folder = pending.pop()
            with suppress(OSError), os.scandir(f"{self._root}/{folder}") as entries:
                for entry in entries:
                    path = f"{folder}/{entry.name}" if folder else entry.name
                    if path in self._hidden_paths:
                        continue
                    if not entry.is_dir(follow_symlinks=False):
                        yield path, entry
                    elif not self._leaves_out(Found(path, FOLDER)):
                        pending.append(path)

    def _note_link(self, path: str, target: str) -> None:
        if link_problem(path, target) and not problem(path):
            self._links[path] = target

    def _readable(self, found: Found) -> Found:
        """Return a file with the state of what is read: itself, or a copy. Raises OSError."""
        if redaction.is_git_text(found.path):
            return self._without_tokens(found)
        return found

    def _snapped(self, found: Found) -> Found:
        """Return a copy of a file as long as it is now: of what is only appended to, a state."""
        copy = self._new()
        with (self._root / found.path).open("rb") as source, copy.open("wb") as target:
            left = os.fstat(source.fileno()).st_size
            while left and (body := source.read(min(left, _CHUNK))):
                target.write(body)
                left -= len(body)
        return self._replaced(found, copy)

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


def _file(path: str, entry: os.DirEntry[str]) -> Found:
    """Return a file; raises FileNotFoundError."""
    return Found(path, FILE, entry.stat(follow_symlinks=False), problem=problem(path))


def _key(item: tuple[str, Path]) -> bytes:
    return sort_key(item[0])
