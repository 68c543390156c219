"""WebSocket messages are noticed however the bytes are cut, and nothing is held."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.server.ingress.protocol.message_sniffer import MessageSniffer

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


def frame(opcode: int, payload: bytes = b"", *, final: bool = True, masked: bool = True) -> bytes:
    size, mask = len(payload), 0x80 if masked else 0
    if size < 126:
        length = struct.pack("!B", mask | size)
    elif size < 1 << 16:
        length = struct.pack("!BH", mask | 126, size)
    else:
        length = struct.pack("!BQ", mask | 127, size)
    return bytes([(0x80 if final else 0) | opcode]) + length + b"mask" * masked + payload


@pytest.mark.parametrize(
    ("part", "messages"),
    [
        (b"", 0),
        (frame(TEXT, b"x"), 1),
        (frame(TEXT), 1),
        (frame(BINARY, b"x" * 300) + frame(TEXT, b"y" * 70_000), 2),
        (frame(PING, b"x") + frame(PONG) + frame(CLOSE, b"\x03\xe8"), 0),
        (frame(TEXT, b"a", final=False) + frame(PING) + frame(0, b"b"), 1),
        (frame(TEXT, frame(TEXT, b"a message inside a message")), 1),
        (frame(BINARY, b"x", masked=False), 1),
    ],
)
def test_messages_are_counted_and_control_frames_are_not(part: bytes, messages: int) -> None:
    assert MessageSniffer().messages(part) == [b""] * messages
    frames = MessageSniffer()
    assert sum(len(frames.messages(bytes([byte]))) for byte in part) == messages


@given(
    st.lists(
        st.tuples(st.sampled_from([TEXT, BINARY, CLOSE, PING, PONG]), st.binary(max_size=200))
    ),
    st.lists(st.integers(1, 50), min_size=1),
)
def test_cuts_do_not_matter(sent: list[tuple[int, bytes]], sizes: list[int]) -> None:
    stream = b"".join(frame(opcode, payload) for opcode, payload in sent)
    frames, found, at, turn = MessageSniffer(), 0, 0, 0
    while at < len(stream):
        size = sizes[turn % len(sizes)]
        found += len(frames.messages(stream[at : at + size]))
        at, turn = at + size, turn + 1
    assert found == sum(opcode in (TEXT, BINARY) for opcode, _ in sent)
