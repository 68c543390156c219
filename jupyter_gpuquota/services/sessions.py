"""Use cases of sessions."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime

from ..core import end_requests, keeping, names, templates
from ..core.fields import FieldReader
from ..core.idle import lifetime
from ..core.lifecycle import listening_at, waiting_at
from ..core.requests import specs
from ..core.requests.again import asked_again, fields_of
from ..core.requests.pods import last_process
from ..core.usage import rightsize
from ..errors import GpuQuotaError
from ..model.ending import EndRequest
from ..model.idleness import Activity, PresenceRequest
from ..model.policy import SessionPolicy
from ..model.previews import Preview
from ..model.programs import ExecContext, ExecEvent, ExecResult, TerminalEvent
from ..model.reasons import Reason
from ..model.rightsizing import Advice, ResizeRequest
from ..model.sessions import (
    LIVE,
    Endpoint,
    EndpointQuery,
    Goal,
    LogChunk,
    LogQuery,
    ResumeRequest,
    Session,
)
from ..model.snapshots.runs import RunList
from ..model.struct import Nothing, Page
from ..model.templates import TemplateFields
from ..ports.backend import Backend, require
from .audit import ended, entered
from .call import Call
from .launches import places, previews
from .launches.facts import facts
from .lists.sessions import listed, shown

_ENDED: Mapping[Goal, str] = {"stop": "stopped", "suspend": "suspended"}


async def list_(backend: Backend, call: Call) -> Page[Session]:
    """Return a page of the matching sessions that the caller sees, or what has changed of it."""
    return listed(backend, call)


async def get(backend: Backend, call: Call) -> Session:
    """Return one session: a queued one with its position and reason, a live one with its ports."""
    session = call.target
    if session.state == "waiting":
        position = await backend.planning.position(session.id)
        session = waiting_at(session, position)
    elif session.state in LIVE:
        session = listening_at(session, await backend.listening(session))
    return shown(backend, call, session)


async def request(backend: Backend, call: Call) -> TemplateFields:
    """Return the request with which a session would be launched again."""
    return templates.stored(fields_of(call.target.spec))


async def advice(backend: Backend, call: Call) -> Advice:
    """Return the recommended share of a session."""
    used = await backend.measured(call.target)
    return rightsize.advise(call.target, backend.inventory.nodes(), datetime.now(UTC), used)


async def runs(backend: Backend, call: Call) -> RunList:
    """Return the newest runs of a session."""
    return await require(backend, "runs", backend.runs).of(call.target.id)


async def create(backend: Backend, call: Call) -> Session:
    """Check a request and create its session."""
    if call.body.on:
        return shown(backend, call, await places.create(backend, call))
    spec = specs.check(call.body, await facts(backend, call))
    names.check_free(spec, backend.sessions.all())
    return shown(backend, call, await backend.sessions.create(spec, call.who))


async def preview(backend: Backend, call: Call) -> Preview:
    """Return what would happen to a request; one that breaks rules gets an answer, too."""
    return await previews.preview(backend, call)


async def stop(backend: Backend, call: Call) -> Session:
    """Begin to stop a session."""
    return await _end(backend, call, "stop", backend.sessions.stop)


async def suspend(backend: Backend, call: Call) -> Session:
    """Begin to suspend a session."""
    return await _end(backend, call, "suspend", backend.sessions.suspend)


async def resume(backend: Backend, call: Call) -> Session:
    """Check a session's request like a new one, and put it back into the queue."""
    request: ResumeRequest = call.body
    again = replace(call, body=asked_again(call.target.spec))
    specs.check_again(call.target.spec, await facts(backend, again))
    resumed = await backend.sessions.resume(call.target.id, request.base_url)
    return shown(backend, call, resumed)


async def resize(backend: Backend, call: Call) -> Session:
    """Check a session's new share and volumes like a new request, and restart it."""
    session, old = call.target, call.target.spec
    again = replace(call, body=specs.resized(old, call.body))
    spec = specs.check_resized(old, call.body, await facts(backend, again))
    added = spec.volumes[len(old.volumes) :]
    async with kept(backend, call):
        resized = await backend.sessions.resize(session.id, spec.share, added)
    return shown(backend, call, resized)


async def delete(backend: Backend, call: Call) -> Nothing:
    """Delete an ended session."""
    await backend.sessions.delete(call.target.id)
    await ended(backend, call, "deleted")
    return Nothing()


async def policy(backend: Backend, call: Call) -> SessionPolicy:
    """Return the policy of a session, with the level that sets each rule."""
    able = require(backend, "policing", backend.policing)
    ruling = await able.ruling(call.target.id)
    return SessionPolicy(session=call.target.id, rules=ruling.rules, exempt=ruling.exempt)


