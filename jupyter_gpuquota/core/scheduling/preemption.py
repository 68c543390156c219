"""One stage of a cycle that preempts sessions for others, in the order of precedence."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from functools import partial

from ...model.resources import Placement
from ...model.sessions import Session
from .allocation import order_key
from .cycle import Cycle
from .holders import Holders, Victims
from .queue import queue_key, rank
from .rooms import Rooms
from .victims import Rules, Search, Validator

Candidates = tuple[Holders, Callable[[Session], bool], Sequence[Validator]]
CandidatesOf = Callable[[Session, int], Candidates | None]
"""For a taker and its cost: the holders, which of them may be victims, and which sets of them."""

_NOBODY = Holders(())


def preempt_for(
    cycle: Cycle,
    takers: Sequence[Session],
    candidates: CandidatesOf,
    *,
    anywhere: Collection[str] = (),
    moved: bool = False,
) -> None:
    """Find victims for each of the takers in turn; validators are tried in their order.

    Victims that are `moved` must fit elsewhere. For takers in `anywhere`, the project must hold
    less, on any devices. For whom there are none, and those alike, the next cycle tries again.
    """
    stage = _Stage(cycle, candidates, anywhere, moved=moved)
    served = set()
    for taker in sorted(takers, key=lambda s: order_key(cycle, s)):
        if cycle.evictions and cycle.has_to_end():
            break
        if stage.serve(taker):
            served.add(taker.id)
    cycle.pending[:] = [s for s in cycle.pending if s.id not in served]
    cycle.bounded[:] = [s for s in cycle.bounded if s.id not in served]


class _Stage:
    """What is known of a stage: searches that go on where the last one alike has ended."""

    def __init__(
        self,
        cycle: Cycle,
        candidates: CandidatesOf,
        anywhere: Collection[str],
        *,
        moved: bool,
    ) -> None:
        self._cycle = cycle
        self._candidates = candidates
        self._anywhere = anywhere
        self._moved = moved
        self._changed: list[str] = []
        self._rooms: dict[Hashable, Rooms] = {}
        self._searches: dict[Hashable, Search] = {}
        self._failed: set[Hashable] = set()

    def serve(self, taker: Session) -> bool:
        """Preempt sessions for a taker; return whether that was possible."""
        alike = (self._cycle.shape(taker), rank(taker), taker.id in self._anywhere)
        milli = self._cycle.cost(taker.spec.share)
        if alike in self._failed or self._cycle.ledger.exceeds_quota(taker, milli):
            return False
        holders, may, validators = self._candidates(taker, milli) or (_NOBODY, bool, ())
        for search in self._searches_of(taker, milli, alike, holders, may, validators):
            if choice := search.choose():
                victims, placement = choice
                self._cycle.evict(taker, victims, placement, moved=self._moved)
                holders.remove(victims)
                self._changed.append(placement.node)
                for rooms in self._rooms.values():
                    rooms.forget(placement.node)
                return True
        self._failed.add(alike)
        return False

    def _searches_of(
        self,
        taker: Session,
        milli: int,
        alike: Hashable,
        holders: Holders,
        may: Callable[[Session], bool],
        validators: Sequence[Validator],
    ) -> Iterator[Search]:
        """Yield a search for each validator, begun where that is needed."""
        for number, valid in enumerate(validators):
            key = (alike, number)
            if key not in self._searches:
                confirm = partial(all_fit, self._cycle) if self._moved else None
                rules = Rules(milli, may, valid, confirm)
                rooms = self._rooms_of(taker, holders)
                self._searches[key] = Search(rooms, rules, self._changed)
            yield self._searches[key]

    def _rooms_of(self, taker: Session, holders: Holders) -> Rooms:
        share, allowed = taker.spec.share, self._cycle.allowed(taker)
        anywhere = taker.id in self._anywhere
        key = (share, allowed, anywhere, id(holders))
        if key not in self._rooms:
            pool = self._cycle.soon
            self._rooms[key] = Rooms(share, pool, allowed, holders, anywhere=anywhere)
        return self._rooms[key]


def all_fit(cycle: Cycle, victims: Victims, placement: Placement) -> bool:
    """Return whether all victims fit elsewhere once a taker has its placement."""
    released = [victim.placement for victim in victims if victim.placement]
    for old in released:
        cycle.soon.release(old)
    cycle.soon.allocate(placement)
    taken = [placement]
    for session in sorted(victims, key=queue_key):
        found = cycle.soon.find(session.spec.share, cycle.allowed(session))
        if found is None:
            break
        cycle.soon.allocate(found)
        taken.append(found)
    for new in taken:
        cycle.soon.release(new)
    for old in released:
        cycle.soon.allocate(old)
    return len(taken) == len(victims) + 1
