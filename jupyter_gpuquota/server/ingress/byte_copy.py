"""Copying bytes from one connection to another, as fast as the slower one."""

from __future__ import annotations

import asyncio

from tornado.iostream import IOStream

CHUNK = 256 * 1024
_BUFFER = 1 << 20
"""Bytes that are copied at once. Measured: uploads take more of the processor with half of it."""


async def copy_bytes(source: IOStream, target: IOStream, size: int) -> None:
    """Copy `size` bytes. Raises StreamClosedError when either side hangs up."""
    buffer = bytearray(min(size, _BUFFER))
    while size > 0:
        count = min(await source.read_into(buffer, partial=True), size)
        await target.write(memoryview(buffer)[:count])
        size -= count
        await asyncio.sleep(0)  # a fast pair must not block other requests


async def discard(stream: IOStream) -> None:
    """Read what a peer sends, and drop it. Raises StreamClosedError when it hangs up."""
    buffer = bytearray(CHUNK)
    while True:
        await stream.read_into(buffer, partial=True)