async def activity(backend: Backend, call: Call) -> Activity:
    """Return the activity of a session."""
    return await require(backend, "policing", backend.policing).activity(call.target.id)


async def keep_alive(backend: Backend, call: Call) -> Session:
    """Keep a session alive for a while."""
    able = require(backend, "policing", backend.policing)
    session = await able.keep_alive(call.target.id, lifetime.read_keep_alive(call.body))
    return shown(backend, call, session)


async def log(backend: Backend, call: Call) -> LogChunk:
    """Return a part of the log of a session, or of one of its processes."""
    query: LogQuery = call.query
    reader = FieldReader()
    reader.within("process", query.process, 0, last_process(call.target.spec))
    reader.finish()
    return await require(backend, "logs", backend.logs).read(call.target.id, query)


async def exec_(backend: Backend, call: Call) -> ExecResult:
    """Run a program inside a session."""
    able = require(backend, "exec", backend.exec)
    await _use(backend, call, "ran a program in")
    return await able.execute(call.target.id, call.body)


async def exec_stream(backend: Backend, call: Call) -> AsyncGenerator[ExecEvent]:
    """Run a program inside a session, and stream its output."""
    able = require(backend, "exec", backend.exec)
    await _use(backend, call, "ran a program in")
    return able.stream(call.target.id, call.body)


async def terminal(backend: Backend, call: Call) -> AsyncGenerator[TerminalEvent]:
    """Open a terminal inside a session, and stream what it shows."""
    able = require(backend, "terminals", backend.terminals)
    await _use(backend, call, "opened a terminal in")
    return able.open(call.target.id, call.body)


async def type_(backend: Backend, call: Call) -> Nothing:
    """Type into a terminal of a session."""
    able = require(backend, "terminals", backend.terminals)
    await able.type(call.target.id, call.args["terminal"], call.body)
    return Nothing()


async def context(backend: Backend, call: Call) -> ExecContext:
    """Return what a terminal needs to enter a session."""
    able = require(backend, "exec", backend.exec)
    await _use(backend, call, "entered")
    return await able.context(call.target.id)


async def endpoint(backend: Backend, call: Call) -> Endpoint:
    """Return where a session listens, for the ingress."""
    able = require(backend, "ingress", backend.ingress)
    query: EndpointQuery = call.query
    if query.same_origin:
        call.rights.check_same_origin(call.target)
    await entered(backend, call, "opened")
    return await able.endpoint(call.target.id, query.port)


async def presence(backend: Backend, call: Call) -> Nothing:
    """Record that a person used a session through the ingress."""
    await require(backend, "ingress", backend.ingress).presence(call.target.id, call.body)
    return Nothing()


async def put_page(backend: Backend, call: Call) -> Nothing:
    """Record that a page of a session is open, and whether it has saved."""
    await backend.sessions.put_page(call.target.id, call.args["page"], call.body)
    if backend.snapshots:
        backend.snapshots.page(call.target, call.args["page"], call.body)
    return Nothing()


async def _end(
    backend: Backend, call: Call, goal: Goal, end: Callable[[str, Reason], Awaitable[Session]]
) -> Session:
    """Begin to end a session; its owner sees who else has requested that, and why."""
    request: EndRequest = call.body
    why = end_requests.read_reason(request.reason)
    who = "" if call.is_own else call.who
    ending = await end(call.target.id, end_requests.requested(goal, who, why))
    await ended(backend, call, _ENDED[goal], why)
    return shown(backend, call, ending)


async def _use(backend: Backend, call: Call, how: str) -> None:
    """Record that a person uses a session, however briefly, and audit it as `entered` does."""
    await entered(backend, call, how)
    if backend.ingress:
        await backend.ingress.presence(call.target.id, PresenceRequest(at=datetime.now(UTC)))


@asynccontextmanager
async def kept(backend: Backend, call: Call) -> AsyncIterator[None]:
    """Keep the variables that a request names; forget them again if the block fails.

    Raises InvalidFields, NotAllowed, and the block is not entered, unless all of them are kept.
    """
    request: ResizeRequest = call.body
    if not request.keep:
        yield
        return
    able, session = require(backend, "variables", backend.variables), call.target
    call.rights.check("exec", session, "keep variables of")
    local_files = backend.at(session.spec.project).inventory.local_files
    keeping.check(session, local_files=local_files)
    await entered(backend, call, "kept variables of")
    try:
        keeping.check_written(await able.write(session.id, request.keep, request.notebook))
        yield
    except GpuQuotaError:
        await able.forget(session.id, request.notebook)
        raise
