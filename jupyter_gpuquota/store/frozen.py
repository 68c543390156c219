"""Read-only views of a folder that do not change, where its file system can make them.

The content store reads one in place of the folder: programs need not pause until all is stored.
Of btrfs, see btrfs-subvolume(8): whoever owns a subvolume may take a snapshot of it; only root may
remove one again, unless the file system is mounted with `user_subvol_rm_allowed`. That is tried
before.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import subprocess
import time
import uuid
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast

from .disk.files import reflink
from .processes import room
from .reading import identity
from .tasks import in_thread

_FILE = Path("/proc/self/mountinfo")
_POINT = 4
_OCTAL = re.compile(r"\\([0-7]{3})")
_PATIENCE = 60.0
PLACE = ".gpuquota/frozen"
"""Where a folder has its views while they are read: they must be on its file system."""
_PREFIX = "view-"

_Reduced = tuple[object, tuple[tuple[Any, ...], dict[str, Any]]]

_log = logging.getLogger(__name__)
_ROOT = 256
"""The number of the root of a subvolume (BTRFS_FIRST_FREE_OBJECTID)."""
_EMPTY = 2
"""The number of the folder in which a snapshot lacks a subvolume (EMPTY_SUBVOL_DIR_OBJECTID)."""
_WORDS = ("btrfs", "subvolume")
_WITHOUT = frozenset({"ext2", "ext3", "ext4", "tmpfs", "ramfs", "vfat", "squashfs"})
"""File systems that never have them: there, nothing is tried."""


class Mount(NamedTuple):
    """A mounted file system: where, and its type."""

    point: Path
    kind: str


def mounts() -> list[Mount]:
    """Return what this process sees mounted. Raises OSError."""
    return list(parsed(_FILE.read_text(errors="surrogateescape")))


def parsed(text: str) -> Iterator[Mount]:
    """Yield the mounts that a file of the kernel names."""
    for line in text.splitlines():
        before, _, after = line.partition(" - ")
        yield Mount(Path(_plain(before.split(" ")[_POINT])), after.split(" ")[0])


def mount_of(folder: Path, known: Iterable[Mount]) -> Mount | None:
    """Return the mount that a folder is in: of several at one place, the last hides the others."""
    above = [each for each in known if folder.is_relative_to(each.point)]
    return max(reversed(above), key=lambda each: len(each.point.parts), default=None)


def is_mounted_below(folder: Path, known: Iterable[Mount]) -> bool:
    """Return whether something is mounted inside of a folder."""
    return any(folder in each.point.parents for each in known)


def _plain(text: str) -> str:
    return _OCTAL.sub(lambda found: chr(int(found[1], 8)), text)


class Refused(Exception):
    """A file system, its program, or the account cannot do this; the text says why."""


class Commands:
    """Programs of this machine, which are run without a shell.

    They are those on `PATH`; those of file systems are often in the folders of root only.
    """

    def has(self, program: str) -> bool:
        """Return whether there is a program of this name."""
        return _found(program) is not None

    def run(self, words: Sequence[str]) -> str:
        """Return what a program prints. Raises Refused unless it ends well."""
        program = _found(words[0])
        if program is None:
            raise Refused(f"{words[0]} is not installed.")
        try:
            ended = subprocess.run(
                [program, *words[1:]],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_PATIENCE,
                check=True,
            )
        except subprocess.CalledProcessError as error:
            said = error.stderr.decode(errors="replace").strip()
            raise Refused(said or f"{words[0]} ended with {error.returncode}.") from error
        except (OSError, subprocess.SubprocessError) as error:
            raise Refused(str(error)) from error
        return ended.stdout.decode(errors="surrogateescape")


def _found(program: str) -> str | None:
    return shutil.which(program) or shutil.which(program, path="/usr/sbin:/sbin")


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A folder as it was at the moment `taken`, in nanoseconds since 1970.

    `atomic` is true if all of its files are of that moment. `device` is that of the folder, whose
    files have the same numbers and times in the view; where they have not, `states` are the
    states of the folder's files by path. `left_out` says why folders are not in it, by path.
    """

    root: Path
    provider: str
    atomic: bool
    device: int
    taken: int = field(default_factory=time.time_ns)
    states: Mapping[str, os.stat_result] | None = None
    left_out: Mapping[str, str] = field(default_factory=dict)

    def state(self, path: str, seen: os.stat_result) -> os.stat_result | None:
        """Return the state of the folder's own file, None if it was being written."""
        if self.states is not None:
            return self.states.get(path)
        _, (values, named) = cast("_Reduced", seen.__reduce__())
        return os.stat_result((*values[:2], self.device, *values[3:]), named)


