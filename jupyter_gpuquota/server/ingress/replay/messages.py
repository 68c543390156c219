"""Kernel messages inside WebSocket messages.

JupyterLab speaks `v1.kernel.websocket.jupyter.org`: a count, that many offsets, then channel,
header, parent header, metadata, content and buffers. Older clients use JSON.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import msgspec

_MOST_PARTS = 4096
_FIVE = 5

OUTPUTS = frozenset(
    {
        "clear_output",
        "display_data",
        "error",
        "execute_input",
        "execute_result",
        "status",
        "stream",
        "update_display_data",
    }
)
"""Types of broadcast messages that a cell shows."""


class Parts(NamedTuple):
    """One message; its parts are undecoded JSON."""

    channel: str
    header: bytes
    parent: bytes
    metadata: bytes
    content: bytes

    def as_json(self) -> bytes:
        """Return the message as one JSON object."""
        return (
            b'{"channel":"%b","header":%b,"parent_header":%b,"metadata":%b,"content":%b,"buffers":[]}'
            % (self.channel.encode(), self.header, self.parent, self.metadata, self.content)
        )


class Header(msgspec.Struct):
    """The relevant fields of a header."""

    msg_id: str = ""
    msg_type: str = ""
    session: str = ""


class Request(NamedTuple):
    """A page's request to run code."""

    id: str
    client: str
    cell: str


class _Json(msgspec.Struct):
    """A message in the older format."""

    header: msgspec.Raw
    parent_header: msgspec.Raw = msgspec.Raw(b"{}")
    metadata: msgspec.Raw = msgspec.Raw(b"{}")
    content: msgspec.Raw = msgspec.Raw(b"{}")
    channel: str = "shell"


class _Metadata(msgspec.Struct, rename="camel"):
    cell_id: str = ""


class _Status(msgspec.Struct):
    execution_state: str = ""


def parts_of(data: bytes) -> Parts | None:
    """Return the parts of a message; None for an unknown format or a truncated message."""
    if data[:1] == b"{":
        return _from_json(data)
    count = int.from_bytes(data[:8], "little")
    if not _FIVE < count < _MOST_PARTS:
        return None
    ends = [int.from_bytes(data[8 * i : 8 * i + 8], "little") for i in range(1, 7)]
    if ends != sorted(ends) or ends[0] < 8 * (count + 1) or ends[4] > len(data):
        return None
    channel, header, parent, metadata = (data[begin:end] for begin, end in pairwise(ends[:5]))
    return Parts(
        channel.decode(errors="replace"), header, parent, metadata, data[ends[4] : ends[5]]
    )


def header_of(part: bytes) -> Header:
    """Decode a header or parent header; an empty one if it is invalid."""
    try:
        return msgspec.json.decode(part, type=Header)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return Header()


def state_of(content: bytes) -> str:
    """Return the state in the content of a `status` message."""
    try:
        return msgspec.json.decode(content, type=_Status).execution_state
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ""


def request_in(begin: bytes | None) -> Request | None:
    """Return a page's request to run code; the message may be truncated in its content."""
    parts = parts_of(begin) if begin else None
    header = header_of(parts.header) if parts else None
    if not (parts and header and header.msg_type == "execute_request" and header.msg_id):
        return None
    try:
        cell = msgspec.json.decode(parts.metadata, type=_Metadata).cell_id
    except (msgspec.DecodeError, UnicodeDecodeError):
        cell = ""
    return Request(header.msg_id, header.session, cell)


def _from_json(data: bytes) -> Parts | None:
    try:
        read = msgspec.json.decode(data, type=_Json)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    parts = (read.header, read.parent_header, read.metadata, read.content)
    return Parts(read.channel, *(bytes(part) for part in parts))
