"""Sessions that may be preempted, and the order in which they are."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from ...model.resources import MILLI, Slice
from ...model.sessions import Session

_SIZES = (MILLI, 2 * MILLI + 1)
"""Where classes of sizes begin: parts of GPUs are below the first, more than two GPUs last."""

Victims = tuple[Session, ...]
Rank = tuple[object, ...]
"""What a set of victims loses: their number, then what they lose. Less is better."""


class Holders:
    """The sessions that may be preempted by node and device, those that lose least first."""

    def __init__(self, sessions: Iterable[Session]) -> None:
        self._nodes: dict[str, dict[str, Session]] = defaultdict(dict)
        for session in sorted((s for s in sessions if held_by(s)), key=victim_key):
            if session.placement:
                self._nodes[session.placement.node][session.id] = session

    @property
    def nodes(self) -> Iterable[str]:
        """Return the nodes that hold any."""
        return [name for name, there in self._nodes.items() if there]

    def on(self, node: str) -> Sequence[Session]:
        """Return the sessions of a node."""
        return [*self._nodes[node].values()]

    def remove(self, victims: Victims) -> None:
        """Forget sessions that were preempted."""
        for victim in victims:
            if victim.placement:
                self._nodes[victim.placement.node].pop(victim.id, None)


def by_device(sessions: Iterable[Session]) -> Mapping[int | None, list[Session]]:
    """Return sessions by the devices that they hold."""
    found = defaultdict(list)
    for session in sessions:
        for piece in session.placement.slices if session.placement else ():
            found[piece.index].append(session)
    return found


def slice_on(session: Session, index: int | None) -> Slice:
    """Return what a session holds of a device."""
    slices = session.placement.slices if session.placement else ()
    return next(piece for piece in slices if piece.index == index)


def held_by(session: Session) -> int:
    """Return what a session holds, in milli-GPU."""
    return session.placement.milli if session.placement else 0


def victim_key(session: Session) -> tuple[int, int, float, str]:
    """Return the key that orders victims: low priority, few GPUs and little work first.

    Of about the same size is what holds parts of GPUs, up to two GPUs, or more.
    """
    began = (session.started or session.since).timestamp()
    return (session.spec.priority, size_class(held_by(session)), -began, session.id)


def size_class(milli: int) -> int:
    """Return the class of a size."""
    return bisect_right(_SIZES, milli)


def rank_of(victims: Victims) -> Rank:
    """Return the rank of a set of victims: the smallest first, then by what they lose."""
    worth = [victim_key(victim) for victim in victims]
    return (
        len(worth),
        max(priority for priority, _, _, _ in worth),
        size_class(sum(map(held_by, victims))),
        sum(began for _, _, began, _ in worth),
        tuple(name for _, _, _, name in worth),
    )