class Provider(Protocol):
    """One way to freeze a folder. All methods block."""

    name: str

    def offers(self, mount: Mount) -> bool:
        """Return whether a folder of this file system may perhaps be frozen."""

    def take(self, folder: Path, place: Path) -> View:
        """Return a view of a folder; `place` is an own folder beside its files.

        Raises Refused, OSError.
        """

    def drop(self, place: Path) -> None:
        """Remove the view that was taken for this place, if any. Raises Refused."""


@asynccontextmanager
async def frozen(folder: Path, providers: Sequence[Provider]) -> AsyncIterator[View | None]:
    """Return a view of a folder by the first provider that can, None if none can.

    Views that killed processes have left behind are removed, too.
    """
    async with AsyncExitStack() as stack:
        try:
            view = await _view(folder.resolve(), providers, stack)
        except OSError as error:
            _log.info("%s is not frozen: %s", folder, error)
            view = None
        yield view


async def _view(folder: Path, providers: Sequence[Provider], stack: AsyncExitStack) -> View | None:
    known = await in_thread(mounts)
    mount = mount_of(folder, known)
    if mount is None or is_mounted_below(folder, known):
        return None  # what is mounted in the folder would be missing
    able = [each for each in providers if each.offers(mount)]
    place = folder / PLACE
    if not able or place.parent.is_symlink() or place.is_symlink():
        return None

    def remove(left: Path) -> None:
        for each in able:
            try:
                each.drop(left)
            except Refused as error:
                _log.warning("A view of %s cannot be removed: %s", folder, error)
        shutil.rmtree(left, ignore_errors=True)

    place.mkdir(parents=True, exist_ok=True)
    stack.callback(_tidy, place)
    own = f"{_PREFIX}{uuid.uuid4().hex}"
    mine = await stack.enter_async_context(room(place / own, _PREFIX, remove))
    for each in able:
        try:
            return await in_thread(each.take, folder, mine)
        except (Refused, OSError) as error:
            _log.info("%s cannot freeze %s: %s", each.name, folder, error)
    return None


def _tidy(place: Path) -> None:
    """Remove the folders of views unless they contain something."""
    with suppress(OSError):
        place.rmdir()
        place.parent.rmdir()


class Btrfs:
    """Freezes folders of btrfs, with the program `btrfs`."""

    name = "btrfs"

    def __init__(self, commands: Commands) -> None:
        self._commands = commands

    def offers(self, mount: Mount) -> bool:
        """Return whether this is btrfs, and its program installed."""
        return mount.kind == "btrfs" and self._commands.has("btrfs")

    def take(self, folder: Path, place: Path) -> View:
        """Return a snapshot of the folder's subvolume. Raises Refused, OSError."""
        volume = _volume(folder)
        self._probe(place / "probe")
        target = _target(place)
        self._commands.run(snapshot(volume, target))
        root = target / folder.relative_to(volume)
        if missing := next(_missing(root), ""):
            raise Refused(f"{missing} is a subvolume of its own.")
        return View(root=root, provider=self.name, atomic=True, device=folder.stat().st_dev)

    def drop(self, place: Path) -> None:
        """Remove the snapshot. Raises Refused."""
        if _target(place).is_dir():
            self._commands.run(delete(_target(place)))

    def _probe(self, place: Path) -> None:
        """Refuse unless this account may remove what it makes."""
        self._commands.run(create(place))
        try:
            self._commands.run(delete(place))
        except Refused:
            place.rmdir()  # since Linux 4.18 its owner may remove an empty subvolume
            raise


