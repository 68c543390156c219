"""The volumes of a backend whose sessions our own scheduling core runs."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import shlex
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from types import MappingProxyType

from msgspec import structs

from ...core.volumes.requests import check_free
from ...core.volumes.uses import Key, in_use, key_of, uses_of
from ...errors import Conflict, FieldError, NotFound, refuse, refused
from ...model.messages.build import field_error, reason
from ...model.reasons import Reason
from ...model.sessions import Session, SessionRequest, SessionSpec
from ...model.volumes.mounts import Mount, VolumeUse
from ...model.volumes.volumes import FOLDER, NewVolume, StorageClass, Volume, VolumeChange
from ...ports.backend import Backend
from ..board import Board
from ..capabilities import ScheduledSessions
from ..resident import Resident
from ..settings.settings import Settings
from .store import Measured, VolumeRecord, VolumeStore

CLASSES = (
    StorageClass(name=FOLDER, default=True, provisioner="this machine", modes=("RWX", "ROX")),
)


class _Folders:
    """What is known of volumes that are folders."""

    def classes(self, project: str = "") -> tuple[StorageClass, ...]:
        """Return the one class, of folders."""
        return CLASSES

    def knows(self, project: str) -> bool:
        """Return that the volumes of every project are known."""
        return True

    def problems(self) -> tuple[str, ...]:
        """Return nothing: everything is known."""
        return ()


class KeptVolumes(_Folders):
    """Volumes of a store, and those that admins share in the quota file.

    What changes volumes runs in the worker thread, like everything that changes sessions: no
    session begins to mount a volume while it is being deleted.
    """

    def __init__(self, board: Board, store: VolumeStore, resident: Resident) -> None:
        self._board = board
        self._store = store
        self._resident = resident
        self._records: Mapping[Key, VolumeRecord] = MappingProxyType({})
        self._is_loaded = False
        self._uses: Mapping[Key, tuple[VolumeUse, ...]] = {}
        self._measuring = Measuring(
            store, lambda: (*self._records.values(), *self._shared()), self._changed
        )

    def added_to(self, backend: Backend) -> Backend:
        """Return the record of a backend with this capability, which lives with its resident."""
        self._resident.companions.append(self)
        return replace(backend, volumes=self, sessions=ScheduledSessions(self._resident, self))

    async def start(self) -> None:
        """Read the stored volumes, and begin to measure them. Raises StorageFailed."""
        await self._resident.work(self._load)
        self._uses = uses_of(self._board.sessions)
        self._changed()
        self._measuring.start()

    def follow(self, sessions: Sequence[Session]) -> None:
        """Publish who mounts volumes if that has changed."""
        found = uses_of(sessions)
        if found != self._uses:
            self._uses = found
            self._changed()

    async def close(self) -> None:
        """Stop measuring."""
        await self._measuring.close()

    def all(self) -> tuple[Volume, ...]:
        """Return all volumes by project and name, with their uses."""
        uses, stored = uses_of(self._board.sessions), dict(self._records)
        shared = {(each.project, each.name): each for each in self._shared()}
        found = {**{key: (each, True) for key, each in shared.items()}}
        found |= {key: (each, False) for key, each in stored.items() if key not in shared}
        return tuple(
            shown(
                record,
                self._store.folder(record),
                self._measuring.of(key, Measured()),
                uses.get(key, ()),
                by_file=by_file,
            )
            for key, (record, by_file) in sorted(found.items())
        )

    async def create(self, wanted: NewVolume) -> Volume:
        """Create a volume, or share an existing folder."""
        self._refuse_clone(wanted)
        record = VolumeRecord(
            name=wanted.name,
            project=wanted.project,
            owner=wanted.owner,
            description=wanted.description,
            folder=wanted.folder,
            size=wanted.size,
            read_only=wanted.read_only or wanted.mode == "ROX",
            created=datetime.now(UTC),
        )
        await self._resident.work(self._add, record)
        if not record.folder:  # quick, as it is empty; the answer says whether its size is enforced
            await self._measuring.measure(record)
        self._measuring.wake()
        return self._find((record.project, record.name))

    async def change(self, volume: Volume, change: VolumeChange, size: int | None) -> Volume:
        """Change a volume."""
        key = key_of(volume)
        await self._resident.work(self._change, key, change, size)
        if record := self._records.get(key):
            await self._measuring.check_limit(record)  # else the answer would have the one before
        self._measuring.wake()
        return self._find(key)

    async def delete(self, volume: Volume) -> None:
        """Delete a volume, and its files unless it was registered."""
        await self._resident.work(self._delete, key_of(volume))
        self._measuring.wake()

    async def check(
        self, request: SessionRequest, project: str, mounts: Mapping[str, Mount], owner: str
    ) -> tuple[FieldError, ...]:
        """Return which volumes cannot be reached now."""
        return tuple(await asyncio.to_thread(lambda: list(self._lost(project, mounts))))

    async def adopt(self, record: VolumeRecord, complete: Callable[[], None]) -> None:
        """Add a volume whose files `complete` puts in their place. Raises NameTaken."""

        def add() -> None:
            if self._records.get((record.project, record.name)) != record:
                check_free(record.project, record.name, self.all())
            complete()
            self._put(record)

        await self._resident.work(add)
        self._measuring.wake()

    @contextmanager
    def made_for(self, spec: SessionSpec, owner: str) -> Iterator[None]:
        """Make the new volumes of a session, and remove them again if it is refused.

        Runs in the worker thread. Raises InvalidFields for volumes that do not exist any more.
        """
        refuse(self._missing(spec))
        made: list[VolumeRecord] = []
        try:
            for mount in spec.volumes:
                if mount.size:
                    made.append(_record(spec, mount, owner))
                    self._add(made[-1])
            yield
        except BaseException:
            for record in made:
                if (record.project, record.name) in self._records:
                    self._drop(record)
            raise

    def folder_of(self, project: str, name: str) -> str:
        """Return the folder of a volume; empty if there is none. Raises OSError: it is lost.

        Runs in the worker thread. Raises StorageFailed if volumes cannot be read.
        """
        self._load()
        record = self._record((project, name))
        if record is None:
            return ""
        if problem := self._store.problem(record):
            raise OSError(0, f"the volume {name} cannot be mounted: {problem.rstrip('.')}")
        return self._store.folder(record)

    def _refuse_clone(self, wanted: NewVolume) -> None:
        """Raise InvalidFields for a clone: folders can be shared as they are, and copied."""
        source = wanted.source.removeprefix("volume:")
        if not source:
            return
        volume = self._find((wanted.project, source))
        new = VolumeRecord(name=wanted.name, project=wanted.project)
        paths = [shlex.quote(f"{path}/.") for path in (volume.folder, self._store.folder(new))]
        hint = f"Create {wanted.name} without it, then: cp -a --reflink=auto {' '.join(paths)}"
        raise refused(FieldError("source", "Folders can be shared and need no clone.", hint))

    def _load(self) -> None:
        """Read the stored volumes once: queued sessions may start before `start` is called."""
        if self._is_loaded:
            return
        found = {(each.project, each.name): each for each in self._store.load()}
        self._records = MappingProxyType(found)
        self._is_loaded = True

    def _shared(self) -> tuple[VolumeRecord, ...]:
        return shared_folders(self._board.settings)

    def _record(self, key: Key) -> VolumeRecord | None:
        shared = next((each for each in self._shared() if (each.project, each.name) == key), None)
        return shared or self._records.get(key)

    def _find(self, key: Key) -> Volume:
        found = next((each for each in self.all() if key_of(each) == key), None)
        if found is None:
            raise NotFound(f"Volume {key[1]!r} not found in {key[0]}.", hint="List them again.")
        return found

    def _add(self, record: VolumeRecord) -> None:
        check_free(record.project, record.name, self.all())
        self._store.add(record)
        self._put(record)

    def _change(self, key: Key, change: VolumeChange, size: int | None) -> None:
        record = self._own(key)
        given = {
            "size": size,
            "read_only": change.read_only,
            "description": change.description,
        }
        changed = structs.replace(record, **{n: v for n, v in given.items() if v is not None})
        self._store.save(changed)
        self._put(changed)

    def _delete(self, key: Key) -> None:
        record = self._own(key)
        if problem := in_use(self._find(key)):
            raise problem
        self._drop(record)

    def _own(self, key: Key) -> VolumeRecord:
        """Return a volume that can be changed here. Raises NotFound, Conflict."""
        if any((each.project, each.name) == key for each in self._shared()):
            raise Conflict(
                f"{key[1]} is set by the quota file.", hint="Change it there: `volumes:`."
            )
        return self._records[self._find(key).project, key[1]]

    def _put(self, record: VolumeRecord) -> None:
        key = (record.project, record.name)
        self._records = MappingProxyType({**self._records, key: record})
        self._changed()

    def _drop(self, record: VolumeRecord) -> None:
        self._store.remove(record)
        left = {
            key: each for key, each in self._records.items() if key != (record.project, record.name)
        }
        self._records = MappingProxyType(left)
        self._changed()

    def _missing(self, spec: SessionSpec) -> Iterator[FieldError]:
        """Yield an error for each volume that has gone since the request was checked."""
        for i, mount in enumerate(spec.volumes):
            if mount.volume and not mount.size and not self._record((spec.project, mount.volume)):
                yield field_error(f"volumes[{i}]", "volume.unknown.none", name=repr(mount.volume))

    def _lost(self, project: str, mounts: Mapping[str, Mount]) -> Iterator[FieldError]:
        for field, mount in mounts.items():
            record = self._record((project, mount.volume))
            if record and not mount.size and (why := self._store.problem(record)):
                yield field_error(field, "volume.unusable", volume=mount.volume, why=why)

    def _changed(self) -> None:
        self._board.touch("volumes")


def _record(spec: SessionSpec, mount: Mount, owner: str) -> VolumeRecord:
    return VolumeRecord(
        name=mount.volume,
        project=spec.project,
        owner=owner,
        size=mount.size,
        description=f"Made for the session {spec.name}.",
        created=datetime.now(UTC),
    )


def shown(
    record: VolumeRecord,
    folder: str,
    measured: Measured,
    uses: tuple[VolumeUse, ...],
    *,
    by_file: bool,
) -> Volume:
    """Return a volume with what was measured, and who mounts it."""
    size = measured.limit or record.size
    return Volume(
        name=record.name,
        project=record.project,
        owner=record.owner,
        kind="folder",
        folder=folder,
        registered=bool(record.folder),
        description=record.description,
        storage_class="" if by_file else FOLDER,
        size=size,
        used=measured.used,
        enforced=bool(measured.limit),
        modes=("ROX",) if record.read_only else ("RWX", "ROX"),
        read_only=record.read_only,
        state="lost" if measured.problem else "ready",
        reason=_reason(measured, size),
        uses=uses,
        created=record.created,
    )


def shared_folders(settings: Settings) -> tuple[VolumeRecord, ...]:
    """Return the folders that admins share in the quota file, one for each project."""
    return tuple(
        VolumeRecord(
            name=each.name,
            project=project,
            description=each.description,
            folder=each.folder,
            size=each.size,
            read_only=each.read_only,
        )
        for each in settings.volumes
        for project in each.projects
    )


def _reason(measured: Measured, size: int) -> Reason | None:
    """Return what is wrong with a volume."""
    if measured.problem:
        return reason("VolumePending", "volume.gone", why=measured.problem)
    if size and measured.used is not None and measured.used > size:
        return reason("VolumePending", "volume.full", used=measured.used, size=size)
    return None


_log = logging.getLogger(__name__)

_EVERY = 60.0
"""Seconds between two measurements of a volume, or more for one that takes long to measure."""
_SHARE = 20
"""Measuring a volume takes at most one second of so many."""


class Measuring:
    """What volumes use, as it was last measured. `changed` is called when that changes."""

    def __init__(
        self,
        store: VolumeStore,
        records: Callable[[], Iterable[VolumeRecord]],
        changed: Callable[[], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._records = records
        self._changed = changed
        self._clock = clock
        self._found: dict[Key, Measured] = {}
        self._due: dict[Key, float] = {}
        self._seen: dict[Key, VolumeRecord] = {}
        self._wake = asyncio.Event()
        self._stopped = threading.Event()
        self._running: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to measure."""
        self._running = asyncio.create_task(self._run())

    def of(self, key: Key, otherwise: Measured) -> Measured:
        """Return what was last measured of a volume."""
        return self._found.get(key, otherwise)

    def wake(self) -> None:
        """Look at once for what has changed, and free what was removed."""
        self._wake.set()

    async def close(self) -> None:
        """Stop; a measurement that is under way is given up."""
        self._stopped.set()
        if self._running:
            self._running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._running

    async def look(self) -> None:
        """Free what was removed, and measure the volumes that are new, changed or due."""
        await asyncio.to_thread(self._store.tidy)
        known = {(each.project, each.name): each for each in self._records()}
        for key in self._found.keys() - known.keys():
            del self._found[key]
        for key, record in known.items():
            if self._seen.get(key) != record or self._due.get(key, 0.0) <= self._clock():
                await self.measure(record)

    async def measure(self, record: VolumeRecord) -> None:
        """Measure one volume now."""
        key = record.project, record.name
        began = self._clock()
        found = await asyncio.to_thread(self._store.measure, record, self._stopped.is_set)
        took = self._clock() - began
        self._due[key] = began + took + max(_EVERY, _SHARE * took)
        self._seen[key] = record
        self._keep(key, found)

    async def check_limit(self, record: VolumeRecord) -> None:
        """Measure a volume now if the file system limits it, which is quick; else leave it."""
        if found := await asyncio.to_thread(self._store.limited, record):
            self._keep((record.project, record.name), found)

    def _keep(self, key: Key, found: Measured) -> None:
        if found != self._found.get(key):
            self._found[key] = found
            self._changed()

    async def _run(self) -> None:
        while True:
            self._wake.clear()
            try:
                await self.look()
            except Exception:  # noqa: BLE001 (a bug must not end the measuring of all volumes)
                _log.exception("measuring volumes failed")
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_EVERY):
                    await self._wake.wait()
