"""Orders of snapshots that are being made, kept until they are: a restart finds them again."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Protocol

import msgspec

from ...errors import NotFound
from ...model.datasets.datasets import Lake
from ...model.snapshots.orders import SnapshotOrder
from ...model.snapshots.snapshots import Snapshot
from ...model.struct import Problem, decoded
from ...store.lake.objects import Objects
from ..datasets.launching import Launcher, Order

_log = logging.getLogger(__name__)

_PREFIX = "snapshots/orders/"


class Process(Protocol):
    """Makes snapshots: starts a process, or does it itself."""

    async def start(self, order: SnapshotOrder, file: str, lake: str) -> None:
        """Start; a failure is told to the job board."""

    async def close(self) -> None:
        """Stop what it does itself; processes go on."""


Secrets = Callable[[str], Awaitable[Iterable[str]]]
"""Returns the values of a session's variables that are secrets. Raises NotFound."""


class LaunchedProcess:
    """Starts the process of each snapshot as a job's. Orders are files, so secrets are in none."""

    def __init__(
        self, launcher: Launcher, lakes: Callable[[], Iterable[Lake]], secrets: Secrets
    ) -> None:
        self._launcher = launcher
        self._lakes = lakes
        self._secrets = secrets

    async def start(self, order: SnapshotOrder, file: str, lake: str) -> None:
        """Start the process of a snapshot; a failure is told to the job board."""
        found = next((each for each in self._lakes() if each.name == lake), None)
        if found is None:
            raise NotFound(f"The lake {lake} is gone.", hint="Take the snapshot again.")
        wanted = Order(
            kind="snapshot",
            id=order.id,
            user=order.draft.owner,
            lake=found,
            cache=False,
            file=file,
            secrets=tuple(await self._secrets(order.draft.session)),
        )
        await self._launcher.start(wanted)

    async def close(self) -> None:
        """Do nothing: processes go on."""


class Orders:
    """Orders in the controller's own objects; `folder` is where these are files, if they are."""

    def __init__(self, own: Objects, folder: Path | None) -> None:
        self._own = own
        self._folder = folder
        self._put: set[str] = set()

    def path(self, job: str) -> str:
        """Return the path of an order's file, empty where there are no files."""
        return str(self._folder / _key(job)) if self._folder else ""

    async def put(self, order: SnapshotOrder) -> None:
        """Store an order. Raises StorageFailed, Unavailable."""
        self._put.add(order.id)  # first: while it is written, it may be listed already
        await self._own.put(_key(order.id), msgspec.json.encode(order))

    async def drop(self, job: str) -> None:
        """Remove an order."""
        await self._own.delete([_key(job)])

    async def left(self) -> list[SnapshotOrder]:
        """Return the orders of earlier controllers.

        One that cannot be read is passed over, and named in the log.
        """
        found = []
        for key in [each.key async for each in self._own.list(_PREFIX)]:
            try:
                order = decoded(await self._own.get(key), SnapshotOrder)
            except NotFound:  # another controller has just completed it
                continue
            except msgspec.DecodeError as error:
                _log.warning("The snapshot that %s orders is not taken: %s.", key, error)
            else:
                found.append(order)
        return [each for each in found if each.id not in self._put]


def _key(job: str) -> str:
    return f"{_PREFIX}{job}.json"


class Making(msgspec.Struct, frozen=True, kw_only=True):
    """One snapshot that is being made, or could not be made."""

    order: SnapshotOrder
    paused: bool = False

    @property
    def problem(self) -> Problem | None:
        """Why it could not be made, None while it can."""
        return self.order.failure

    def of(self, session: str) -> bool:
        """Return whether it goes on, and is of a session with this id."""
        return self.problem is None and self.order.draft.session == session

    @property
    def shown(self) -> Snapshot:
        """The snapshot as it is listed."""
        draft = self.order.draft
        return Snapshot(
            id=self.order.id,
            session=draft.session,
            name=draft.name,
            project=draft.project,
            owner=draft.owner,
            created=draft.created,
            note=draft.note,
            tags=draft.tags,
            trigger=draft.trigger,
            parent=draft.parent,
            state="failed" if self.problem else "making",
            consistency=draft.consistency,
            metrics=draft.metrics,
            problem=self.problem,
            job=self.order.id,
        )
