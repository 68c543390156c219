"""Ending sessions of oneself and of others, over a backend in memory."""

from __future__ import annotations

import dataclasses
from typing import Any, cast

import pytest

from jupyter_gpuquota.core.access import Caller
from jupyter_gpuquota.errors import InvalidFields, StorageFailed
from jupyter_gpuquota.model.ending import EndRequest
from jupyter_gpuquota.model.projects import AuditQuery
from jupyter_gpuquota.model.sessions import Session, SessionRequest
from jupyter_gpuquota.ports.access import Access
from jupyter_gpuquota.ports.backend import Backend
from tests.fakes import ask, make_backend

pytestmark = pytest.mark.asyncio

TEAM = {"name": "team-a", "quota": "4", "members": ["ben", "cho"], "leads": ["lea"]}


async def launched() -> tuple[Backend, Session]:
    backend = make_backend([TEAM], admins=("ana",))
    body = SessionRequest(name="exp-1", project="team-a")
    return backend, await ask(backend, "sessions.create", "ben", body=body)


async def end(
    backend: Backend, session: Session, who: str | Caller, verb: str = "stop", reason: str = ""
) -> Any:
    body = EndRequest(reason=reason)
    return await ask(backend, f"sessions.{verb}", who, args={"id": session.id}, body=body)


async def said(backend: Backend, session: Session, who: str) -> str:
    found = await ask(backend, "sessions.get", who, args={"id": session.id})
    return str(found.reason.message)


async def audited(backend: Backend) -> list[tuple[str, str]]:
    page = await ask(backend, "audit.list", "ana", query=AuditQuery())
    return [(entry.who, entry.what) for entry in page.items]


async def test_the_owner_sees_who_has_stopped_a_session_and_why() -> None:
    backend, session = await launched()
    await end(backend, session, "ana", reason="node dgx1-1 is needed")
    assert await said(backend, session, "ben") == "Stopped by ana: node dgx1-1 is needed."
    assert await said(backend, session, "cho") == "Stopped on request."
    what = "stopped the session team-a/exp-1 of ben: node dgx1-1 is needed."
    assert await audited(backend) == [("ana", what)]


async def test_a_lead_who_gives_no_reason_is_named_too() -> None:
    backend, session = await launched()
    await end(backend, session, "lea", "suspend")
    assert await said(backend, session, "ben") == "Suspended by lea."
    assert await audited(backend) == [("lea", "suspended the session team-a/exp-1 of ben")]


async def test_of_ones_own_end_nobody_is_named_and_nothing_audited() -> None:
    backend, session = await launched()
    itself = Caller("ben", known="session", session=session.id)
    suspended = await end(backend, session, itself, "suspend")
    assert suspended.reason.message == "Suspended on request."
    await end(backend, session, "ben")
    assert await said(backend, session, "ben") == "Stopped on request."
    await ask(backend, "sessions.delete", "ben", args={"id": session.id})
    assert await audited(backend) == []


async def test_who_deletes_the_session_of_somebody_else_is_audited() -> None:
    backend, session = await launched()
    await end(backend, session, "ben")
    await ask(backend, "sessions.delete", "ana", args={"id": session.id})
    assert await audited(backend) == [("ana", "deleted the session team-a/exp-1 of ben")]


async def test_a_reason_that_cannot_be_shown_ends_nothing() -> None:
    backend, session = await launched()
    with pytest.raises(InvalidFields):
        await end(backend, session, "ana", reason="\x1b[2J")
    assert backend.sessions.all()[0].state == session.state
    assert await audited(backend) == []


async def test_sessions_are_stopped_where_the_audit_log_cannot_be_written(caplog: Any) -> None:
    backend, session = await launched()

    class FullDisk:
        rights = backend.access.rights

        async def acted(self, *_: Any) -> None:
            raise StorageFailed("The disk is full.")

    full = dataclasses.replace(backend, access=cast("Access", FullDisk()))
    assert (await end(full, session, "ana")).reason.message == "Stopped by ana."
    assert "no audit entry: The disk is full." in caplog.text
