"""Pages of sessions save before the session ends, whatever ends it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.control.ending.open_pages import ROUND, OpenPages
from jupyter_gpuquota.errors import NotFound
from jupyter_gpuquota.model.ending import PageReport
from jupyter_gpuquota.model.idleness import PresenceRequest
from jupyter_gpuquota.model.resources import Share
from jupyter_gpuquota.model.sessions import Session
from jupyter_gpuquota.ports.backend import Backend
from tests.builders import make_session
from tests.contract.helpers import run, until

OPEN, SAVED = PageReport(state="open"), PageReport(state="saved")
HALF, WHOLE = Share(milli=500), Share(milli=1000)


async def opened(backend: Backend, **fields: object) -> Session:
    """Return a session whose page is open."""
    session = await run(backend, command=(), **fields)
    await backend.sessions.put_page(session.id, "p1", OPEN)
    return session


@pytest.mark.asyncio
@pytest.mark.parametrize("how", ["stop", "suspend", "resize"])
async def test_whatever_a_user_asks_for_waits_for_the_pages(backend: Backend, how: str) -> None:
    session = await opened(backend)
    able, ask = backend.sessions, getattr(backend.sessions, how)
    asked = await (ask(session.id, HALF) if how == "resize" else ask(session.id))
    assert (asked.state, asked.ending.saved, asked.is_saving) == ("stopping", "asked", True)
    await able.put_page(session.id, "p1", SAVED)
    ended = await until(backend, session.id, lambda s: s.state not in ("stopping", "waiting"))
    assert ended.state == {"stop": "stopped", "suspend": "suspended", "resize": "running"}[how]
    if how != "resize":
        assert ended.ending.saved == "saved"


@pytest.mark.asyncio
async def test_a_page_that_is_closed_is_not_waited_for(backend: Backend) -> None:
    session = await opened(backend)
    await backend.sessions.put_page(session.id, "p1", PageReport(state="closed"))
    assert (await backend.sessions.suspend(session.id)).state in ("stopping", "suspended")
    ended = await until(backend, session.id, "suspended")
    assert ended.ending.saved == "closed"
    with pytest.raises(NotFound):
        await backend.sessions.put_page("nobody", "p1", OPEN)


@pytest.mark.asyncio
async def test_who_is_reclaimed_counts_down_and_may_give_back_at_once(backend: Backend) -> None:
    nodes = backend.inventory.nodes()
    fields = {"project": "team-b", "kind": "interactive-spot"}
    held = [
        await opened(backend, name=f"spot-{i}", gpu=str(len(n.devices)), **fields)
        for i, n in enumerate(nodes)
    ]
    taker = await backend.sessions.create(
        replace(held[0].spec, name="mine", project="team-a", kind="interactive", share=WHOLE), "me"
    )
    ids = [s.id for s in held]
    [victim] = [s for s in backend.sessions.all() if s.id in ids and s.state == "stopping"]
    assert victim.ending.by - victim.since > timedelta(seconds=50)
    await backend.sessions.put_page(victim.id, "p1", SAVED)
    assert backend.resident.board.find(victim.id).is_saving
    gives = PageReport(state="saved", give_back=True)
    await backend.sessions.put_page(victim.id, "p1", gives)
    await until(backend, taker.id, "running")


@pytest.mark.asyncio
async def test_without_an_answer_the_reason_names_the_last_save(backend: Backend) -> None:
    session = await run(backend, command=())
    at = datetime.now(UTC)
    seen = PresenceRequest(at=at, saved="a.ipynb")
    await backend.ingress.presence(session.id, seen)
    await backend.sessions.suspend(session.id)
    ended = await until(backend, session.id, "suspended")
    assert ended.reason.message == (
        "Suspended on request. It is not known whether notebooks had unsaved changes after the "
        f"last save at {at:%H:%M} UTC."
    )


class Hand:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def begun(seconds: float) -> Session:
    """Return a session that has begun to run so many seconds after now."""
    started = datetime.now(UTC) + timedelta(seconds=seconds)
    return replace(make_session(state="running"), run=1, started=started)


def test_pages_that_report_are_known_until_they_fall_silent_or_go() -> None:
    clock = Hand()
    pages, session = OpenPages(None, clock), begun(1)
    assert not pages.known(session).reports
    pages.put(session, "p1", OPEN)
    pages.put(session, "p2", SAVED)
    assert list(pages.known(session).reports) == [OPEN, SAVED]
    pages.put(session, "p2", PageReport(state="closed"))
    assert (list(pages.known(session).reports), pages.known(session).used) == ([OPEN], False)
    pages.put(session, "p2", OPEN)  # it was sent before, and came late
    assert list(pages.known(session).reports) == [OPEN]
    clock.now += 2 * ROUND + 1
    assert (list(pages.known(session).reports), pages.known(session).used) == ([], True)


def test_pages_of_an_earlier_run_are_forgotten() -> None:
    pages, session = OpenPages(None, Hand()), begun(1)
    pages.put(session, "p1", OPEN)
    assert not pages.known(replace(session, run=2)).reports


def test_what_ran_before_the_controller_may_have_pages_that_have_not_reported() -> None:
    clock = Hand()
    pages = OpenPages(None, clock)
    old, new = begun(-60), begun(1)
    assert (pages.known(old).complete, pages.known(new).complete) == (False, True)
    clock.now += ROUND + 1
    assert pages.known(old).complete


def test_pages_that_come_and_go_are_not_remembered_for_ever() -> None:
    pages, session = OpenPages(None, Hand()), begun(1)
    for i in range(2000):
        pages.put(session, f"p{i}", PageReport(state="closed"))
    pages.put(session, "p0", OPEN)
    pages.put(session, "p1999", OPEN)
    assert len(pages.known(session).reports) == 1


def test_only_so_many_pages_are_known_at_once() -> None:
    pages, session = OpenPages(None, Hand()), begun(1)
    for i in range(100):
        pages.put(session, f"p{i}", OPEN)
    assert len(pages.known(session).reports) == 64
