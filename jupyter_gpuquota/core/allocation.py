"""Give out what is free: those with the better right first."""

from __future__ import annotations

from collections import defaultdict
from heapq import heapify, heappop, heappush

from ..model.resources import Placement
from ..model.sessions import Session
from .line import line_key
from .round import Round

Turn = tuple[int, int, int, object]


def allocate(turn: Round) -> None:
    """Try everyone who waits.

    A project's line keeps its order, but who does not fit holds nobody up. Projects take turns:
    first what is inside a quota, then what is inside a fair share, then what is borrowed beyond
    it; among equals the higher priority, then the one that has the smaller part of its share.
    """
    lines: dict[str, list[Session]] = defaultdict(list)
    for session in sorted(turn.line, key=line_key):
        if session.spec.share.wants_gpu:
            lines[session.spec.project].append(session)
        elif session.state == "waiting":
            turn.outcomes[session.id] = Placement(node=turn.now.home)
    for line in lines.values():  # taken from the end
        line.sort(key=lambda session: turn.claims.get(session.id, 0))
        line.reverse()
    turns = [(turn_key(turn, line[-1]), name) for name, line in lines.items()]
    heapify(turns)
    while turns:
        _, name = heappop(turns)
        line = lines[name]
        turn.attempt(line.pop())
        if line:
            heappush(turns, (turn_key(turn, line[-1]), name))


def turn_key(turn: Round, session: Session) -> Turn:
    """Order sessions of different projects: less is more."""
    account = turn.ledger.of(session)
    milli = turn.cost(session.spec.share)
    tier = turn.claims.get(session.id) or turn.ledger.tier(session, milli)
    saturation = account.used * 1_000_000 // account.fair if account.fair else 1 << 60
    return (tier, -account.project.priority, saturation, line_key(session))
