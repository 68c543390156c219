"""Which sessions would have to end so that a share fits, by devices alone."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import chain, combinations, groupby, islice, product

from sortedcontainers import SortedList

from ...model.resources import MILLI, Placement, Share, Slice
from ...model.sessions import Session
from .capacity import DeviceCapacity, NodeCapacity, slice_of
from .holders import Holders, Rank, Victims, by_device, slice_on
from .placement import Allowed, Pool

EXACT = 4000
"""The most sets of sessions that are compared on one node."""

BASES = 16
"""The most sets that make room on a node to which others are added until enough is released."""


class Rooms:
    """The sets of sessions whose end makes room for a share, node by node, the best first.

    `may` returns whether a session may be one of them. Together they have to hold `lack` milli-GPU
    at least, of which a part may be on other nodes.
    """

    def __init__(
        self,
        share: Share,
        pool: Pool,
        allowed: Allowed,
        holders: Holders,
        may: Callable[[Session], bool],
        *,
        lack: int = 0,
    ) -> None:
        self._may = may
        self._share = share
        self._pool = pool
        self._allowed = allowed
        self._holders = holders
        self._lack = lack
        self._everyone: Sequence[Session] | None = None
        self._least = pool.least(share)
        self._each = pool.least_of_each(share)
        self._bounds: dict[str, Rank | None] = {}
        self._sets: dict[str, tuple[list[Victims], Iterator[Victims]]] = {}

    @property
    def nodes(self) -> Iterable[str]:
        """Return the nodes where sessions may be preempted for the share, or where it fits."""
        if self._lack and (free := self._free()):
            return [free.node]
        open_to_it = (n for n in self._holders.nodes if self._allowed is None or n in self._allowed)
        return [name for name in open_to_it if name in self._pool.nodes]

    def _free(self) -> Placement | None:
        return self._pool.find_costing(self._share, self._allowed, self._least.__ge__)

    def forget(self, nodes: Iterable[str]) -> None:
        """Note that nodes have changed."""
        self._everyone = None
        for node in self._pool.nodes if self._lack else nodes:
            self._bounds.pop(node, None)
            self._sets.pop(node, None)

    def bound(self, node: str) -> Rank | None:
        """Return a rank that no set of a node is below, None if no set makes room."""
        if node not in self._bounds:
            self._bounds[node] = self._bound(node)
        return self._bounds[node]

    def _bound(self, node: str) -> Rank | None:
        capacity, sessions = self._pool.nodes[node], self._on(node)
        if self._lack:
            return self._bound_of_more(capacity, sessions)
        single = next((s for s in sessions if self._could_suffice(capacity, s)), None)
        if single:
            return self._holders.rank((single,))
        least = self._fewest(capacity, sessions)
        return (least,) if least else None

    def _bound_of_more(self, node: NodeCapacity, sessions: Sequence[Session]) -> Rank | None:
        """Return a bound where the sessions have to hold so much."""
        held = [(self._holders.milli(session),) for session in self._all()]
        least = fewest((self._lack,), held)
        if least > len(held):
            return None
        if node.fit(self._share) or any(self._could_suffice(node, s) for s in sessions):
            return (least,)
        here = self._fewest(node, sessions)
        return (max(here, least),) if here else None

    def sets(self, node: str) -> Iterator[Victims]:
        """Yield the sets of a node, by rank. They are found once, as far as they are needed."""
        if node not in self._sets:
            self._sets[node] = ([], self._found(node))
        known, more = self._sets[node]
        for number in itertools.count():
            if number == len(known):
                found = next(more, None)
                if found is None:
                    return
                known.append(found)
            yield known[number]

    def _found(self, node: str) -> Iterator[Victims]:
        capacity, sessions = self._pool.nodes[node], self._on(node)
        if not self._lack:
            yield from self._making_room(capacity, sessions)
        else:
            fits = capacity.fit(self._share) is not None
            bases = iter([()]) if fits else self._making_room(capacity, sessions)
            found = map(self._holding_enough, islice(bases, BASES))
            yield from sorted(filter(None, found), key=self._holders.rank)

    def _making_room(self, node: NodeCapacity, sessions: Sequence[Session]) -> Iterator[Victims]:
        """Yield the sets whose devices suffice for the share, by rank."""
        yield from ((s,) for s in sessions if self._could_suffice(node, s))
        for sets in self._several(node, sessions):
            yield from sorted(islice(sets, EXACT), key=self._holders.rank)

    def _holding_enough(self, victims: Victims) -> Victims:
        """Return victims together with as few others as hold what lacks; none if not all do."""
        known = {victim.id for victim in victims}
        others = [session for session in self._all() if session.id not in known]
        left = self._lack - sum(map(self._holders.milli, victims))
        more = cover((left,), [(self._holders.milli(session),) for session in others])
        return () if more is None else (*victims, *(others[place] for place in more))

    def _on(self, node: str) -> Sequence[Session]:
        return [session for session in self._holders.on(node) if self._may(session)]

    def _all(self) -> Sequence[Session]:
        if self._everyone is None:
            self._everyone = [s for s in self._holders.everywhere() if self._may(s)]
        return self._everyone

    def may(self, victims: Victims) -> bool:
        """Return whether each of the victims still may be one."""
        return all(map(self._may, victims))

    def rank(self, victims: Victims) -> Rank:
        """Return the rank of a set of victims: less is better."""
        return self._holders.rank(victims)

    def fit_without(self, node: str, victims: Victims) -> Placement | None:
        """Return devices for the share once sessions have ended, None if it does not fit."""
        capacity = self._pool.nodes[node]
        there = [v.placement for v in victims if v.placement and v.placement.node == node]
        for placement in there:
            capacity.change(placement.slices, 1)
        found = capacity.fit(self._share)
        for placement in there:
            capacity.change(placement.slices, -1)
        return found

    def _could_suffice(self, node: NodeCapacity, session: Session) -> bool:
        """Return whether the end of one session could suffice, without trying it."""
        slices = session.placement.slices if session.placement else ()
        if self._share.mig:
            return any(piece.mig == self._share.mig for piece in slices)
        devices = [(device, p.milli) for p in slices if (device := node.device_of(p))]
        if node.node.separate and not self._share.devices:
            return True
        freed = sum(device.milli + milli >= self._each for device, milli in devices)
        wanted = self._share.count
        return freed > 0 and (freed >= wanted or freed + node.count_free(self._each) >= wanted)

    def _fewest(self, node: NodeCapacity, sessions: Sequence[Session]) -> int:
        """Return how many sessions have to end at least, 0 if not even all suffice."""
        if len(sessions) < 2 or self._share.mig:
            return 0
        if self._share.milli < MILLI:
            return min(
                (max(part.least, 2) for part in parts(node, self._share, sessions)), default=0
            )
        wanted = self._share.count - node.count_free(self._each)
        counts = sorted(min(map(len, sets)) for sets in self._freeing(node, sessions))
        if wanted <= 0 or len(counts) < wanted:
            return 0
        at_once = node.node.separate and self._share.divided  # one end can free several devices
        spread = any(len(s.placement.slices) > 1 for s in sessions if s.placement)
        return 2 if spread or at_once else sum(counts[:wanted])

    def _several(
        self, node: NodeCapacity, sessions: Sequence[Session]
    ) -> Iterator[Iterable[Victims]]:
        """Yield sets of more than one session: no rank is below one of those yielded before."""
        if self._share.mig:  # an instance belongs to one session
            return
        if self._share.milli >= MILLI:
            yield self._of_several(node, sessions)
            return
        found_in = list(parts(node, self._share, sessions))
        found = merge(*(part.sets(EXACT // len(found_in)) for part in found_in), key=len)
        for size, same in groupby(found, key=len):
            if size > 1:
                yield same

    def _of_several(self, node: NodeCapacity, sessions: Sequence[Session]) -> Iterator[Victims]:
        """Yield the sets that make room on as many devices as are requested."""
        wanted = self._share.count - node.count_free(self._each)
        if wanted <= 0:  # enough devices are free: something else is missing
            return
        freeing = self._freeing(node, sessions)
        freeing.sort(key=lambda sets: min(map(self._holders.rank, sets)))
        for devices in combinations(freeing, wanted):
            for chosen in product(*devices):
                victims = tuple({s.id: s for holders in chosen for s in holders}.values())
                if len(victims) > 1:
                    yield victims

    def _freeing(self, node: NodeCapacity, sessions: Sequence[Session]) -> list[Sequence[Victims]]:
        """Return, for each device that has no room now, the sets whose end makes room there."""
        if self._share.devices:
            return [(holders,) for holders in _freeable(node, sessions)]
        lacking = [p for p in parts(node, self._share, sessions, least=1) if p.least]
        found = (list(part.sets(EXACT // len(lacking))) for part in lacking)
        return [sets for sets in found if sets]


def _freeable(node: NodeCapacity, sessions: Sequence[Session]) -> list[Victims]:
    """Return the holders of each device that would be free without them."""
    return [
        tuple(holders)
        for uuid, holders in by_device(node, sessions).items()
        if _empties(node.devices[uuid], holders)
    ]


def _empties(device: DeviceCapacity, holders: Sequence[Session]) -> bool:
    freed = sum(slice_on(session, device).milli for session in holders)
    return device.shareable and device.milli + freed == MILLI


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
    holding = by_device(node, sessions)
    for uuid, device in node.devices.items():
        piece = slice_of(share, device.device)
        apart = _apart(node, piece, sessions) if piece else None
        if piece is None or apart is None:
            continue
        here = {session.id: session for session in holding.get(uuid, ())}
        freed = [_amounts(here.pop(s.id), device) for s in apart if s.id in here]
        lacks = tuple(
            wanted - free - sum(released)
            for wanted, free, *released in zip(_sizes(piece), _sizes(device), *freed, strict=True)
        )
        holders = [*here.values()]
        part = Part(apart, holders, lacks, [_amounts(session, device) for session in holders])
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


def _amounts(session: Session, device: DeviceCapacity) -> Amounts:
    return _sizes(slice_on(session, device))


def _sizes(of: Slice | DeviceCapacity) -> Amounts:
    return of.milli, of.memory, of.compute


Amounts = tuple[int, ...]
"""Quantities of several kinds, such as milli-GPU, memory in MiB and compute in %."""


def covers(lacks: Amounts, gains: Sequence[Amounts]) -> bool:
    """Return whether all gains together cover what is missing."""
    return all(sum(each) >= lack for lack, *each in zip(lacks, *gains, strict=True))


def is_minimal(lacks: Amounts, gains: Sequence[Amounts]) -> bool:
    """Return whether all gains cover what is missing, and fewer do not."""
    over = [sum(each) - lack for lack, *each in zip(lacks, *gains, strict=True)]
    if min(over) < 0:
        return False
    return not any(all(map(int.__le__, gain, over)) for gain in gains)


def fewest(lacks: Amounts, gains: Sequence[Amounts]) -> int:
    """Return how many gains are needed at least, one more than all if they do not suffice."""
    kinds = zip(*gains, strict=True) if gains else [()] * len(lacks)
    return max(map(_fewest, lacks, kinds))


def _fewest(lack: int, gains: Sequence[int]) -> int:
    count = 0
    for gain in sorted(gains, reverse=True):
        if lack <= 0:
            break
        lack -= gain
        count += 1
    return count if lack <= 0 else len(gains) + 1


def minimal_covers(
    lacks: Amounts, gains: Sequence[Amounts], most: int
) -> Iterator[tuple[int, ...]]:
    """Yield gains that suffice and of which none could be left out, by place, the fewest first.

    Of all sets so many are tried at most; where there are more, `cover` is among those yielded.
    """
    places = range(len(gains))
    counts = range(fewest(lacks, gains), len(gains) + 1)
    tried = islice(chain.from_iterable(combinations(places, count) for count in counts), most)
    found = (chosen for chosen in tried if is_minimal(lacks, [gains[place] for place in chosen]))
    sure = cover(lacks, gains) if 1 << len(gains) > most else None
    yield from merge(found, () if sure is None else [tuple(sure)], key=len)


def cover(lacks: Amounts, gains: Sequence[Amounts]) -> list[int] | None:
    """Return which gains to take, by place: few, and the first ones; None if all do not suffice.

    Where one kind of amount decides, none are fewer, and the last one taken is as early as can be.
    """
    if not covers(lacks, gains):
        return None
    if max(lacks) <= 0:
        return []
    for count in range(fewest(lacks, gains), len(gains)):
        if chosen := _first(lacks, gains[: _needed(lacks, gains, count)], count):
            break
    else:
        chosen = [*range(len(gains))]
    for place in reversed(chosen[:]):
        others = [other for other in chosen if other != place]
        if covers(lacks, [gains[other] for other in others]):
            chosen = others
    return chosen


def _needed(lacks: Amounts, gains: Sequence[Amounts], count: int) -> int:
    """Return how many of the first gains are needed for so many of them to suffice."""

    def suffice(first: int) -> bool:
        return fewest(lacks, gains[:first]) <= min(count, first)

    return bisect_left(range(len(gains)), 1, key=suffice)


def _first(lacks: Amounts, gains: Sequence[Amounts], count: int) -> list[int] | None:
    """Return the first gains that suffice, so many at most; None if none were found."""
    later = [SortedList(kind) for kind in zip(*gains, strict=True)]
    chosen: list[int] = []
    for place, gain in enumerate(gains):
        for kind, amount in zip(later, gain, strict=True):
            kind.remove(amount)
        more = count - len(chosen) - 1
        left = tuple(lack - amount for lack, amount in zip(lacks, gain, strict=True))
        best = (sum(kind[-more:]) if more else 0 for kind in later)
        if all(map(int.__le__, left, best)):
            chosen.append(place)
            lacks = left
        if max(lacks) <= 0:
            return chosen
    return None
