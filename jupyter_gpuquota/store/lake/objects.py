"""Objects by key: what a lake must provide.

All methods raise NotFound for a key that does not exist, NotAllowed if the credentials lack a
right, and Unavailable if the lake does not answer.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import datetime, timedelta
from typing import Protocol

import msgspec


class Stored(msgspec.Struct, frozen=True):
    """One object: its key, its size in bytes, and when it was written, by the lake's clock.

    `mark` differs after every write; it is empty where the lake has no such thing.
    """

    key: str
    size: int
    written: datetime
    mark: str = ""


class Readable(Protocol):
    """Objects whose keys are known."""

    async def get(self, key: str) -> bytes:
        """Return the bytes of an object."""

    async def get_ranges(
        self, key: str, starts: Sequence[int], sizes: Sequence[int]
    ) -> list[bytes]:
        """Return several ranges of an object; what lies beyond its end is missing from them."""


class Objects(Readable, Protocol):
    """The objects of a lake.

    What was written survives a power failure of the lake's machine. With `durable` false it does
    after the next `flush` only: until then, nothing may be written that needs it.
    """

    async def put(self, key: str, body: bytes, *, durable: bool = True) -> None:
        """Write an object, whether or not it exists."""

    async def create(self, key: str, body: bytes, *, durable: bool = True) -> bool:
        """Write an object if the key is free, and return whether it was."""

    async def flush(self) -> None:
        """Wait until everything that was written here, or was found to exist, is durable."""

    async def delete(self, keys: Sequence[str]) -> None:
        """Delete objects; those that do not exist are passed over."""

    async def sweep(self, prefix: str, age: timedelta) -> None:
        """Remove what writers that were killed so long ago have left incomplete below a prefix."""

    async def head(self, key: str) -> Stored:
        """Return what is known of an object."""

    def list(self, prefix: str) -> AsyncIterator[Stored]:
        """Yield all objects whose keys begin with a prefix that ends with `/`."""
