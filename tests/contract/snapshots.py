"""Snapshots for contract tests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from jupyter_gpuquota.core.access import Caller
from jupyter_gpuquota.model.routes.table import route
from jupyter_gpuquota.model.sessions import Session
from jupyter_gpuquota.model.snapshots.restore import Restoration, RestoreRequest
from jupyter_gpuquota.model.snapshots.snapshots import (
    Snapshot,
    SnapshotDetails,
    SnapshotRequest,
)
from jupyter_gpuquota.ports.backend import Backend
from jupyter_gpuquota.services.usecases import perform
from tests.contract.data import lake_of
from tests.waiting import wait_for


async def ask(
    backend: Backend,
    name: str,
    who: str = "owner",
    query: Any = None,
    body: Any = None,
    **args: str,
) -> Any:
    """Call a route as a person."""
    rights = await backend.access.rights(Caller(who, known="token"))
    return await perform(backend, route(name), rights, args, query, body)


async def take(
    backend: Backend, session: Session, who: str = "", **request: Any
) -> SnapshotDetails:
    """Take a snapshot as its owner, and wait until it is complete."""
    lake_of(backend)
    who = who or session.owner
    body = SnapshotRequest(**request)
    made: Snapshot = await ask(backend, "snapshots.create", who, body=body, id=session.id)
    return await settled(backend, made, who)


async def settled(backend: Backend, made: Snapshot, who: str = "owner") -> SnapshotDetails:
    """Wait until a snapshot is complete, or has failed."""

    async def found() -> SnapshotDetails | None:
        mine = [each for each in backend.snapshots.all() if made.id in {each.id, each.job}]
        if not mine or mine[0].state == "making":
            return None
        details: SnapshotDetails = await ask(backend, "snapshots.get", who, snapshot=made.id)
        return details

    return await wait_for(found, "the snapshot is still being made")


async def restore(
    backend: Backend, snapshot: str, who: str = "owner", **request: Any
) -> Restoration:
    """Restore a snapshot as its owner, and wait until that has ended."""
    body = RestoreRequest(**request)
    begun: Restoration = await ask(backend, "snapshots.restore", who, body=body, snapshot=snapshot)

    async def found() -> Restoration | None:
        listed = (await ask(backend, "snapshots.restores", who)).items
        now: Restoration = next(each for each in listed if each.id == begun.id)
        return None if now.active else now

    return await wait_for(found, "the restore has not ended")


async def for_the_table(backend: Backend, session: Session) -> None:
    """Make what the table of routes and roles is about: `first`."""
    await take(backend, session, tags=("first",))


@asynccontextmanager
async def attended(backend: Backend) -> AsyncIterator[None]:
    """Run what reads lakes and jobs, in a backend whose sessions need no loop."""
    for each in backend.resident.companions:
        await each.start()
    try:
        yield
    finally:
        await close(backend)


async def close(backend: Backend) -> None:
    """End what was begun for snapshots and data, so that nothing is left to a loop that ends."""
    for each in backend.resident.companions:
        await each.close()
