"""Restoring snapshots of a cluster: new claims, then a session that mounts them.

It is a new one, or on request the original session, whose own claims are kept then.

Each restore is recorded before every step, so that a restarted controller goes on with it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from msgspec.structs import replace

from ...core.snapshots import identity
from ...core.snapshots.restore import Found, check_state
from ...errors import Conflict, GpuQuotaError, Internal, Unavailable, WrongState
from ...model.sessions import ENDED, Session, State
from ...model.snapshots.manifest import Manifest
from ...model.snapshots.restore import Restoration, RestoreRequest, RestoreState
from ...model.struct import error_of, problem_of
from ...ports.sessions import Sessions
from ...ports.snapshots import RestoreOrder
from ...store.spawn import new_id
from .journal import ClaimRestore, Journal
from .order import WAITING, Patience
from .persistence import persistently
from .planning import RestorePlanning
from .replacing import Replacing
from .restoring import Restorer

_SHOWN = 8
_AGAIN = 1.0
"""Seconds after which it is looked again whether a session runs."""
_ANSWER = 10.0
"""Seconds after which who has asked for a replacement is answered, although it goes on."""

_ENDED_STATES = frozenset({"done", "failed", "replaced", "undone"})

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What restores need of the rest of the controller.

    `mounting` returns the spec of a new session with restored claims, by their originals; what was
    the home folder is mounted at a path that has the given name. `variables` returns those that a
    snapshot has, `write` brings them into a running session.
    """

    restorer: Restorer
    replacing: Replacing
    planning: RestorePlanning
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
        return await self._around.planning.found(manifest, request, name)

    async def begin(self, order: RestoreOrder) -> Restoration:
        """Begin a restore. Raises Conflict, StorageFailed, Unavailable."""
        planning, replacing = self._around.planning, self._around.replacing
        if order.replace and (obstacle := replacing.obstacle(order.manifest)):
            raise Conflict(obstacle)
        wanted = await planning.wanted(order.manifest, order.name, in_place=order.replace)
        made = {each.origin: each.name for each in wanted}
        original, now = replacing.original(order.manifest), datetime.now(UTC)
        shown = Restoration(
            id=new_id(),
            snapshot=order.snapshot.id,
            owner=order.owner,
            state="fetching",
            folder="",
            name=order.name if order.spec else "",
            place=original.spec.name if original else "",
            replaces=original.id if original else "",
            begun=now,
            updated=now,
        )
        mounting = self._around.mounting(order, made, f"restored-{order.snapshot.id[:_SHOWN]}")
        record = ClaimRestore(shown=shown, wanted=tuple(wanted), spec=mounting.spec)
        record = replace(record, variables=order.variables, replace=order.replace)
        await self._around.journal.put(record)
        self._go(record)
        return shown

    async def replace(self, restore: str, place: str) -> Restoration:
        """Let the original session mount the restored claims. Raises WrongState, Conflict."""
        record = self._find(restore, {"done", "undone"}, "put in the place of the original volumes")
        if not record.shown.replaces:
            raise Conflict(
                "There is no session whose volumes could be replaced.",
                hint="Work in the restored session.",
            )
        return await self._continue(record, "replacing")

    async def undo(self, restore: str) -> Restoration:
        """Let the original session mount its own claims again. Raises WrongState, Conflict."""
        record = self._find(restore, {"replaced"}, "undone")
        return await self._continue(record, "undoing")

    async def remove(self, restore: str) -> None:
        """Forget a restore that has ended; claims that were kept go. Raises WrongState, InUse."""
        record = self._find(restore, _ENDED_STATES, "forgotten")
        if record.shown.state == "replaced":
            await self._around.replacing.remove_kept(record)
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

    def _find(self, restore: str, states: Collection[str], words: str) -> ClaimRestore:
        record = self._around.journal.find(restore)
        check_state(record.shown, states, words)
        return record

    async def _continue(self, record: ClaimRestore, state: RestoreState) -> Restoration:
        """Carry out a replacement or an undo, and return the restore then. Raises its error."""
        shown = replace(record.shown, problem=None)
        begun = moved(replace(record, shown=shown, before=record.shown.state), state)
        await self._around.journal.put(begun)
        await asyncio.wait({self._go(begun)}, timeout=_ANSWER)
        after = self._around.journal.find(shown.id).shown
        if after.problem:
            raise error_of(after.problem)
        return after

    def _go(self, record: ClaimRestore) -> asyncio.Task[None]:
        self._around.changed()
        task = asyncio.create_task(self._run(record))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

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
            return moved(record, _after_fetch(record))
        if shown.state == "replacing":
            return moved(await self._around.replacing.put(record), "replaced")
        if shown.state == "undoing":
            return moved(await self._around.replacing.put_back(record), "undone")
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
        shown, swapping = replace(record.shown, problem=problem_of(error)), _is_swapping(record)
        after = record.before if swapping else "failed"
        await self._around.journal.put(moved(replace(record, shown=shown), after))
        self._around.changed()
        if swapping and isinstance(error, Unavailable):
            return  # which claims the session mounts now is not known
        try:
            await persistently(partial(self._tidy, record, after), self._around.patience)
        except GpuQuotaError as again:
            _log.warning("Claims of a failed restore stay: %s", again.message)

    async def _tidy(self, record: ClaimRestore, after: RestoreState) -> None:
        """Undo what a failed step has left."""
        if record.shown.state == "replacing":
            await self._around.replacing.release(record)
        if after == "failed" and record.wanted:
            names = self._around.replacing.unmounted(record)
            namespace = record.wanted[0].namespace
            await self._around.restorer.remove(namespace, names, record.shown.id)


def _after_fetch(record: ClaimRestore) -> RestoreState:
    if record.replace:
        return "replacing"
    return "launching" if record.spec else "done"


def _is_swapping(record: ClaimRestore) -> bool:
    return record.shown.state in ("replacing", "undoing")


def moved(record: ClaimRestore, state: RestoreState) -> ClaimRestore:
    """Return a record in the next state."""
    return replace(record, shown=replace(record.shown, state=state, updated=datetime.now(UTC)))
