"""Which sessions would have to end so that a share fits, by devices alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, count, islice

from ...model.resources import MILLI, Placement, Share
from ...model.sessions import Session
from .capacity import DeviceCapacity, NodeCapacity, slice_of
from .holders import Holders, Rank, Victims, by_device, slice_on
from .placement import Allowed, Pool

Amounts = tuple[int, int, int]
"""Milli-GPU, memory in MiB and compute in %."""

_NOTHING = (0, 0, 0)

EXACT = 4000
"""The most sets of sessions that are compared on one node."""


class Rooms:
    """The sets of sessions whose end makes room for a share, node by node, the best first.

    `may` returns whether a session may be one of them. With `anywhere`, they may hold other devices
    than those that the share will get.
    """

    def __init__(
        self,
        share: Share,
        pool: Pool,
        allowed: Allowed,
        holders: Holders,
        may: Callable[[Session], bool],
        *,
        anywhere: bool = False,
    ) -> None:
        self._may = may
        self._share = share
        self._pool = pool
        self._allowed = allowed
        self._holders = holders
        self._anywhere = anywhere
        self._least = pool.least(share)
        self._bounds: dict[str, Rank | None] = {}
        self._sets: dict[str, tuple[list[Victims], Iterator[Victims]]] = {}

    @property
    def nodes(self) -> Iterable[str]:
        """Return the nodes where sessions may be preempted for the share."""
        open_to_it = (n for n in self._holders.nodes if self._allowed is None or n in self._allowed)
        return [name for name in open_to_it if name in self._pool.nodes]

    def forget(self, node: str) -> None:
        """Note that a node has changed."""
        self._bounds.pop(node, None)
        self._sets.pop(node, None)

    def bound(self, node: str) -> Rank | None:
        """Return a rank that no set of a node is below, None if no set makes room."""
        if node not in self._bounds:
            self._bounds[node] = self._bound(node)
        return self._bounds[node]

    def _bound(self, node: str) -> Rank | None:
        capacity, sessions = self._pool.nodes[node], self._on(node)
        single = next((s for s in sessions if self._could_suffice(capacity, s)), None)
        if single:
            return self._holders.rank((single,))
        count = self._fewest(capacity, sessions)
        return (count,) if count else None

    def sets(self, node: str) -> Iterator[Victims]:
        """Yield the sets of a node, by rank. They are found once, as far as they are needed."""
        if node not in self._sets:
            self._sets[node] = ([], self._found(node))
        known, more = self._sets[node]
        for number in count():
            if number == len(known):
                found = next(more, None)
                if found is None:
                    return
                known.append(found)
            yield known[number]

    def _found(self, node: str) -> Iterator[Victims]:
        capacity, sessions = self._pool.nodes[node], self._on(node)
        yield from ((s,) for s in sessions if self._could_suffice(capacity, s))
        for sets in self._several(capacity, sessions):
            yield from sorted(islice(sets, EXACT), key=self._holders.rank)

    def _on(self, node: str) -> Sequence[Session]:
        return [session for session in self._holders.on(node) if self._may(session)]

    def may(self, victims: Victims) -> bool:
        """Return whether each of the victims still may be one."""
        return all(map(self._may, victims))

    def rank(self, victims: Victims) -> Rank:
        """Return the rank of a set of victims: less is better."""
        return self._holders.rank(victims)

    def fit_without(self, node: str, victims: Victims) -> Placement | None:
        """Return devices for the share once sessions have ended, None if it does not fit."""
        capacity = self._pool.nodes[node]
        for victim in victims:
            capacity.change(victim.placement.slices if victim.placement else (), 1)
        found = capacity.fit(self._share)
        for victim in victims:
            capacity.change(victim.placement.slices if victim.placement else (), -1)
        return found

    def _is_open(self, node: NodeCapacity) -> bool:
        """Return whether any set might do: sizes alone do not say."""
        return self._anywhere or bool(self._share.mig) or node.node.separate

    def _could_suffice(self, node: NodeCapacity, session: Session) -> bool:
        """Return whether the end of one session could suffice, without trying it."""
        if self._is_open(node):
            return True
        slices = session.placement.slices if session.placement else ()
        devices = [(node.devices[p.index], p.milli) for p in slices if p.index in node.devices]
        if not self._share.devices:
            return any(device.milli + milli >= self._least for device, milli in devices)
        freed = sum(device.milli + milli >= MILLI for device, milli in devices)
        return freed > 0 and freed + node.spare >= self._share.devices

    def _fewest(self, node: NodeCapacity, sessions: Sequence[Session]) -> int:
        """Return how many sessions have to end at least, 0 if not even all suffice."""
        if len(sessions) < 2:
            return 0
        if self._is_open(node):
            return 2 if self.fit_without(node.node.name, tuple(sessions)) else 0
        if not self._share.devices:
            return min((least for _, _, least in self._of_parts(node, sessions)), default=0)
        wanted = self._share.devices - node.spare
        counts = sorted(map(len, _freeable(node, sessions)))
        if wanted <= 0 or len(counts) < wanted:
            return 0
        spread = any(len(s.placement.slices) > 1 for s in sessions if s.placement)
        return 2 if spread else sum(counts[:wanted])

    def _several(
        self, node: NodeCapacity, sessions: Sequence[Session]
    ) -> Iterator[Iterable[Victims]]:
        """Yield sets of more than one session: no rank is below one of those yielded before."""
        if self._is_open(node):
            yield from (combinations(sessions, count) for count in range(2, len(sessions) + 1))
        elif self._share.devices:
            yield self._of_whole(node, sessions)
        else:
            groups = list(self._of_parts(node, sessions))
            longest = max((len(holders) for _, holders, _ in groups), default=0)
            yield from (self._on_one_device(groups, count) for count in range(2, longest + 1))

    def _of_whole(self, node: NodeCapacity, sessions: Sequence[Session]) -> Iterator[Victims]:
        """Yield the sets that release as many whole devices as are requested."""
        wanted = self._share.devices - node.spare
        if wanted <= 0:  # enough devices are free: something else is missing
            return
        freeable = sorted(_freeable(node, sessions), key=self._holders.rank)
        for chosen in combinations(freeable, wanted):
            victims = tuple({s.id: s for holders in chosen for s in holders}.values())
            if len(victims) > 1:
                yield victims

    def _on_one_device(
        self, groups: Sequence[tuple[DeviceCapacity, Sequence[Session], int]], count: int
    ) -> Iterator[Victims]:
        """Yield the sets of so many sessions on one device of which nobody could stay."""
        for device, holders, least in groups:
            if least <= count <= len(holders):
                lacks = self._lacks(device) or _NOTHING
                amounts = [(_amounts(s, device.device.index), s) for s in holders]
                for chosen in combinations(amounts, count):
                    if _is_minimal(lacks, [gains for gains, _ in chosen]):
                        yield tuple(session for _, session in chosen)

    def _of_parts(
        self, node: NodeCapacity, sessions: Sequence[Session]
    ) -> Iterator[tuple[DeviceCapacity, Sequence[Session], int]]:
        """Yield devices, their holders, and how many of these have to end at least."""
        for index, holders in by_device(sessions).items():
            device = node.devices.get(index)
            if device and len(holders) > 1:
                lacks = self._lacks(device)
                gains = zip(*(_amounts(s, index) for s in holders), strict=True)
                least = max(map(_least, lacks, gains), default=0) if lacks else 0
                if lacks and least <= len(holders):
                    yield device, holders, max(least, 2)

    def _lacks(self, device: DeviceCapacity) -> Amounts | None:
        """Return what a device lacks of milli-GPU, memory and compute, None if it never fits."""
        piece = slice_of(self._share, device.device)
        if piece is None:
            return None
        return (
            piece.milli - device.milli,
            piece.memory - device.memory,
            piece.compute - device.compute,
        )


def _freeable(node: NodeCapacity, sessions: Sequence[Session]) -> list[Victims]:
    """Return the holders of each device that would be free without them."""
    return [
        tuple(holders)
        for index, holders in by_device(sessions).items()
        if (device := node.devices.get(index)) and _empties(device, holders)
    ]


def _empties(device: DeviceCapacity, holders: Sequence[Session]) -> bool:
    freed = sum(slice_on(session, device.device.index).milli for session in holders)
    return device.shareable and device.milli + freed == MILLI


def _amounts(session: Session, index: int | None) -> Amounts:
    piece = slice_on(session, index)
    return piece.milli, piece.memory, piece.compute


def _is_minimal(lacks: Amounts, gains: Sequence[Amounts]) -> bool:
    """Return whether all gains cover what lacks, and fewer do not."""
    milli, memory, compute = (sum(each) - lack for lack, *each in zip(lacks, *gains, strict=True))
    if milli < 0 or memory < 0 or compute < 0:
        return False
    return not any(m <= milli and n <= memory and c <= compute for m, n, c in gains)


def _least(lack: int, gains: Sequence[int]) -> int:
    """Return the least number of gains that cover a lack, one more than all if none do."""
    count = 0
    for gain in sorted(gains, reverse=True):
        if lack <= 0:
            break
        lack -= gain
        count += 1
    return count if lack <= 0 else len(gains) + 1
