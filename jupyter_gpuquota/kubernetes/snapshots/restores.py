"""Restoring snapshots of a cluster: new claims, then a new session that mounts them.

Each restore is recorded before every step, so that a restarted controller goes on with it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from msgspec.structs import replace

from ...control.snapshots.journal import Journal, Recorded, Restores, moved
from ...core.snapshots import identity
from ...core.snapshots.restore import Found
from ...errors import GpuQuotaError, Internal, WrongState
from ...model.sessions import ENDED, Session, SessionSpec, State
from ...model.snapshots.manifest import Manifest
from ...model.snapshots.restore import Restoration, RestoreRequest
from ...ports.snapshots import RestoreOrder
from ...store.spawn import new_id
from . import claims
from .claims import Restorer, Wanted
from .order import WAITING, Patience, persistently

_SHOWN = 8
_AGAIN = 1.0
"""Seconds after which it is looked again whether a session runs."""
_log = logging.getLogger(__name__)


class ClaimRestore(Recorded, frozen=True, kw_only=True):
    """One restore, with the claims to make and the session to launch.

    `variables`: the session is given the variables that the snapshot has.
    """

    wanted: tuple[Wanted, ...]
    spec: SessionSpec | None = None
    variables: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What restores need of the rest of the controller.

    `mounting` returns the spec of a user's new session with restored claims, by their originals;
    what was the home folder is mounted at a path that has the given name. `variables` returns those
    that a snapshot has, `write` brings them into a running session.
    """

    restorer: Restorer
    journal: Journal[ClaimRestore]
    mounting: Callable[[SessionSpec, str, Mapping[str, str], str], SessionSpec]
    variables: Callable[[str], Awaitable[bytes]]
    write: Callable[[str, bytes], Awaitable[None]]
    changed: Callable[[], None]
    patience: Patience = WAITING


class ClaimRestores(Restores[ClaimRestore]):
    """The restores of all users."""

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around.journal, around.changed)
        self._around = around

    async def found(self, manifest: Manifest, request: RestoreRequest, name: str) -> Found:
        """Return what is there, before anything is made. Raises Unavailable, NotAllowed."""
        return await claims.found(self._around.restorer, manifest, request, name)

    async def begin(self, order: RestoreOrder) -> Restoration:
        """Begin a restore. Raises StorageFailed, Unavailable."""
        wanted = claims.wanted_of(order.manifest, order.name)
        made = {each.origin: each.name for each in wanted}
        now, folder = datetime.now(UTC), f"restored-{order.snapshot.id[:_SHOWN]}"
        shown = Restoration(
            id=new_id(),
            snapshot=order.snapshot.id,
            owner=order.owner,
            state="fetching",
            folder="",
            name=order.name if order.spec else "",
            begun=now,
            updated=now,
            volumes=tuple(made.values()),
            original=order.original,
        )
        spec = order.spec and self._around.mounting(order.spec, order.owner, made, folder)
        record = ClaimRestore(
            shown=shown, wanted=tuple(wanted), spec=spec, variables=order.variables
        )
        return await self._begin(record)

    async def _step(self, record: ClaimRestore, *, again: bool) -> ClaimRestore:
        return await persistently(partial(self._stepped, record), self._around.patience)

    async def _stepped(self, record: ClaimRestore) -> ClaimRestore:
        shown = record.shown
        if shown.state == "fetching":
            digest = identity.owner_hash(shown.owner)
            await self._around.restorer.make(record.wanted, shown.id, shown.owner, digest)
            return moved(record, "launching" if record.spec else "done")
        session = await self._launched(record)
        if record.variables:
            await self._give_variables(session, shown.snapshot)
        return moved(replace(record, shown=replace(shown, session=session.id)), "done")

    async def _give_variables(self, session: Session, snapshot: str) -> None:
        """Write variables into a session once it runs. Raises Unavailable, Damaged."""
        body = await self._around.variables(snapshot)
        while (now := self._state(session)) not in ENDED:
            if now == "running":
                try:
                    await self._around.write(session.id, body)
                except WrongState:  # its pod has just ended, or is not known yet
                    await asyncio.sleep(_AGAIN)
                    continue
                except ValueError as error:
                    raise Internal(f"The variables could not be restored: {error}") from error
                return
            await asyncio.sleep(_AGAIN)

    def _all(self) -> tuple[Session, ...]:
        return tuple(self.sessions.all()) if self.sessions else ()

    def _state(self, session: Session) -> State:
        return next((each.state for each in self._all() if each.id == session.id), "stopped")

    async def _launched(self, record: ClaimRestore) -> Session:
        """Return the session of a restore; launch it unless an earlier try has."""
        if self.sessions is None or record.spec is None:
            raise Internal("The backend is not complete.")
        wanted = (record.spec.project, record.spec.name, record.shown.owner)
        for session in self.sessions.all():
            if (session.spec.project, session.spec.name, session.owner) == wanted:
                return session
        return await self.sessions.create(record.spec, record.shown.owner)

    async def _fail(self, record: ClaimRestore, error: GpuQuotaError) -> None:
        """Note a failure; claims that nobody will mount go."""
        await super()._fail(record, error)
        try:
            await persistently(partial(self._tidy, record), self._around.patience)
        except GpuQuotaError as again:
            _log.warning("Claims of a failed restore stay: %s", again.message)

    async def _tidy(self, record: ClaimRestore) -> None:
        """Remove the claims of a failed restore that no session mounts."""
        if record.wanted:
            namespace = record.wanted[0].namespace
            mounted = {
                mount.volume
                for each in self._all()
                if each.spec.project == namespace
                for mount in each.spec.mounts
            }
            names = {each.name for each in record.wanted} - mounted
            await self._around.restorer.remove(namespace, names, record.shown.id)
