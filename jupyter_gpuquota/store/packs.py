"""Packs: objects of the lake that hold many small files, one after the other.

A pack is named by its sha256. Beside it stands its index, fixed-size records of what it holds, so
that another writer finds out without reading the pack.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator

import msgspec

from ..errors import Damaged

SMALL = 1 << 20
"""Files of less bytes than this share packs; others are objects of their own."""

FULL = 32 << 20
"""A pack is complete once it has this many bytes."""

PART = 64 << 20
"""Bytes of each object of a large file, except the last one."""

_RECORD = struct.Struct(">32sQQ")


class Held(msgspec.Struct, frozen=True):
    """One file in a pack: the sha256 of its content, its offset, and its size in bytes."""

    sha256: str
    offset: int
    size: int


class Pack(msgspec.Struct, frozen=True):
    """A complete pack: its sha256, its bytes, and what it holds."""

    sha256: str
    body: bytes
    held: tuple[Held, ...]


class Loose(msgspec.Struct, frozen=True):
    """Small files that make a pack: what they contain, and where that will be."""

    bodies: list[bytes]
    held: tuple[Held, ...]

    def pack(self) -> Pack:
        """Return the pack."""
        body = b"".join(self.bodies)
        return Pack(hashlib.sha256(body).hexdigest(), body, self.held)


class Packer:
    """Collects small files, and returns a pack whenever one is complete."""

    def __init__(self, full: int = FULL) -> None:
        self._full = full
        self._bodies: list[bytes] = []
        self._size = 0
        self._held: list[Held] = []

    def add(self, sha256: str, content: bytes) -> Pack | None:
        """Add a file, and return the pack that it completes."""
        loose = self.collect(sha256, content)
        return loose.pack() if loose else None

    def collect(self, sha256: str, content: bytes) -> Loose | None:
        """Add a file, and return what is a pack then: making it takes a moment."""
        self._held.append(Held(sha256, self._size, len(content)))
        self._bodies.append(content)
        self._size += len(content)
        return self.rest() if self._size >= self._full else None

    def finish(self) -> Pack | None:
        """Return the pack of what has been added since the last one, None if nothing has."""
        loose = self.rest()
        return loose.pack() if loose else None

    def rest(self) -> Loose | None:
        """Return what has been added since the last pack, None if nothing has."""
        if not self._held:
            return None
        loose = Loose(self._bodies, tuple(self._held))
        self._bodies, self._held, self._size = [], [], 0
        return loose


def encode_index(held: tuple[Held, ...]) -> bytes:
    """Return the index of a pack: 48 bytes for each file."""
    return b"".join(_RECORD.pack(bytes.fromhex(h.sha256), h.offset, h.size) for h in held)


def decode_index(body: bytes) -> Iterator[Held]:
    """Yield what a pack holds.

    :raises Damaged: the index is cut.
    """
    if not body or len(body) % _RECORD.size:
        raise Damaged("The index of a pack is cut.")
    for sha256, offset, size in _RECORD.iter_unpack(body):
        yield Held(sha256.hex(), offset, size)
