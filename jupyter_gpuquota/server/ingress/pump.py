"""Move bytes from one socket to another.

Large bodies of a known length are moved inside the kernel (splice), which costs about half of
copying them through this process; everything else goes through tornado's streams. Either way
nothing is read that the other side has no room for.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache

from tornado.ioloop import IOLoop
from tornado.iostream import IOStream, StreamClosedError

CHUNK = 256 * 1024
_PIPE = 1024 * 1024
_FLAGS = 1 | 2  # SPLICE_F_MOVE | SPLICE_F_NONBLOCK


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
    with _copies(source, target) as (read_from, write_to), _pipe() as (outlet, inlet):
        try:
            while size:
                size -= await _some(read_from, inlet, outlet, write_to, size)
                await asyncio.sleep(0)  # a fast pair must not hold up everyone else
        except OSError as error:
            raise StreamClosedError(error) from error


async def send(number: int, data: bytes) -> None:
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
    """Tell whether the kernel can move the stream's bytes: they must not be encrypted."""
    return type(stream) is IOStream and _kernel_moves()


@cache
def _kernel_moves() -> bool:
    """Try it once: some sandboxes know the call, but not for sockets."""
    here, there = socket.socketpair()
    with here, there, _pipe() as (_, inlet):
        there.send(b"x")
        try:
            return os.splice(here.fileno(), inlet, 1, flags=_FLAGS) == 1
        except OSError:
            return False


async def _some(read_from: int, inlet: int, outlet: int, write_to: int, most: int) -> int:
    """Move what is there, at most what the pipe holds; return how much that was."""
    while True:
        try:
            moved = os.splice(read_from, inlet, min(most, _PIPE), flags=_FLAGS)
            break
        except BlockingIOError:
            await _until_readable(read_from)
    if not moved:
        raise StreamClosedError
    held = moved
    while held:
        try:
            held -= os.splice(outlet, write_to, held, flags=_FLAGS)
        except BlockingIOError:
            await _until_writable(write_to)
    return moved


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


@contextmanager
def _pipe() -> Iterator[tuple[int, int]]:
    outlet, inlet = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    with suppress(OSError):  # an account may have used up what pipes may hold in all
        fcntl.fcntl(inlet, fcntl.F_SETPIPE_SZ, _PIPE)
    try:
        yield outlet, inlet
    finally:
        os.close(outlet)
        os.close(inlet)
