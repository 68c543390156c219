"""Snapshots that come and go by themselves: by schedule, when a session rests, and by rules.

Sessions rest that are suspended or have ended.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from datetime import datetime, timedelta

import msgspec
from msgspec.structs import replace

from ...errors import FieldError, InUse, refuse
from ...model.sessions import ENDED, Session
from ...model.snapshots.manifest import Trigger
from ...model.snapshots.snapshots import Snapshot, SnapshotRules, SnapshotRulesRequest
from .rights import has_run

SHORTEST_PAUSE = 60
"""Seconds between two snapshots by schedule, at least."""


def checked(request: SnapshotRulesRequest) -> SnapshotRules:
    """Return requested rules. Raises InvalidFields for what makes no sense, with all of it."""
    values = {name: getattr(request, name) for name in SnapshotRules.__struct_fields__}
    rules = SnapshotRules(**values)
    problems = [
        FieldError(name, "It must not be negative.")
        for name in ("keep_last", "daily", "weekly", "every")
        if getattr(rules, name) < 0
    ]
    if 0 < rules.every < SHORTEST_PAUSE:
        problems.append(FieldError("every", f"Use at least {SHORTEST_PAUSE} seconds, or 0."))
    refuse(problems)
    return rules


def removable(snapshots: Iterable[Snapshot], rules: SnapshotRules) -> list[Snapshot]:
    """Return the snapshots of one user that the rules remove, oldest first.

    Of each session the last `keep_last` stay, and the last one of each of the last `daily` days
    and `weekly` weeks that have any (UTC). Those with a tag or a pin, those that are being made,
    and all if no rule keeps any, stay too.
    """
    if not (rules.keep_last or rules.daily or rules.weekly):
        return []
    ready = [each for each in snapshots if each.state in {"ready", "partial"}]
    gone: list[Snapshot] = []
    for session in {each.session for each in ready}:
        of_one = sorted(
            (each for each in ready if each.session == session),
            key=lambda each: (each.created, each.id),
            reverse=True,
        )
        kept = {each.id for each in of_one if each.tags or each.pin}
        kept |= {each.id for each in of_one[: rules.keep_last]}
        kept |= _last_of_each(of_one, rules.daily, lambda each: each.created.date())
        kept |= _last_of_each(of_one, rules.weekly, lambda each: each.created.isocalendar()[:2])
        gone += [each for each in of_one if each.id not in kept]
    return sorted(gone, key=lambda each: (each.created, each.id))


def check_removable(snapshot: Snapshot, restoring: Collection[str]) -> None:
    """Raise InUse for a snapshot that is pinned, or whose id is among those being restored."""
    if snapshot.id in restoring:
        raise InUse("The snapshot is being restored.", hint="Wait until that is done.")
    if snapshot.pin:
        raise InUse(
            "The snapshot is pinned.",
            hint=f"Unpin it first: jupyter gpu snapshot unpin {snapshot.short}.",
        )


def due(
    sessions: Iterable[Session], snapshots: Sequence[Snapshot], every: int, now: datetime
) -> list[Session]:
    """Return the running sessions of one user that are due for a snapshot by schedule."""
    if not every:
        return []
    last: dict[str, datetime] = {}
    for each in snapshots:
        last[each.session] = max(each.created, last.get(each.session, each.created))
    pause = timedelta(seconds=every)
    return [
        session
        for session in sessions
        if session.state == "running"
        and now - max(filter(None, (last.get(session.id), session.started or now))) >= pause
    ]


def _last_of_each(
    newest_first: Sequence[Snapshot], count: int, span: Callable[[Snapshot], Hashable]
) -> set[str]:
    """Return the ids of the newest snapshots of the last `count` spans that have any."""
    newest: dict[Hashable, str] = {}
    for each in newest_first:
        newest.setdefault(span(each), each.id)
    return set(list(newest.values())[:count])


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
