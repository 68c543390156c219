"""What acts on idle sessions."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from ..core.idle_week import Stretch
from ..core.policy import Ruling
from ..model.idleness import Activity
from ..model.policy import Policy
from ..model.sessions import Session


class Policing(Protocol):
    """What acts on idle sessions as the policy says."""

    def policy(self) -> Policy:
        """Return what is set of the policy."""

    @property
    def interval(self) -> int:
        """The seconds between two looks at a session."""

    async def ruling(self, session_id: str) -> Ruling:
        """Return what the policy comes to for a session now. Raises NotFound."""

    async def activity(self, session_id: str) -> Activity:
        """Return what is known of a session's activity. Raises NotFound, WrongState."""

    async def recorded(self, since: datetime) -> list[Stretch]:
        """Return what was recorded of the sessions' activity. Raises StorageFailed."""

    async def keep_alive(self, session_id: str, span: int) -> Session:
        """Keep a session alive for `span` seconds, 0 for the usual time.

        Raises NotFound, WrongState for one that does not run, NotAllowed beyond the policy.
        """
