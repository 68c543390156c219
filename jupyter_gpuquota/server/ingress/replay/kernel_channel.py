"""A connection to a kernel that outlives the page that opened it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Protocol

from tornado.iostream import IOStream, StreamClosedError

from ..byte_copy import CHUNK
from ..protocol.frame_splitter import FramePart, FrameSplitter, Opcode, control
from ..protocol.message_sniffer import MessageSniffer
from .backlog import Backlog
from .messages import request_in

_PING_PREFIX = b"gpuquota"
"""The prefix of the payload of our own pings and their pongs."""
_PING_SOON, _PING_AGAIN = 0.25, 5.0
_LARGEST_CONTROL = 125
_BEGINNING = 16 * 1024
"""Bytes of a page's message that are searched for its header and cell id."""
_GOING_AWAY = (1001).to_bytes(2, "big")
"""The close code of a browser whose tab is closed or navigates away."""

OnMessage = Callable[[bytes | None], None]
"""Called with the beginning of each message of the page."""


class ChannelOwner(Protocol):
    """What decides how long a channel without a page is kept."""

    def page_left(self, channel: KernelChannel) -> None:
        """Handle a channel whose page has gone."""

    def channel_ended(self, channel: KernelChannel) -> None:
        """Handle a channel whose connection to the kernel has ended."""


class KernelChannel:
    """One connection to a kernel's channels and the page attached to it, if any.

    Pings show what the page has received: a browser answers each after all data before it.
    """

    def __init__(
        self, upstream: IOStream, protocol: str, backlog: Backlog, owner: ChannelOwner
    ) -> None:
        self.protocol = protocol
        self.backlog = backlog
        self.closed_by_page = False
        """Whether the page closed the connection itself, rather than losing it."""
        self._upstream = upstream
        self._owner = owner
        self._browser: IOStream | None = None
        self._splitter = FrameSplitter(backlog.limit)
        self._page_has_begin = False
        """Whether the page received the beginning of the present large frame."""
        self._ping: asyncio.TimerHandle | None = None
        self._reading = asyncio.ensure_future(self._read())

    @property
    def has_page(self) -> bool:
        """Whether a page is attached, as far as is known."""
        return self._browser is not None

    @property
    def is_free(self) -> bool:
        """Whether another page may take over."""
        return not (self._browser or self.backlog.stale or self._upstream.closed())

    def resumes(self, client: str) -> bool:
        """Return whether a page that connects as this client resumes this channel."""
        usable = not (self.closed_by_page or self.backlog.stale or self._upstream.closed())
        return usable and client == self.backlog.client

    def attach(self, browser: IOStream, head: bytes, client: str) -> None:
        """Attach a page and send it what its earlier connection did not deliver."""
        if self._browser:
            self._browser.close()
        if client != self.backlog.client:
            self.backlog.hand_over(client)
        self.closed_by_page = self._page_has_begin = False
        self._browser = browser
        with suppress(StreamClosedError):  # it has gone, which is noticed when reading
            browser.write(b"".join([head, *self.backlog.unconfirmed()]))
        self._ping_in(_PING_SOON)

    async def serve(self, browser: IOStream, on_message: OnMessage) -> None:
        """Forward the page's messages until it has gone."""
        sniffer, page_splitter = MessageSniffer(_BEGINNING), FrameSplitter(_LARGEST_CONTROL)
        try:
            while self._browser is browser:
                part = await browser.read_bytes(CHUNK, partial=True)
                for begin in sniffer.messages(part):
                    on_message(begin)
                    if request := request_in(begin):
                        self.backlog.add_request(request)
                await self._upstream.write(self._handle_page_frames(page_splitter.feed(part)))
        except StreamClosedError:
            pass  # the page or the kernel has gone
        finally:
            self._leave(browser, page_splitter)

    def close(self) -> None:
        """Close both connections."""
        self._upstream.close()
        self._close_page()

    async def _read(self) -> None:
        """Forward and hold the kernel's messages, no faster than an attached page reads."""
        try:
            while self._browser or not self.backlog.stale:
                part = await self._upstream.read_bytes(CHUNK, partial=True)
                frames = [frame.raw for frame in self._splitter.feed(part) if self._note(frame)]
                if self._browser and frames:
                    await self._send(self._browser, b"".join(frames))
        except StreamClosedError:
            pass  # the session has closed the connection
        finally:
            self.close()
            self._owner.channel_ended(self)

    async def _send(self, browser: IOStream, data: bytes) -> None:
        self._ping_in(_PING_SOON)
        with suppress(StreamClosedError):  # it may reconnect
            await browser.write(data)

    def _note(self, frame: FramePart) -> bool:
        """Hold a frame; return whether it is for the page."""
        now = datetime.now(UTC)
        if not frame.whole:
            if frame.begins:
                self._page_has_begin = self._browser is not None
            if frame.begins and not self._page_has_begin:
                self.backlog.note_lost(now)
            return self._page_has_begin
        if frame.is_message:
            self.backlog.add(frame, now)
        elif frame.code == Opcode.PING and not self._browser:
            self._upstream.write(control(Opcode.PONG, frame.payload, masked=True))
        return True

    def _handle_page_frames(self, frames: Iterable[FramePart]) -> bytes:
        """Handle a page's frames; return those for the kernel."""
        kept = []
        for frame in frames:
            code = frame.code if frame.begins else Opcode.CONTINUATION
            if code == Opcode.PONG and frame.payload.startswith(_PING_PREFIX):
                self._confirm(int.from_bytes(frame.payload[len(_PING_PREFIX) :], "big"))
            elif code == Opcode.CLOSE and self.backlog.is_needed:
                self._confirm_close(frame.payload)
            else:
                kept.append(frame.raw)
        return b"".join(kept)

    def _confirm(self, number: int) -> None:
        self.backlog.confirm(number)
        if self._ping:
            self._ping.cancel()
            self._ping = None
        if self.backlog.confirmed < self.backlog.newest:
            self._ping_in(_PING_SOON)

    def _confirm_close(self, payload: bytes) -> None:
        """Confirm a page's close; the connection to the kernel stays open."""
        self.closed_by_page = payload[:2] != _GOING_AWAY
        if self._browser:
            self._browser.write(control(Opcode.CLOSE, payload[:2]))
        raise StreamClosedError

    def _leave(self, browser: IOStream, page_splitter: FrameSplitter) -> None:
        if self._browser is not browser:
            return  # another connection has replaced it
        self._close_page()
        if self._upstream.closed():
            return
        if page_splitter.is_between and self.backlog.is_needed:
            self._owner.page_left(self)
        else:
            self._upstream.close()

    def _close_page(self) -> None:
        browser, self._browser = self._browser, None
        if self._ping:
            self._ping.cancel()
            self._ping = None
        if browser:
            browser.close()

    def _ping_in(self, seconds: float) -> None:
        if not self._ping:
            self._ping = asyncio.get_running_loop().call_later(seconds, self._ping_page)

    def _ping_page(self) -> None:
        """Ping the page, repeatedly until it has confirmed everything."""
        self._ping = None
        if self._browser and self.backlog.confirmed < self.backlog.newest:
            with suppress(StreamClosedError):
                payload = _PING_PREFIX + self.backlog.newest.to_bytes(8, "big")
                self._browser.write(control(Opcode.PING, payload))
                self._ping_in(_PING_AGAIN)
