"""One snapshot of a session's claims: what is asked for, under which names, and what came of it."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from ...errors import Unavailable
from ...ports.charge import NotInCharge
from ..labels import MANAGED_BY, MANAGER, PREFIX, SESSION
from .kinds import SNAPSHOT, SNAPSHOT_OWNER
from .plan import Batch

T = TypeVar("T")
_DIGITS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A snapshot to take: `id` labels everything that is made for it, `owner` is a hash."""

    id: str
    namespace: str
    session: str
    owner: str

    @property
    def labels(self) -> dict[str, str]:
        """The labels by which everything is found again."""
        return {
            MANAGED_BY: MANAGER,
            SNAPSHOT: self.id,
            SESSION: self.session,
            SNAPSHOT_OWNER: self.owner,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """The copy of a claim, or the `problem` why there is none. `size` in bytes, 0 if unknown.

    `handle` is its name, `provider` what has made it, as in manifests. Those of one `group` are of
    the same moment; `why` says why others are not.
    """

    claim: str
    handle: str = ""
    size: int = 0
    provider: str = ""
    group: str = ""
    is_copy: bool = False
    why: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds to wait for a snapshot, after its first error, and between two looks."""

    ready: float = 600.0
    error: float = 15.0
    pause: float = 0.5


WAITING = Patience()
"""What is usual."""


class NotTaken(Exception):
    """A snapshot could not be taken; the text says why."""


def copy_name(order: Order, claim: str) -> str:
    """Return the name of the copy of a single claim: the same whenever it is asked for."""
    return f"{PREFIX}{order.id}-{_hash(claim)}"


def group_name(order: Order, batch: Batch) -> str:
    """Return the name of the VolumeGroupSnapshot of a driver's claims."""
    return f"{PREFIX}{order.id}-{selected(batch)}"


def selected(batch: Batch) -> str:
    """Return the value of the label by which a group selects its claims."""
    return f"g{_hash(batch.driver)}"


def taken(batch: Batch, claim: str, handle: str, size: int, group: str = "") -> Taken:
    """Return that a claim of a batch was copied."""
    return Taken(
        claim=claim,
        handle=handle,
        size=size,
        provider=batch.provider,
        group=group,
        is_copy=batch.is_copy,
        why=batch.why,
    )


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


async def persistently(work: Callable[[], Awaitable[T]], patience: Patience) -> T:
    """Return what `work` returns, which can be done again at any time.

    While another controller is in charge, it waits: this one ends, or is in charge again. Raises
    Unavailable after `patience.ready` seconds without an answer.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + patience.ready
    while True:
        try:
            return await work()
        except NotInCharge:
            pass
        except Unavailable:
            if loop.time() >= deadline:
                raise
        await asyncio.sleep(patience.pause)
