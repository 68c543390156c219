"""Reports to the controller of when users last used sessions through the ingress."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime

import msgspec

from ...api.decoding import is_id
from ...api.dispatch import ApiRequest, Dispatcher
from ...errors import GpuQuotaError
from ...model.idleness import PresenceRequest
from ...model.routes.table import route

_log = logging.getLogger(__name__)
_EVERY = 20.0
_MOST_SAVED = 16
"""Saved notebooks reported individually; more than that count as a user's activity."""


@dataclass(slots=True)
class _Pending:
    """Unreported activity in one session: when it was used and which notebooks were saved."""

    at: datetime | None = None
    saved: dict[str, datetime] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.at is not None or bool(self.saved)

    def requests(self) -> list[PresenceRequest]:
        """Return the activity as requests."""
        used = [PresenceRequest(at=self.at)] if self.at else []
        return used + [PresenceRequest(at=at, saved=path) for path, at in self.saved.items()]


class Presence:
    """Reports activity at once, then at most every `every` seconds per session."""

    def __init__(self, dispatcher: Dispatcher, every: float = _EVERY) -> None:
        self._dispatcher = dispatcher
        self._every = every
        self._pending: dict[str, _Pending] = {}
        self._reported: dict[str, float] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def note(self, session: str, saved: str = "") -> None:
        """Record that a user used a session, or that a page, perhaps automatically, saved a file.

        Whether a user changed the notebook is determined by the backend, which sees the file.
        """
        pending = self._pending.setdefault(session, _Pending())
        now = datetime.now(UTC)
        if saved and len(pending.saved) < _MOST_SAVED:
            pending.saved[saved] = now
        else:
            pending.at = now
        if session not in self._tasks:
            self._tasks[session] = asyncio.ensure_future(self._report(session))

    def close(self) -> None:
        """Stop reporting."""
        for task in self._tasks.values():
            task.cancel()

    async def _report(self, session: str) -> None:
        try:
            while self._pending.get(session):
                due = self._reported.get(session, -self._every) + self._every
                await asyncio.sleep(max(0.0, due - time.monotonic()))
                self._forget_old()
                self._reported[session] = time.monotonic()
                await self._send(session, self._pending.pop(session))
        finally:
            del self._tasks[session]

    async def _send(self, session: str, pending: _Pending) -> None:
        if not is_id(session):
            return
        for request in pending.requests():
            report = ApiRequest(
                route=route("sessions.presence"),
                args={"id": session},
                body=msgspec.json.encode(request),
            )
            try:
                answer = await self._dispatcher.dispatch(report)
            except (GpuQuotaError, OSError) as error:
                _log.debug("reporting activity of %s failed: %s", session, error)
                return
            if answer.status != 200:
                _log.debug("status %d when reporting activity of %s", answer.status, session)

    def _forget_old(self) -> None:
        since = time.monotonic() - self._every
        self._reported = {name: at for name, at in self._reported.items() if at > since}
