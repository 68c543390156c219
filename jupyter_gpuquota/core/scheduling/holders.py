"""Sessions that may be preempted, and the order in which they are."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter

from ...model.resources import MILLI, Slice
from ...model.sessions import Session
from .capacity import DeviceCapacity, NodeCapacity

_SIZES = (MILLI, 2 * MILLI + 1)
"""Where classes of sizes begin: parts of GPUs are below the first, more than two GPUs last."""

Victims = tuple[Session, ...]
Rank = tuple[object, ...]
"""What a set of victims loses: their number, then what they lose. Less is better."""


class Holders:
    """The sessions that may be preempted by node and device, those that lose least first."""

    def __init__(self, sessions: Iterable[Session]) -> None:
        held = [(held_by(session), session) for session in sessions]
        worth = [(victim_key(session, milli), milli, session) for milli, session in held if milli]
        worth.sort(key=itemgetter(0))
        self._worth = {session.id: (key, milli) for key, milli, session in worth}
        self._nodes: dict[str, dict[str, Session]] = defaultdict(dict)
        for _, _, session in worth:
            if session.placement:
                self._nodes[session.placement.node][session.id] = session

    @property
    def nodes(self) -> Iterable[str]:
        """Return the nodes that hold any."""
        return [name for name, there in self._nodes.items() if there]

    def on(self, node: str) -> Sequence[Session]:
        """Return the sessions of a node."""
        return [*self._nodes[node].values()]

    def everywhere(self) -> Sequence[Session]:
        """Return the sessions of all nodes."""
        found = (session for there in self._nodes.values() for session in there.values())
        return sorted(found, key=lambda session: self._worth[session.id][0])

    def remove(self, victims: Victims) -> None:
        """Forget sessions that were preempted."""
        for victim in victims:
            if victim.placement:
                self._nodes[victim.placement.node].pop(victim.id, None)

    def milli(self, session: Session) -> int:
        """Return what one of the sessions holds, in milli-GPU."""
        return self._worth[session.id][1]

    def rank(self, victims: Sequence[Session]) -> Rank:
        """Return the rank of a set of victims: the smallest first, then by what they lose."""
        worth = [self._worth[victim.id] for victim in victims]
        return (
            len(worth),
            max(key[0] for key, _ in worth),
            size_class(sum(milli for _, milli in worth)),
            sum(key[2] for key, _ in worth),
            tuple(key[3] for key, _ in worth),
        )


def by_device(node: NodeCapacity, sessions: Iterable[Session]) -> Mapping[str, list[Session]]:
    """Return sessions of a node by the UUIDs of the devices that they hold."""
    found = defaultdict(list)
    for session in sessions:
        for piece in session.placement.slices if session.placement else ():
            if device := node.device_of(piece):
                found[device.device.uuid].append(session)
    return found


def slice_on(session: Session, device: DeviceCapacity) -> Slice:
    """Return what a session holds of a device."""
    slices = session.placement.slices if session.placement else ()
    return next(piece for piece in slices if device.node.device_of(piece) is device)


def held_by(session: Session) -> int:
    """Return what a session holds, in milli-GPU."""
    return session.placement.milli if session.placement else 0


def victim_key(session: Session, milli: int) -> tuple[tuple[bool, int], int, float, str]:
    """Return the key that orders victims that hold so much: low priority, few GPUs, little work.

    Of about the same size is what holds parts of GPUs, up to two GPUs, or more. What has not been
    started yet loses nothing, and comes first.
    """
    priority = (session.state != "waiting", session.spec.priority)
    began = (session.started or session.since).timestamp()
    return (priority, size_class(milli), -began, session.id)


def size_class(milli: int) -> int:
    """Return the class of a size."""
    return bisect_right(_SIZES, milli)
