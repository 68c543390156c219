"""What is known of a request that would wait: why, its place, a nearer share, and until when."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

import msgspec

from ...model.messages.build import joined, message, sentences_of
from ...model.messages.formats import share_arg
from ...model.previews import Preview
from ...model.reasons import Reason
from ...model.resources import MILLI, Placement, Share
from ...model.sessions import Session
from .. import lifecycle
from ..idle import lifetime
from ..scheduling.cycle import Cycle
from ..scheduling.scheduler import plan
from ..scheduling.snapshot import ClusterSnapshot
from .settling import SteadyState, settle

_STEPS = 20
"""The most moments to come that are played."""
_EFFORT = 20_000
"""The most sessions, all moments together, that are played: a preview has to be quick."""
_MEMORY = 256
"""The step of amounts of memory, in MiB."""


def waits(requested: Session, trial: ClusterSnapshot, cycle: Cycle, rest: SteadyState) -> Preview:
    """Return the preview of a request that waits once nothing changes any more."""
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
    expected = _expected(requested, trial, rest)
    if expected:
        minutes = max(1, round((expected - trial.now) / timedelta(minutes=1)))
        sentences.append(message("preview.expected", share=share_arg(share), span=60 * minutes))
    return Preview(
        verdict="waits",
        message=joined(*sentences),
        sentences=tuple(sentences),
        reason=why,
        queue_position=place,
        nearest=nearest,
        expected=expected,
    )


def _nearest(requested: Session, trial: ClusterSnapshot, cycle: Cycle) -> Share | None:
    """Return the largest smaller share that would start now and stay, None if none would."""
    for share in _smaller(requested, cycle):
        spec = msgspec.structs.replace(requested.spec, share=share)
        other = msgspec.structs.replace(requested, spec=spec)
        others = [s for s in trial.sessions if s.id != requested.id]
        attempt = replace(trial, sessions=[*others, other])
        first = {d.session: d.outcome for d in plan(attempt).decisions}
        rest = settle(attempt)
        stays = rest.sessions[other.id].placement and not rest.lost
        if isinstance(first[other.id], Placement) and stays:
            return share
    return None


def _smaller(requested: Session, cycle: Cycle) -> Iterator[Share]:
    """Yield smaller shares for which devices are free: whole devices, then parts or memory."""
    share = requested.spec.share
    for count in range(share.devices - 1, 0, -1):
        if _fits(requested, whole := Share(milli=count * MILLI), cycle):
            yield whole
            break
    if share.mig:
        return
    if share.memory:
        amounts = range(_MEMORY, share.memory, _MEMORY)
        steps = [Share(memory=mib, compute=share.compute) for mib in amounts]
    else:
        most = min(share.milli, MILLI)
        steps = [Share(milli=milli, compute=share.compute) for milli in range(1, most)]
    low, high = 0, len(steps)  # all below `low` fit, none from `high` on does
    while low < high:
        middle = (low + high) // 2
        if _fits(requested, steps[middle], cycle):
            low = middle + 1
        else:
            high = middle
    if low:
        yield steps[low - 1]


def _fits(requested: Session, share: Share, cycle: Cycle) -> bool:
    placement = cycle.now.find(share, cycle.allowed(requested))
    return placement is not None and cycle.ledger.refuses_now(requested, placement.milli) is None


def _expected(requested: Session, trial: ClusterSnapshot, rest: SteadyState) -> datetime | None:
    """Return when it starts as the run time of others is over; None if that is not known.

    Those ahead of it start first. What begins meanwhile may end, too, where its run time is known.
    """
    sessions, again = dict(rest.sessions), rest.last.again
    for _ in range(min(_STEPS, _EFFORT // max(len(sessions), 1))):
        ends = [s.ends for s in sessions.values() if s.ends and s.placement]
        at = min([*ends, *([again] if again else [])], default=None)
        if at is None:
            return None
        over = [s for s in sessions.values() if s.ends and s.placement and s.ends <= at]
        for session in over:
            ended = lifetime.end(session, at)
            sessions[session.id] = lifecycle.finish_end(ended, at)
        found = settle(replace(trial, sessions=tuple(sessions.values()), now=at))
        if found.sessions[requested.id].placement:
            return at
        sessions, again = dict(found.sessions), found.last.again
    return None
