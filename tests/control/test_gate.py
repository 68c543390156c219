"""Sessions wait for their datasets, and for nothing else."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.control.board import Board
from jupyter_gpuquota.control.datasets.gate import DataGate
from jupyter_gpuquota.core.datasets.mounts import held
from jupyter_gpuquota.errors import Conflict
from jupyter_gpuquota.model.datasets.mounts import DataMount
from jupyter_gpuquota.model.sessions import Session
from jupyter_gpuquota.model.struct import Problem
from tests.builders import NOW, make_session
from tests.data_fakes import SIZE, V1, V2, FakeCaches, FakeDatasets, FakeJobs

pytestmark = pytest.mark.asyncio


class Desk:
    """A gate with sessions, a cache and jobs, and a clock of its own."""

    def __init__(self, *sessions: Session) -> None:
        self.board, self.now = Board(), NOW
        self.board.show(*sessions)
        self.jobs, self.datasets = FakeJobs(), FakeDatasets()
        self.caches = FakeCaches(self.jobs, dict)
        self.woken = 0
        self.gate = DataGate(
            lambda: self.board.sessions,
            self.board.data,
            self.datasets,
            self.caches,
            self.jobs,
            self._wake,
            lambda: self.now,
        )

    def _wake(self) -> None:
        self.woken += 1

    async def waits(self) -> dict[str, str]:
        """Return why sessions wait, after a look."""
        await self.gate.look()
        return self.said()

    def said(self) -> dict[str, str]:
        """Return why sessions wait."""
        found = held(self.board.sessions, self.board.data.by_session)
        return {self.board.by_id[key].spec.name: why.message for key, why in found.items()}

    def end(self, session: Session) -> None:
        """Stop a session."""
        self.board.show(replace(session, state="stopped"))


def using(name: str = "a", *versions: str, **fields: Any) -> Session:
    """Return a queued session that uses versions of `faces`."""
    data = tuple(
        DataMount(dataset="faces", version=each, path=f"/{each[:1]}") for each in versions or (V1,)
    )
    return make_session(name, data=data, owner=f"owner-{name}", **fields)


async def test_a_session_without_datasets_never_waits() -> None:
    desk = Desk(make_session("a"))
    assert await desk.waits() == {}
    assert desk.caches.asked == []


async def test_nothing_starts_before_somebody_has_looked() -> None:
    desk = Desk(using())
    desk.caches.put()
    assert desk.said() == {"a": "Waiting for faces@latest to be cached."}
    assert await desk.waits() == {}
    assert desk.woken == 1
    assert desk.caches.asked == []


async def test_what_is_missing_is_fetched_once_for_all_who_wait() -> None:
    desk = Desk(using("a"), using("b"))
    assert await desk.waits() == {
        "a": "Fetching faces@latest: 0 %.",
        "b": "Fetching faces@latest: 0 %.",
    }
    desk.caches.put(V1, "fetching", 43 * SIZE // 100)
    assert (await desk.waits())["a"] == "Fetching faces@latest: 43 %."
    assert desk.caches.asked == [(V1, "owner-a")]
    desk.caches.finish()
    assert await desk.waits() == {}
    assert desk.jobs.cancelled == []


async def test_a_session_waits_for_all_its_versions() -> None:
    desk = Desk(using("a", V1, V2))
    await desk.waits()
    desk.caches.finish(V1)
    assert await desk.waits() == {"a": "Fetching faces@latest: 0 %."}
    desk.caches.finish(V2)
    assert await desk.waits() == {}


async def test_a_fetch_is_cancelled_once_nobody_waits_for_it() -> None:
    first, second = using("a"), using("b")
    desk = Desk(first, second)
    await desk.waits()
    desk.end(first)
    await desk.waits()
    assert desk.jobs.cancelled == []
    desk.end(second)
    await desk.waits()
    assert desk.jobs.cancelled == ["job-1"]


async def test_a_fetch_of_somebody_else_is_followed_and_never_cancelled() -> None:
    session = using()
    desk = Desk(session)
    await desk.caches.fetch((await desk.datasets.versions("faces"))[1], "ben")
    assert await desk.waits() == {"a": "Fetching faces@latest: 0 %."}
    assert len(desk.caches.asked) == 1
    desk.end(session)
    await desk.waits()
    assert desk.jobs.cancelled == []


async def test_a_fetch_that_its_owner_began_for_a_session_is_cancelled_with_it() -> None:
    session = using()
    desk = Desk(session)
    await desk.caches.fetch((await desk.datasets.versions("faces"))[1], session.owner)
    await desk.waits()
    desk.end(session)
    await desk.waits()
    assert desk.jobs.cancelled == ["job-1"]


async def test_a_fetch_that_is_older_than_a_session_goes_on_without_it() -> None:
    session = using()
    desk = Desk(session)
    await desk.caches.fetch((await desk.datasets.versions("faces"))[1], session.owner)
    desk.jobs.change("job-1", started=NOW - timedelta(seconds=1))
    await desk.waits()
    desk.end(session)
    await desk.waits()
    assert desk.jobs.cancelled == []


async def test_a_failed_fetch_says_why_and_is_tried_again_later() -> None:
    desk = Desk(using())
    await desk.waits()
    del desk.caches.copies["faces", V1]
    problem = Problem(code="Unavailable", message="The lake does not answer.")
    desk.jobs.change("job-1", state="failed", problem=problem)
    assert await desk.waits() == {"a": "faces@latest cannot be cached: The lake does not answer."}
    assert len(desk.caches.asked) == 1
    desk.now += timedelta(seconds=31)
    assert await desk.waits() == {"a": "Fetching faces@latest: 0 %."}
    assert len(desk.caches.asked) == 2


async def test_no_room_is_told_and_tried_again_less_and_less_often() -> None:
    desk = Desk(using())
    desk.caches.refuses = Conflict("The cache is too full.", hint="Clear something.")
    for _ in range(600):
        said = await desk.waits()
        desk.now += timedelta(seconds=6)
    assert said == {"a": "faces@latest cannot be cached: The cache is too full. Clear something."}
    assert 5 < len(desk.caches.asked) < 12
    desk.caches.refuses = None
    desk.now += timedelta(minutes=10)
    assert await desk.waits() == {"a": "Fetching faces@latest: 0 %."}


async def test_a_fetch_that_somebody_has_cancelled_is_not_begun_again() -> None:
    desk = Desk(using())
    await desk.waits()
    del desk.caches.copies["faces", V1]
    await desk.jobs.cancel("job-1")
    desk.now += timedelta(days=1)
    assert await desk.waits() == {"a": "faces@latest cannot be cached: fetching it was cancelled."}
    assert len(desk.caches.asked) == 1
    desk.caches.put()
    assert await desk.waits() == {}


async def test_a_version_that_was_removed_is_told() -> None:
    desk = Desk(using("a", "3" * 64))
    assert await desk.waits() == {"a": "faces@latest cannot be cached: This version was removed."}


async def test_a_damaged_copy_is_not_used() -> None:
    desk = Desk(using())
    desk.caches.put(state="damaged")
    assert await desk.waits() == {"a": "faces@latest cannot be cached: its copy is damaged."}


async def test_a_copy_that_is_being_cleared_is_not_used_and_fetched_again() -> None:
    desk = Desk(using())
    desk.caches.put(state="clearing")
    assert await desk.waits() == {"a": "Waiting for faces@latest to be cached."}
    assert desk.caches.asked == []
    del desk.caches.copies["faces", V1]
    assert await desk.waits() == {"a": "Fetching faces@latest: 0 %."}


async def test_a_verdict_does_not_outlive_the_time_in_the_queue() -> None:
    session = using()
    desk = Desk(session)
    desk.caches.put()
    assert await desk.waits() == {}
    desk.board.show(replace(session, since=NOW + timedelta(seconds=1)))
    assert desk.said() == {"a": "Waiting for faces@latest to be cached."}
