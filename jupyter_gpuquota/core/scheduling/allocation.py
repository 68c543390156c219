"""Allocate free devices, in the order of precedence."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from datetime import datetime
from heapq import heappop, heappush

import msgspec

from ...model.resources import Placement
from ...model.sessions import Session
from .. import lifecycle
from .cycle import Cycle
from .ledger import BORROWED, FAIR
from .snapshot import Plan

Priced = tuple[Session, int]
"""A session with its cost in milli-GPU."""


class Line:
    """The queued sessions of a project that were not tried yet, the next one first."""

    def __init__(self, sessions: Sequence[Priced]) -> None:
        self._order = deque(enumerate(session for session, _ in sessions))
        self._by_cost: dict[int, deque[tuple[int, Session]]] = {}
        for place, (session, cost) in enumerate(sessions):
            self._by_cost.setdefault(cost, deque()).append((place, session))
        self._tried: set[int] = set()

    def next(self, most: int | None = None) -> Session | None:
        """Return the first session, or the first that costs at most so much; None if none does."""
        found = self._front(self._order) if most is None else self._find(most)
        return found[1] if found else None

    def pop(self, most: int | None = None) -> Session:
        """Remove what `next` returns. Raises IndexError if that is None."""
        found = self._front(self._order) if most is None else self._find(most)
        if found is None:
            raise IndexError
        self._tried.add(found[0])
        return found[1]

    def _find(self, most: int) -> tuple[int, Session] | None:
        fronts = (self._front(same) for cost, same in self._by_cost.items() if cost <= most)
        return min((front for front in fronts if front), key=lambda f: f[0], default=None)

    def _front(self, queue: deque[tuple[int, Session]]) -> tuple[int, Session] | None:
        while queue and queue[0][0] in self._tried:
            queue.popleft()
        return queue[0] if queue else None


OrderKey = tuple[int, int, int, object]
"""Tier, negative priority, saturation of the fair share, order in the queue: less comes first."""


def allocate(cycle: Cycle) -> None:
    """Try to place every queued session.

    A project's queue keeps its order, but a session that does not fit blocks no other. Projects
    are ordered by what comes next in their queues: within the quota, then within the fair share,
    then borrowed; among equals the higher priority, then the smaller part of the share used. What
    is within a quota goes before what other projects borrow also where a larger session is ahead
    of it in its own project.
    """
    queues: dict[str, list[Priced]] = defaultdict(list)
    nominated, keys = cycle.nominated, cycle.keys
    for session in sorted(cycle.queue, key=lambda s: (nominated.get(s.id, 0), keys[s.id])):
        if session.spec.share.wants_gpu:
            queues[session.spec.project].append((session, cycle.cost(session.spec.share)))
        elif session.state == "waiting":
            cycle.outcomes[session.id] = Placement(node=cycle.now.home)
    _Allocation(cycle, {name: Line(queue) for name, queue in queues.items()}).run()


class _Allocation:
    """The lines of all projects, tried in the order of precedence.

    `_within` are the projects that may have a session behind the first one that stays within the
    quota, where a tier is `FAIR`, or within the fair share. As projects only come to hold more
    here, who has none will have none.
    """

    def __init__(self, cycle: Cycle, lines: dict[str, Line]) -> None:
        self._cycle = cycle
        self._lines = lines
        self._within = {FAIR: set(lines), BORROWED: set(lines)}
        self._fronts: dict[str, OrderKey] = {}
        self._order: list[tuple[OrderKey, str]] = []

    def run(self) -> None:
        """Try all sessions."""
        for name in self._lines:
            self._enqueue(name)
        while self._order:
            key, name = heappop(self._order)
            if self._fronts.get(name) is not key:  # the project has come to hold more since
                continue
            line, most = self._first(key, name) if key[0] in self._within else (name, None)
            self._cycle.attempt(self._lines[line].pop(most))
            self._enqueue(line)
            if line != name:
                heappush(self._order, (key, name))

    def _enqueue(self, name: str) -> None:
        """Enqueue a project by what comes next in its queue."""
        self._fronts.pop(name, None)
        if session := self._lines[name].next():
            self._fronts[name] = key = order_key(self._cycle, session)
            heappush(self._order, (key, name))

    def _first(self, key: OrderKey, name: str) -> tuple[str, int | None]:
        """Return which project is next, and the most that its session may cost; None for any."""
        _, line, most = min(self._before(name, key[0]), default=(key, name, None))
        return line, most

    def _before(self, name: str, tier: int) -> Iterator[tuple[OrderKey, str, int]]:
        """Yield sessions of other projects that are of a lower tier, with the most they may cost.

        Yields the key, the project, and what it is still within its right, in milli-GPU.
        """
        for other in tuple(self._within[tier]):
            account = self._cycle.ledger.accounts[other]
            right = account.project.quota if tier == FAIR else account.right
            most = right - account.used
            session = self._lines[other].next(most)
            if session is None:
                self._within[tier].discard(other)
            elif other != name:
                yield order_key(self._cycle, session), other, most


def order_key(cycle: Cycle, session: Session) -> OrderKey:
    """Return the key that orders sessions of different projects: less comes first."""
    account = cycle.ledger.of(session)
    milli = cycle.cost(session.spec.share)
    tier = cycle.nominated.get(session.id) or account.tier(milli, borrows=session.preemptible)
    saturation = account.used * 1_000_000 // account.fair if account.fair else 1 << 60
    return (tier, -account.project.priority, saturation, cycle.keys[session.id])


def apply_plan(decided: Plan, sessions: dict[str, Session], now: datetime) -> bool:
    """Apply a plan to the sessions, by id; return whether any started or was preempted."""
    for eviction in decided.evictions:
        leaving = lifecycle.request_requeue(
            sessions[eviction.session], eviction.reclaim, eviction.reason
        )
        sessions[eviction.session] = lifecycle.finish_end(leaving, now)
    started = False
    for decision in decided.decisions:
        session = sessions[decision.session]
        if isinstance(decision.outcome, Placement):
            running = lifecycle.move(lifecycle.move(session, "starting", now), "running", now)
            sessions[session.id] = msgspec.structs.replace(
                running, placement=decision.outcome, run=session.run + 1
            )
            started = True
        else:
            sessions[session.id] = msgspec.structs.replace(session, reason=decision.outcome)
    return started or bool(decided.evictions)
