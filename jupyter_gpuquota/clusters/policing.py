"""The idle policy of each cluster, for its own sessions."""

from __future__ import annotations

from datetime import datetime

from ..core.idle.policy import NO_POLICY, Ruling
from ..core.idle.replay import Stretch
from ..model.idleness import Activity
from ..model.policy import Policy
from ..model.sessions import Session
from ..ports.backend import Backend, require
from ..ports.policing import Policing
from .members import Members


class UnitedPolicing:
    """The policy that is set and previewed is the first cluster's."""

    def __init__(self, members: Members) -> None:
        self._members = members

    def policy(self) -> Policy:
        """Return the policy of the first cluster."""
        able = self._members.first.backend.policing
        return able.policy() if able else NO_POLICY

    @property
    def interval(self) -> int:
        """Seconds between two activity checks of a session in the first cluster."""
        return self._first.interval

    async def ruling(self, session_id: str) -> Ruling:
        """Return what the policy means for a session now. Raises NotFound, Unsupported."""
        return await self._of(session_id).ruling(session_id)

    async def activity(self, session_id: str) -> Activity:
        """Return a session's observed activity. Raises NotFound, WrongState, Unsupported."""
        return await self._of(session_id).activity(session_id)

    async def recorded(self, since: datetime) -> list[Stretch]:
        """Return the recorded activity of the sessions of the first cluster."""
        return await self._first.recorded(since)

    async def keep_alive(self, session_id: str, span: int) -> Session:
        """Keep a session alive. Raises NotFound, WrongState, NotAllowed, Unsupported."""
        return await self._of(session_id).keep_alive(session_id, span)

    def _of(self, session_id: str) -> Policing:
        return _able(self._members.having(session_id))

    @property
    def _first(self) -> Policing:
        return _able(self._members.first.backend)


def _able(backend: Backend) -> Policing:
    return require(backend, "policing", backend.policing)
