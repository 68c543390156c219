"""Writing the files of a snapshot that are streamed: all of them to a new folder, or none."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from msgspec.structs import replace

from ...errors import (
    Conflict,
    FieldError,
    GpuQuotaError,
    OutcomeUnknown,
    StorageFailed,
    Unavailable,
    refused,
)
from ...model.datasets.jobs import Job
from ...model.snapshots.manifest import Manifest
from ...model.snapshots.snapshots import SnapshotFiles
from ..connection.protocol import Answers

if TYPE_CHECKING:
    import tarfile


def is_streamed(manifest: Manifest) -> bool:
    """Return whether the content is in copies of volumes that only the cluster can read."""
    in_lake = manifest.tree or any(each.tree for each in manifest.volumes)
    return not in_lake and any(each.handle for each in manifest.volumes)


def unpacked(answers: Answers, target: Path) -> Job:
    """Write a streamed archive to a new folder, and return the job that has ended.

    It is written beside the folder, and renamed once it is whole. Raises InvalidFields, Conflict,
    StorageFailed, Unavailable.
    """
    with closing(answers):
        _check(target)
        try:
            with _beside(target) as tree:
                parts = _Parts(answers)
                _unpack(parts, tree)
                job = parts.end()
                _check(target)
                tree.rename(target)
        except OutcomeUnknown as error:
            raise Unavailable(
                f"The connection ended before all files had come; nothing is in {target}.",
                hint="Export the snapshot again.",
            ) from error
        except OSError as error:
            raise StorageFailed(
                f"The files cannot be written: {error.strerror or error}; nothing is in {target}.",
                hint="Make room, or name a folder on another disk.",
            ) from error
    return replace(job, folder=str(target))


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """Return a new folder to rename; what is left of it goes, as does what killed exports left.

    Raises OSError.
    """
    from ...store.processes import Room  # noqa: PLC0415 (keeps the import light)

    prefix = f".{target.name}.exporting-"
    place = target.with_name(f"{prefix}{uuid.uuid4().hex}")
    with closing(Room(place, prefix, partial(shutil.rmtree, ignore_errors=True))):
        tree = place / "tree"
        tree.mkdir()
        yield tree


def _check(target: Path) -> None:
    problem = ""
    if not target.parent.is_dir():
        problem = f"{target.parent} is not a folder."
    elif not os.access(target.parent, os.W_OK | os.X_OK):
        problem = f"You may not write to {target.parent}."
    elif os.path.lexists(target):
        problem = f"{target} exists already."
    if problem:
        raise refused(FieldError("folder", problem, "Name a new folder."))


class _Parts:
    """The data of parts, as a file that is read from its beginning to its end."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._data = b""
        self._job: Job | None = None

    def read(self, size: int) -> bytes:
        """Return some bytes, at most `size`; none at the end."""
        while not self._data and self._job is None:
            part: SnapshotFiles = self._answers.next()
            self._data, self._job = part.data, part.job
        found, self._data = self._data[:size], self._data[size:]
        return found

    def end(self) -> Job:
        """Read what is left, and return the job that has ended."""
        while self._job is None:
            self.read(1 << 20)
            self._data = b""
        return self._job


def _unpack(parts: _Parts, tree: Path) -> None:
    """Write all that is in an archive below a folder. Raises OSError, Conflict, Unavailable."""
    import tarfile  # noqa: PLC0415 (keeps the import light)

    folders = {tree}
    try:
        with tarfile.open(
            mode="r|",
            fileobj=cast("IO[bytes]", parts),
            encoding="utf-8",
            errors="surrogateescape",
        ) as archive:
            for member in archive:
                _write(archive, member, tree, folders)
    except tarfile.TarError as error:
        raise Unavailable(f"The archive is damaged: {error}.", hint="Try again.") from error


def _write(
    archive: tarfile.TarFile, member: tarfile.TarInfo, tree: Path, folders: set[Path]
) -> None:
    """Write one member. Only folders that were made here are written to, so no link is followed."""
    names = member.name.split("/")
    if not member.name or any(name in {"", ".", ".."} for name in names):
        raise _outside(member.name)
    path = tree.joinpath(*names)
    _make(path.parent, folders, member.name)
    if member.isdir():
        _make(path, folders, member.name)
        return
    if os.path.lexists(path):
        raise _outside(member.name)
    if member.issym():
        path.symlink_to(member.linkname)
    elif content := archive.extractfile(member):
        with content, path.open("xb") as file:
            shutil.copyfileobj(content, file, 1 << 20)
        if member.mode & 0o100:
            path.chmod(path.stat().st_mode | 0o111)
        os.utime(path, (member.mtime, member.mtime))


def _make(path: Path, folders: set[Path], name: str) -> None:
    """Make a folder with those above it, unless they were made here."""
    if path in folders:
        return
    _make(path.parent, folders, name)
    if os.path.lexists(path):
        raise _outside(name)
    path.mkdir()
    folders.add(path)


def _outside(name: str) -> GpuQuotaError:
    return Conflict(
        f"{name!r} would be elsewhere, or in the place of another file; nothing was written.",
        hint="Restore the snapshot instead: its volumes stay apart.",
    )
