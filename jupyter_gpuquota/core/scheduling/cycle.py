"""The state of one scheduling cycle: free capacity, holders and decisions so far."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from datetime import datetime, timedelta

import msgspec

from ...model.reasons import Reason
from ...model.resources import Placement, Share
from ...model.sessions import Reclaim, Session
from . import explain
from .capacity import cost, shareable
from .holders import Victims, held_by
from .ledger import Ledger
from .placement import Allowed, Pool
from .queue import holds, is_queued, nodes_for, nominated, queue_key, safe_until
from .snapshot import ClusterSnapshot, Eviction

Refuses = Callable[[Session, int], Reason | None]
"""Returns the rule that denies a session so much more, None if none does."""

_REST = timedelta(hours=1)
"""How long a moved session is not moved again."""


class Cycle:
    """One scheduling cycle.

    `now` is what is free, `soon` what will be free once all sessions that must stop have stopped.
    `pending` are sessions that no rule denies but that found no devices, `bounded` those that
    their project's ceiling prevents from starting. `keys` orders the queue of a project, by id.
    `protected` has the times from which sessions
    may be preempted or moved. `is_cut`: it ended before all was tried, as its time was spent.
    """

    def __init__(self, snapshot: ClusterSnapshot, spent: Callable[[], bool] = bool) -> None:
        self.snapshot = snapshot
        self.is_cut = False
        self._spent = spent
        self.ledger = Ledger(snapshot.projects)
        queue = [session for session in snapshot.sessions if is_queued(session)]
        self.keys = {session.id: queue_key(session) for session in queue}
        self.queue = [session for session in queue if session.id not in snapshot.held]
        self.nominated = nominated(self.queue)
        self.outcomes: dict[str, Placement | Reason] = dict(snapshot.held)
        self.pending: list[Session] = []
        self.bounded: list[Session] = []
        self.evictions: dict[str, Eviction] = {}
        self.protected: set[datetime] = set()
        self.staying = [s for s in snapshot.sessions if holds(s)]
        self._leaving = [s for s in snapshot.sessions if s.state == "stopping" and s.placement]
        self._kept = [s.placement for s in self.staying if s.placement]
        self._kept += [holding.placement for holding in snapshot.holdings]
        going = [s.placement for s in self._leaving if s.placement]
        self.now = Pool(snapshot.nodes, [*self._kept, *going])
        self._soon: Pool | None = None
        self._costs: dict[Share, int] = {}
        self._allowed: dict[tuple[str, str, str], Allowed] = {}
        self._count()

    @property
    def soon(self) -> Pool:
        """Return what will be free; computed on first use, as few cycles need it."""
        if self._soon is None:
            self._soon = Pool(self.snapshot.nodes, self._kept)
        return self._soon

    def cost(self, share: Share) -> int:
        """Return the estimated cost of a share that is not placed yet, in milli-GPU."""
        known = self._costs.get(share)
        if known is None:
            known = self._costs[share] = cost(share, self.snapshot.nodes)
        return known

    def allowed(self, session: Session) -> Allowed:
        """Return the nodes that a session may run on."""
        spec = session.spec
        key = (spec.project, spec.kind, spec.node_type)
        if key not in self._allowed:
            project = self.ledger.of(session).project
            nodes = self.snapshot.nodes
            self._allowed[key] = nodes_for(project, spec.kind, spec.node_type, nodes)
        return self._allowed[key]

    def shape(self, session: Session) -> Hashable:
        """Return a key that is equal for sessions with the same requirements."""
        return (
            session.spec.project,
            session.spec.share,
            self.allowed(session),
            session.preemptible,
        )

    def attempt(self, session: Session) -> None:
        """Place a session on free devices, or reserve devices that will be free."""
        milli = self.cost(session.spec.share)
        if reason := self.ledger.refuses(session, milli):
            self.outcomes[session.id] = reason
            self.ledger.refuse(session, reason)
            if self.ledger.of(session).known and not self.ledger.exceeds_quota(session, milli):
                self.bounded.append(session)
            return
        denied = self.ledger.refuses_meanwhile(session, milli)
        if placement := self._free_now(session, milli):
            self.assign(session, placement, placement)
        elif placement := self.find_soon(session, milli):
            reason = explain.releasing(self._leaving, placement.node, session.spec.project)
            self.assign(session, placement, denied or reason)
        else:
            self.pending.append(session)

    def assign(self, session: Session, placement: Placement, outcome: Placement | Reason) -> None:
        """Assign a placement to a session."""
        self.outcomes[session.id] = outcome
        self.now.allocate(placement)
        if self._soon is None:
            self._kept.append(placement)
        else:
            self._soon.allocate(placement)
        self.ledger.hold(session, placement.milli)

    def started(self) -> Iterator[Session]:
        """Yield the sessions that this cycle starts, with their placements."""
        for session in self.queue:
            placement = self.outcomes.get(session.id)
            if isinstance(placement, Placement):
                yield msgspec.structs.replace(session, placement=placement)

    def evict(self, taker: Session, victims: Victims, placement: Placement, *, moved: bool) -> None:
        """Preempt victims, and reserve what they release for the taker.

        Those that are `moved` are promised other devices, which are reserved as well. Those that
        this cycle would have started are not started.
        """
        early = [victim for victim in victims if victim.state == "waiting"]
        for victim in early:
            self._withdraw(victim)
        if running := tuple(victim for victim in victims if victim.state != "waiting"):
            for victim in running:
                self._evict(victim, taker, moved=moved)
            grace = self.snapshot.rules.grace
            self.assign(taker, placement, explain.reclaiming(running, taker, grace))
        elif free := self._free_now(taker, self.cost(taker.spec.share)):
            self.assign(taker, free, free)
        else:  # once those have left that were preempted before
            why = explain.releasing((), placement.node, taker.spec.project)
            self.assign(taker, placement, why)
        for victim in early:
            self.attempt(msgspec.structs.replace(victim, placement=None))
        for victim in sorted(running, key=queue_key) if moved else ():
            if place := self.soon.find(victim.spec.share, self.allowed(victim)):
                self.assign(victim, place, self.evictions[victim.id].reason)

    def _evict(self, victim: Session, taker: Session, *, moved: bool) -> None:
        reclaim = Reclaim(
            at=self.snapshot.now,
            session=taker.id,
            name=taker.spec.name,
            project=taker.spec.project,
            run=taker.run,
            moved=moved,
        )
        reason = explain.reclaimed(victim, taker, moved=moved)
        self.evictions[victim.id] = Eviction(victim.id, reclaim, reason)
        self.ledger.hold(victim, held_by(victim), -1)
        if victim.placement:
            self.soon.release(victim.placement)

    def _withdraw(self, session: Session) -> None:
        """Release what a session would have been started on."""
        del self.outcomes[session.id]
        self.ledger.hold(session, held_by(session), -1)
        if session.placement:
            self.now.release(session.placement)
            self.soon.release(session.placement)

    def may_preempt(self, session: Session) -> bool:
        """Return whether a session may be preempted: by its kind and its minimum run time."""
        if not session.preemptible or session.id in self.evictions:
            return False
        now, project = self.snapshot.now, self.ledger.of(session).project
        until = safe_until(session, project, self.snapshot.rules, now)
        if until <= now:
            return True
        self.protected.add(until)
        return False

    def may_move(self, session: Session) -> bool:
        """Return whether a session may be moved: not twice within an hour."""
        last = session.reclaimed
        if last and last.moved and last.at + _REST > self.snapshot.now:
            self.protected.add(last.at + _REST)
            return False
        return self.may_preempt(session)

    def has_to_end(self) -> bool:
        """Return whether its time is spent; what is left is for the next cycle.

        It goes on until something is decided, as the next one would only do the same again.
        """
        self.is_cut = self.is_cut or (bool(self.evictions) and self._spent())
        return self.is_cut

    def find_soon(self, session: Session, milli: int) -> Placement | None:
        """Return where a session can start once all that leaves has left, None if nothing does."""
        if not (self._leaving or self.evictions) or self.ledger.refuses(session, milli):
            return None
        return self._find(self.soon, session, milli, self.ledger.refuses)

    def _free_now(self, session: Session, milli: int) -> Placement | None:
        """Return where a session can start now."""
        if session.state != "waiting" or self.ledger.refuses_meanwhile(session, milli):
            return None
        return self._find(self.now, session, milli, self.ledger.refuses_now)

    def _find(self, pool: Pool, session: Session, milli: int, refuses: Refuses) -> Placement | None:
        placement = pool.find(session.spec.share, self.allowed(session))
        if placement and placement.milli > milli and refuses(session, placement.milli):
            return pool.find_costing(
                session.spec.share,
                self.allowed(session),
                lambda cost: not refuses(session, cost),
            )
        return placement

    def _count(self) -> None:
        for session in self.staying:
            milli = held_by(session)
            self.ledger.hold(session, milli)
            self.ledger.request(session, milli)
        for session in self._leaving:
            self.ledger.leave(session, held_by(session))
        for session in self.queue:
            if not self.ledger.of(session).project.draining:
                self.ledger.request(session, self.cost(session.spec.share))
        self.ledger.share_out(shareable(self.snapshot.nodes, self.snapshot.holdings))
