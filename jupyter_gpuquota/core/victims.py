"""Choose whose GPUs are taken back for a session that has the better right to them.

As few as will do, and of those the ones that lose least: of low priority, small, young.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from math import comb

from ..model.resources import MILLI, Placement, Share, Slice
from ..model.sessions import Session
from .placement import Allowed, Pool
from .rooms import NodeRoom, Room, slice_of

EXACT = 4000
"""Sets of victims that are compared in one place; beyond, they are chosen one after the other."""

Victims = tuple[Session, ...]
Judge = Callable[[Victims, int], bool]
Confirm = Callable[[Victims], bool]
Choice = tuple[Victims, Placement]


class Holders:
    """Be the sessions that may be made to leave, those that lose least first.

    `alike` has them in groups of one size, which is at most that of a device.
    """

    def __init__(self, sessions: Iterable[Session]) -> None:
        by_worth = sorted((s for s in sessions if held_by(s)), key=lost_by)
        groups = groupby(by_worth, key=lambda s: (s.spec.priority, held_by(s)))
        self.alike = [(min(milli, MILLI), list(group)) for (_, milli), group in groups]
        self.by_node: dict[str, list[Session]] = defaultdict(list)
        for session in by_worth:
            if session.placement:
                self.by_node[session.placement.node].append(session)


@dataclass(frozen=True, slots=True)
class Search:
    """Look for the fewest victims on one node whose going makes room for a share.

    `milli` is what the share costs at least, `pool` what is free. `may` tells whether a session
    may be a victim at all, `judge` whether a set of them may go together for something of that
    cost, `confirm` whether that is worth it. With `anywhere`, what a
    victim holds may be on other devices than those that the share will get.
    """

    share: Share
    milli: int
    pool: Pool
    allowed: Allowed
    may: Callable[[Session], bool]
    judge: Judge
    confirm: Confirm | None = None
    anywhere: bool = False

    def choose(self, holders: Holders) -> Choice | None:
        """Find them, None if nobody's going would do."""
        return self._one(holders) or self._several(holders)

    def _one(self, holders: Holders) -> Choice | None:
        least = self.pool.least(self.share)
        any_size = self.anywhere or self.share.mig or self.pool.separate
        enough = 0 if any_size else min(least, MILLI) - self.pool.largest(self.share)
        for size, sessions in holders.alike:
            for victim in sessions if size >= enough else ():
                node = self._node(victim.placement.node if victim.placement else "")
                if node and (self.anywhere or _could_do(self.share, least, node, victim)):
                    choice = self._accept(node, (victim,)) if self.may(victim) else None
                    if choice:
                        return choice
        return None

    def _several(self, holders: Holders) -> Choice | None:
        groups: list[tuple[NodeRoom, Sequence[Session], int]] = []
        sets: list[tuple[NodeRoom, Victims]] = []
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

    def _first(self, sets: list[tuple[NodeRoom, Victims]]) -> Iterator[Choice]:
        for node, victims in sorted(sets, key=lambda item: _rank(item[1])):
            if choice := self._accept(node, victims):
                yield choice
                return

    def _fewest(self, groups: Sequence[tuple[NodeRoom, Sequence[Session], int]]) -> list[Choice]:
        """Find all that do with the fewest; a group says how many it takes at least."""
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

    def _node(self, name: str) -> NodeRoom | None:
        open_to_it = self.allowed is None or name in self.allowed
        return self.pool.nodes.get(name) if open_to_it else None

    def _accept(self, node: NodeRoom, victims: Victims) -> Choice | None:
        if not self.judge(victims, self.milli):
            return None
        placement = _fits_without(self.share, node, victims)
        if placement is None or (self.confirm and not self.confirm(victims)):
            return None
        dearer = placement.milli > self.milli
        return None if dearer and not self.judge(victims, placement.milli) else (victims, placement)


def _could_do(share: Share, least: int, node: NodeRoom, victim: Session) -> bool:
    """Tell, without trying, whether one session's going could be enough."""
    if share.mig or node.node.separate:
        return True
    slices = victim.placement.slices if victim.placement else ()
    rooms = node.rooms
    if not share.devices:
        return any(p.index in rooms and rooms[p.index].milli + p.milli >= least for p in slices)
    freed = sum(p.index in rooms and rooms[p.index].milli + p.milli >= MILLI for p in slices)
    return freed > 0 and freed + node.spare >= share.devices


def _of_parts(
    share: Share, node: NodeRoom, sessions: Sequence[Session]
) -> Iterator[tuple[NodeRoom, Sequence[Session], int]]:
    """Group by device: what shares one device can only use what is freed of that one."""
    for index, holders in _by_device(sessions).items():
        room = node.rooms.get(index)
        piece = slice_of(share, room.device) if room else None
        if room and piece and len(holders) > 1:
            lacks = (
                (piece.milli - room.milli, [_on(s, index).milli for s in holders]),
                (piece.memory - room.memory, [_on(s, index).memory for s in holders]),
                (piece.compute - room.compute, [_on(s, index).compute for s in holders]),
            )
            yield node, holders, max(_least(lack, gains) for lack, gains in lacks)


def _of_whole(share: Share, node: NodeRoom, sessions: Sequence[Session]) -> Iterator[Victims]:
    """Iterate over the sets that free as many whole devices as are asked for."""
    wanted = share.devices - node.spare
    if wanted <= 0:  # there is room already: it is not devices that it lacks
        return
    by_device = _by_device(sessions)
    freeable = [
        holders
        for index, holders in by_device.items()
        if (room := node.rooms.get(index)) and _empties(room, holders)
    ]
    freeable.sort(key=_rank)
    if comb(len(freeable), wanted) > EXACT:
        freeable = freeable[: wanted + 1]
    for chosen in combinations(freeable, wanted):
        yield tuple({s.id: s for holders in chosen for s in holders}.values())


def _empties(room: Room, holders: Sequence[Session]) -> bool:
    freed = sum(_on(session, room.device.index).milli for session in holders)
    return room.shareable and room.milli + freed == MILLI


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
    """Tell how many of the gains it takes at least."""
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


def _fits_without(share: Share, node: NodeRoom, victims: Victims) -> Placement | None:
    for victim in victims:
        node.change(victim.placement.slices if victim.placement else (), 1)
    found = node.fit(share)
    for victim in victims:
        node.change(victim.placement.slices if victim.placement else (), -1)
    return found


def held_by(session: Session) -> int:
    """Tell what a session holds, in milli-GPU."""
    return session.placement.milli if session.placement else 0


def lost_by(session: Session) -> tuple[int, int, float, str]:
    """Order by what is lost: low priority, few GPUs, and little work done come first."""
    began = (session.started or session.since).timestamp()
    return (session.spec.priority, held_by(session), -began, session.id)


def _gain(session: Session) -> tuple[int, str]:
    return (-held_by(session), session.id)


def _rank(victims: Sequence[Session]) -> tuple[int, int, int, float, tuple[str, ...]]:
    """Order sets: the smallest first, then by what is lost."""
    worth = [lost_by(victim) for victim in victims]
    return (
        len(worth),
        max(priority for priority, _, _, _ in worth),
        sum(milli for _, milli, _, _ in worth),
        sum(began for _, _, began, _ in worth),
        tuple(name for _, _, _, name in worth),
    )
