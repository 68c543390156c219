"""A session goes on to the next cluster, whatever happens on the way."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from jupyter_gpuquota.control.storage.fallbacks import FallbackStore
from jupyter_gpuquota.core.fallbacks import Record
from jupyter_gpuquota.errors import NameTaken, NotAllowed, NotFound, Unavailable, WrongState
from jupyter_gpuquota.model.sessions import Session
from jupyter_gpuquota.ports.backend import Backend
from tests.builders import NOW
from tests.clusters.moves import create, find, is_in, places
from tests.clusters.two import CLOUD, two_clusters
from tests.contract.helpers import launch, run, until
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio
HOUR = 3600


@pytest_asyncio.fixture
async def backend(tmp_path: Path) -> AsyncIterator[Backend]:
    async with two_clusters(tmp_path) as found:
        yield found


async def test_it_stays_where_it_starts(backend: Backend) -> None:
    session = await create(backend)
    found = await until(backend, session.id, "running")
    assert found.spec.project == "team-a"
    await until(backend, session.id, lambda s: bool(s.fallback and not s.fallback.moving))
    listed = find(backend, session.id)
    assert listed
    assert listed.fallback
    assert (listed.fallback.cluster, listed.fallback.until) == ("lab", None)


async def test_it_goes_on_when_its_time_is_over_and_keeps_its_id(backend: Backend) -> None:
    await run(backend, "first", gpu="4")
    session = await create(backend)
    moved = await until(backend, session.id, is_in("cloud", "running"))
    assert (moved.id, moved.spec.project, moved.created) == (
        session.id,
        "cloud/demo",
        session.created,
    )
    assert moved.progress[0].key == "progress.went_on"
    assert [each.spec.name for each in backend.at("team-a").sessions.all()] == ["first"]
    position = await backend.planning.position(moved.id)
    assert position.session == moved.id


async def test_it_waits_for_its_time_and_says_where_it_goes_then(backend: Backend) -> None:
    first = await run(backend, "first", gpu="4")
    session = await create(backend, HOUR)
    found = await until(backend, session.id, lambda s: s.reason is not None)
    assert found.fallback
    assert found.fallback.until
    assert found.reason
    assert "it goes on to cloud." in found.reason.message
    await backend.sessions.stop(first.id)
    assert (await until(backend, session.id, "running")).spec.project == "team-a"


async def test_it_is_found_while_it_is_taken_back(backend: Backend) -> None:
    await run(backend, "first", gpu="4")
    session = await create(backend, HOUR)
    found = await until(backend, session.id, lambda s: s.reason is not None)
    planning: Any = backend.at("team-a").planning

    async def gone(session_id: str) -> None:
        raise NotFound(f"Session {session_id!r} not found.")

    planning.position = gone
    assert (await backend.planning.position(session.id)).reason == found.reason


async def test_the_last_place_waits_without_limit(backend: Backend) -> None:
    await run(backend, "first", gpu="4")
    other = await run(backend, "other", gpu="4", project="cloud/demo")
    session = await create(backend)
    waits = await until(backend, session.id, is_in("cloud", "waiting"))
    await until(backend, session.id, lambda s: bool(s.fallback and not s.fallback.moving))
    assert waits.fallback
    await backend.sessions.stop(other.id)
    await until(backend, session.id, is_in("cloud", "running"))


async def test_a_place_that_refuses_is_passed_over(backend: Backend) -> None:
    await run(backend, "first", gpu="4")
    await launch(backend, "exp-1", project="cloud/demo")
    session = await create(backend)
    back = await until(
        backend, session.id, lambda s: bool(s.fallback and s.fallback.places[1].refused)
    )
    assert [line.key for line in back.progress][:2] == [
        "progress.went_on",
        "progress.refused_on",
    ]
    await until(backend, session.id, is_in("lab", "waiting"))


async def test_what_the_first_place_refuses_is_not_created(backend: Backend) -> None:
    await launch(backend, "exp-1")
    with pytest.raises(NameTaken):
        await create(backend)
    assert len(backend.sessions.all()) == 1


async def test_it_is_stopped_and_deleted_where_it_is(backend: Backend) -> None:
    await run(backend, "first", gpu="4")
    session = await create(backend, HOUR)
    await backend.sessions.stop(session.id)
    stopped = await until(backend, session.id, "stopped")
    assert stopped.spec.project == "team-a"
    await backend.sessions.resume(session.id)
    await backend.sessions.stop(session.id)
    await backend.sessions.delete(session.id)
    await wait_for(lambda: find(backend, session.id) is None)


class Cloud:
    """The second cluster, which does not answer while it is `away`."""

    def __init__(self, backend: Backend) -> None:
        members: Any = backend.clusters
        self._sessions = members.members["cloud"].backend.sessions
        self._create = self._sessions.create

    def goes(self, *, done: bool = False) -> None:
        """Answer nothing to launches; they are `done` all the same, or not."""

        async def create(*args: Any) -> Session:
            if done:
                await self._create(*args)
            raise Unavailable("The cluster does not answer.")

        self._sessions.create = create

    def comes(self) -> None:
        self._sessions.create = self._create


async def between(backend: Backend, cloud: Cloud, *, done: bool = False) -> Session:
    """Return a session that was taken back, and that the cloud does not confirm."""
    await run(backend, "first", gpu="4")
    cloud.goes(done=done)
    session = await create(backend)
    wanted = is_in("cloud", "running" if done else "waiting")
    return await until(backend, session.id, wanted)


async def test_between_two_places_it_is_listed_and_can_be_ended(backend: Backend) -> None:
    cloud = Cloud(backend)
    session = await between(backend, cloud)
    assert session.reason
    assert session.reason.message == "Moves to cloud."
    assert (await backend.planning.position(session.id)).reason == session.reason
    with pytest.raises(WrongState):
        await backend.sessions.delete(session.id)
    stopped = await backend.sessions.stop(session.id)
    assert stopped.state == "stopped"
    with pytest.raises(WrongState):
        await backend.sessions.stop(session.id)
    cloud.comes()
    again = await backend.sessions.resume(session.id)
    assert again.state == "waiting"
    await until(backend, session.id, is_in("cloud", "running"))


async def test_an_ended_one_is_forgotten_when_it_is_deleted(backend: Backend) -> None:
    session = await between(backend, Cloud(backend))
    await backend.sessions.stop(session.id)
    await backend.sessions.delete(session.id)
    assert find(backend, session.id) is None
    with pytest.raises(NotFound):
        await backend.sessions.delete(session.id)


async def test_an_answer_that_is_lost_makes_no_second_session(backend: Backend) -> None:
    session = await between(backend, Cloud(backend), done=True)
    assert [each.id for each in backend.at("cloud/demo").sessions.all()] == [session.id]
    found = await until(backend, session.id, lambda s: bool(s.fallback and not s.fallback.moving))
    assert found.state == "running"


async def test_where_taking_back_is_refused_it_waits_and_a_warning_says_why(
    backend: Backend,
) -> None:
    first = await run(backend, "first", gpu="4")
    sessions: Any = backend.at("team-a").sessions
    withdraw = sessions.withdraw

    async def refuse(_session_id: str) -> bool:
        raise NotAllowed("The controller may not delete pods.")

    sessions.withdraw = refuse
    session = await create(backend)
    await wait_for(lambda: any("may not delete pods" in w for w in backend.changes.warnings()))
    assert is_in("lab", "waiting")(await until(backend, session.id, "waiting"))
    sessions.withdraw = withdraw
    await backend.sessions.stop(first.id)
    await until(backend, session.id, "running")
    await wait_for(lambda: not backend.changes.warnings())


async def test_records_are_there_after_a_restart(tmp_path: Path) -> None:
    record = Record(id="s1", owner="me", created=NOW, since=NOW, wait=60, places=tuple(places()))
    store = FallbackStore(tmp_path / "fallbacks.sqlite")
    assert await store.open() == {}
    await store.put(record)
    await store.close()
    again = FallbackStore(tmp_path / "fallbacks.sqlite")
    assert await again.open() == {"s1": record}
    await again.remove("s1")
    await again.close()


async def test_a_damaged_file_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "fallbacks.sqlite"
    path.write_bytes(b"no database at all" * 100)
    store = FallbackStore(path)
    assert await store.open() == {}
    assert "were damaged" in store.trouble
    await store.close()


Step = Callable[[Backend, Record], Awaitable[object]]


async def nothing(_backend: Backend, _record: Record) -> None:
    """The controller was killed before the step had any effect."""


async def created(backend: Backend, record: Record) -> None:
    """The controller was killed after the session was created in the present place."""
    sessions = backend.at(record.place.spec.project).sessions
    await sessions.create(record.place.spec, record.owner, record.id)


@pytest.mark.parametrize(
    ("step", "current", "happened"),
    [
        ("submitting", 0, nothing),
        ("submitting", 0, created),
        ("waiting", 0, created),
        ("withdrawing", 0, created),
        ("withdrawing", 0, nothing),
        ("submitting", 1, nothing),
        ("submitting", 1, created),
        ("waiting", 1, created),
    ],
)
async def test_a_controller_that_was_killed_is_followed_by_one_that_goes_on(
    tmp_path: Path, step: Any, current: int, happened: Step
) -> None:
    record = Record(
        id="s1",
        owner="me",
        created=NOW,
        since=NOW,
        wait=0,
        places=tuple(places()),
        current=current,
        step=step,
    )
    async with two_clusters(tmp_path, CLOUD) as backend:
        await run(backend, "first", gpu="4")
        await happened(backend, record)
        mover: Any = backend.resident
        await mover._mover.save(record)
        await until(backend, "s1", is_in("cloud", "running"))
        every = [each.id for each in backend.sessions.all()]
        assert every.count("s1") == 1
        assert [each.id for each in backend.at("cloud/demo").sessions.all()] == ["s1"]
