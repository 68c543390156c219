"""When a person last used a session through the ingress."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from datetime import UTC, datetime

from ...core.idleness import Reading, saves_itself
from ...model.idleness import PresenceRequest
from ...model.sessions import Session
from ..clock import Clock

Fingerprint = Callable[[Session, str], Awaitable[str]]
"""Return a hash of the sources of a session's notebook; empty if it cannot be read."""

_MANY = 256
"""Notebooks of one session whose sources are remembered."""


class Presence:
    """When sessions were last used, in memory. Belongs to the event loop."""

    def __init__(self, clock: Clock, fingerprint: Fingerprint) -> None:
        self._clock = clock
        self._fingerprint = fingerprint
        self._last: dict[str, datetime] = {}
        self._sources: dict[str, dict[str, str]] = {}

    async def hear(self, session: Session, seen: PresenceRequest) -> None:
        """Hear that a person used a session, or that a file of it was saved.

        A notebook that was saved without a change to its cells was saved by its page alone, and so
        is what is saved because the session is about to end.
        """
        at = self._clock.at(min(seen.at, datetime.now(UTC)))
        if seen.saved:
            changed = await self._changed(session, seen.saved)
            if not changed or saves_itself(session.idle, at):
                return
        self._last[session.id] = max(at, self._last.get(session.id, at))

    async def _changed(self, session: Session, path: str) -> bool:
        """Return whether what a person writes into a file has changed, or may have."""
        if not path.endswith(".ipynb"):
            return True
        found = await self._fingerprint(session, path)
        known = self._sources.setdefault(session.id, {})
        if len(known) >= _MANY and path not in known:
            known.pop(next(iter(known)))
        before, known[path] = known.get(path, ""), found
        return not found or found != before

    def reading(self, session: Session) -> Reading:
        """Return when a session was last used."""
        last = self._last.get(session.id)
        detail = "" if last else "Nobody has used it through JupyterLab since we look."
        return Reading("presence", "idle", last=last, detail=detail)

    def keep_only(self, sessions: Iterable[str]) -> None:
        """Forget all other sessions."""
        kept = set(sessions)
        self._last = {key: last for key, last in self._last.items() if key in kept}
        self._sources = {key: found for key, found in self._sources.items() if key in kept}
