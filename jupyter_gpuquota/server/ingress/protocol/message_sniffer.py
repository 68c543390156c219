"""Observing WebSocket messages in a stream of bytes, without buffering or changing them."""

from __future__ import annotations

from .frame_splitter import head_size, payload_size

_DATA = frozenset({0x1, 0x2})  # text and binary; a continuation belongs to one of them
_CONTINUATION = 0x0
_FINAL, _RESERVED, _MASKED = 0x80, 0x70, 0x80


class MessageSniffer:
    """Follows the frames of one direction (RFC 6455, 5.2), however the bytes are split.

    The first `keep` bytes of each message are collected and unmasked; the rest is ignored.
    """

    def __init__(self, keep: int = 0) -> None:
        self._keep = keep
        self._head = bytearray()
        self._skip = 0
        self._begun: bytearray | None = None
        """The collected beginning of the present message; None outside a beginning."""
        self._mask = b""
        self._taken = 0
        self._is_data = self._is_final = False

    def messages(self, part: bytes) -> list[bytes | None]:
        """Return the beginnings of messages that the next bytes of the stream complete.

        None stands for a message that is compressed or otherwise extended. Pings, pongs and closes
        are ignored.
        """
        found: list[bytes | None] = []
        at = 0
        while at < len(part):
            if self._skip:
                step = min(self._skip, len(part) - at)
                self._take(part, at, step)
                self._skip -= step
                at += step
                self._settle(found)
                continue
            self._head.append(part[at])
            at += 1
            if len(self._head) >= 2 and len(self._head) == head_size(self._head[1]):
                self._open(found)
                self._settle(found)
        return found

    def _open(self, found: list[bytes | None]) -> None:
        head, self._head = self._head, bytearray()
        code = head[0] & 0xF
        self._is_data = code in _DATA or code == _CONTINUATION
        self._is_final = bool(head[0] & _FINAL)
        self._mask = bytes(head[-4:]) if head[1] & _MASKED else b""
        self._taken = 0
        self._skip = payload_size(bytes(head))
        if code in _DATA and head[0] & _RESERVED:
            self._begun = None
            found.append(None)
        elif code in _DATA:
            self._begun = bytearray()

    def _take(self, part: bytes, at: int, size: int) -> None:
        if self._begun is None or not self._is_data:
            return
        piece = part[at : at + min(size, self._keep - len(self._begun))]
        self._begun += _unmasked(piece, self._mask, self._taken)
        self._taken += len(piece)

    def _settle(self, found: list[bytes | None]) -> None:
        """Emit a beginning that is complete, or whose message ends earlier."""
        if self._begun is None or not self._is_data:
            return
        if len(self._begun) >= self._keep or (self._is_final and not self._skip):
            found.append(bytes(self._begun))
            self._begun = None


def _unmasked(piece: bytes, mask: bytes, begin: int) -> bytes:
    """Return a piece of a payload unmasked; `begin` is its offset in the payload."""
    if not mask:
        return piece
    size, turn = len(piece), begin % 4
    key = (mask[turn:] + mask[:turn]) * (size // 4 + 1)
    bits = int.from_bytes(piece, "little") ^ int.from_bytes(key[:size], "little")
    return bits.to_bytes(size, "little")
