"""A kernel's messages that no page has confirmed; pure, with time passed in.

Two kinds are held in one order and under one bound: messages that the page has not confirmed, which
are sent again when it reconnects, and all output of unfinished requests, from which a reloaded page
rebuilds their cells.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import msgspec

from ..protocol.frame_splitter import FramePart
from .messages import OUTPUTS, Request, header_of, parts_of, state_of

_ENDED = frozenset({"restarting", "dead"})
_OVERHEAD = 256
"""Bytes of overhead per held message."""
_MOST_OPEN = 1000
"""Maximum number of tracked requests; a kernel runs them in order."""


class Dropped(msgspec.Struct):
    """The number of messages that did not fit, and the times of the first and last."""

    count: int
    first: datetime
    last: datetime


class HeldRequest(msgspec.Struct):
    """A request whose output is held."""

    id: str
    cell: str
    finished: bool
    """Whether its output is complete."""
    dropped: Dropped | None = None


class Missed(msgspec.Struct):
    """What a reloaded or reconnected page receives."""

    requests: list[HeldRequest] = []
    messages: list[msgspec.Raw] = []
    lost: Dropped | None = None
    """Messages of the page's own requests that are lost."""


@dataclass(slots=True)
class _Entry:
    frame: FramePart
    at: datetime
    parent: str
    """The id of the request it is output of, else empty."""

    @property
    def size(self) -> int:
        return len(self.frame.raw) + _OVERHEAD


@dataclass(slots=True)
class _OpenRequest:
    """A request until a page has its whole output."""

    request: Request
    finished: int = 0
    """The number of the message that finished it, 0 before that."""
    taken: bool = False
    """Whether another page has taken it over."""
    dropped: Dropped | None = None

    def held(self) -> HeldRequest:
        return HeldRequest(self.request.id, self.request.cell, bool(self.finished), self.dropped)


class Backlog:
    """The messages of one kernel channel; the oldest are dropped above `limit` bytes."""

    def __init__(self, limit: int, client: str) -> None:
        self.client = client
        self.newest = 0
        self.confirmed = 0
        self.size = 0
        self.stale = False
        """Whether the kernel has restarted or died, so that a new connection is needed."""
        self.limit = limit
        self._entries: dict[int, _Entry] = {}
        self._open: dict[str, _OpenRequest] = {}
        self._lost: Dropped | None = None

    @property
    def is_needed(self) -> bool:
        """Whether a returning page would miss output."""
        return bool(self._open)

    def add_request(self, request: Request) -> None:
        """Track a request of the page."""
        if len(self._open) < _MOST_OPEN:
            self._open[request.id] = _OpenRequest(request)

    def add(self, frame: FramePart, now: datetime) -> None:
        """Hold a message of the kernel."""
        self.newest += 1
        entry = _Entry(frame, now, self._parent(frame))
        self._entries[self.newest] = entry
        self.size += entry.size
        while self.size > self.limit:
            self._drop_oldest()

    def note_lost(self, now: datetime) -> None:
        """Count a message that is too large to be held."""
        self._lost = _more(self._lost, now)

    def confirm(self, number: int) -> None:
        """Drop what the page has up to this message, unless a reloaded page would need it."""
        reached = min(number, self.newest)
        for confirmed in range(self.confirmed + 1, reached + 1):
            entry = self._entries.get(confirmed)
            if entry and not entry.parent:
                self._forget(confirmed)
        self.confirmed = max(self.confirmed, reached)
        for done in [one for one in self._open.values() if self._is_done(one)]:
            self._close(done)

    def unconfirmed(self) -> list[bytes]:
        """Return the messages that the page may not have, in order."""
        return [
            entry.frame.raw for number, entry in self._entries.items() if number > self.confirmed
        ]

    def hand_over(self, client: str) -> None:
        """Switch to another page, which has received nothing yet."""
        for number in [number for number, entry in self._entries.items() if not entry.parent]:
            self._forget(number)
        self.confirmed = self.newest
        self.client = client
        self._lost = None

    def take(self, client: str) -> Missed:
        """Return all output of requests made by other clients.

        Finished requests are dropped with it. After a restart of the kernel this includes the
        client's own requests, as nothing more is sent for them.
        """
        taken = {
            key: one
            for key, one in self._open.items()
            if self.stale or one.request.client != client
        }
        output = [entry.frame for entry in self._entries.values() if entry.parent in taken]
        found = Missed(
            [one.held() for one in taken.values()],
            [msgspec.Raw(parts.as_json()) for one in output if (parts := parts_of(one.payload))],
        )
        if client == self.client:
            found.lost, self._lost = self._lost, None
        for one in taken.values():
            one.taken = True
            if one.finished:
                self._close(one)
        return found

    def _parent(self, frame: FramePart) -> str:
        """Return the id of the request a message is output of; update the kernel's state."""
        parts = parts_of(frame.payload)
        if not parts or parts.channel != "iopub":
            return ""
        kind, parent = header_of(parts.header).msg_type, header_of(parts.parent).msg_id
        state = state_of(parts.content) if kind == "status" else ""
        if state in _ENDED or kind == "shutdown_reply":
            self._end_all()
        found = self._open.get(parent)
        if not found or kind not in OUTPUTS:
            return ""
        if state == "idle":
            found.finished = self.newest
        return parent

    def _end_all(self) -> None:
        self.stale = True
        for found in self._open.values():
            found.finished = found.finished or self.newest

    def _is_done(self, found: _OpenRequest) -> bool:
        has_all = 0 < found.finished <= self.confirmed
        return has_all and (found.taken or found.request.client == self.client)

    def _close(self, done: _OpenRequest) -> None:
        """Forget a request; its unconfirmed messages are still sent again."""
        del self._open[done.request.id]
        for number, entry in list(self._entries.items()):
            if entry.parent == done.request.id:
                entry.parent = ""
                if number <= self.confirmed:
                    self._forget(number)

    def _forget(self, number: int) -> None:
        self.size -= self._entries.pop(number).size

    def _drop_oldest(self) -> None:
        number, entry = next(iter(self._entries.items()))
        self._forget(number)
        if found := self._open.get(entry.parent):
            found.dropped = _more(found.dropped, entry.at)
        if number > self.confirmed:
            self._lost = _more(self._lost, entry.at)


def _more(dropped: Dropped | None, at: datetime) -> Dropped:
    if dropped is None:
        return Dropped(1, at, at)
    return Dropped(dropped.count + 1, dropped.first, at)
