"""Be one scheduling round under way: what is free, who holds what, and what was decided so far."""

from __future__ import annotations

from collections.abc import Hashable
from datetime import datetime, timedelta

from ..model.reasons import Reason
from ..model.resources import Placement, Share
from ..model.sessions import Reclaim, Session
from . import waiting
from .ledger import Ledger
from .line import claims, holds, nodes_for, safe_until, stands_in_line
from .placement import Allowed, Pool
from .plans import Eviction, Situation
from .quota import cost, shareable
from .victims import Victims, held_by

_REST = timedelta(hours=1)
"""How long a session that was moved is left in peace."""


class Round:
    """Keep account of one round.

    `now` is what is free, `soon` what will be once everyone who has to leave has left. `pending`
    are those that no rule forbids but that found no devices, `bounded` those that their
    project's ceiling keeps from starting.
    """

    def __init__(self, situation: Situation) -> None:
        self.situation = situation
        self.ledger = Ledger(situation.projects)
        self.line = [s for s in situation.sessions if stands_in_line(s)]
        self.claims = claims(self.line)
        self.outcomes: dict[str, Placement | Reason] = {}
        self.pending: list[Session] = []
        self.bounded: list[Session] = []
        self.evictions: dict[str, Eviction] = {}
        self.protected: set[datetime] = set()
        self.staying = [s for s in situation.sessions if holds(s)]
        self._leaving = [s for s in situation.sessions if s.state == "stopping" and s.placement]
        self._kept = [s.placement for s in self.staying if s.placement]
        self._kept += [holding.placement for holding in situation.holdings]
        going = [s.placement for s in self._leaving if s.placement]
        self.now = Pool(situation.nodes, [*self._kept, *going])
        self._soon: Pool | None = None
        self._costs: dict[Share, int] = {}
        self._allowed: dict[tuple[str, str, str], Allowed] = {}
        self._count()

    @property
    def soon(self) -> Pool:
        """Return what will be free; made when it is first asked for, as few rounds need it."""
        if self._soon is None:
            self._soon = Pool(self.situation.nodes, self._kept)
        return self._soon

    def cost(self, share: Share) -> int:
        """Estimate what a share that is not placed yet costs, in milli-GPU."""
        if share not in self._costs:
            self._costs[share] = cost(share, self.situation.nodes)
        return self._costs[share]

    def allowed(self, session: Session) -> Allowed:
        """Name the nodes that a session may run on."""
        spec = session.spec
        key = (spec.project, spec.kind, spec.node_type)
        if key not in self._allowed:
            project = self.ledger.of(session).project
            nodes = self.situation.nodes
            self._allowed[key] = nodes_for(project, spec.kind, spec.node_type, nodes)
        return self._allowed[key]

    def shape(self, session: Session) -> Hashable:
        """Tell what makes two waiting sessions of a project alike."""
        return (
            session.spec.project,
            session.spec.share,
            self.allowed(session),
            session.preemptible,
        )

    def attempt(self, session: Session) -> None:
        """Give a session devices that are free, or reserve ones that will be."""
        milli = self.cost(session.spec.share)
        if reason := self.ledger.refuses(session, milli):
            self.outcomes[session.id] = reason
            if self.ledger.of(session).known and not self.ledger.lacks_right(session, milli):
                self.bounded.append(session)
            return
        placement = self._find(self.now, session, milli) if session.state == "waiting" else None
        if placement:
            self.give(session, placement, placement)
        elif self._leaving and (placement := self._find(self.soon, session, milli)):
            self.give(
                session,
                placement,
                waiting.releasing(self._leaving, placement.node, session.spec.project),
            )
        else:
            self.pending.append(session)

    def give(self, session: Session, placement: Placement, outcome: Placement | Reason) -> None:
        """Count a placement as the session's."""
        self.outcomes[session.id] = outcome
        self.now.take(placement)
        if self._soon is None:
            self._kept.append(placement)
        else:
            self._soon.take(placement)
        self.ledger.hold(session, placement.milli)

    def evict(self, taker: Session, victims: Victims, placement: Placement, *, moved: bool) -> None:
        """Have victims leave, and reserve what becomes free for the taker."""
        for victim in victims:
            reclaim = Reclaim(
                at=self.situation.now,
                session=taker.id,
                name=taker.spec.name,
                project=taker.spec.project,
                moved=moved,
            )
            reason = waiting.reclaimed(victim, taker, moved=moved)
            self.evictions[victim.id] = Eviction(victim.id, reclaim, reason)
            self.ledger.hold(victim, held_by(victim), -1)
            if victim.placement:
                self.soon.give(victim.placement)
        self.give(taker, placement, waiting.reclaiming(victims, taker, self.situation.rules.grace))

    def may_go(self, session: Session) -> bool:
        """Tell whether a session may be made to leave: it borrows, and has run long enough."""
        if not session.preemptible or session.id in self.evictions:
            return False
        project = self.ledger.of(session).project
        least = max(self.situation.rules.min_runtime, project.min_runtime)
        until = safe_until(session, least)
        if until <= self.situation.now:
            return True
        self.protected.add(until)
        return False

    def may_move(self, session: Session) -> bool:
        """Tell whether a session may be made to go on elsewhere: not twice within an hour."""
        last = session.reclaimed
        if last and last.moved and last.at + _REST > self.situation.now:
            return False
        return self.may_go(session)

    def _find(self, pool: Pool, session: Session, milli: int) -> Placement | None:
        placement = pool.find(session.spec.share, self.allowed(session))
        if placement and placement.milli > milli and self.ledger.refuses(session, placement.milli):
            return pool.find_costing(
                session.spec.share,
                self.allowed(session),
                lambda cost: not self.ledger.refuses(session, cost),
            )
        return placement

    def _count(self) -> None:
        for session in self.staying:
            self.ledger.hold(session, held_by(session))
            self.ledger.ask(session, held_by(session))
        for session in self.line:
            if not self.ledger.of(session).project.draining:
                self.ledger.ask(session, self.cost(session.spec.share))
        self.ledger.share_out(shareable(self.situation.nodes, self.situation.holdings))
