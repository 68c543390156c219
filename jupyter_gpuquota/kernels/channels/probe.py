"""Waiting until the channels of a kernel carry messages both ways."""

from __future__ import annotations

import time
from collections import deque
from typing import Any
from uuid import uuid4

import zmq

from ..messages import Message, read_header
from .port import Channels, ChannelsLost, wait

_SOON, _LATER = 0.1, 1.0
"""Seconds between two questions: at first, and in the end.

What is sent before a socket is connected may be lost.
"""


class ReadyChannels:
    """Channels that carry messages both ways.

    `process` identifies the kernel's process: another one means that the kernel was restarted.
    `language` is what it runs, for example `python`.
    """

    def __init__(self, channels: Channels, early: deque[Message], answer: Message) -> None:
        self._channels = channels
        self._early = early
        self.process = read_header(answer.header).session
        self.language: str = answer.read().get("language_info", {}).get("name", "")
        self.send = channels.send
        self.close = channels.close

    @property
    def sockets(self) -> list[zmq.Socket[Any]]:
        """What a poller waits for."""
        return self._channels.sockets

    def receive(self) -> Message | None:
        """Return the next message, None if there is none yet. Raises ChannelsLost."""
        return self._early.popleft() if self._early else self._channels.receive()

    def answer(self, request: Message, seconds: float) -> Message | None:
        """Return the reply to a request, None if none comes in time.

        Messages of others that come meanwhile are received later. Raises ChannelsLost.
        """
        self.send(request)
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            message = wait(self._channels, left)
            if message and message.parent_id != request.id:
                self._early.append(message)
            elif message and message.channel == request.channel:
                return message
        return None


def probe(
    channels: Channels, seconds: float, early: deque[Message] | None = None
) -> ReadyChannels | None:
    """Return channels once the kernel answers on them; None if it does not in time.

    The kernel is asked on its control channel, which it reads while it runs a cell. Messages of
    others that come meanwhile are kept in `early`. Raises ChannelsLost.
    """
    deadline = time.monotonic() + seconds
    me, asked = uuid4().hex, set[str]()
    early = deque() if early is None else early
    answer, hears, pause = None, False, _SOON
    while (now := time.monotonic()) < deadline and not (answer and hears):
        question = Message.new("control", "kernel_info_request", {}, session=me)
        asked.add(question.id)
        channels.send(question)
        again, pause = min(now + pause, deadline), min(2 * pause, _LATER)
        while not (answer and hears) and (left := again - time.monotonic()) > 0:
            message = wait(channels, left)
            if message is None:
                continue
            hears = hears or message.channel == "iopub"
            if message.parent_id not in asked:
                early.append(message)
            elif message.channel == "control":
                answer = message
    return ReadyChannels(channels, early, answer) if answer and hears else None


def opened(channels: Channels, seconds: float, early: deque[Message]) -> ReadyChannels:
    """Return channels once they carry messages; they are closed if they do not in time.

    Messages of others that come meanwhile are added to `early`. Raises ChannelsLost.
    """
    try:
        found = probe(channels, seconds, early)
    except BaseException:
        channels.close()
        raise
    if found is None:
        channels.close()
        raise ChannelsLost
    return found
