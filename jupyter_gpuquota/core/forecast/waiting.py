"""What is known of a request that would wait: why, its place, a nearer share, and until when."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import msgspec

from ...model.messages.build import joined, message, sentences_of
from ...model.messages.formats import share_arg, time_arg
from ...model.previews import Preview
from ...model.reasons import Reason
from ...model.resources import MILLI, Placement, Share
from ...model.sessions import Session
from .. import lifecycle
from ..idle import lifetime
from ..scheduling.cycle import Cycle
from ..scheduling.placement import Pool
from ..scheduling.scheduler import plan
from ..scheduling.snapshot import ClusterSnapshot
from .impact import SteadyState, settle

_STEPS = 20
"""The most moments to come that are played."""
_EFFORT = 20_000
"""The most sessions, all moments together, that are played: previews have to be quick."""
_MEMORY = 256
"""The step of amounts of memory, in MiB."""


def waits(requested: Session, trial: ClusterSnapshot, cycle: Cycle, rest: SteadyState) -> Preview:
    """Return the preview of a request that waits once nothing changes any more.

    `trial` is the state with it, `cycle` one without it, `rest` what the trial came to.
    """
    project, share = requested.spec.project, requested.spec.share
    end = rest.sessions[requested.id]
    decision = next(d for d in rest.last.decisions if d.session == requested.id)
    outcome, place = decision.outcome, decision.ahead + 1
    why = outcome if isinstance(outcome, Reason) else end.reason
    sentences = [message("preview.queued", place=place, project=project)]
    sentences += sentences_of(why) if why else ()
    nearest = _nearest(requested, trial, cycle)
    if nearest:
        sentences.append(message("preview.nearest", share=share_arg(nearest)))
    free = _expected(requested, trial, rest)
    if free:
        minutes = max(1, round((free - trial.now) / timedelta(minutes=1)))
        at, span = time_arg(free), 60 * minutes
        sentences.append(message("preview.expected", share=share_arg(share), at=at, span=span))
    return Preview(
        verdict="waits",
        message=joined(*sentences),
        sentences=tuple(sentences),
        reason=why,
        queue_position=place,
        nearest=nearest,
        expected=free,
    )


def starts(snapshot: ClusterSnapshot) -> Mapping[str, datetime]:
    """Map queued sessions, by id, to when they should start, where run times tell it."""
    if not _tells(snapshot):
        return {}
    rest = settle(snapshot)
    queued = {id_ for id_, each in rest.sessions.items() if each.state == "waiting"}
    found: dict[str, datetime] = {}
    for at, sessions in _ahead(snapshot, rest) if queued else ():
        started = [id_ for id_ in queued if sessions[id_].placement]
        found |= dict.fromkeys(started, at)
        queued.difference_update(started)
        if not queued:
            break
    return found


def _tells(snapshot: ClusterSnapshot) -> bool:
    """Return whether run times, or rules that protect sessions for a time, tell when others end."""
    rules, projects = snapshot.rules, snapshot.projects
    return (
        any(each.ends and each.placement for each in snapshot.sessions)
        or any(each.interactive_duration or each.min_runtime for each in projects)
        or bool(rules.min_runtime)
        or rules.consolidate
    )


def _nearest(requested: Session, trial: ClusterSnapshot, cycle: Cycle) -> Share | None:
    """Return the largest smaller share that would start now and stay, None if none would."""
    allowed, refuses = cycle.allowed(requested), cycle.ledger.refuses_now

    def surely_fits(share: Share) -> bool:
        placement = cycle.now.find(share, allowed)
        return placement is not None and refuses(requested, placement.milli) is None

    held = [s.placement for s in trial.sessions if s.placement]
    pool = Pool(trial.nodes, [*held, *(each.placement for each in trial.holdings)])
    for shares in _smaller(requested.spec.share):
        sure = _count(shares, surely_fits)
        most = _count(shares, lambda share: pool.find(share, allowed) is not None)
        between = shares[sure:most]  # what others wait for, and might not get before it
        more = _count(between, lambda share: _starts(requested, share, trial)) if between else 0
        if (found := sure + more) and _starts(requested, shares[found - 1], trial):
            return shares[found - 1]
    return None


def _starts(requested: Session, share: Share, trial: ClusterSnapshot) -> bool:
    """Return whether another share starts at once and stays, at nobody's cost."""
    spec = msgspec.structs.replace(requested.spec, share=share)
    other = msgspec.structs.replace(requested, spec=spec)
    others = [s for s in trial.sessions if s.id != requested.id]
    attempt = replace(trial, sessions=[*others, other])
    outcome = next(d.outcome for d in plan(attempt).decisions if d.session == other.id)
    if not isinstance(outcome, Placement):
        return False
    rest = settle(attempt)
    return not rest.lost and rest.sessions[other.id].placement is not None


def _smaller(share: Share) -> Iterator[Sequence[Share]]:
    """Yield smaller shares by form, each in rising order: whole devices, then parts or memory."""
    yield [Share(milli=count * MILLI) for count in range(1, share.count)]
    if share.memory:
        amounts = range(_MEMORY, share.memory, _MEMORY)
        yield [Share(memory=mib, compute=share.compute) for mib in amounts]
    elif not share.mig:
        parts = range(1, min(share.milli, MILLI))
        yield [Share(milli=milli, compute=share.compute) for milli in parts]


def _count(shares: Sequence[Share], fits: Callable[[Share], bool]) -> int:
    """Return how many shares in rising order fit: none does above one that does not."""
    return bisect_left(shares, 1, key=lambda share: 0 if fits(share) else 1)


def _expected(requested: Session, trial: ClusterSnapshot, rest: SteadyState) -> datetime | None:
    """Return when it starts as the run time of others is over; None if that is not known."""
    started = (at for at, sessions in _ahead(trial, rest) if sessions[requested.id].placement)
    return next(started, None)


def _ahead(
    snapshot: ClusterSnapshot, rest: SteadyState
) -> Iterator[tuple[datetime, Mapping[str, Session]]]:
    """Yield the moments at which run times end or protection does, with the state then.

    Those ahead in the queue start first. What begins meanwhile may end, too, where its run time is
    known.
    """
    sessions, again = dict(rest.sessions), rest.last.again
    for _ in range(min(_STEPS, _EFFORT // max(len(sessions), 1))):
        ends = [s.ends for s in sessions.values() if s.ends and s.placement]
        at = min([*ends, *([again] if again else [])], default=None)
        if at is None:
            return
        over = [s for s in sessions.values() if s.ends and s.placement and s.ends <= at]
        for session in over:
            ended = lifetime.end(session, at)
            sessions[session.id] = lifecycle.finish_end(ended, at)
        found = settle(replace(snapshot, sessions=tuple(sessions.values()), now=at))
        yield at, found.sessions
        sessions, again = dict(found.sessions), found.last.again
