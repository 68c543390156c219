"""The audit log has every move once, whatever happens on the way."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from msgspec import structs

from jupyter_gpuquota.clusters.naming import Outward
from jupyter_gpuquota.clusters.outside import OutsideAccess
from jupyter_gpuquota.control.config import GpuQuota
from jupyter_gpuquota.core import fallbacks
from jupyter_gpuquota.core.access import Caller
from jupyter_gpuquota.core.fallbacks import Record
from jupyter_gpuquota.errors import StorageFailed
from jupyter_gpuquota.memory.backend import open_memory
from jupyter_gpuquota.memory.config import MemoryConfig
from jupyter_gpuquota.model.projects import AuditEntry, AuditQuery
from jupyter_gpuquota.model.routes.table import route
from jupyter_gpuquota.ports.backend import Backend
from jupyter_gpuquota.services.usecases import perform
from tests.builders import NOW, make_session
from tests.clusters.moves import create, find, is_in, places
from tests.clusters.two import two_clusters
from tests.contract.access_table import ADMIN
from tests.contract.helpers import launch, run, until
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio
MOVED = "moved the session team-a/exp-1 of me from lab to cloud (cloud/demo): it had not started"


@pytest_asyncio.fixture
async def backend(tmp_path: Path) -> AsyncIterator[Backend]:
    async with two_clusters(tmp_path) as found:
        yield found


async def entries(backend: Backend) -> list[AuditEntry]:
    """Return what an administrator reads, newest first."""
    rights = await backend.access.rights(Caller(ADMIN, known="token"))
    page = await perform(backend, route("audit.list"), rights, {}, AuditQuery(), None)
    return list(page.items)


async def test_a_move_is_an_entry_by_the_system(backend: Backend) -> None:
    await run(backend, "first", gpu="4")
    session = await create(backend)
    moved = await until(backend, session.id, is_in("cloud", "running"))
    (entry,) = await entries(backend)
    assert (entry.who, entry.at) == ("system", moved.progress[0].at)
    assert entry.what.startswith(MOVED)
    assert entry.sentence
    assert (entry.sentence.text, entry.sentence.key) == (entry.what, "audit.went_on")


async def test_what_an_admin_does_is_noted_in_the_log_of_the_sessions_cluster(
    tmp_path: Path,
) -> None:
    """The adapter for a cluster passes it on, with the project by its name there."""
    alone = open_memory(GpuQuota(admins=[ADMIN]), MemoryConfig(), tmp_path)
    await alone.resident.start()
    try:
        access = OutsideAccess(Outward("cloud"), alone)
        session = make_session(project="cloud/demo", owner="ana")
        await access.acted(Caller(ADMIN, known="token"), session, "opened")
        assert alone.administration
        (entry,) = await alone.administration.audit()
    finally:
        await alone.resident.close()
    assert (entry.who, entry.what) == (ADMIN, "opened the session demo/exp-1 of ana")


async def test_a_refusal_is_an_entry_and_so_is_the_end_of_what_no_place_takes(
    backend: Backend,
) -> None:
    await run(backend, "first", gpu="4")
    await launch(backend, "exp-1", project="cloud/demo")
    back = await create(backend)
    await until(backend, back.id, lambda s: bool(s.fallback and s.fallback.places[1].refused))
    await until(backend, back.id, is_in("lab", "waiting"))
    await wait_for(lambda: backend.at("team-a").sessions.all()[-1].id == back.id)
    assert [entry.sentence.key for entry in await entries(backend) if entry.sentence] == [
        "audit.refused",
        "audit.went_on",
    ]
    here, there = places()
    gone = structs.replace(
        waiting("s1"),
        step="submitting",
        current=1,
        places=(structs.replace(here, refused="No."), there),
    )
    mover: Any = backend.resident
    await mover._mover.save(gone)
    await until(backend, "s1", "failed")
    await wait_for(lambda: not mover._mover.records["s1"].events)
    newest = (await entries(backend))[0]
    assert newest.what.startswith(
        "ended the session cloud/demo/exp-1 of me: no place takes it; cloud refused it: name: "
    )


def waiting(session_id: str) -> Record:
    return Record(id=session_id, owner="me", created=NOW, since=NOW, wait=0, places=tuple(places()))


@pytest.mark.parametrize("written", [False, True])
async def test_a_controller_that_was_killed_leaves_one_entry(
    tmp_path: Path, *, written: bool
) -> None:
    usable = {"", "cloud"}
    record = fallbacks.went_on(fallbacks.withdrawing(waiting("s1")), usable, NOW)
    async with two_clusters(tmp_path) as backend:
        assert backend.administration
        if written:
            await backend.administration.note(record.events[0].what, record.events[0].at)
        mover: Any = backend.resident
        await mover._mover.save(record)
        await until(backend, "s1", is_in("cloud", "running"))
        (entry,) = await entries(backend)
        assert (entry.what, entry.at) == (record.events[0].what.text, NOW)


async def test_what_cannot_be_audited_is_not_done_yet(backend: Backend) -> None:
    log: Any = backend.administration
    note = log.note

    async def fail(*_: Any) -> None:
        raise StorageFailed("The disk is full.")

    log.note = fail
    await run(backend, "first", gpu="4")
    session = await create(backend)
    await wait_for(lambda: any("The disk is full." in w for w in backend.changes.warnings()))
    assert backend.at("cloud/demo").sessions.all() == ()
    # Not even its deletion loses the entry.
    await backend.sessions.stop(session.id)
    with pytest.raises(StorageFailed):
        await backend.sessions.delete(session.id)
    log.note = note
    await backend.sessions.delete(session.id)
    assert find(backend, session.id) is None
    (entry,) = await entries(backend)
    assert entry.what.startswith(MOVED)
