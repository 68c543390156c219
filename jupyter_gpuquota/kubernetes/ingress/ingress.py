"""The ingress of sessions in a cluster.

Only the owner's pages are shown at a JupyterLab's own origin: the use case checks that before it
asks here.
"""

from __future__ import annotations

from collections.abc import Callable

from ...control.signals.presence import Presence
from ...core.exposure import check_exposed
from ...model.idleness import PresenceRequest
from ...model.sessions import Endpoint, Session
from .locator import Locator


class KubeIngress:
    """Finds where sessions listen."""

    def __init__(self, find: Callable[[str], Session], locate: Locator, presence: Presence) -> None:
        self._find = find
        self._locate = locate
        self._presence = presence

    async def endpoint(self, session_id: str, port: int) -> Endpoint:
        """Return where a session listens. Raises NotFound, WrongState, NotAllowed, Unavailable."""
        session = self._find(session_id)
        check_exposed(session, port)
        return await self._locate(session, port)

    async def presence(self, session_id: str, seen: PresenceRequest) -> None:
        """Record that a user was active in a session. Raises NotFound."""
        await self._presence.record(self._find(session_id), seen)
