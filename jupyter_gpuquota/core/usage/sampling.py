"""Samples of GPU usage: of every project, and of each of its users.

XLA (JAX, TensorFlow) tries to reserve most of a GPU, then less, and reports each attempt that
fails: with part of a GPU that is normal.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ...model.nodes import Reading
from ...model.quota import ProjectUse
from ...model.resources import Node
from ...model.sessions import Session
from ..scheduling.capacity import cost
from ..scheduling.holders import held_by, victim_key
from .buckets import Bucket

Meter = Callable[[Sequence[Session]], int | None]
"""Returns the mean utilisation of the devices that sessions use, in per cent; None if unknown."""


def sample(
    uses: Iterable[ProjectUse],
    sessions: Sequence[Session],
    nodes: Sequence[Node],
    readings: Mapping[str, Reading],
    *,
    at: int,
    seconds: int,
) -> tuple[Bucket, ...]:
    """Return what projects and their users use now, extrapolated to `seconds`.

    The users of a project add up to it, except for sessions without an owner.
    """
    by_project: dict[str, list[Session]] = defaultdict(list)
    for session in sessions:
        by_project[session.spec.project].append(session)
    meter = _meter(nodes, readings)
    found: list[Bucket] = []
    for use in uses:
        own = by_project[use.name]
        found.append(_measured(_whole(use), own, meter))
        found += _users(use, own, nodes, meter)
    return tuple(_lasting(bucket, at, seconds) for bucket in found)


def _whole(use: ProjectUse) -> Bucket:
    return Bucket(
        at=0,
        project=use.name,
        allocated=use.allocated,
        borrowed=use.over,
        asked=use.requested - use.allocated,
        peak=use.allocated,
        waiting=use.waiting,
    )


def _users(
    use: ProjectUse, sessions: Sequence[Session], nodes: Sequence[Node], meter: Meter
) -> Iterator[Bucket]:
    """Iterate over the users with GPUs or queued sessions."""
    borrowed = _borrowed(sessions, use.over)
    by_owner: dict[str, list[Session]] = defaultdict(list)
    for session in sessions:
        by_owner[session.owner].append(session)
    for owner, own in sorted(by_owner.items()):
        # A draining project starts nothing, so nothing is queued in it.
        waiting = [s for s in own if s.state == "waiting"] if use.waiting else []
        held = sum(map(held_by, own))
        if owner and (held or waiting):
            bucket = Bucket(
                at=0,
                project=use.name,
                user=owner,
                allocated=held,
                borrowed=borrowed[owner],
                asked=sum(cost(s.spec.share, nodes) * s.spec.processes for s in waiting),
                peak=held,
                waiting=len(waiting),
            )
            yield _measured(bucket, own, meter)


def _borrowed(sessions: Sequence[Session], over: int) -> Counter[str]:
    """Return how much each owner borrows: what would be reclaimed first, in milli-GPU."""
    found: Counter[str] = Counter()
    for session in sorted(sessions, key=lambda s: (not s.preemptible, victim_key(s, held_by(s)))):
        part = min(over, held_by(session))
        found[session.owner] += part
        over -= part
    return found


def _measured(bucket: Bucket, sessions: Sequence[Session], meter: Meter) -> Bucket:
    percent = meter(sessions)
    return bucket if percent is None else replace(bucket, busy=percent, measured=1)


def _lasting(bucket: Bucket, at: int, seconds: int) -> Bucket:
    """Return a bucket of a moment, extrapolated to some seconds."""
    return replace(
        bucket,
        at=at,
        seconds=seconds,
        allocated=bucket.allocated * seconds,
        borrowed=bucket.borrowed * seconds,
        asked=bucket.asked * seconds,
        busy=bucket.busy * seconds,
        measured=bucket.measured * seconds,
    )


def _meter(nodes: Sequence[Node], readings: Mapping[str, Reading]) -> Meter:
    devices = {node.name: node.devices for node in nodes}
    by_session: dict[str, set[str]] = defaultdict(set)
    for uuid, reading in readings.items():
        for program in reading.programs:
            by_session[program.session].add(uuid)

    def meter(sessions: Sequence[Session]) -> int | None:
        held = {
            device.uuid
            for session in sessions
            if (placement := session.placement)
            for piece in placement.slices
            for device in devices.get(placement.node, ())
            if device.holds(piece)
        }.union(*(by_session[session.id] for session in sessions if session.id in by_session))
        known = [r.utilisation for uuid in held if (r := readings.get(uuid)) is not None]
        measured = [percent for percent in known if percent is not None]
        return sum(measured) // len(measured) if measured else None

    return meter
