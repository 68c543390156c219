"""Sessions as a caller sees them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import cache

from ...core import disclosure
from ...core.datasets import rights as data
from ...core.idle.lifetime import Extends, extending
from ...core.idle.policy import NO_POLICY
from ...core.lifecycle import due_at
from ...core.lists.recent import Differing, Listed, differing, page
from ...errors import FieldError, refused
from ...model.clusters.names import cluster_of, qualified
from ...model.sessions import STATES, Session, SessionQuery
from ...model.struct import Page
from ...ports.backend import Backend
from ..call import Call
from ..launches import data as launch_data


def listed(backend: Backend, call: Call) -> Page[Session]:
    """Return a page of the matching sessions that the caller sees.

    Where the caller asks for changes since a list that is remembered, only those.
    """
    query: SessionQuery = call.query
    revision = backend.changes.revision("sessions")
    now, wanted = _read(backend), _wanted(query)
    matching = [*filter(wanted, disclosure.seen(now.sessions, call.rights))]
    changes = None
    if not query.cursor:
        backend.lists.note(revision, now)
        before = backend.lists.at(call.since)
        changes = _seen(differing(before, now), call, wanted) if before else None
    if changes is None or len(changes.now) > query.limit:
        part = page(matching, query.limit, query.cursor, revision)
        return Page(
            items=_shown(part.items, now, backend, call),
            total=part.total,
            revision=revision,
            next=part.next,
        )
    present = {session.id for session in changes.now}
    return Page(
        items=_shown(changes.now, now, backend, call),
        total=len(matching),
        revision=revision,
        since=call.since,
        gone=tuple(each.id for each in changes.before if each.id not in present),
    )


def shown(backend: Backend, call: Call, session: Session) -> Session:
    """Return a session as the caller sees it."""
    return _shown([session], Listed(saving=_saving(backend)), backend, call)[0]


def _read(backend: Backend) -> Listed:
    return Listed(backend.sessions.all(), backend.planning.starts(), _saving(backend))


def _saving(backend: Backend) -> Mapping[str, datetime]:
    return backend.snapshots.saving() if backend.snapshots else {}


def _wanted(query: SessionQuery) -> Callable[[Session], bool] | None:
    """Return whether a session matches a query; None if every one does. Raises InvalidFields."""
    states = _states(query.state)
    if not (query.project or query.name or query.owner or states):
        return None
    return lambda session: (
        query.project in ("", session.spec.project)
        and query.name in ("", session.spec.name)
        and query.owner in ("", session.owner)
        and (not states or session.state in states)
    )


def _seen(found: Differing, call: Call, wanted: Callable[[Session], bool] | None) -> Differing:
    return Differing(
        before=tuple(filter(wanted, disclosure.seen(found.before, call.rights))),
        now=tuple(filter(wanted, disclosure.seen(found.now, call.rights))),
    )


def _shown(
    sessions: Iterable[Session], known: Listed, backend: Backend, call: Call
) -> tuple[Session, ...]:
    shower = _shower(backend, call)

    def made(session: Session) -> Session:
        found = shower(due_at(session, known.starts.get(session.id)))
        by = known.saving.get(session.id)
        return disclosure.saving(found, by) if by else found

    return tuple(map(made, sessions))


def _shower(backend: Backend, call: Call) -> Callable[[Session], Session]:
    """Return what maps a session to how the caller sees it."""
    known = launch_data.known(backend)
    now = datetime.now(UTC)

    @cache
    def about(cluster: str) -> tuple[Extends, tuple[str, ...]]:
        here = backend.at(qualified(cluster, "any"))
        policy = here.policing.policy() if here.policing else NO_POLICY
        return extending(policy, now), here.capabilities

    def shown(session: Session) -> Session:
        found = data.session(session, known, call.rights)
        extends, capabilities = about(cluster_of(session.spec.project))
        delays = session.state == "running" and extends(session)
        return disclosure.shown(found, call.rights, capabilities, extends=delays)

    return shown


def _states(text: str) -> set[str]:
    states = {state.strip() for state in text.split(",") if state.strip()}
    if unknown := sorted(states.difference(STATES)):
        hint = f"States: {', '.join(STATES)}."
        problem = FieldError("state", f"Unknown: {', '.join(unknown)}.", hint)
        raise refused(problem)
    return states
