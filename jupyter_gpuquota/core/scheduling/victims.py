"""Choose the victims that are preempted for a session.

As few as suffice, and of those the ones that lose least: of low priority, small, recent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import takewhile

from ...model.resources import Placement
from .holders import Rank, Victims
from .rooms import Rooms

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
