"""Move bytes from one socket to another.

Large bodies of a known length go from socket to socket through one buffer, past tornado's
streams; everything else goes through them. Either way nothing is read that the other side has
no room for. A copy beats moving the bytes inside the kernel (splice): pages that are handed on
keep the sender's buffer full until the receiver has read them, so that the two take turns.
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


async def flow(source: IOStream, target: IOStream, size: int) -> None:
    """Copy `size` bytes. Raises StreamClosedError when either side hangs up."""
    while size:
        part = await source.read_bytes(min(CHUNK, size), partial=True)
        size -= len(part)
        await target.write(part)


async def pump(source: IOStream, target: IOStream, size: int) -> None:
    """Move `size` bytes; afterwards both streams are good for nothing but `close`.

    Raises StreamClosedError when either side hangs up.
    """
    if not (is_plain(source) and is_plain(target)):
        await flow(source, target, size)
        return
    # What the stream has read ahead comes first; then it must read no more.
    ahead = await source.read_bytes(size, partial=True)
    await target.write(ahead)
    size -= len(ahead)
    IOLoop.current().remove_handler(source.socket)
    buffer = memoryview(bytearray(min(size, _BUFFER)))
    with _copies(source, target) as (read_from, write_to):
        while size:
            count = await _receive(read_from, buffer[:size])
            await send(write_to, buffer[:count])
            size -= count
            await asyncio.sleep(0)  # a fast pair must not hold up everyone else


async def send(number: int, data: bytes | memoryview) -> None:
    """Write all of it to a socket. Raises StreamClosedError."""
    left = memoryview(data)
    while left:
        try:
            left = left[os.write(number, left) :]
        except BlockingIOError:
            await _until_writable(number)
        except OSError as error:
            raise StreamClosedError(error) from error


async def discard(number: int) -> None:
    """Read from a socket until its other side hangs up, and keep nothing. Raises OSError."""
    while True:
        try:
            if not os.read(number, CHUNK):
                return
        except BlockingIOError:
            await _until_readable(number)


def is_plain(stream: IOStream) -> bool:
    """Tell whether the bytes of the stream's socket are what it reads: they are not encrypted."""
    return type(stream) is IOStream


async def _receive(number: int, buffer: memoryview) -> int:
    """Read what is there; return how much. Raises StreamClosedError at the end."""
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
def _copies(*streams: IOStream) -> Iterator[list[int]]:
    """Yield descriptors that nobody else closes: a number in use must not become another's."""
    made = [os.dup(stream.socket.fileno()) for stream in streams]
    try:
        yield made
    finally:
        for number in made:
            os.close(number)
