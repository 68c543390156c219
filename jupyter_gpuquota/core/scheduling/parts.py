"""Devices of which a share could get a part once sessions have ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...model.resources import MILLI, Share, Slice
from ...model.sessions import Session
from .capacity import DeviceCapacity, NodeCapacity, slice_of
from .covering import Amounts, fewest, minimal_covers
from .holders import Victims, by_device, slice_on


@dataclass(frozen=True, slots=True)
class Part:
    """A device that has room for a part of it once some sessions have ended.

    Of these, `apart` are those that the node separates from the share. `lacks` is what is missing
    without them, and `gains` what each of the other holders has: milli-GPU, memory and compute.
    """

    apart: Victims
    holders: Sequence[Session]
    lacks: Amounts
    gains: Sequence[Amounts]

    @property
    def least(self) -> int:
        """Return how many sessions have to end at least."""
        return len(self.apart) + fewest(self.lacks, self.gains)

    def sets(self, most: int) -> Iterator[Victims]:
        """Yield sets of which nobody could stay, the smallest first; so many are tried at most."""
        for places in minimal_covers(self.lacks, self.gains, most):
            yield (*self.apart, *(self.holders[place] for place in places))


def parts(
    node: NodeCapacity, share: Share, sessions: Sequence[Session], least: int = 2
) -> Iterator[Part]:
    """Yield the devices that would have room if some of the sessions ended.

    Those where fewer than `least` could end are left out.
    """
    holding = by_device(sessions)
    for index, device in node.devices.items():
        piece = slice_of(share, device.device)
        apart = _apart(node, piece, sessions) if piece else None
        if piece is None or apart is None:
            continue
        here = {session.id: session for session in holding.get(index, ())}
        freed = [_amounts(here.pop(s.id), index) for s in apart if s.id in here]
        lacks = tuple(
            wanted - free - sum(released)
            for wanted, free, *released in zip(_sizes(piece), _sizes(device), *freed, strict=True)
        )
        holders = [*here.values()]
        part = Part(apart, holders, lacks, [_amounts(session, index) for session in holders])
        if least <= len(apart) + len(holders) >= part.least:
            yield part


def _apart(node: NodeCapacity, piece: Slice, sessions: Sequence[Session]) -> Victims | None:
    """Return the sessions that a node keeps apart from a slice, None if they do not suffice."""
    if node.tolerates(piece):
        return ()
    apart = tuple(session for session in sessions if _shares_otherwise(session, piece))
    released = [slice_ for s in apart for slice_ in (s.placement.slices if s.placement else ())]
    node.change(released, 1)
    suffices = node.tolerates(piece)
    node.change(released, -1)
    return apart if suffices else None


def _shares_otherwise(session: Session, piece: Slice) -> bool:
    """Return whether a session holds a part of a GPU, with compute where the slice has none."""
    held = session.placement.slices if session.placement else ()
    return any(
        part.milli < MILLI and not part.mig and bool(part.compute) != bool(piece.compute)
        for part in held
    )


def _amounts(session: Session, index: int | None) -> Amounts:
    return _sizes(slice_on(session, index))


def _sizes(of: Slice | DeviceCapacity) -> Amounts:
    return of.milli, of.memory, of.compute
