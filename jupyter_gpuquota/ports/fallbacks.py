"""Requests with several places, which are tried one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ..core.fallbacks import Place
from ..model.sessions import Session


class Fallbacks(Protocol):
    """Creates sessions that go on to another place when they cannot start in the first."""

    @property
    def wait(self) -> int:
        """How long a place is waited for where a request does not say, in seconds."""

    async def create(self, places: Sequence[Place], wait: int, owner: str) -> Session:
        """Create a session in the first of several places, all of them checked.

        Raises as `Sessions.create` for that one. What happens to it then is shown in its
        `fallback`.
        """
