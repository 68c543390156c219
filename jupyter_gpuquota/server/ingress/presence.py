"""Tell the controller when a person last used a session through the ingress, now and then."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime

import msgspec

from ...api.decoding import is_id
from ...api.dispatch import Asked, Dispatcher
from ...errors import GpuQuotaError
from ...model.idleness import PresenceRequest
from ...model.routes import route

_log = logging.getLogger(__name__)
_EVERY = 20.0
_MOST_SAVED = 16
"""Notebooks that are told of at once; more than that were saved by a person."""


@dataclass(slots=True)
class _News:
    """Be what is to be told of one session: when it was used, and which notebooks were saved."""

    at: datetime | None = None
    saved: dict[str, datetime] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.at is not None or bool(self.saved)

    def requests(self) -> list[PresenceRequest]:
        """Put it into requests."""
        used = [PresenceRequest(at=self.at)] if self.at else []
        return used + [PresenceRequest(at=at, saved=path) for path, at in self.saved.items()]


class Presence:
    """Report at once, then at most every so many seconds a session."""

    def __init__(self, dispatcher: Dispatcher, every: float = _EVERY) -> None:
        self._dispatcher = dispatcher
        self._every = every
        self._news: dict[str, _News] = {}
        self._told: dict[str, float] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def note(self, session: str, saved: str = "") -> None:
        """Note that a person used a session, or that a page, perhaps by itself, saved a notebook.

        Only the local side can tell who changed the notebook: it sees the file.
        """
        news = self._news.setdefault(session, _News())
        now = datetime.now(UTC)
        if saved and len(news.saved) < _MOST_SAVED:
            news.saved[saved] = now
        else:
            news.at = now
        if session not in self._tasks:
            self._tasks[session] = asyncio.ensure_future(self._tell(session))

    def close(self) -> None:
        """Report no more."""
        for task in self._tasks.values():
            task.cancel()

    async def _tell(self, session: str) -> None:
        try:
            while self._news.get(session):
                due = self._told.get(session, -self._every) + self._every
                await asyncio.sleep(max(0.0, due - time.monotonic()))
                self._forget_old()
                self._told[session] = time.monotonic()
                await self._send(session, self._news.pop(session))
        finally:
            del self._tasks[session]

    async def _send(self, session: str, news: _News) -> None:
        if not is_id(session):
            return
        for request in news.requests():
            asked = Asked(
                route=route("sessions.presence"),
                args={"id": session},
                body=msgspec.json.encode(request),
            )
            try:
                answer = await self._dispatcher.dispatch(asked)
            except (GpuQuotaError, OSError) as error:
                _log.debug("nobody could be told that %s is used: %s", session, error)
                return
            if answer.status != 200:
                _log.debug("%d when told that %s is used", answer.status, session)

    def _forget_old(self) -> None:
        since = time.monotonic() - self._every
        self._told = {session: told for session, told in self._told.items() if told > since}
