"""The datasets of a session, as links to the read-only copies in the cache.

`data/NAME` in the session's own folder leads to each dataset, and the variable GPUQUOTA_DATASETS to
`data`. A path that was requested is below the working folder, because processes share this
machine's file system.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from ...control.storage.files import write_file, writing
from ...core.datasets.mounts import shown
from ...errors import FieldError
from ...model.datasets.mounts import DataMount, by_name
from ...model.messages.build import field_error
from ...model.sessions import LIVE, Session, SessionSpec
from ...model.struct import Model
from ...store.cache.places import place
from ..folders.folders import SessionFolder

_RECORD = "links.json"


class Links(Model, frozen=True, kw_only=True):
    """What a session has in its working folder: links, and folders that were made for them."""

    links: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()


class DataLinks:
    """Makes and removes links. `root` is the cache, `folder_of` finds the folder of a session."""

    def __init__(self, root: Path, folder_of: Callable[[Session], SessionFolder]) -> None:
        self._root = root
        self._folder_of = folder_of

    def taken(self, spec: SessionSpec) -> Iterator[FieldError]:
        """Yield an error for each requested path at which something else exists."""
        for i, mount in enumerate(spec.data):
            if mount.path and not self._is_free(_path(spec, mount), mount):
                yield field_error(f"data[{i}]", "data.taken", path=str(_path(spec, mount)))

    def make(self, session: Session) -> None:
        """Make the links of a session that starts. Raises OSError, StorageFailed.

        What is to be made is on disk first, so that it is removed even after a kill.
        """
        spec, home = session.spec, self._folder_of(session).path
        if not spec.data:
            return
        links = [_path(spec, mount) for mount in spec.data if mount.path]
        folders = {parent for link in links for parent in _missing(link.parent)}
        record = Links(links=tuple(map(str, links)), folders=tuple(sorted(map(str, folders))))
        with writing(home):
            write_file(home / _RECORD, msgspec.json.encode(record))
            data = folder_of(home)
            data.mkdir(mode=0o700, exist_ok=True)
            for link in data.iterdir():
                link.unlink()
        for name, mount in by_name(spec.data).items():
            self._link(data / name, mount)
        for mount in spec.data:
            if mount.path:
                self._link(_path(spec, mount), mount)

    def remove(self, session: Session, others: Iterable[Session]) -> None:
        """Remove the links of a session that has ended, except those that others use.

        What cannot be removed stays: it is read-only, and a later start says so if it is in its
        way.
        """
        home = self._folder_of(session).path
        try:
            record = msgspec.json.decode((home / _RECORD).read_bytes(), type=Links)
        except (OSError, msgspec.DecodeError):
            return
        kept = {
            str(_path(other.spec, mount))
            for other in others
            if other.id != session.id and other.state in LIVE
            for mount in other.spec.data
            if mount.path
        }
        for path in record.links:
            if path not in kept and _leads_into(path, self._root):
                with suppress(OSError):
                    Path(path).unlink()
        for path in reversed(record.folders):
            with suppress(OSError):  # it is not empty
                Path(path).rmdir()
        with suppress(OSError):
            (home / _RECORD).unlink()

    def _link(self, path: Path, mount: DataMount) -> None:
        """Make a link to a version. Raises FileExistsError, FileNotFoundError."""
        target = self._target(mount)
        if not target.is_dir():
            raise FileNotFoundError(0, f"{shown(mount)} is no longer cached")
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            path.symlink_to(target)
        except FileExistsError as error:
            if not self._is_free(path, mount):
                raise FileExistsError(0, f"{path} exists already") from error

    def _is_free(self, path: Path, mount: DataMount) -> bool:
        """Return whether nothing is at a path, or the same link, perhaps of another session."""
        try:
            return path.readlink() == self._target(mount)
        except FileNotFoundError:
            return True
        except OSError:  # it is no link, or lies below a file
            return False

    def _target(self, mount: DataMount) -> Path:
        return place(self._root, mount.dataset, mount.version).tree


def folder_of(home: Path) -> Path:
    """Return the folder in which datasets are found by name, in the folder of a session."""
    return home / "data"


def _path(spec: SessionSpec, mount: DataMount) -> Path:
    return Path(spec.folder, mount.path.lstrip("/"))


def _missing(folder: Path) -> Iterator[Path]:
    """Yield a folder and those above it that do not exist."""
    while not folder.exists():
        yield folder
        folder = folder.parent


def _leads_into(path: str, folder: Path) -> bool:
    """Return whether a path is a link into a folder."""
    try:
        return Path(path).readlink().is_relative_to(folder)
    except OSError:
        return False
