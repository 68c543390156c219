"""Use cases of sessions."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

from ..core import actions, names, nearest, previews, rightsize, specs, wishes
from ..core.plans import Situation
from ..core.policy import NO_POLICY
from ..errors import FieldError, InvalidFields, NameTaken, Unsupported, refused
from ..model.base import Nothing, Page
from ..model.idleness import Activity
from ..model.policy import SessionPolicy
from ..model.rightsizing import Advice
from ..model.sessions import (
    STATES,
    Endpoint,
    ExecContext,
    ExecResult,
    LogChunk,
    Preview,
    ResumeRequest,
    Session,
    SessionQuery,
    SessionRequest,
    SessionSpec,
)
from ..ports.backend import Backend, Exec, Ingress, Logs, Policing
from . import admin
from .call import Call, find
from .paging import page
from .policy import policing


async def list_(backend: Backend, call: Call) -> Page[Session]:
    """List the sessions that match, a page at a time."""
    query: SessionQuery = call.query
    states = _states(query.state)
    found = [
        session
        for session in backend.sessions()
        if query.project in ("", session.spec.project)
        and query.name in ("", session.spec.name)
        and query.owner in ("", session.owner)
        and (not states or session.state in states)
    ]
    part = page(found, query.limit, query.cursor, backend.revision("sessions"))
    items = tuple(shown(session) for session in part.items)
    return Page(items=items, total=part.total, revision=part.revision, next=part.next)


async def get(backend: Backend, call: Call) -> Session:
    """Show one session."""
    return shown(find(backend, call.args["id"]))


async def advice(backend: Backend, call: Call) -> Advice:
    """Say which share a session would do with."""
    return rightsize.advise(find(backend, call.args["id"]), backend.nodes(), datetime.now(UTC))


async def create(backend: Backend, call: Call) -> Session:
    """Check a request and hand it to the backend."""
    spec = await _check(backend, call)
    names.check_free(spec, backend.sessions())
    return shown(await backend.create(spec, call.user))


async def preview(backend: Backend, call: Call) -> Preview:
    """Say what would happen to a request; a request that breaks rules is an answer here."""
    facts = await _facts(backend, call)
    try:
        spec = specs.check(call.body, facts)
        names.check_free(spec, backend.sessions())
    except (InvalidFields, NameTaken) as error:
        return previews.forbidden(error, nearest.allowed(call.body, facts, error))
    situation = Situation(
        sessions=backend.sessions(),
        projects=backend.projects(),
        nodes=backend.nodes(),
        now=datetime.now(UTC),
        rules=backend.rules(),
    )
    # A whole round is played: with thousands of sessions others would notice. Nothing is shared.
    return await asyncio.to_thread(previews.preview, spec, situation)


async def stop(backend: Backend, call: Call) -> Session:
    """Begin to stop a session."""
    return shown(await backend.stop(call.args["id"]))


async def suspend(backend: Backend, call: Call) -> Session:
    """Begin to suspend a session."""
    return shown(await backend.suspend(call.args["id"]))


async def resume(backend: Backend, call: Call) -> Session:
    """Put a session back into the queue."""
    request: ResumeRequest = call.body
    return shown(await backend.resume(call.args["id"], request.base_url))


async def resize(backend: Backend, call: Call) -> Session:
    """Check a session's new share as if it were launched, and start it again with it."""
    session = find(backend, call.args["id"])
    spec = await _check(backend, replace(call, body=specs.resized(session.spec, call.body)))
    return shown(await backend.resize(session.id, spec.share))


async def delete(backend: Backend, call: Call) -> Nothing:
    """Forget an ended session."""
    await backend.delete(call.args["id"])
    return Nothing()


async def policy(backend: Backend, call: Call) -> SessionPolicy:
    """Say what the policy comes to for a session."""
    ruling = policing(backend).ruling(call.args["id"])
    return SessionPolicy(session=call.args["id"], rules=ruling.rules, exempt=ruling.exempt)


async def activity(backend: Backend, call: Call) -> Activity:
    """Say what is known of a session's activity."""
    return policing(backend).activity(call.args["id"])


async def keep_alive(backend: Backend, call: Call) -> Session:
    """Keep a session alive for a while."""
    able = policing(backend)
    return shown(await able.keep_alive(call.args["id"], wishes.read_keep_alive(call.body)))


async def log(backend: Backend, call: Call) -> LogChunk:
    """Read a part of a session's log."""
    if not isinstance(backend, Logs):
        raise Unsupported(f"The {backend.name} backend keeps no logs.")
    return await backend.log(call.args["id"], call.query)


async def exec_(backend: Backend, call: Call) -> ExecResult:
    """Run a program inside a session."""
    return await _executor(backend).execute(call.args["id"], call.body)


async def context(backend: Backend, call: Call) -> ExecContext:
    """Tell a terminal how to be inside a session."""
    return await _executor(backend).context(call.args["id"])


async def endpoint(backend: Backend, call: Call) -> Endpoint:
    """Tell the ingress where a session listens."""
    return await _ingress(backend).endpoint(call.args["id"], call.query.port)


async def presence(backend: Backend, call: Call) -> Nothing:
    """Hear from the ingress that a person used a session."""
    await _ingress(backend).presence(call.args["id"], call.body)
    return Nothing()


def shown(session: Session) -> Session:
    """Return a session as it is answered: with the actions that its state allows."""
    return actions.offering(session, actions.by_state(session))


def _states(text: str) -> set[str]:
    found = {state.strip() for state in text.split(",") if state.strip()}
    if unknown := sorted(found.difference(STATES)):
        hint = f"States are {', '.join(STATES)}."
        problem = FieldError("state", f"{', '.join(unknown)}: there is no such state.", hint)
        raise refused(problem)
    return found


def _ingress(backend: Backend) -> Ingress:
    if not isinstance(backend, Ingress):
        raise Unsupported(f"Sessions of the {backend.name} backend cannot be opened.")
    return backend


def _executor(backend: Backend) -> Exec:
    if not isinstance(backend, Exec):
        raise Unsupported(f"The {backend.name} backend cannot run programs inside sessions.")
    return backend


async def _check(backend: Backend, call: Call) -> SessionSpec:
    return specs.check(call.body, await _facts(backend, call))


async def _facts(backend: Backend, call: Call) -> specs.Facts:
    request: SessionRequest = call.body
    place = await backend.look_up(request)
    mine = admin.mine(backend, call.user)
    policy = backend.policy() if isinstance(backend, Policing) else NO_POLICY
    return specs.Facts(projects=mine, nodes=backend.nodes(), place=place, policy=policy)
