"""All kernel channels: which page resumes which, and how long detached ones are kept."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from tornado.iostream import IOStream

from .backlog import Backlog, Missed
from .kernel_channel import KernelChannel

LIMIT = 10 * 1024 * 1024
"""Bytes held per kernel."""
MOST = 20
"""Maximum number of detached channels."""
HOURS = 12
"""Hours for which a detached channel is kept."""


class KernelKey(NamedTuple):
    """A kernel as reached by one user of the ingress."""

    user: str
    session: str
    endpoint: str
    kernel: str


class KernelChannels:
    """All channels of this server, by kernel."""

    def __init__(self, limit: int = LIMIT, most: int = MOST, seconds: float = HOURS * 3600) -> None:
        self._limit = limit
        self._most = most
        self._seconds = seconds
        self._channels: dict[KernelChannel, KernelKey] = {}
        self._detached: dict[KernelChannel, asyncio.TimerHandle] = {}

    def __len__(self) -> int:
        """Return the number of channels."""
        return len(self._channels)

    def resume(self, key: KernelKey, client: str, protocols: Sequence[str]) -> KernelChannel | None:
        """Return the channel that a connecting page resumes; None if it needs a new one.

        A reconnecting page resumes its own channel even if that seems in use, as a lost network is
        not noticed at once. Another page takes over a detached channel.
        """
        fitting = [channel for channel in self._of(key) if channel.protocol in (*protocols, "")]
        own = [channel for channel in fitting if channel.backlog.client == client]
        for channel in own:
            if channel.closed_by_page:
                self._forget(channel)
        usable = [channel for channel in own if channel.resumes(client)]
        usable += [channel for channel in fitting if channel.is_free and channel not in own]
        if not usable:
            return None
        self._stop_timer(usable[0])
        return usable[0]

    def open(self, key: KernelKey, upstream: IOStream, client: str, protocol: str) -> KernelChannel:
        """Return a new channel."""
        channel = KernelChannel(upstream, protocol, Backlog(self._limit, client), self)
        self._channels[channel] = key
        return channel

    def missed(self, key: KernelKey, client: str, before: str) -> Missed:
        """Return the output held for other clients, and what of this client's own is lost.

        An attached page keeps its requests, except the one that was `before` in the same tab: it
        has gone, even if its connection does not show it.
        """
        found = Missed()
        for channel in self._of(key):
            if channel.has_page and channel.backlog.client not in (client, before):
                continue
            part = channel.backlog.take(client)
            found.requests += part.requests
            found.messages += part.messages
            found.lost = found.lost or part.lost
            if channel.backlog.stale and not channel.backlog.is_needed:
                self._forget(channel)
        return found

    def page_left(self, channel: KernelChannel) -> None:
        """Keep a detached channel for a while; with too many, drop the longest detached."""
        self._stop_timer(channel)
        loop = asyncio.get_running_loop()
        self._detached[channel] = loop.call_later(self._seconds, self._forget, channel)
        if len(self._detached) > self._most:
            self._forget(next(iter(self._detached)))

    def channel_ended(self, channel: KernelChannel) -> None:
        """Forget an ended channel, unless its kernel has died with output that no page has."""
        if channel in self._channels and channel.backlog.stale and channel.backlog.is_needed:
            self.page_left(channel)
        else:
            self._forget(channel)

    def close(self) -> None:
        """Close all channels."""
        for channel in list(self._channels):
            self._forget(channel)

    def _of(self, key: KernelKey) -> list[KernelChannel]:
        return [channel for channel, its in self._channels.items() if its == key]

    def _forget(self, channel: KernelChannel) -> None:
        self._stop_timer(channel)
        if self._channels.pop(channel, None):
            channel.close()

    def _stop_timer(self, channel: KernelChannel) -> None:
        if timer := self._detached.pop(channel, None):
            timer.cancel()
