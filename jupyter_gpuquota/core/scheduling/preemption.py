"""One stage of a cycle that preempts sessions for others, in the order of precedence.

As few as suffice, and of those the ones that lose least: of low priority, small, recent.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from heapq import heapify, heappop, heappush
from itertools import takewhile

from ...model.resources import Placement
from ...model.sessions import Session
from .allocation import order_key
from .cycle import Cycle
from .holders import Holders, Rank, Victims
from .queue import queue_key, rank
from .rooms import Rooms


@dataclass(frozen=True, slots=True)
class Strategy:
    """Whose GPUs are taken: which sessions may be victims, and which sets of them.

    `may` must hold for every session of a set that is valid; `name` is equal where it is. Together
    they have to hold `lack` milli-GPU, on any devices. Once `spent` returns true, no more sets are
    tried.
    """

    name: Hashable
    holders: Holders
    may: Callable[[Session], bool]
    valid: Validator
    lack: int = 0
    spent: Callable[[], bool] = bool


Strategies = Callable[[Session, int], Sequence[Strategy]]
"""For a taker and its cost: the strategies, in their order."""


def preempt_for(
    cycle: Cycle,
    takers: Sequence[Session],
    strategies: Strategies,
    *,
    moved: bool = False,
) -> None:
    """Find victims for each of the takers in turn.

    Victims that are `moved` must fit elsewhere. For whom there are none, and those alike, the next
    cycle tries again. One whose search is cut is first in the next cycle.
    """
    stage = _Stage(cycle, strategies, moved=moved)
    served = set()
    for taker in sorted(takers, key=lambda s: order_key(cycle, s)):
        if cycle.has_to_end():
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
        strategies: Strategies,
        *,
        moved: bool,
    ) -> None:
        self._cycle = cycle
        self._strategies = strategies
        self._moved = moved
        self._bounded = {session.id for session in cycle.bounded}
        self._changed: list[str] = []
        self._rooms: dict[Hashable, Rooms] = {}
        self._searches: dict[Hashable, Search] = {}
        self._failed: set[Hashable] = set()

    def serve(self, taker: Session) -> bool:
        """Preempt sessions for a taker; return whether that was possible.

        One that its project's bounds kept from devices uses what others have left of those bounds.
        """
        alike = (self._cycle.shape(taker), rank(taker))
        milli = self._cycle.cost(taker.spec.share)
        if alike in self._failed or self._cycle.ledger.exceeds_quota(taker, milli):
            return False
        if taker.id in self._bounded and self._cycle.find_soon(taker, milli):
            self._cycle.attempt(taker)
            return True
        for strategy in self._strategies(taker, milli):
            choice = self._search_of(taker, milli, alike, strategy).choose()
            if self._cycle.is_cut:
                return False
            if choice:
                self._take(taker, choice, strategy.holders)
                return True
        self._failed.add(alike)
        return False

    def _take(self, taker: Session, choice: Choice, holders: Holders) -> None:
        victims, placement = choice
        self._cycle.evict(taker, victims, placement, moved=self._moved)
        holders.remove(victims)
        changed = {placement.node, *(v.placement.node for v in victims if v.placement)}
        self._changed.extend(sorted(changed))
        for rooms in self._rooms.values():
            rooms.forget(changed)

    def _search_of(self, taker: Session, milli: int, alike: Hashable, strategy: Strategy) -> Search:
        """Return a search, begun where that is needed."""
        key = (alike, strategy.name, strategy.lack)
        if key not in self._searches:
            confirm = partial(all_fit, self._cycle) if self._moved else None
            spent = (strategy.spent, self._cycle.has_to_end)
            rules = Rules(milli, strategy.valid, confirm, lambda: any(over() for over in spent))
            self._searches[key] = Search(self._rooms_of(taker, strategy), rules, self._changed)
        return self._searches[key]

    def _rooms_of(self, taker: Session, strategy: Strategy) -> Rooms:
        share, allowed = taker.spec.share, self._cycle.allowed(taker)
        key = (share, allowed, strategy.name, strategy.lack)
        if key not in self._rooms:
            pool = self._cycle.soon
            self._rooms[key] = Rooms(
                share, pool, allowed, strategy.holders, strategy.may, lack=strategy.lack
            )
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


LOOKS = 8
"""On how many nodes several victims are looked for, before the best ones so far are taken."""

Validator = Callable[[Victims, int], bool]
Confirm = Callable[[Victims, Placement], bool]
Choice = tuple[Victims, Placement]


@dataclass(frozen=True, slots=True)
class Rules:
    """Who may be preempted for a share that costs at least `milli`.

    `valid` returns whether a set of sessions may be preempted for a cost, `confirm` whether the
    result is acceptable, `spent` whether to give up. While victims are chosen, fewer and fewer are
    allowed.
    """

    milli: int
    valid: Validator
    confirm: Confirm | None = None
    spent: Callable[[], bool] = bool


class Search:
    """A search for the fewest victims on one node, repeated for sessions that are alike.

    `changed` has the nodes that were changed, in order; it grows between two choices.
    """

    def __init__(self, rooms: Rooms, rules: Rules, changed: Sequence[str] = ()) -> None:
        self._rooms = rooms
        self._rules = rules
        self._changed = changed
        self._seen = len(changed)
        bounds = ((rooms.bound(name), name) for name in rooms.nodes)
        self._bounds: list[tuple[Rank, str]] = [(rank, name) for rank, name in bounds if rank]
        heapify(self._bounds)

    def choose(self) -> Choice | None:
        """Return victims and the placement, None if no victims suffice."""
        self._look_again()
        best: tuple[Rank, str, Choice] | None = None
        found: list[tuple[Rank, str]] = []
        looks = 0
        while self._bounds and looks < LOOKS and (best is None or self._bounds[0] < best[:2]):
            if self._rules.spent():
                break
            _, name = heappop(self._bounds)
            if choice := self._best(name):
                rank = self._rooms.rank(choice[0])
                found.append((rank, name))
                best = min(best or (rank, name, choice), (rank, name, choice), key=lambda b: b[:2])
                looks += len(choice[0]) > 1
        for bound in found:
            heappush(self._bounds, bound)
        return best[2] if best else None

    def _look_again(self) -> None:
        """Consider the nodes that were changed since the last choice."""
        news = self._changed[self._seen :]
        self._seen = len(self._changed)
        for name in dict.fromkeys(news):
            if rank := self._rooms.bound(name):
                heappush(self._bounds, (rank, name))

    def _best(self, node: str) -> Choice | None:
        sets = takewhile(lambda _: not self._rules.spent(), self._rooms.sets(node))
        return next((choice for victims in sets if (choice := self._accept(node, victims))), None)

    def _accept(self, node: str, victims: Victims) -> Choice | None:
        rules = self._rules
        if not (self._rooms.may(victims) and rules.valid(victims, rules.milli)):
            return None
        placement = self._rooms.fit_without(node, victims)
        if placement is None or (rules.confirm and not rules.confirm(victims, placement)):
            return None
        dearer = placement.milli > rules.milli
        return (
            None if dearer and not rules.valid(victims, placement.milli) else (victims, placement)
        )
