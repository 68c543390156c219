"""Use cases of sessions."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import UTC, datetime

from ..core import disclosure, names, nearest, previews, rightsize, specs, wishes
from ..core.lifecycle import waiting_at
from ..core.members import launchable
from ..core.policy import NO_POLICY
from ..errors import FieldError, InvalidFields, NameTaken, refused
from ..model.base import Nothing, Page
from ..model.idleness import Activity
from ..model.policy import SessionPolicy
from ..model.previews import Preview
from ..model.programs import ExecContext, ExecEvent, ExecResult
from ..model.rightsizing import Advice
from ..model.sessions import (
    STATES,
    Endpoint,
    EndpointQuery,
    LogChunk,
    ResumeRequest,
    Session,
    SessionQuery,
    SessionRequest,
)
from ..ports.backend import Backend, require
from .call import Call
from .paging import page


async def list_(backend: Backend, call: Call) -> Page[Session]:
    """Return the sessions that the caller sees and that match, a page at a time."""
    query: SessionQuery = call.query
    states = _states(query.state)
    found = [
        session
        for session in disclosure.seen(backend.sessions.all(), call.rights)
        if query.project in ("", session.spec.project)
        and query.name in ("", session.spec.name)
        and query.owner in ("", session.owner)
        and (not states or session.state in states)
    ]
    part = page(found, query.limit, query.cursor, backend.changes.revision("sessions"))
    able = backend.capabilities
    items = tuple(disclosure.shown(session, call.rights, able) for session in part.items)
    return Page(items=items, total=part.total, revision=part.revision, next=part.next)


async def get(backend: Backend, call: Call) -> Session:
    """Return one session; of one that waits, what the engine says of that now."""
    session = call.target
    if session.state == "waiting":
        found = await backend.planning.position(session.id)
        session = waiting_at(session, found)
    return _shown(backend, call, session)


async def advice(backend: Backend, call: Call) -> Advice:
    """Return which share a session would do with."""
    return rightsize.advise(call.target, backend.inventory.nodes(), datetime.now(UTC))


async def create(backend: Backend, call: Call) -> Session:
    """Check a request and hand it to the backend."""
    spec = specs.check(call.body, await _facts(backend, call))
    names.check_free(spec, backend.sessions.all())
    return _shown(backend, call, await backend.sessions.create(spec, call.who))


async def preview(backend: Backend, call: Call) -> Preview:
    """Return what would happen to a request; one that breaks rules has an answer here, too."""
    facts = await _facts(backend, call)
    try:
        spec = specs.check(call.body, facts)
        names.check_free(spec, backend.sessions.all())
    except (InvalidFields, NameTaken) as error:
        return previews.forbidden(error, nearest.allowed(call.body, facts, error))
    return await backend.planning.preview(spec)


async def stop(backend: Backend, call: Call) -> Session:
    """Begin to stop a session."""
    return _shown(backend, call, await backend.sessions.stop(call.target.id))


async def suspend(backend: Backend, call: Call) -> Session:
    """Begin to suspend a session."""
    return _shown(backend, call, await backend.sessions.suspend(call.target.id))


async def resume(backend: Backend, call: Call) -> Session:
    """Put a session back into the queue."""
    request: ResumeRequest = call.body
    resumed = await backend.sessions.resume(call.target.id, request.base_url)
    return _shown(backend, call, resumed)


async def resize(backend: Backend, call: Call) -> Session:
    """Check a session's new share as if it were launched, and start it again with it."""
    session = call.target
    asked = replace(call, body=specs.resized(session.spec, call.body))
    spec = specs.check(asked.body, await _facts(backend, asked))
    return _shown(backend, call, await backend.sessions.resize(session.id, spec.share))


async def delete(backend: Backend, call: Call) -> Nothing:
    """Forget an ended session."""
    await backend.sessions.delete(call.target.id)
    return Nothing()


async def policy(backend: Backend, call: Call) -> SessionPolicy:
    """Return what the policy comes to for a session."""
    able = require(backend, "policing", backend.policing)
    ruling = await able.ruling(call.target.id)
    return SessionPolicy(session=call.target.id, rules=ruling.rules, exempt=ruling.exempt)


async def activity(backend: Backend, call: Call) -> Activity:
    """Return what is known of a session's activity."""
    return await require(backend, "policing", backend.policing).activity(call.target.id)


async def keep_alive(backend: Backend, call: Call) -> Session:
    """Keep a session alive for a while."""
    able = require(backend, "policing", backend.policing)
    kept = await able.keep_alive(call.target.id, wishes.read_keep_alive(call.body))
    return _shown(backend, call, kept)


async def log(backend: Backend, call: Call) -> LogChunk:
    """Return a part of a session's log."""
    return await require(backend, "logs", backend.logs).read(call.target.id, call.query)


async def exec_(backend: Backend, call: Call) -> ExecResult:
    """Run a program inside a session."""
    able = require(backend, "exec", backend.exec)
    await _audit(backend, call, "ran a program in")
    return await able.execute(call.target.id, call.body)


async def exec_stream(backend: Backend, call: Call) -> AsyncGenerator[ExecEvent]:
    """Run a program inside a session, and return what it prints while it runs."""
    able = require(backend, "exec", backend.exec)
    await _audit(backend, call, "ran a program in")
    return able.stream(call.target.id, call.body)


async def context(backend: Backend, call: Call) -> ExecContext:
    """Return what a terminal needs to be inside a session."""
    able = require(backend, "exec", backend.exec)
    await _audit(backend, call, "entered")
    return await able.context(call.target.id)


async def endpoint(backend: Backend, call: Call) -> Endpoint:
    """Return to the ingress where a session listens."""
    able = require(backend, "ingress", backend.ingress)
    query: EndpointQuery = call.query
    if query.same_origin:
        call.rights.check_same_origin(call.target)
    await _audit(backend, call, "opened")
    return await able.endpoint(call.target.id, query.port)


async def presence(backend: Backend, call: Call) -> Nothing:
    """Note that a person used a session through the ingress."""
    await require(backend, "ingress", backend.ingress).presence(call.target.id, call.body)
    return Nothing()


async def _audit(backend: Backend, call: Call, how: str) -> None:
    """Note that an admin enters a session of somebody else's, before that happens."""
    if not call.rights.owns(call.target):
        await backend.access.entered(call.caller, call.target, how)


def _shown(backend: Backend, call: Call, session: Session) -> Session:
    """Return a session as the caller sees it."""
    return disclosure.shown(session, call.rights, backend.capabilities)


def _states(text: str) -> set[str]:
    found = {state.strip() for state in text.split(",") if state.strip()}
    if unknown := sorted(found.difference(STATES)):
        hint = f"States are {', '.join(STATES)}."
        problem = FieldError("state", f"{', '.join(unknown)}: there is no such state.", hint)
        raise refused(problem)
    return found


async def _facts(backend: Backend, call: Call) -> specs.Facts:
    request: SessionRequest = call.body
    found = backend.inventory
    return specs.Facts(
        projects=launchable(found.projects(), call.rights),
        nodes=found.nodes(),
        place=await found.look_up(request),
        policy=backend.policing.policy() if backend.policing else NO_POLICY,
        watched=tuple(p for p in call.rights.roles if not call.rights.launches(p)),
    )
