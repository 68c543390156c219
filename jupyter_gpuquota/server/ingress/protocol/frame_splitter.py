"""Splitting a stream of WebSocket bytes into frames (RFC 6455, 5.2)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

_FINAL, _MASKED = 0x80, 0x80
_LONGEST_HEAD = 14


class Opcode(IntEnum):
    """The opcode of a frame."""

    CONTINUATION = 0x0
    TEXT = 0x1
    BINARY = 0x2
    CLOSE = 0x8
    PING = 0x9
    PONG = 0xA


@dataclass(frozen=True, slots=True)
class FramePart:
    """A frame, or a part of one that is too large to be held; `raw` is the bytes on the wire."""

    raw: bytes
    head: int
    """The size of the frame's header in `raw`; 0 in a later part."""
    whole: bool = True

    @property
    def begins(self) -> bool:
        """Whether this is the first part of a frame."""
        return self.head > 0

    @property
    def code(self) -> int:
        """The frame's opcode; valid for a first part only."""
        return self.raw[0] & 0xF

    @property
    def is_message(self) -> bool:
        """Whether this is a complete message in a single frame."""
        text_or_binary = self.code in (Opcode.TEXT, Opcode.BINARY)
        return self.whole and text_or_binary and bool(self.raw[0] & _FINAL)

    @property
    def payload(self) -> bytes:
        """The unmasked payload of a complete frame."""
        payload = self.raw[self.head :]
        if not self.raw[1] & _MASKED:
            return payload
        mask = self.raw[self.head - 4 : self.head]
        return bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))


class FrameSplitter:
    """Splits one direction; frames above `limit` bytes come in parts as they arrive."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._head = b""
        self._size = 0
        self._parts: list[bytes] = []
        self._left = 0
        self._is_large = False
        self._is_final = True

    @property
    def is_between(self) -> bool:
        """Whether all messages so far are complete."""
        return self._is_final and not (self._is_large and self._left)

    def feed(self, part: bytes) -> list[FramePart]:
        """Return the frames and parts that the next bytes of the stream complete."""
        pieces: list[FramePart] = []
        at = 0
        while at < len(part):
            if not self._left:
                at = self._read_head(part, at)
                if self._head:
                    break  # the rest of the header comes with the next bytes
                if not self._left:
                    pieces.append(self._complete())
                continue
            step = min(self._left, len(part) - at)
            self._parts.append(part[at : at + step])
            self._left -= step
            at += step
            if self._is_large:
                pieces.append(FramePart(b"".join(self._parts), self._size, whole=False))
                self._parts, self._size = [], 0
            elif not self._left:
                pieces.append(self._complete())
        return pieces

    def _read_head(self, part: bytes, at: int) -> int:
        """Read a frame's header, perhaps begun in earlier bytes; return the offset of its end."""
        before = len(self._head)
        head = self._head + part[at : at + _LONGEST_HEAD - before]
        if len(head) < 2 or len(head) < head_size(head[1]):
            self._head = head
            return len(part)
        size = head_size(head[1])
        head, self._head = head[:size], b""
        self._size, self._parts = size, [head]
        self._left = payload_size(head)
        self._is_large = self._left > self._limit
        if head[0] & 0xF in (Opcode.CONTINUATION, Opcode.TEXT, Opcode.BINARY):
            self._is_final = bool(head[0] & _FINAL)
        return at + size - before

    def _complete(self) -> FramePart:
        piece = FramePart(b"".join(self._parts), self._size)
        self._parts = []
        return piece


def head_size(second: int) -> int:
    """Return the size of a frame's header from its second byte."""
    extended = {126: 2, 127: 8}.get(second & 0x7F, 0)
    return 2 + extended + (4 if second & _MASKED else 0)


def payload_size(head: bytes) -> int:
    """Return the size of a frame's payload from its header."""
    size = head[1] & 0x7F
    extended = {126: 2, 127: 8}.get(size, 0)
    return int.from_bytes(head[2 : 2 + extended], "big") if extended else size


def control(code: Opcode, payload: bytes = b"", *, masked: bool = False) -> bytes:
    """Return a control frame; frames to a server are masked, with zeros."""
    size = len(payload) | (_MASKED if masked else 0)
    return bytes([_FINAL | code, size]) + (bytes(4) if masked else b"") + payload
