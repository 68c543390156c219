"""Restoring snapshots of a cluster: new claims, then a session that mounts them.

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

from ...core.requests.quantities import size_quantity
from ...core.snapshots import identity
from ...core.snapshots.restore import Found
from ...errors import GpuQuotaError, Internal, Unsupported, WrongState
from ...model.sessions import ENDED, Session, State
from ...model.snapshots.manifest import Manifest
from ...model.snapshots.restore import Restoration, RestoreRequest, RestoreState
from ...model.struct import problem_of
from ...ports.sessions import Sessions
from ...ports.snapshots import RestoreOrder
from ...store.spawn import new_id
from .journal import ClaimRestore, Journal
from .order import WAITING, Patience
from .persistence import persistently
from .restoring import Restorer, Wanted, claim_name

_SHOWN = 8
_AGAIN = 1.0
"""Seconds after which it is looked again whether a session runs."""
_NO_REPLACING = "On a cluster nothing is put in the place of the original."
_INSTEAD = "Work in the restored session; the original and its volumes stay until you delete them."

_NO_FOLDER = "On a cluster a snapshot is restored into new volumes, not into a folder."

_ENDED = "Files outside of volumes are not in the snapshot: they ended with the pod."

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What restores need of the rest of the controller.

    `mounting` returns the spec of a new session with restored claims, by their originals; what was
    the home folder is mounted at a path that has the given name. `variables` returns those that a
    snapshot has, `write` brings them into a running session.
    """

    restorer: Restorer
    journal: Journal
    mounting: Callable[[RestoreOrder, Mapping[str, str], str], RestoreOrder]
    variables: Callable[[str], Awaitable[bytes]]
    write: Callable[[str, bytes], Awaitable[None]]
    changed: Callable[[], None]
    patience: Patience = WAITING


class ClaimRestores:
    """The restores of all users."""

    def __init__(self, around: Surroundings) -> None:
        self.sessions: Sessions | None = None
        """Where sessions are launched; set when the backend is complete."""
        self._around = around
        self._tasks: set[asyncio.Task[None]] = set()

    def all(self) -> tuple[Restoration, ...]:
        """Return all restores, newest first."""
        shown = (each.shown for each in self._around.journal.all())
        return tuple(sorted(shown, key=lambda each: (each.begun, each.id), reverse=True))

    def needed(self) -> set[str]:
        """Return the snapshots that are being restored."""
        return {each.snapshot for each in self.all() if each.active}

    async def found(self, manifest: Manifest, request: RestoreRequest, name: str) -> Found:
        """Return what is there, before anything is made. Raises Unavailable, NotAllowed."""
        problems = {"replace": f"{_NO_REPLACING} {_INSTEAD}"} if request.replace else {}
        if request.folder:
            problems["folder"] = _NO_FOLDER
        wanted = wanted_of(manifest, name)
        refused = await self._around.restorer.problems(wanted, manifest.project)
        problems |= {f"volumes.{origin}": f"{origin}: {why}." for origin, why in refused.items()}
        warnings = [
            f"{origin}: the new volume has {size_quantity(size)}, as its copy needs that."
            for origin, size in (await self._around.restorer.larger(wanted)).items()
        ]
        if manifest.tree is None:
            warnings.append(_ENDED)
        return Found(
            folder=manifest.spec.folder,
            claims={each.origin: each.name for each in wanted},
            problems=problems,
            warnings=tuple(warnings),
        )

    async def begin(self, order: RestoreOrder) -> Restoration:
        """Begin a restore. Raises Unsupported, StorageFailed, Unavailable."""
        if order.place:
            raise Unsupported(_NO_REPLACING, hint=_INSTEAD)
        now, wanted = datetime.now(UTC), wanted_of(order.manifest, order.name)
        made = {each.origin: each.name for each in wanted}
        shown = Restoration(
            id=new_id(),
            snapshot=order.snapshot.id,
            owner=order.owner,
            state="fetching",
            folder="",
            name=order.name if order.spec else "",
            origin=order.manifest.spec.folder,
            begun=now,
            updated=now,
        )
        mounting = self._around.mounting(order, made, f"restored-{order.snapshot.id[:_SHOWN]}")
        record = ClaimRestore(shown=shown, wanted=tuple(wanted), spec=mounting.spec)
        record = replace(record, variables=order.variables)
        await self._around.journal.put(record)
        self._go(record)
        return shown

    async def replace(self, restore: str, place: str) -> Restoration:
        """Raise Unsupported: claims of sessions that run cannot be swapped."""
        raise Unsupported(_NO_REPLACING, hint=_INSTEAD)

    async def undo(self, restore: str) -> Restoration:
        """Raise Unsupported: nothing was replaced."""
        raise Unsupported(_NO_REPLACING, hint=_INSTEAD)

    async def remove(self, restore: str) -> None:
        """Forget a restore that has ended; its claims stay with its session. Raises WrongState."""
        record = self._around.journal.find(restore)
        if record.shown.active:
            raise WrongState(
                f"The restore {restore} is {record.shown.state}.", hint="Wait until it has ended."
            )
        await self._around.journal.drop(restore)
        self._around.changed()

    async def resume(self) -> None:
        """Go on with what an earlier controller has begun."""
        await self._around.journal.read()
        for record in self._around.journal.all():
            if record.shown.active:
                self._go(record)

    async def close(self) -> None:
        """Stop; the next controller goes on."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _go(self, record: ClaimRestore) -> None:
        self._around.changed()
        task = asyncio.create_task(self._run(record))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, record: ClaimRestore) -> None:
        try:
            while record.shown.active:
                step = partial(self._step, record)
                record = await persistently(step, self._around.patience)
                await self._around.journal.put(record)
                self._around.changed()
        except GpuQuotaError as error:
            await self._fail(record, error)
        except Exception as error:  # noqa: BLE001 (a bug must not leave a restore unfinished)
            _log.exception("a restore has failed")
            await self._fail(record, Internal(f"The restore has failed: {error}."))

    async def _step(self, record: ClaimRestore) -> ClaimRestore:
        """Carry out one step, which may have been done before a kill already."""
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

    def _state(self, session: Session) -> State:
        found = self.sessions.all() if self.sessions else ()
        return next((each.state for each in found if each.id == session.id), "stopped")

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
        shown = replace(record.shown, problem=problem_of(error))
        failed = moved(replace(record, shown=shown), "failed")
        await self._around.journal.put(failed)
        self._around.changed()
        if record.wanted:
            names = [each.name for each in record.wanted]
            namespace = record.wanted[0].namespace
            remove = partial(self._around.restorer.remove, namespace, names, record.shown.id)
            try:
                await persistently(remove, self._around.patience)
            except GpuQuotaError as again:
                _log.warning("Claims of a failed restore stay in %s: %s", namespace, again.message)


def wanted_of(manifest: Manifest, name: str) -> list[Wanted]:
    """Return the claims of a snapshot that a session `name` would get."""
    found = []
    for part in manifest.volumes:
        namespace, _, snapshot = part.handle.partition("/")
        if not snapshot:
            continue
        found.append(
            Wanted(
                namespace=namespace,
                snapshot=snapshot,
                name=claim_name(name, part.volume),
                origin=part.volume,
                storage_class=part.storage_class,
                size=part.size,
                modes=part.modes or ("ReadWriteOnce",),
                provider=part.provider,
            )
        )
    return found


def moved(record: ClaimRestore, state: RestoreState) -> ClaimRestore:
    """Return a record in the next state."""
    return replace(record, shown=replace(record.shown, state=state, updated=datetime.now(UTC)))
