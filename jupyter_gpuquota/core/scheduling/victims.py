"""Choose the victims that are preempted for a session.

As few as suffice, and of those the ones that lose least: of low priority, small, recent.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from math import comb

from ...model.resources import MILLI, Placement, Share, Slice
from ...model.sessions import Session
from .capacity import DeviceCapacity, NodeCapacity, slice_of
from .placement import Allowed, Pool

_SIZES = (MILLI, 2 * MILLI + 1)
"""Where classes of sizes begin: parts of GPUs are below the first, more than two GPUs last."""

EXACT = 4000
"""The most sets of victims that are compared; beyond, likely ones are chosen greedily."""

Victims = tuple[Session, ...]
Validator = Callable[[Victims, int], bool]
Confirm = Callable[[Victims, Placement], bool]
Choice = tuple[Victims, Placement]


class Holders:
    """The sessions that may be preempted, those that lose least first.

    `alike` has them in groups of about one size, with the largest, at most that of a device.
    """

    def __init__(self, sessions: Iterable[Session]) -> None:
        ordered = sorted((s for s in sessions if held_by(s)), key=victim_key)
        groups = groupby(ordered, key=lambda s: (s.spec.priority, _size(held_by(s))))
        alike = [list(group) for _, group in groups]
        self.alike = [(min(max(map(held_by, group)), MILLI), group) for group in alike]
        self.by_node: dict[str, list[Session]] = defaultdict(list)
        for session in ordered:
            if session.placement:
                self.by_node[session.placement.node].append(session)


@dataclass(frozen=True, slots=True)
class Search:
    """A search for the fewest victims on one node that make room for a share.

    `milli` is the least that the share costs, `pool` what is free. `may` returns whether a session
    may be a victim, `valid` whether a set of them may be preempted for that cost, `confirm`
    whether the result is acceptable. With `anywhere`, victims may hold other devices than those
    that the share will get.
    """

    share: Share
    milli: int
    pool: Pool
    allowed: Allowed
    may: Callable[[Session], bool]
    valid: Validator
    confirm: Confirm | None = None
    anywhere: bool = False

    def choose(self, holders: Holders) -> Choice | None:
        """Return victims and the placement, None if no victims suffice."""
        return self._one(holders) or self._several(holders)

    def _one(self, holders: Holders) -> Choice | None:
        least = self.pool.least(self.share)
        any_size = self.anywhere or self.share.mig or self.pool.separate
        enough = 0 if any_size else min(least, MILLI) - self.pool.largest(self.share)
        for size, sessions in holders.alike:
            for victim in sessions if size >= enough else ():
                node = self._node(victim.placement.node if victim.placement else "")
                if node and (self.anywhere or _could_suffice(self.share, least, node, victim)):
                    choice = self._accept(node, (victim,)) if self.may(victim) else None
                    if choice:
                        return choice
        return None

    def _several(self, holders: Holders) -> Choice | None:
        groups: list[tuple[NodeCapacity, Sequence[Session], int]] = []
        sets: list[tuple[NodeCapacity, Victims]] = []
        for name, there in sorted(holders.by_node.items()):
            node = self._node(name)
            sessions = [s for s in there if self.may(s)] if node else []
            if node is None or len(sessions) < 2:
                continue
            if self.anywhere or self.share.mig or node.node.separate:
                groups.append((node, sessions, 2))
            elif self.share.devices:
                sets += [(node, victims) for victims in _of_whole(self.share, node, sessions)]
            else:
                groups += _of_parts(self.share, node, sessions)
        found = [*self._first(sets), *self._fewest(groups)]
        return min(found, key=lambda choice: _rank(choice[0]), default=None)

    def _first(self, sets: list[tuple[NodeCapacity, Victims]]) -> Iterator[Choice]:
        for node, victims in sorted(sets, key=lambda item: _rank(item[1])):
            if choice := self._accept(node, victims):
                yield choice
                return

    def _fewest(
        self, groups: Sequence[tuple[NodeCapacity, Sequence[Session], int]]
    ) -> list[Choice]:
        """Return all choices with the fewest victims; a group says how many it takes."""
        groups = [g for g in groups if _fits_without(self.share, g[0], tuple(g[1]))]
        longest = max((len(sessions) for _, sessions, _ in groups), default=0)
        for count in range(2, longest + 1):
            found = [
                choice
                for node, sessions, least in groups
                if least <= count <= len(sessions)
                for victims in _sets(sessions, count)
                if (choice := self._accept(node, victims))
            ]
            if found:
                return found
        return []

    def _node(self, name: str) -> NodeCapacity | None:
        open_to_it = self.allowed is None or name in self.allowed
        return self.pool.nodes.get(name) if open_to_it else None

    def _accept(self, node: NodeCapacity, victims: Victims) -> Choice | None:
        if not self.valid(victims, self.milli):
            return None
        placement = _fits_without(self.share, node, victims)
        if placement is None or (self.confirm and not self.confirm(victims, placement)):
            return None
        dearer = placement.milli > self.milli
        return None if dearer and not self.valid(victims, placement.milli) else (victims, placement)


def _could_suffice(share: Share, least: int, node: NodeCapacity, victim: Session) -> bool:
    """Return whether preempting one session could suffice, without trying it."""
    if share.mig or node.node.separate:
        return True
    slices = victim.placement.slices if victim.placement else ()
    devices = node.devices
    if not share.devices:
        return any(p.index in devices and devices[p.index].milli + p.milli >= least for p in slices)
    freed = sum(p.index in devices and devices[p.index].milli + p.milli >= MILLI for p in slices)
    return freed > 0 and freed + node.spare >= share.devices


def _of_parts(
    share: Share, node: NodeCapacity, sessions: Sequence[Session]
) -> Iterator[tuple[NodeCapacity, Sequence[Session], int]]:
    """Group by device: a share of one device can only use what is released of that one."""
    for index, holders in _by_device(sessions).items():
        device = node.devices.get(index)
        piece = slice_of(share, device.device) if device else None
        if device and piece and len(holders) > 1:
            lacks = (
                (piece.milli - device.milli, [_on(s, index).milli for s in holders]),
                (piece.memory - device.memory, [_on(s, index).memory for s in holders]),
                (piece.compute - device.compute, [_on(s, index).compute for s in holders]),
            )
            yield node, holders, max(_least(lack, gains) for lack, gains in lacks)


def _of_whole(share: Share, node: NodeCapacity, sessions: Sequence[Session]) -> Iterator[Victims]:
    """Iterate over the sets that release as many whole devices as are requested."""
    wanted = share.devices - node.spare
    if wanted <= 0:  # enough devices are free: something else is missing
        return
    by_device = _by_device(sessions)
    freeable = [
        holders
        for index, holders in by_device.items()
        if (device := node.devices.get(index)) and _empties(device, holders)
    ]
    freeable.sort(key=_rank)
    if comb(len(freeable), wanted) > EXACT:
        freeable = freeable[: wanted + 1]
    for chosen in combinations(freeable, wanted):
        yield tuple({s.id: s for holders in chosen for s in holders}.values())


def _empties(device: DeviceCapacity, holders: Sequence[Session]) -> bool:
    freed = sum(_on(session, device.device.index).milli for session in holders)
    return device.shareable and device.milli + freed == MILLI


def _by_device(sessions: Sequence[Session]) -> dict[int | None, list[Session]]:
    found = defaultdict(list)
    for session in sessions:
        for piece in session.placement.slices if session.placement else ():
            found[piece.index].append(session)
    return found


def _on(session: Session, index: int | None) -> Slice:
    slices = session.placement.slices if session.placement else ()
    return next(piece for piece in slices if piece.index == index)


def _least(lack: int, gains: Sequence[int]) -> int:
    """Return the least number of gains that cover a lack."""
    count = 0
    for gain in sorted(gains, reverse=True):
        if lack <= 0:
            break
        lack -= gain
        count += 1
    return count if lack <= 0 else len(gains) + 1


def _sets(sessions: Sequence[Session], count: int) -> Iterable[Victims]:
    """Iterate over the sets of so many sessions, or over likely ones if they are too many."""
    if comb(len(sessions), count) <= EXACT:
        return combinations(sessions, count)
    return [tuple(sorted(sessions, key=_gain)[:count]), tuple(sessions[:count])]


def _fits_without(share: Share, node: NodeCapacity, victims: Victims) -> Placement | None:
    for victim in victims:
        node.change(victim.placement.slices if victim.placement else (), 1)
    found = node.fit(share)
    for victim in victims:
        node.change(victim.placement.slices if victim.placement else (), -1)
    return found


def held_by(session: Session) -> int:
    """Return what a session holds, in milli-GPU."""
    return session.placement.milli if session.placement else 0


def victim_key(session: Session) -> tuple[int, int, float, str]:
    """Return the key that orders victims: low priority, few GPUs and little work first.

    Of about the same size is what holds parts of GPUs, up to two GPUs, or more.
    """
    began = (session.started or session.since).timestamp()
    return (session.spec.priority, _size(held_by(session)), -began, session.id)


def _size(milli: int) -> int:
    """Return the class of a size."""
    return bisect_right(_SIZES, milli)


def _gain(session: Session) -> tuple[int, str]:
    return (-held_by(session), session.id)


def _rank(victims: Sequence[Session]) -> tuple[int, int, int, float, tuple[str, ...]]:
    """Return the key that orders sets of victims: the smallest first, then by their loss."""
    worth = [victim_key(victim) for victim in victims]
    return (
        len(worth),
        max(priority for priority, _, _, _ in worth),
        _size(sum(map(held_by, victims))),
        sum(began for _, _, began, _ in worth),
        tuple(name for _, _, _, name in worth),
    )
