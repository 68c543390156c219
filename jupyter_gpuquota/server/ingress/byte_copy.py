"""Copying bytes from one socket to another.

Large bodies of known length are copied between sockets through one buffer, bypassing tornado's
streams; everything else uses the streams. Either way, reading is limited by the writer's speed. A
copy is faster than splice: spliced pages keep the sender's buffer full until the receiver has read
them, so that the two sides take turns.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager

from tornado.ioloop import IOLoop
from tornado.iostream import IOStream, StreamClosedError

CHUNK = 256 * 1024
_BUFFER = 512 * 1024


async def copy_stream(source: IOStream, target: IOStream, size: int) -> None:
    """Copy `size` bytes through tornado. Raises StreamClosedError when either side hangs up."""
    while size:
        part = await source.read_bytes(min(CHUNK, size), partial=True)
        size -= len(part)
        await target.write(part)


async def copy_bytes(source: IOStream, target: IOStream, size: int) -> None:
    """Copy `size` bytes; afterwards both streams can only be closed.

    Raises StreamClosedError when either side hangs up.
    """
    if not (is_plain(source) and is_plain(target)):
        await copy_stream(source, target, size)
        return
    # Send what the stream has read ahead; from then on it must not read.
    ahead = await source.read_bytes(size, partial=True)
    await target.write(ahead)
    size -= len(ahead)
    IOLoop.current().remove_handler(source.socket)
    buffer = memoryview(bytearray(min(size, _BUFFER)))
    with _duplicates(source, target) as (read_from, write_to):
        while size:
            count = await _receive(read_from, buffer[:size])
            await send(write_to, buffer[:count])
            size -= count
            await asyncio.sleep(0)  # a fast pair must not block other requests


async def send(number: int, data: bytes | memoryview) -> None:
    """Write all data to a socket. Raises StreamClosedError."""
    left = memoryview(data)
    while left:
        try:
            left = left[os.write(number, left) :]
        except BlockingIOError:
            await _until_writable(number)
        except OSError as error:
            raise StreamClosedError(error) from error


async def discard(number: int) -> None:
    """Read from a socket until the peer hangs up and discard the data. Raises OSError."""
    while True:
        try:
            if not os.read(number, CHUNK):
                return
        except BlockingIOError:
            await _until_readable(number)


def is_plain(stream: IOStream) -> bool:
    """Return whether a stream is unencrypted, so that its socket has the same bytes."""
    return type(stream) is IOStream


async def _receive(number: int, buffer: memoryview) -> int:
    """Read available bytes; return their number. Raises StreamClosedError at the end."""
    while True:
        try:
            if count := os.readv(number, [buffer]):
                return count
            raise StreamClosedError
        except BlockingIOError:
            await _until_readable(number)
        except OSError as error:
            raise StreamClosedError(error) from error


async def _until_readable(number: int) -> None:
    loop = asyncio.get_running_loop()
    ready = loop.create_future()
    loop.add_reader(number, ready.set_result, None)
    try:
        await ready
    finally:
        loop.remove_reader(number)


async def _until_writable(number: int) -> None:
    loop = asyncio.get_running_loop()
    ready = loop.create_future()
    loop.add_writer(number, ready.set_result, None)
    try:
        await ready
    finally:
        loop.remove_writer(number)


@contextmanager
def _duplicates(*streams: IOStream) -> Iterator[list[int]]:
    """Yield private descriptors: one that tornado closes may be reused while we still use it."""
    descriptors = [os.dup(stream.socket.fileno()) for stream in streams]
    try:
        yield descriptors
    finally:
        for number in descriptors:
            os.close(number)
