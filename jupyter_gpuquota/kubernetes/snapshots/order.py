"""One snapshot of a session's claims: what is asked for, under which names, and what came of it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from ..labels import MANAGED_BY, MANAGER, SESSION
from ..names import PREFIX
from .labels import SNAPSHOT, SNAPSHOT_OWNER
from .plan import Batch

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
