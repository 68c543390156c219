"""What would happen to a request, before it is made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import msgspec

from ...errors import GpuQuotaError
from ...model.clusters.fallback import PlacePreview
from ...model.datasets.mounts import MountPreview
from ...model.messages.build import joined, message, sentences_of
from ...model.messages.formats import place_arg, share_arg
from ...model.pods import ContainerRules
from ...model.previews import Preview
from ...model.reasons import Reason
from ...model.resources import MILLI, Placement, Share
from ...model.sessions import Kind, Session, SessionRequest, SessionSpec
from ...model.struct import Message, field_problem
from ..datasets import mounts
from ..fields import FieldReader
from ..names import mention
from ..requests.shares import read_share
from ..scheduling import explain
from ..scheduling.cycle import Cycle
from ..scheduling.holders import held_by
from ..scheduling.scheduler import run_cycle
from ..scheduling.snapshot import ClusterSnapshot, Decision
from ..scheduling.undivided import is_undivided, plain_preview
from ..usage.isolation import isolation_of
from .impact import SteadyState, settle
from .waiting import waits

PLACED = ("preview.starts", "preview.starts_part")
"""The keys of sentences that say where a request would start."""
_REQUESTED = "\uffff"
"""Sorts after every id, so that the requested session comes last among equals."""


def preview(spec: SessionSpec, snapshot: ClusterSnapshot) -> Preview:
    """Return what becomes of a valid request: cycles are played until nothing changes."""
    found = _preview(spec, snapshot)
    return plain_preview(found) if is_undivided(snapshot.projects, snapshot.nodes) else found


def _preview(spec: SessionSpec, snapshot: ClusterSnapshot) -> Preview:
    now = snapshot.now
    requested = Session(
        id=_REQUESTED, spec=spec, owner="", state="waiting", since=now, created=now, path=""
    )
    trial = replace(snapshot, sessions=[*snapshot.sessions, requested])
    rest = settle(trial)
    decision = rest.decision(_REQUESTED)
    if rest.sessions[_REQUESTED].placement is None:
        return waits(requested, trial, run_cycle(snapshot), rest)
    if victims := _caused(rest, snapshot):
        return _preempts(victims, decision, rest, snapshot)
    if isinstance(decision.outcome, Placement) and _REQUESTED not in rest.lost:
        return _starts(spec, decision.outcome, run_cycle(trial))
    return _follows(decision, trial, rest)


def _caused(rest: SteadyState, before: ClusterSnapshot) -> list[Session]:
    """Return the sessions that lose GPUs because of a request, also those of later cycles."""
    if not rest.lost:
        return []
    anyway = set(settle(before).lost)
    known = {session.id: session for session in before.sessions if session.placement}
    return [known[name] for name in rest.lost if name in known and name not in anyway]


def rounded(found: Preview, request: SessionRequest, spec: SessionSpec) -> Preview:
    """Return a preview that says so where the share of the request was rounded up."""
    if read_share(request, FieldReader()) == spec.share:
        return found
    sentences = (message("preview.rounded", share=share_arg(spec.share)), *found.sentences)
    return msgspec.structs.replace(found, message=joined(*sentences), sentences=sentences)


def apart(found: Preview, spec: SessionSpec, rules: ContainerRules | None) -> Preview:
    """Return a preview that says so where processes do not start all or none."""
    if spec.processes == 1 or rules is None or not rules.apart:
        return found
    said = (*found.sentences, message("preview.apart"))
    return msgspec.structs.replace(found, message=joined(*said), sentences=said)


def with_data(found: Preview, data: tuple[MountPreview, ...]) -> Preview:
    """Return a preview that says which datasets are cached, and which are fetched first."""
    if not data:
        return found
    said = (*found.sentences, *mounts.sentences(data))
    return msgspec.structs.replace(found, message=joined(*said), sentences=said, data=data)


def with_places(found: Sequence[Preview], places: tuple[PlacePreview, ...]) -> Preview:
    """Return what would happen to a request in the first of its places, and in short in each.

    It is refused if it is in one of them.
    """
    first, *others = found
    problems = tuple(
        msgspec.structs.replace(problem, field=f"on[{i}].{problem.field}")
        for i, other in enumerate(others, 1)
        for problem in other.problems
    )
    if not problems:
        return msgspec.structs.replace(first, places=places)
    index = next(i for i, each in enumerate(found) if each.problems)
    said = (Message(text=f"{places[index].label}:"), *found[index].sentences)
    return msgspec.structs.replace(
        first,
        verdict="forbidden",
        message=joined(*said),
        sentences=said,
        problems=(*first.problems, *problems),
        places=places,
    )


def with_kind(found: Preview, kind: Kind, other: Preview) -> Preview:
    """Return a preview that offers another kind if that would start now, by its own preview."""
    if other.verdict not in {"fits", "borrows"}:
        return found
    said = (*found.sentences, message("preview.as_spot"))
    return msgspec.structs.replace(found, message=joined(*said), sentences=said, nearest_kind=kind)


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
    device = cycle.now.nodes[placement.node].device_of(placement.slices[0])
    if device is None:
        raise ValueError(f"{placement.node} does not have the device of its own placement")
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
    return message("preview.starts_part", place=place, before=after - piece.milli, after=after)


def _borrows(borrowed: int, owners: str) -> Message:
    if owners:
        return message("preview.borrows", borrowed=borrowed, owners=owners)
    return message("preview.borrows_any", borrowed=borrowed)


def _owners(cycle: Cycle, borrower: str) -> Iterator[str]:
    """Return the projects that do not use all of their quota."""
    for name, account in sorted(cycle.ledger.accounts.items()):
        if name != borrower and account.used < account.project.quota:
            yield name


def _preempts(
    victims: Sequence[Session], decision: Decision, rest: SteadyState, before: ClusterSnapshot
) -> Preview:
    leaving = any(s.state == "stopping" and s.placement for s in before.sessions)
    soon = not leaving and rest.started(decision.session) == 1
    sentences = (
        message("preview.within", grace=before.rules.grace)
        if soon
        else message("preview.released"),
        message(
            "preview.preempts",
            sessions=mention(victims, rest.sessions[decision.session].spec.project),
            freed=sum(held_by(victim) for victim in victims),
        ),
    )
    return Preview(
        verdict="reclaims",
        message=joined(*sentences),
        sentences=sentences,
        reason=decision.outcome if isinstance(decision.outcome, Reason) else None,
        preempts=tuple(victim.id for victim in victims),
    )


def _follows(decision: Decision, trial: ClusterSnapshot, rest: SteadyState) -> Preview:
    """Return that a request waits for nothing but sessions that stop anyway.

    A request that would start in the first cycle and give its place back in the next one waits as
    well.
    """
    outcome, end = decision.outcome, rest.sessions[decision.session]
    held = [session for session in trial.sessions if session.placement]
    leaving = [s for s in held if s.state == "stopping" or s.id in rest.lost]
    limited = isinstance(outcome, Reason) and outcome.code in {"OverLimit", "OverQuota"}
    needed = [
        session
        for session in leaving
        if _devices(session) & _devices(end)
        or (limited and session.spec.project == end.spec.project)
    ]
    why = explain.releasing(needed, "", end.spec.project)
    if isinstance(outcome, Reason) and (outcome.code == "BeingReclaimed" or not leaving):
        why = outcome
    sentences = tuple(sentences_of(why))
    return Preview(
        verdict="waits",
        message=joined(*sentences),
        sentences=sentences,
        reason=why,
        queue_position=decision.ahead + 1,
    )


def _devices(session: Session) -> set[tuple[str, str]]:
    place = session.placement
    return {(place.node, piece.uuid) for piece in place.slices} if place else set()
