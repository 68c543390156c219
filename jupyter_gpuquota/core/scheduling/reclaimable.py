"""How much could be reclaimed for a queued session, if it were in one place."""

from __future__ import annotations

from collections import Counter

from ...model.sessions import Session
from .cycle import Cycle
from .holders import held_by
from .placement import Allowed
from .queue import rank, safe_until

_Rank = tuple[bool, int]


class Reclaimable:
    """What sessions hold that may be preempted, by project and rank, once a cycle has decided."""

    def __init__(self, cycle: Cycle) -> None:
        self._cycle = cycle
        self._held: dict[Allowed, dict[str, Counter[_Rank]]] = {}

    def milli_for(self, session: Session, milli: int) -> int:
        """Return what could be reclaimed for a session that costs so much, in milli-GPU.

        Of its own project, that is what lower ranks hold; of another one, what it holds above its
        right, as for `reclaim`.
        """
        held = self._on(self._cycle.allowed(session))
        project, own = session.spec.project, rank(session)
        found = sum(amount for each, amount in held.get(project, Counter()).items() if each > own)
        for name, amounts in held.items():
            if name != project:
                found += max(0, min(amounts.total(), self._above(name, session, milli)))
        return found

    def _above(self, name: str, session: Session, milli: int) -> int:
        """Return how much a project holds above what it keeps from a session."""
        theirs, account = self._cycle.ledger.accounts[name], self._cycle.ledger.of(session)
        after = account.used + milli
        kept = [theirs.fair] if after <= account.fair else []
        kept += [theirs.project.quota] if after <= account.project.quota else []
        return theirs.used - min(kept, default=theirs.used)

    def _on(self, allowed: Allowed) -> dict[str, Counter[_Rank]]:
        """Return what sessions on some nodes hold that may be preempted."""
        if allowed not in self._held:
            held: dict[str, Counter[_Rank]] = {}
            for session in self._cycle.staying:
                if self._may(session) and self._is_on(session, allowed):
                    own = held.setdefault(session.spec.project, Counter())
                    own[rank(session)] += held_by(session)
            self._held[allowed] = held
        return self._held[allowed]

    def _may(self, session: Session) -> bool:
        cycle = self._cycle
        if not session.preemptible or session.id in cycle.evictions:
            return False
        project = cycle.ledger.of(session).project
        now = cycle.snapshot.now
        return safe_until(session, project, cycle.snapshot.rules, now) <= now

    @staticmethod
    def _is_on(session: Session, allowed: Allowed) -> bool:
        place = session.placement
        return place is not None and (allowed is None or place.node in allowed)
