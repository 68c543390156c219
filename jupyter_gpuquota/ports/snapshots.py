"""Snapshots: the manifests of experiments, how they are made, and restoring them.

References are resolved by the caller of these methods; rights are the caller's matter, too.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from ..core.snapshots.restore import Found
from ..model.datasets.jobs import Job
from ..model.ending import PageReport
from ..model.sessions import Session, SessionSpec
from ..model.snapshots.comparison import SnapshotComparison
from ..model.snapshots.manifest import Manifest, Trigger
from ..model.snapshots.restore import Original, Restoration, RestoreRequest
from ..model.snapshots.snapshots import (
    Snapshot,
    SnapshotFiles,
    SnapshotPreview,
    SnapshotRequest,
    SnapshotRules,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreOrder:
    """One restore to carry out: what goes where, and the session that is launched after it.

    `spec` is None where no session is launched. `claims` are new volumes by their originals.
    """

    snapshot: Snapshot
    manifest: Manifest
    folder: str
    name: str
    owner: str
    spec: SessionSpec | None = None
    original: Original | None = None
    variables: bool = False
    claims: Mapping[str, str] = field(default_factory=dict)


class SnapshotTaking(Protocol):
    """How snapshots are taken."""

    async def create(
        self, session: Session, request: SnapshotRequest, author: str, trigger: Trigger
    ) -> Snapshot:
        """Begin to take a snapshot. Raises WrongState, Conflict, StorageFailed, Unavailable."""

    async def preview(
        self, session: Session, request: SnapshotRequest, author: str
    ) -> SnapshotPreview:
        """Return what a snapshot would store now. Raises Conflict without a lake."""

    def saving(self) -> Mapping[str, datetime]:
        """Return until when the pages of which sessions shall save."""

    def page(self, session: Session, page: str, report: PageReport) -> None:
        """Note what a page of a session has reported."""


class Snapshots(SnapshotTaking, Protocol):
    """The snapshots of all users."""

    @property
    def restores(self) -> Restores:
        """What restores snapshots."""

    def all(self) -> tuple[Snapshot, ...]:
        """Return all snapshots without `actions`, newest first: also those that are being made.

        Raises NotLoaded while the lakes have not been read since the start.
        """

    def problems(self) -> tuple[str, ...]:
        """Return which lakes do not answer now."""

    async def manifest(self, snapshot: Snapshot) -> Manifest | None:
        """Return a manifest, None while there is none. Raises Damaged, Unavailable."""

    async def mark(self, snapshot: Snapshot) -> Snapshot:
        """Store tags, note and pin as they are in `snapshot`. Raises Unavailable, NotFound."""

    async def remove(self, snapshot: Snapshot) -> None:
        """Remove a snapshot, or cancel its making. Raises NotFound, InUse, Unavailable."""

    async def verify(self, snapshot: Snapshot, user: str) -> Job:
        """Start to hash what is stored again. Raises Conflict, NotFound, Damaged, Unavailable."""

    async def export(self, snapshot: Snapshot, folder: str, user: str) -> Job:
        """Start to write the files to a new folder. Raises Conflict, NotFound, Unsupported."""

    async def compare(self, before: Snapshot, after: Snapshot) -> SnapshotComparison:
        """Return what differs. Raises Conflict, Damaged, Unavailable."""


class SnapshotStreaming(Protocol):
    """The files of snapshots for clients that write them, where `export` cannot."""

    def files(self, snapshot: Snapshot, user: str) -> AsyncGenerator[SnapshotFiles]:
        """Yield the files as one archive, the job that has done it at last.

        Raises Conflict, NotFound, Damaged, NotAllowed, Unavailable.
        """


class SnapshotKeeping(Protocol):
    """When snapshots are taken and removed by themselves, by user."""

    async def rules(self, user: str) -> SnapshotRules:
        """Return the rules of a user. Raises Unavailable."""

    async def put(self, user: str, rules: SnapshotRules) -> None:
        """Set the rules of a user. Raises StorageFailed, Unavailable."""


class Restores(Protocol):
    """Restores that were begun, and what they need."""

    def all(self) -> tuple[Restoration, ...]:
        """Return all restores, newest first."""

    async def found(self, manifest: Manifest, request: RestoreRequest, name: str) -> Found:
        """Return what is there, before anything is made, for a new session `name`.

        Raises InvalidFields for a folder that cannot be one, Unavailable.
        """

    async def begin(self, order: RestoreOrder) -> Restoration:
        """Begin a restore. Raises Conflict, StorageFailed, Unavailable."""
