"""Allocate free devices, in the order of precedence."""

from __future__ import annotations

from collections import defaultdict
from heapq import heapify, heappop, heappush

from ...model.resources import Placement
from ...model.sessions import Session
from .cycle import Cycle
from .queue import queue_key

OrderKey = tuple[int, int, int, object]
"""Tier, negative priority, saturation of the fair share, order in the queue: less comes first."""


def allocate(cycle: Cycle) -> None:
    """Try to place every queued session.

    A project's queue keeps its order, but a session that does not fit blocks no other. Projects
    are ordered by what comes next in their queues: within the quota, then within the fair share,
    then borrowed; among equals the higher priority, then the smaller part of the share used.
    """
    queues: dict[str, list[Session]] = defaultdict(list)
    for session in sorted(cycle.queue, key=queue_key):
        if session.spec.share.wants_gpu:
            queues[session.spec.project].append(session)
        elif session.state == "waiting":
            cycle.outcomes[session.id] = Placement(node=cycle.now.home)
    for queue in queues.values():  # the next one is the last
        queue.sort(key=lambda session: cycle.nominated.get(session.id, 0))
        queue.reverse()
    order = [(order_key(cycle, queue[-1]), name) for name, queue in queues.items()]
    heapify(order)
    while order:
        _, name = heappop(order)
        queue = queues[name]
        cycle.attempt(queue.pop())
        if queue:
            heappush(order, (order_key(cycle, queue[-1]), name))


def order_key(cycle: Cycle, session: Session) -> OrderKey:
    """Return the key that orders sessions of different projects: less comes first."""
    account = cycle.ledger.of(session)
    milli = cycle.cost(session.spec.share)
    tier = cycle.nominated.get(session.id) or cycle.ledger.tier(session, milli)
    saturation = account.used * 1_000_000 // account.fair if account.fair else 1 << 60
    return (tier, -account.project.priority, saturation, queue_key(session))
