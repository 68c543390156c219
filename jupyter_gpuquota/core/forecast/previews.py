"""What would happen to a request, before it is made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

import msgspec

from ...errors import GpuQuotaError
from ...model.datasets.mounts import MountPreview
from ...model.messages.build import joined, message, sentences_of
from ...model.messages.formats import place_arg, share_arg
from ...model.previews import Preview
from ...model.reasons import Reason
from ...model.resources import MILLI, Placement, Share
from ...model.sessions import Session, SessionRequest, SessionSpec
from ...model.struct import Message, field_problem
from ..datasets import mounts
from ..fields import FieldReader
from ..names import mention
from ..requests.alternatives import smaller
from ..requests.shares import read_share
from ..scheduling.cycle import Cycle, Refuses
from ..scheduling.holders import held_by
from ..scheduling.scheduler import run_cycle
from ..scheduling.snapshot import ClusterSnapshot
from ..usage.isolation import isolation_of

_REQUESTED = "\uffff"
"""Sorts after every id, so that the requested session comes last among equals."""


def preview(spec: SessionSpec, snapshot: ClusterSnapshot) -> Preview:
    """Return what a scheduling cycle on the present state would decide about a valid request."""
    now = snapshot.now
    requested = Session(
        id=_REQUESTED, spec=spec, owner="", state="waiting", since=now, created=now, path=""
    )
    cycle = run_cycle(replace(snapshot, sessions=[*snapshot.sessions, requested]))
    outcome = cycle.outcomes[_REQUESTED]
    if isinstance(outcome, Placement):
        return _starts(spec, outcome, cycle)
    victims = [e.session for e in cycle.evictions.values() if e.reclaim.session == _REQUESTED]
    if victims:
        return _preempts(victims, spec.project, outcome, cycle)
    return _waits(requested, outcome, cycle)


def rounded(found: Preview, request: SessionRequest, spec: SessionSpec) -> Preview:
    """Return a preview that says so where the share of the request was rounded up."""
    if read_share(request, FieldReader()) == spec.share:
        return found
    sentences = (message("preview.rounded", share=share_arg(spec.share)), *found.sentences)
    return msgspec.structs.replace(found, message=joined(*sentences), sentences=sentences)


def with_data(found: Preview, data: tuple[MountPreview, ...]) -> Preview:
    """Return a preview that says which datasets are cached, and which are fetched first."""
    if not data:
        return found
    said = (*found.sentences, *mounts.sentences(data))
    return msgspec.structs.replace(found, message=joined(*said), sentences=said, data=data)


def forbidden(error: GpuQuotaError, nearest: Share | None = None) -> Preview:
    """Return which rules forbid a request, field by field, and a share that none would forbid."""
    problems = tuple(map(field_problem, error.fields))
    sentences = [Message(text=error.message)]
    if len(problems) == 1:
        only = problems[0]
        sentences = [Message(text=only.message, key=only.key, args=only.args)]
    if nearest:
        sentences.append(message("preview.allowed", share=share_arg(nearest)))
    return Preview(
        verdict="forbidden",
        message=joined(*sentences),
        sentences=tuple(sentences),
        problems=problems,
        nearest=nearest,
    )


def _starts(spec: SessionSpec, placement: Placement, cycle: Cycle) -> Preview:
    if not placement.slices:
        sentence = message("preview.no_gpu")
        return Preview(
            verdict="fits", message=sentence.text, sentences=(sentence,), placement=placement
        )
    piece = placement.slices[0]
    device = cycle.now.nodes[placement.node].devices[piece.index]
    account = cycle.ledger.accounts[spec.project]
    borrowed = min(placement.milli, max(0, account.used - account.project.quota))
    borrows = spec.kind != "interactive" and borrowed > 0
    sentences = (
        _start(placement, MILLI - device.milli),
        _borrows(borrowed, ",".join(_owners(cycle, spec.project)))
        if borrows
        else message("preview.uses", used=placement.milli),
    )
    return Preview(
        verdict="borrows" if borrows else "fits",
        message=joined(*sentences),
        sentences=sentences,
        placement=placement,
        isolation=isolation_of(spec.share, simulated=placement.simulated, mps=device.device.mps),
    )


def _start(placement: Placement, after: int) -> Message:
    """Return where it starts; `after` (milli-GPU) of the first device is held from then on."""
    place, piece = place_arg(placement), placement.slices[0]
    if piece.milli == MILLI or piece.mig:
        return message("preview.starts", place=place)
    before = after - piece.milli
    return message("preview.starts_shared", place=place, before=before // 10, after=after // 10)


def _borrows(borrowed: int, owners: str) -> Message:
    if owners:
        return message("preview.borrows", borrowed=borrowed, owners=owners)
    return message("preview.borrows_any", borrowed=borrowed)


def _owners(cycle: Cycle, borrower: str) -> Iterator[str]:
    """Return the projects that do not use all of their quota."""
    for name, account in sorted(cycle.ledger.accounts.items()):
        if name != borrower and account.used < account.project.quota:
            yield name


def _preempts(ids: list[str], project: str, outcome: Reason, cycle: Cycle) -> Preview:
    victims = [s for s in cycle.snapshot.sessions if s.id in ids]
    sentences = (
        message("preview.within", grace=cycle.snapshot.rules.grace),
        message(
            "preview.preempts",
            sessions=mention(victims, project),
            freed=sum(held_by(victim) for victim in victims),
        ),
    )
    return Preview(
        verdict="reclaims", message=joined(*sentences), sentences=sentences, reason=outcome
    )


def _waits(requested: Session, outcome: Reason, cycle: Cycle) -> Preview:
    project, share = requested.spec.project, requested.spec.share
    place = sum(s.spec.project == project and s.state == "waiting" for s in cycle.queue)
    sentences = [message("preview.queued", place=place, project=project), *sentences_of(outcome)]
    now = cycle.ledger.refuses_now
    nearest = next((s for s in smaller(share) if _fits(requested, s, cycle, now)), None)
    if nearest:
        sentences.append(message("preview.nearest", share=share_arg(nearest)))
    expected = _expected(requested, cycle)
    if expected:
        minutes = max(1, round((expected - cycle.snapshot.now) / timedelta(minutes=1)))
        sentences.append(message("preview.expected", share=share_arg(share), span=60 * minutes))
    return Preview(
        verdict="waits",
        message=joined(*sentences),
        sentences=tuple(sentences),
        reason=outcome,
        queue_position=place,
        nearest=nearest,
        expected=expected,
    )


def _expected(requested: Session, cycle: Cycle) -> datetime | None:
    """Return when enough is free because the run time of others is over; None if unknown.

    It is released in the cycle, which cannot be used for anything else afterwards.
    """
    bounded = [s for s in cycle.staying if s.ends and s.id not in cycle.evictions]
    for session in sorted(bounded, key=lambda s: (s.ends, s.id)):
        if session.placement:
            cycle.now.release(session.placement)
            cycle.ledger.hold(session, held_by(session), -1)
        if _fits(requested, requested.spec.share, cycle, cycle.ledger.refuses):
            return session.ends
    return None


def _fits(requested: Session, share: Share, cycle: Cycle, refuses: Refuses) -> bool:
    placement = cycle.now.find(share, cycle.allowed(requested))
    return placement is not None and refuses(requested, placement.milli) is None
