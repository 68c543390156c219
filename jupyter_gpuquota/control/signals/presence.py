"""When a person last used a session by its pages or programs, and last saved there."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Iterable
from datetime import UTC, datetime

import msgspec

from ...core.idle.decide import Reading, saves_itself
from ...model.idleness import PresenceRequest
from ...model.sessions import Session
from ..clock import Clock

Fingerprint = Callable[[Session, str], Awaitable[str]]
"""Returns a hash of the sources of a session's notebook; empty if it is unreadable."""

_MANY = 256
"""Maximum number of notebooks per session whose hashes are remembered."""


class Presence:
    """The last use of sessions, in memory.

    It is written in the event loop; values are replaced, never changed, and may be read in any
    thread.
    """

    def __init__(self, clock: Clock, fingerprint: Fingerprint) -> None:
        self._clock = clock
        self._fingerprint = fingerprint
        self._last: dict[str, datetime] = {}
        self._saved: dict[str, datetime] = {}
        self._sources: dict[str, dict[str, str]] = {}

    async def record(self, session: Session, seen: PresenceRequest) -> None:
        """Record that a user was active in a session, or that a file of it was saved.

        Saving a notebook with unchanged cells is no activity: its page does that by itself. Neither
        is saving because the session is about to end.
        """
        real = min(seen.at, datetime.now(UTC))
        at = self._clock.at(real)
        if seen.saved:
            self._saved[session.id] = max(real, self._saved.get(session.id, real))
            changed = await self._changed(session, seen.saved)
            if not changed or saves_itself(session.idle, at):
                return
        self._last[session.id] = max(at, self._last.get(session.id, at))

    async def _changed(self, session: Session, path: str) -> bool:
        """Return whether a file's user-written content has changed, or may have."""
        if not path.endswith(".ipynb"):
            return True
        found = await self._fingerprint(session, path)
        known = self._sources.setdefault(session.id, {})
        if len(known) >= _MANY and path not in known:
            known.pop(next(iter(known)))
        before, known[path] = known.get(path, ""), found
        return not found or found != before

    def used(self, session_id: str) -> bool:
        """Return whether use of a session was observed."""
        return session_id in self._last or session_id in self._saved

    def last_save(self, session_id: str) -> datetime | None:
        """Return when a document of a session was last saved, None if never observed."""
        return self._saved.get(session_id)

    def reading(self, session: Session) -> Reading:
        """Return the signal of a session's last use."""
        last = self._last.get(session.id)
        detail = "" if last else "No use by a person observed yet."
        return Reading("presence", "idle", last=last, detail=detail)

    def keep_only(self, sessions: Iterable[str]) -> None:
        """Forget all other sessions."""
        kept = set(sessions)
        self._last = {key: last for key, last in self._last.items() if key in kept}
        self._saved = {key: at for key, at in self._saved.items() if key in kept}
        self._sources = {key: found for key, found in self._sources.items() if key in kept}


class Cell(msgspec.Struct):
    """The source of a cell."""

    cell_type: str = ""
    source: str | list[str] = ""


class Notebook(msgspec.Struct):
    """The fields that are read of a notebook."""

    cells: list[Cell]


def digest(cells: Iterable[Cell]) -> str:
    """Return a hash of the sources of cells."""
    found = hashlib.sha256()
    for cell in cells:
        source = cell.source if isinstance(cell.source, str) else "".join(cell.source)
        found.update(f"{cell.cell_type} {len(source)} {source}".encode(errors="surrogatepass"))
    return found.hexdigest()
