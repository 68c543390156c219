"""Snapshots of sessions that rest: suspended ones, and those that have ended."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

import msgspec
from msgspec.structs import replace

from ...model.sessions import ENDED, Session
from ...model.snapshots.manifest import Trigger
from ...model.snapshots.snapshots import Snapshot, SnapshotRules
from .rights import has_run


class Rests(msgspec.Struct, frozen=True, kw_only=True):
    """What is remembered of the resting sessions of one user.

    `since` is when a rule that stores them was switched on last; what rested before stays as it is.
    `runs` are the runs that were stored at their end, by session: a snapshot that its owner has
    removed is not taken again.
    """

    since: datetime | None = None
    runs: dict[str, int] = msgspec.field(default_factory=dict)


def rests(session: Session) -> bool:
    """Return whether a session is suspended or has ended."""
    return session.state == "suspended" or session.state in ENDED


def owed(
    sessions: Iterable[Session],
    snapshots: Iterable[Snapshot],
    rules: SnapshotRules,
    known: Rests,
) -> list[tuple[Session, Trigger]]:
    """Return the sessions of one user that the rules want stored as they rest, and why.

    It does not matter who has seen them run or end. Each run is stored once, and not at all if its
    session was stored since it rests.
    """
    newest: dict[str, datetime] = {}
    for each in snapshots:
        newest[each.session] = max(each.created, newest.get(each.session, each.created))
    return [
        (session, trigger)
        for session in sessions
        if (trigger := _trigger(session, rules))
        and has_run(session)
        and known.since is not None
        and session.since >= known.since
        and known.runs.get(session.id) != session.run
        and newest.get(session.id, known.since) <= session.since
    ]


def stored(known: Rests, session: Session, there: Collection[str]) -> Rests:
    """Return what is remembered once a session was stored; of `there` are the ids of sessions."""
    runs = {each: run for each, run in known.runs.items() if each in there}
    return replace(known, runs={**runs, session.id: session.run})


def switched(known: Rests, before: SnapshotRules, after: SnapshotRules, now: datetime) -> Rests:
    """Return what is remembered once other rules hold."""
    on = after.on_suspend > before.on_suspend or after.on_finish > before.on_finish
    return replace(known, since=now) if on else known


def _trigger(session: Session, rules: SnapshotRules) -> Trigger | None:
    if session.state == "suspended":
        return "suspend" if rules.on_suspend else None
    return "finish" if session.state in ENDED and rules.on_finish else None
