"""Volumes in the state folder, one folder each: its record, and its files unless registered.

`volumes/PROJECT/NAME/volume.json` and `volumes/PROJECT/NAME/files`. A new volume is complete under
another name before it gets its own by a rename, and one that is removed loses its name by a rename:
whenever the controller is killed, a volume is there as a whole or not at all.
"""

from __future__ import annotations

import logging
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import msgspec

from ...control.storage.files import sync_folder, write_file, writing
from ...control.volumes.store import Measured, VolumeRecord
from ...core.requests.mounts import is_reserved
from ...errors import FieldError, NameTaken, refuse
from ...model.pods import ContainerRules
from ...model.struct import decoded
from ...store.frozen import mounts
from .quotas import Quotas

_log = logging.getLogger(__name__)

RECORD, FILES = "volume.json", "files"
_NEW, _GONE = ".new-", ".removed-"


class FolderVolumes:
    """The volumes below a folder of the state folder `home`."""

    def __init__(self, home: Path, quotas: Quotas | None = None) -> None:
        self._home = home
        self._root = home / "volumes"
        self._quotas = quotas or Quotas()

    def load(self) -> Iterator[VolumeRecord]:
        """Yield the stored volumes, and remove what was not complete. Raises StorageFailed."""
        with writing(self._root):
            for path in self._all("*/*"):
                if path.name.startswith(_NEW):
                    shutil.rmtree(path, ignore_errors=True)
                elif not path.name.startswith(".") and (record := _read(path)):
                    yield record

    def add(self, record: VolumeRecord) -> None:
        """Create a volume. Raises NameTaken, StorageFailed, InvalidFields."""
        if record.folder:
            check_folder(record.folder, self._home, read_only=record.read_only)
        path = self._path(record)
        new = path.with_name(f"{_NEW}{secrets.token_hex(8)}")
        try:
            with writing(path):
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                new.mkdir(mode=0o700)
                if not record.folder:
                    self._quotas.make(new / FILES, record.size)
                write_file(new / RECORD, msgspec.json.encode(record))
                sync_folder(new)
                if path.exists():
                    raise NameTaken(
                        f"{path} exists already.", hint="Use another name, or remove that folder."
                    )
                new.rename(path)
                sync_folder(path.parent)
        finally:
            shutil.rmtree(new, ignore_errors=True)

    def save(self, record: VolumeRecord) -> None:
        """Store a changed record. Raises StorageFailed."""
        path = self._path(record)
        with writing(path):
            write_file(path / RECORD, msgspec.json.encode(record))
            sync_folder(path)
            if not record.folder and (path / FILES).is_dir():
                self._quotas.set(path / FILES, record.size)

    def remove(self, record: VolumeRecord) -> None:
        """Take a volume's name from it. Raises StorageFailed."""
        path = self._path(record)
        with writing(path):
            path.rename(path.with_name(f"{_GONE}{secrets.token_hex(8)}"))
            sync_folder(path.parent)

    def tidy(self) -> None:
        """Free the files of removed volumes; what cannot be removed now is tried again."""
        for path in self._all(f"*/{_GONE}*"):
            shutil.rmtree(path, ignore_errors=True)

    def folder(self, record: VolumeRecord) -> str:
        """Return the folder of a volume."""
        return record.folder or str(self._path(record) / FILES)

    def problem(self, record: VolumeRecord) -> str:
        """Return why a volume cannot be mounted, empty if it can."""
        folder = self.folder(record)
        if record.folder:
            return folder_problem(folder, read_only=record.read_only)
        return "" if os.path.isdir(folder) else f"{folder} does not exist."  # noqa: PTH112

    def limited(self, record: VolumeRecord) -> Measured | None:
        """Return what a volume uses that the file system limits, or cannot be read; else None."""
        if problem := self.problem(record):
            return Measured(problem=problem)
        folder = self.folder(record)
        try:
            limit, taken = mount_limit(folder)
            if not limit and not record.folder:
                limit, taken = self._quotas.limit(Path(folder))
        except OSError as error:
            return Measured(problem=f"{folder}: {error.strerror}.")
        return Measured(taken, limit) if limit else None

    def measure(self, record: VolumeRecord, stopped: Callable[[], bool]) -> Measured:
        """Return what a volume uses on the disk."""
        return self.limited(record) or Measured(used(self.folder(record), stopped))

    def _path(self, record: VolumeRecord) -> Path:
        return volume_path(self._root, record)

    def _all(self, pattern: str) -> list[Path]:
        return sorted(path for path in self._root.glob(pattern) if path.is_dir())