def create(place: Path) -> list[str]:
    """Return the command that makes an empty subvolume."""
    return [*_WORDS, "create", str(place)]


def snapshot(volume: Path, place: Path) -> list[str]:
    """Return the command that takes a read-only snapshot of a subvolume."""
    return [*_WORDS, "snapshot", "-r", str(volume), str(place)]


def delete(place: Path) -> list[str]:
    """Return the command that removes a subvolume."""
    return [*_WORDS, "delete", str(place)]


def _target(place: Path) -> Path:
    return place / "btrfs"


def _volume(folder: Path) -> Path:
    """Return the root of the subvolume that a folder is in. Raises Refused, OSError."""
    device = folder.stat().st_dev
    same = [each for each in (folder, *folder.parents) if each.stat().st_dev == device]
    if same[-1].stat().st_ino != _ROOT:
        raise Refused(f"The root of the subvolume of {folder} is not mounted.")
    return same[-1]


def _missing(root: Path) -> Iterator[str]:
    """Yield the subvolumes inside of a folder, which its snapshot has as empty folders."""
    pending = [""]
    while pending:
        folder = pending.pop()
        with os.scandir(root / folder) as entries:
            for entry in entries:
                path = f"{folder}/{entry.name}" if folder else entry.name
                if path == PLACE or not entry.is_dir(follow_symlinks=False):
                    continue
                if entry.stat(follow_symlinks=False).st_ino == _EMPTY:
                    yield path
                elif os.access(entry.path, os.R_OK | os.X_OK):
                    pending.append(path)


class Reflinks:
    """Freezes folders by a copy of each file, which takes no room: file after file.

    `why` says why a folder is left out by its path, empty if it is not.
    """

    name = "reflink"

    def __init__(self, why: Callable[[str], str] = lambda _: "") -> None:
        self._why = why

    def offers(self, mount: Mount) -> bool:
        """Return whether the file system may have such copies."""
        return mount.kind not in _WITHOUT

    def take(self, folder: Path, place: Path) -> View:
        """Return copies of all files of a folder. Raises Refused, OSError."""
        probe = place / "probe"
        probe.write_bytes(b"\0")
        self._copy(probe, place / "copy")
        target = place / "files"
        target.mkdir()
        states: dict[str, os.stat_result] = {}
        left_out: dict[str, str] = {}
        pending = [""]
        while pending:
            within = pending.pop()
            for entry in _entries(folder / within):
                path = f"{within}/{entry.name}" if within else entry.name
                if path == PLACE:
                    continue
                if entry.is_dir(follow_symlinks=False) and (why := self._why(path)):
                    left_out[path] = why
                elif entry.is_dir(follow_symlinks=False):
                    (target / path).mkdir()
                    pending.append(path)
                elif entry.is_symlink():
                    (target / path).symlink_to(Path(entry.path).readlink())
                elif entry.is_file() and (state := self._copy(entry, target / path)):
                    states[path] = state
        device = folder.stat().st_dev
        return View(
            root=target,
            provider=self.name,
            atomic=False,
            device=device,
            states=states,
            left_out=left_out,
        )

    def drop(self, place: Path) -> None:
        """Do nothing: the copies are files of the place."""

    def _copy(self, source: os.PathLike[str], target: Path) -> os.stat_result | None:
        """Copy a file; return its state, None if it is gone or was written meanwhile.

        Raises Refused.
        """
        path = Path(source)
        try:
            before = path.lstat()
            done = reflink(path, target, before.st_mode & 0o700 | 0o400)
            after = path.lstat()
        except FileNotFoundError:
            return None
        if not done:
            raise Refused(f"{path} cannot be copied without room.")
        return after if identity(before) == identity(after) else None


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    """Return what a folder contains, nothing if it has been removed. Raises OSError."""
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except FileNotFoundError:
        return []


def providers(why: Callable[[str], str]) -> tuple[Provider, ...]:
    """Return all ways; which of them a folder has is tried each time.

    `why` says why a folder is left out by its path: those that look at each file spare it.
    """
    return (Btrfs(Commands()), Reflinks(why))
