"""Notice WebSocket messages in a stream of bytes, without holding or changing any; pure."""

from __future__ import annotations

_DATA = frozenset({0x1, 0x2})  # text and binary; a continuation belongs to one of them
_MASKED = 0x80


class Frames:
    """Follow the frames of one direction (RFC 6455, 5.2), however the bytes are cut."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._skip = 0

    def messages(self, part: bytes) -> int:
        """Count the messages that begin in the next part of the stream.

        Pings, pongs and closes are no messages.
        """
        found, at = 0, 0
        while at < len(part):
            if self._skip:
                step = min(self._skip, len(part) - at)
                self._skip -= step
                at += step
                continue
            self._head.append(part[at])
            at += 1
            if len(self._head) >= 2 and len(self._head) == _head_size(self._head):
                found += (self._head[0] & 0xF) in _DATA
                self._skip = _payload(self._head)
                self._head.clear()
        return found


def _head_size(head: bytearray) -> int:
    length = head[1] & 0x7F
    extended = {126: 2, 127: 8}.get(length, 0)
    return 2 + extended + (4 if head[1] & _MASKED else 0)


def _payload(head: bytearray) -> int:
    length = head[1] & 0x7F
    extended = {126: 2, 127: 8}.get(length, 0)
    return int.from_bytes(head[2 : 2 + extended], "big") if extended else length
