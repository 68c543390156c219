"""Steps of tests of snapshots on a fake API server."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from jupyter_gpuquota.model.snapshots.snapshots import Snapshot, SnapshotRequest
from jupyter_gpuquota.ports.snapshots import RestoreOrder
from tests.kubernetes.fake_snapshots import SESSION, Controller, Interrupted
from tests.waiting import wait_for

MOST = 30
"""More calls than a snapshot or a restore takes."""

End = Callable[[Controller], object]
Work = Callable[[Controller], Awaitable[object]]


async def taken(controller: Controller) -> Snapshot:
    """Begin a snapshot."""
    return await controller.parts.snapshots.create(SESSION, SnapshotRequest(), "me", "request")


async def complete(controller: Controller) -> Snapshot:
    """Return the only snapshot once it is there."""

    def found() -> Snapshot | None:
        listed = controller.parts.snapshots.all()
        assert not any(each.state == "failed" for each in listed), listed
        return (
            listed[0]
            if listed and {each.state for each in listed} <= {"ready", "partial"}
            else None
        )

    made: Snapshot = await wait_for(found, lambda: str(controller.parts.snapshots.all()))
    return made


async def restored(controller: Controller) -> None:
    """Begin to restore the only snapshot into a new session."""
    [snapshot] = controller.parts.snapshots.all()
    manifest = await controller.parts.snapshots.manifest(snapshot)
    assert manifest
    order = RestoreOrder(
        snapshot=snapshot,
        manifest=manifest,
        folder="",
        name="again",
        owner="me",
        spec=manifest.spec,
    )
    await controller.parts.snapshots.restores.begin(order)


async def done(controller: Controller) -> None:
    """Wait until the only restore has ended well."""

    def found() -> bool:
        listed = controller.parts.snapshots.restores.all()
        assert not any(each.state == "failed" for each in listed), listed
        return [each.state for each in listed] == ["done"]

    await wait_for(found)


async def interrupted(one: Controller, at: Interrupted, end: End, work: Work) -> None:
    """Let a controller work until it is interrupted or has done it.

    One that was not in charge for a moment completes its work itself.
    """
    over = asyncio.ensure_future(work(one))
    await wait_for(lambda: over.done() or at.is_due)
    if end is Controller.lapse:
        await over
    await asyncio.sleep(0.05)  # what it does wrongly it does at once
    if over.done():
        over.result()
    over.cancel()
