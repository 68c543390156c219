"""Reading a large file once: its parts are offered to whoever sends them, and hashed meanwhile."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import BinaryIO

from . import reading
from .disk import failures
from .packs import PART
from .reading import Content
from .tasks import in_thread

Offer = Callable[[str, bytes], Awaitable[None]]
"""Is given the sha256 and the bytes of a part, and may keep them."""


async def read(path: Path, offer: Offer) -> tuple[Content, os.stat_result]:
    """Return the content of a file that nobody writes meanwhile, and the file's state.

    Each part is offered as soon as it is read. Those of a file that changes are offered in vain:
    they are named by what they contain.

    :raises Conflict: the file changed during each of three attempts.
    :raises StorageFailed: it cannot be read.
    """
    for _ in range(reading.ATTEMPTS):
        with failures.reading(path):
            file = await in_thread(path.open, "rb")
        with file:
            before = os.fstat(file.fileno())
            content = await _read(path, file, offer)
            after = os.fstat(file.fileno())
        if reading.identity(before) == reading.identity(after):
            return content, after
    raise reading.changing(path)


async def _read(path: Path, file: BinaryIO, offer: Offer) -> Content:
    total, size, parts = hashlib.sha256(), 0, []
    while body := await in_thread(_part, path, file):
        # Two threads: hashing does not hold the interpreter's lock.
        part, _ = await asyncio.gather(in_thread(_sha256, body), in_thread(total.update, body))
        parts.append(part)
        size += len(body)
        await offer(part, body)
    return Content(size, total.hexdigest(), tuple(parts))


def _part(path: Path, file: BinaryIO) -> bytes:
    with failures.reading(path):
        return file.read(PART)


def _sha256(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()