def volume_path(root: Path, record: VolumeRecord) -> Path:
    """Return the folder that belongs to a volume; a project may have any name."""
    project = quote(record.project, safe="")
    return root / project.replace(".", "%2E", 1) / record.name


def _read(path: Path) -> VolumeRecord | None:
    """Return the record of a volume; None if it cannot be read, which is logged."""
    try:
        return decoded((path / RECORD).read_bytes(), VolumeRecord)
    except (OSError, msgspec.DecodeError) as error:
        _log.warning("the volume in %s cannot be read: %s", path, error)
        return None


_HINTS = {
    "link": "Use the path that it leads to.",
    "exist": "Create it first, or leave it out to get a new folder.",
    "written": "Share it read-only, or use a folder of yours.",
    "": "Use a folder of yours.",
}
"""What to do, by a word of what is said of a folder."""


def check_folder(folder: str, state: Path, *, read_only: bool) -> None:
    """Raise InvalidFields unless a folder may be registered by the account. Raises no others."""
    problems = _problems(folder, state, read_only=read_only)
    refuse([FieldError("folder", text, hint) for text, hint in problems][:1])


def folder_problem(folder: str, *, read_only: bool) -> str:
    """Return why a folder cannot be mounted now, empty if it can.

    A link in its path is a problem: whoever may change it could lead sessions elsewhere.
    """
    if os.path.realpath(folder) != os.path.normpath(folder):
        return f"{folder} is, or lies behind, a symbolic link."
    if not Path(folder).is_dir():
        return f"{folder} {'is not a folder' if Path(folder).exists() else 'does not exist'}."
    wanted = os.R_OK | os.X_OK | (0 if read_only else os.W_OK)
    if not os.access(folder, wanted):
        return f"{folder} cannot be {'read' if read_only else 'written'}."
    return ""


def _problems(folder: str, state: Path, *, read_only: bool) -> Iterator[tuple[str, str]]:
    if problem := folder_problem(folder, read_only=read_only):
        said = problem.removeprefix(folder)
        yield problem, next(hint for word, hint in _HINTS.items() if word in said)
        return
    if is_reserved(folder, ContainerRules()):
        yield f"{folder} belongs to the system.", "Use a folder of yours."
    home = state.resolve()
    if home.is_relative_to(folder) or Path(folder).is_relative_to(home):
        yield f"{folder} holds the state of GPU sessions, or is part of it.", "Use another folder."
    if Path(folder).stat().st_uid != os.geteuid():
        hint = "Ask an administrator to share it: `volumes:` in the quota file."
        yield f"{folder} belongs to another account.", hint


_BLOCK = 512
"""Bytes of a block in `st_blocks`, as stat(2) says."""
_LOOKS = 1000


def used(folder: str, stopped: Callable[[], bool]) -> int | None:
    """Return the bytes that the files below a folder take on its disk; None if it was stopped.

    A file with several names counts once; symbolic links are not followed, and what cannot be read
    does not count.
    """
    total, seen = 0, set[tuple[int, int]]()
    for count, found in enumerate(_stats(folder)):
        if count % _LOOKS == 0 and stopped():
            return None
        if found.st_nlink > 1:
            if (found.st_dev, found.st_ino) in seen:
                continue
            seen.add((found.st_dev, found.st_ino))
        total += found.st_blocks * _BLOCK
    return total


def mount_limit(folder: str) -> tuple[int, int]:
    """Return the bytes that a folder may take and those that it takes, where that is its own limit.

    That is so for the root of a file system, and for a folder with a project quota of ext4 or XFS:
    statfs(2) answers with the quota there. Else both are 0. Raises OSError.
    """
    here = os.statvfs(folder)
    above = os.statvfs(Path(folder).parent)
    whole, taken = here.f_blocks * here.f_frsize, (here.f_blocks - here.f_bfree) * here.f_frsize
    if _is_mounted(Path(folder)) or whole < above.f_blocks * above.f_frsize:
        return whole, taken
    return 0, 0


def _is_mounted(folder: Path) -> bool:
    """Return whether a folder is the root of a file system: one of a subvolume is not enough."""
    real = folder.resolve()
    return real.is_mount() and any(each.point == real for each in mounts())


def _stats(folder: str) -> Iterator[os.stat_result]:
    """Yield what is known of each file and folder below a folder."""
    waiting = [folder]
    while waiting:
        with suppress(OSError), os.scandir(waiting.pop()) as entries:  # it is gone or closed to us
            for entry in entries:
                with suppress(OSError):
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    yield entry.stat(follow_symlinks=False)
