"""The idle policy and what it comes to."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from ..core.idle.policy import Ruling
from ..core.idle.replay import Stretch
from ..model.idleness import Activity
from ..model.policy import Policy
from ..model.sessions import Session


class Policing(Protocol):
    """Enforces the idle policy."""

    def policy(self) -> Policy:
        """Return the policy as it is set."""

    @property
    def interval(self) -> int:
        """Seconds between two activity checks of a session."""

    async def ruling(self, session_id: str) -> Ruling:
        """Return what the policy means for a session now. Raises NotFound."""

    async def activity(self, session_id: str) -> Activity:
        """Return a session's observed activity. Raises NotFound, WrongState."""

    async def recorded(self, since: datetime) -> list[Stretch]:
        """Return the recorded activity of all sessions. Raises StorageFailed."""

    async def keep_alive(self, session_id: str, span: int) -> Session:
        """Keep a session alive for `span` seconds, 0 for the policy's default.

        Raises NotFound, WrongState for one that is not running, NotAllowed beyond the policy.
        """
