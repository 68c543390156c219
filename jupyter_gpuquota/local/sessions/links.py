"""The datasets and volumes of a session, as links.

`data/NAME` and `volumes/NAME` in the session's own folder lead to each dataset, a read-only copy in
the cache, and to each volume; the variables GPUQUOTA_DATASETS and GPUQUOTA_VOLUMES to `data` and
`volumes`. A path that was requested is below the working folder, because processes share this
machine's file system.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from ...control.storage.files import write_file, writing
from ...core.datasets.mounts import shown
from ...errors import FieldError
from ...model.datasets.mounts import DataMount, by_name
from ...model.messages.build import field_error
from ...model.sessions import LIVE, Session, SessionSpec
from ...model.struct import Model, decoded
from ...store.cache.places import place
from ..folders.folders import SessionFolder

_RECORD = "links.json"


class Links(Model, frozen=True, kw_only=True):
    """What a session has in its working folder: links, and folders that were made for them.

    `targets` are what the links lead to; an earlier version recorded links into the cache only.
    """

    links: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    targets: Mapping[str, str] = msgspec.field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Wanted:
    """One link to be made: the field of the request that it belongs to, and where it leads."""

    field: str
    path: Path
    target: Path


class SessionLinks:
    """Makes and removes links. `root` is the cache, `folder_of` finds the folder of a session.

    `volume_folder` returns the folder of a project's volume, empty if there is none; it raises
    OSError for one that cannot be mounted now.
    """

    def __init__(self, root: Path, folder_of: Callable[[Session], SessionFolder]) -> None:
        self._root = root
        self._folder_of = folder_of
        self.volume_folder: Callable[[str, str], str] = lambda _project, _name: ""

    def taken(self, spec: SessionSpec) -> Iterator[FieldError]:
        """Yield an error for each requested path at which something else exists."""
        with suppress(OSError):  # a volume is lost: the start says so
            for wanted in self._requested(spec):
                if not _is_free(wanted):
                    yield field_error(wanted.field, "data.taken", path=str(wanted.path))

    def make(self, session: Session) -> None:
        """Make the links of a session that starts. Raises OSError, StorageFailed.

        What is to be made is on disk first, so that it is removed even after a kill.
        """
        spec, home = session.spec, self._folder_of(session).path
        if not (spec.data or spec.volumes):
            return
        requested = list(self._requested(spec))
        named = list(self._named(spec, home))
        made = {parent for wanted in requested for parent in _missing(wanted.path.parent)}
        record = Links(
            links=tuple(str(wanted.path) for wanted in requested),
            folders=tuple(sorted(map(str, made))),
            targets={str(wanted.path): str(wanted.target) for wanted in requested},
        )
        with writing(home):
            write_file(home / _RECORD, msgspec.json.encode(record))
            for folder in (datasets_of(home), volumes_of(home)):
                folder.mkdir(mode=0o700, exist_ok=True)
                for link in folder.iterdir():
                    link.unlink()
        for wanted in (*named, *requested):
            _link(wanted)

    def remove(self, session: Session, others: Iterable[Session]) -> None:
        """Remove the links of a session that has ended, except those that others use.

        What cannot be removed stays: a later start says so if it is in its way.
        """
        home = self._folder_of(session).path
        try:
            record = decoded((home / _RECORD).read_bytes(), Links)
        except (OSError, msgspec.DecodeError):
            return
        kept = {
            str(path)
            for other in others
            if other.id != session.id and other.state in LIVE
            for path in _paths(other.spec)
        }
        for path in record.links:
            if path not in kept and self._is_ours(path, record.targets.get(path, "")):
                with suppress(OSError):
                    Path(path).unlink()
        for path in reversed(record.folders):
            with suppress(OSError):  # it is not empty
                Path(path).rmdir()
        with suppress(OSError):
            (home / _RECORD).unlink()

    def read_only(self, session: Session) -> tuple[str, ...]:
        """Return the folders that the session may only read. Raises OSError.

        Those of datasets are among them where the session is root, whom modes do not stop.
        """
        spec = session.spec
        copies = map(self._copy, spec.data) if os.geteuid() == 0 else ()
        volumes = (self._volume(spec, mount.volume) for mount in spec.volumes if mount.read_only)
        return tuple(dict.fromkeys(map(str, (*copies, *volumes))))

    def _requested(self, spec: SessionSpec) -> Iterator[Wanted]:
        """Yield the links in the working folder. Raises OSError."""
        for i, data in enumerate(spec.data):
            if data.path:
                yield Wanted(f"data[{i}]", _below(spec, data.path), self._copy(data))
        for i, mount in enumerate(spec.volumes):
            target = self._volume(spec, mount.volume)
            yield Wanted(f"volumes[{i}]", _below(spec, mount.path), target)

    def _named(self, spec: SessionSpec, home: Path) -> Iterator[Wanted]:
        """Yield the links by name in the session's own folder. Raises OSError."""
        for name, data in by_name(spec.data).items():
            target = self._copy(data)
            if not target.is_dir():
                raise FileNotFoundError(0, f"{shown(data)} is no longer cached")
            yield Wanted("data", datasets_of(home) / name, target)
        for name in dict.fromkeys(mount.volume for mount in spec.volumes):
            yield Wanted("volumes", volumes_of(home) / name, self._volume(spec, name))

    def _copy(self, mount: DataMount) -> Path:
        return place(self._root, mount.dataset, mount.version).tree

    def _volume(self, spec: SessionSpec, name: str) -> Path:
        found = self.volume_folder(spec.project, name)
        if not found:
            raise FileNotFoundError(0, f"the volume {name} no longer exists")
        return Path(found)

    def _is_ours(self, path: str, target: str) -> bool:
        """Return whether a path is still the link that was made."""
        try:
            leads = Path(path).readlink()
        except OSError:
            return False
        return str(leads) == target if target else leads.is_relative_to(self._root)


def datasets_of(home: Path) -> Path:
    """Return the folder in which datasets are found by name, in the folder of a session."""
    return home / "data"


def volumes_of(home: Path) -> Path:
    """Return the folder in which volumes are found by name, in the folder of a session."""
    return home / "volumes"


def _link(wanted: Wanted) -> None:
    """Make a link. Raises FileExistsError, OSError."""
    wanted.path.parent.mkdir(parents=True, exist_ok=True)
    try:
        wanted.path.symlink_to(wanted.target)
    except FileExistsError as error:
        if not _is_free(wanted):
            raise FileExistsError(0, f"{wanted.path} exists already") from error


def _is_free(wanted: Wanted) -> bool:
    """Return whether nothing is at a path, or the same link, perhaps of another session."""
    try:
        return wanted.path.readlink() == wanted.target
    except FileNotFoundError:
        return True
    except OSError:  # it is no link, or lies below a file
        return False


def _paths(spec: SessionSpec) -> Iterator[Path]:
    """Yield the paths of a session's datasets and volumes in its working folder."""
    paths = (*(each.path for each in spec.data), *(each.path for each in spec.volumes))
    yield from (_below(spec, path) for path in paths if path)


def _below(spec: SessionSpec, path: str) -> Path:
    return Path(spec.folder, path.lstrip("/"))


def _missing(folder: Path) -> Iterator[Path]:
    """Yield a folder and those above it that do not exist."""
    while not folder.exists():
        yield folder
        folder = folder.parent
