"""A stream is cut into its frames however it arrives, and nothing of it is changed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.server.ingress.protocol.frame_splitter import (
    FramePart,
    FrameSplitter,
    Opcode,
    control,
)
from tests.server.ingress.protocol.test_message_sniffer import BINARY, CLOSE, PING, TEXT, frame

LIMIT = 300

frames = st.builds(
    frame,
    st.sampled_from([TEXT, BINARY, PING]),
    st.integers(0, 125).map(lambda size: b"x" * size) | st.just(b"y" * 400),
    masked=st.booleans(),
)


def chunks(stream: bytes, size: int) -> list[bytes]:
    return [stream[at : at + size] for at in range(0, len(stream), size)]


def feed(stream: bytes, size: int, limit: int = LIMIT) -> list[FramePart]:
    cutter = FrameSplitter(limit)
    return [piece for chunk in chunks(stream, size) for piece in cutter.feed(chunk)]


@given(st.lists(frames, max_size=6), st.integers(1, 900))
def test_the_pieces_are_the_stream_and_small_frames_are_whole(sent: list[bytes], size: int) -> None:
    pieces = feed(b"".join(sent), size)
    assert b"".join(piece.raw for piece in pieces) == b"".join(sent)
    small = [one for one in sent if len(one) < LIMIT]
    assert [piece.raw for piece in pieces if piece.whole] == small
    assert sum(piece.begins for piece in pieces) == len(sent)


def test_a_frame_above_the_limit_is_not_held() -> None:
    cutter = FrameSplitter(LIMIT)
    large = frame(BINARY, b"x" * 1000)
    first, second = cutter.feed(large[:500]), cutter.feed(large[500:] + frame(TEXT, b"next"))
    assert [len(piece.raw) for piece in first] == [500]
    assert [piece.whole for piece in second] == [False, True]


def test_it_is_known_whether_the_stream_may_go_on_with_another_message() -> None:
    cutter = FrameSplitter(LIMIT)
    large = frame(BINARY, b"x" * 1000)
    assert cutter.is_between
    cutter.feed(large[:500])
    assert not cutter.is_between
    cutter.feed(large[500:])
    assert cutter.is_between
    cutter.feed(frame(TEXT, b"a", final=False))
    assert not cutter.is_between
    cutter.feed(frame(PING))
    assert not cutter.is_between
    cutter.feed(frame(0, b"b"))
    assert cutter.is_between


def test_a_payload_is_read_without_its_mask() -> None:
    sent = bytes([0x81, 0x85, 1, 2, 3, 4]) + bytes(
        byte ^ key for byte, key in zip(b"hello", b"\1\2\3\4\1", strict=True)
    )
    (piece,) = feed(sent, 3)
    assert (piece.code, piece.payload, piece.is_message) == (Opcode.TEXT, b"hello", True)


def test_control_frames_are_as_the_protocol_wants_them() -> None:
    assert control(Opcode.CLOSE, b"\x03\xe9") == frame(CLOSE, b"\x03\xe9", masked=False)
    (pong,) = feed(control(Opcode.PONG, b"x", masked=True), 100)
    assert (pong.code, pong.payload, pong.is_message) == (Opcode.PONG, b"x", False)
