"""Say what would happen to a request, before it is made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

from ..errors import GpuQuotaError
from ..model.base import FieldProblem
from ..model.previews import Preview
from ..model.reasons import Reason
from ..model.resources import MILLI, Placement, Share, gpus_text
from ..model.sessions import Session, SessionSpec
from .isolation import isolation_of
from .names import mention
from .nearest import smaller
from .plans import Situation
from .round import Round
from .scheduling import play
from .victims import held_by

_ASKED = "\uffff"
"""Sorts behind every id, so that the asked session stands last among equals."""


def preview(spec: SessionSpec, situation: Situation) -> Preview:
    """Play a checked request against the present state."""
    now = situation.now
    asked = Session(
        id=_ASKED, spec=spec, owner="", state="waiting", since=now, created=now, path=""
    )
    turn = play(replace(situation, sessions=[*situation.sessions, asked]))
    outcome = turn.outcomes[_ASKED]
    if isinstance(outcome, Placement):
        return _starts(spec, outcome, turn)
    taken = [e.session for e in turn.evictions.values() if e.reclaim.session == _ASKED]
    if taken:
        return _takes_back(taken, spec.project, outcome, turn)
    return _waits(asked, outcome, turn)


def forbidden(error: GpuQuotaError, nearest: Share | None = None) -> Preview:
    """Say which rules forbid a request, field by field, and which share none would forbid."""
    problems = tuple(
        FieldProblem(field=f.field, message=f.message, hint=f.hint) for f in error.fields
    )
    message = problems[0].message if len(problems) == 1 else error.message
    if nearest:
        message += f" {nearest.text} would be allowed."
    return Preview(verdict="forbidden", message=message, problems=problems, nearest=nearest)


def _starts(spec: SessionSpec, placement: Placement, turn: Round) -> Preview:
    if not placement.slices:
        return Preview(verdict="fits", message="Fits now: needs no GPU.", placement=placement)
    piece = placement.slices[0]
    room = turn.now.nodes[placement.node].rooms[piece.index]
    where = f"on {placement.text}"
    if piece.milli < MILLI and not piece.mig:
        after = MILLI - room.milli
        where += f" ({(after - piece.milli) // 10} % → {after // 10} % used)"
    account = turn.ledger.accounts[spec.project]
    borrowed = min(placement.milli, max(0, account.used - account.project.quota))
    isolation = isolation_of(spec.share, simulated=placement.simulated, mps=room.device.mps)
    if spec.kind != "interactive" and borrowed:
        owners = ", ".join(_owners(turn, spec.project)) or "the others"
        return Preview(
            verdict="borrows",
            message=f"Starts now {where}; borrows {gpus_text(borrowed)} GPU, which can be "
            f"taken back for {owners}. It would then be in line again.",
            placement=placement,
            isolation=isolation,
        )
    return Preview(
        verdict="fits",
        message=f"Fits now, inside quota, {where}; {gpus_text(placement.milli)} GPU of quota.",
        placement=placement,
        isolation=isolation,
    )


def _owners(turn: Round, borrower: str) -> Iterator[str]:
    """Name the projects that do not use all of what they have by right."""
    for name, account in sorted(turn.ledger.accounts.items()):
        if name != borrower and account.used < account.project.quota:
            yield name


def _takes_back(taken: list[str], project: str, outcome: Reason, turn: Round) -> Preview:
    victims = [s for s in turn.situation.sessions if s.id in taken]
    milli = sum(held_by(victim) for victim in victims)
    names = mention(victims, project)
    grace = turn.situation.rules.grace
    return Preview(
        verdict="reclaims",
        message=f"Would start within {grace} seconds: takes back {gpus_text(milli)} GPU "
        f"from {names}, which {'go' if len(victims) > 1 else 'goes'} in line again.",
        reason=outcome,
    )


def _waits(asked: Session, outcome: Reason, turn: Round) -> Preview:
    project = asked.spec.project
    place = sum(s.spec.project == project and s.state == "waiting" for s in turn.line)
    first = "first in line" if place == 1 else f"number {place} in its project's line"
    message = f"Would wait, {first}: {outcome.message}"
    nearest = next((s for s in smaller(asked.spec.share) if _fits(asked, s, turn)), None)
    if nearest:
        message += f" {nearest.text} would start now."
    expected = _expected(asked, turn)
    if expected:
        minutes = max(1, round((expected - turn.situation.now) / timedelta(minutes=1)))
        message += f" {asked.spec.share.text} is expected to be free in about {minutes} min."
    return Preview(
        verdict="waits",
        message=message,
        reason=outcome,
        place_in_line=place,
        nearest=nearest,
        expected=expected,
    )


def _expected(asked: Session, turn: Round) -> datetime | None:
    """Tell when enough is free because others have lived as long as they may; None if unknown.

    It counts as free in the round from then on, which is good for nothing else any more.
    """
    bounded = [s for s in turn.staying if s.ends and s.id not in turn.evictions]
    for session in sorted(bounded, key=lambda s: (s.ends, s.id)):
        if session.placement:
            turn.now.give(session.placement)
            turn.ledger.hold(session, held_by(session), -1)
        if _fits(asked, asked.spec.share, turn):
            return session.ends
    return None


def _fits(asked: Session, share: Share, turn: Round) -> bool:
    placement = turn.now.find(share, turn.allowed(asked))
    return placement is not None and turn.ledger.refuses(asked, placement.milli) is None
